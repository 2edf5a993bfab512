import { LimberError, LiveSimulations, type Backend, type Channel, type ChannelInfo } from 'limber/core'
import type { Addon, AddonBackend, ChannelSection } from './addon.js'

/**
 * The memory that a simulation shares with JavaScript. JavaScript owns it, as Electron allows no arrays over native
 * memory: a step copies its inputs in and its outputs out.
 */
interface Block {
  bytes: Uint8Array<ArrayBuffer>
  sections: ChannelSection[]
}

/** The core as a native addon. */
export class NativeBackend implements Backend {
  readonly target = 'native'
  readonly live = new LiveSimulations((handle) => this.destroy(handle))
  readonly #addon: AddonBackend
  readonly #blocks = new Map<number, Block>()
  /** Why no call is possible any more. */
  #ended: LimberError | undefined

  constructor(addon: Addon) {
    this.#addon = new addon.Backend()
  }

  dispose(): void {
    if (this.#ended?.code === 'disposed') return
    this.live.dispose()
    this.#ended = new LimberError('disposed', 'this backend was disposed')
  }

  check(kind: number, settings: string): void {
    this.#call('check', kind, settings)
  }

  create(kind: number, settings: string, reals: Float32Array, indices: Uint32Array): number {
    const handle = this.#call('create', kind, settings, reals, indices) as number
    this.#pull(handle)
    return handle
  }

  destroy(handle: number): void {
    this.#blocks.delete(handle)
    if (!this.#ended) this.#call('destroy', handle)
  }

  configure(handle: number, settings: string): void {
    this.#push(handle)
    this.#call('configure', handle, settings)
    this.#pull(handle)
  }

  options(handle: number): string {
    return this.#call('options', handle) as string
  }

  report(handle: number): string {
    return this.#call('report', handle) as string
  }

  begin(handle: number, dt: number): number {
    return this.#call('begin', handle, dt, this.#bytes(handle)) as number
  }

  beginOne(handle: number): number {
    return this.#call('beginOne', handle, this.#bytes(handle)) as number
  }

  rereadInputs(handle: number): void {
    this.#call('rereadInputs', handle, this.#bytes(handle))
  }

  fixedStep(handle: number): void {
    this.#call('fixedStep', handle)
  }

  finish(handle: number): void {
    this.#call('finish', handle, this.#bytes(handle))
  }

  advance(handle: number, dt: number): number {
    return this.#call('advance', handle, dt, this.#bytes(handle)) as number
  }

  advanceOne(handle: number): number {
    return this.#call('advanceOne', handle, this.#bytes(handle)) as number
  }

  async advanceAsync(handle: number, dt: number): Promise<number> {
    try {
      return await (this.#call('advanceAsync', handle, dt, this.#bytes(handle)) as Promise<number>)
    } catch (error) {
      throw this.#fault(error)
    }
  }

  time(handle: number): number {
    return this.#call('time', handle) as number
  }

  view(handle: number, channel: ChannelInfo): Channel {
    const { bytes, sections } = this.#block(handle)
    const section = sections.find(({ id }) => id === channel.id)
    if (!section) throw new LimberError('invalid-input', `there is no channel ${channel.id}`)
    const { byteOffset, length } = section
    return channel.element === 'f32'
      ? new Float32Array(bytes.buffer, byteOffset, length)
      : new Uint32Array(bytes.buffer, byteOffset, length)
  }

  command(handle: number, op: number, payload: Float32Array): Float32Array {
    this.#push(handle)
    const result = this.#call('command', handle, op, payload) as Float32Array
    this.#pull(handle)
    return result
  }

  reset(handle: number): void {
    this.#push(handle)
    this.#call('reset', handle)
    this.#pull(handle)
  }

  teleport(handle: number, matrix: Float32Array): void {
    this.#push(handle)
    this.#call('teleport', handle, matrix)
    this.#pull(handle)
  }

  snapshot(handle: number): Uint8Array<ArrayBuffer> {
    this.#push(handle)
    return this.#call('snapshot', handle) as Uint8Array<ArrayBuffer>
  }

  restore(handle: number, bytes: Uint8Array): void {
    this.#push(handle)
    this.#call('restore', handle, bytes)
    this.#pull(handle)
  }

  hash(handle: number): string {
    return this.#call('hash', handle) as string
  }

  /** Calls the addon by name, so that nothing is allocated for a call. */
  #call(name: keyof AddonBackend, a?: unknown, b?: unknown, c?: unknown, d?: unknown): unknown {
    if (this.#ended) {
      const { code, message, cause } = this.#ended
      throw new LimberError(code, message, { cause })
    }
    try {
      return (this.#addon[name] as (...args: unknown[]) => unknown)(a, b, c, d)
    } catch (error) {
      throw this.#fault(error)
    }
  }

  /** What the addon threw, as a {@link LimberError}; after a panic of the core this backend is lost. */
  #fault(error: unknown): unknown {
    if (error instanceof LimberError || !(error instanceof Error)) return error
    const fault = LimberError.parse(error.message)
    if (fault?.code === 'backend-lost') this.#ended = fault
    // What else it throws is about arguments that it cannot convert.
    return fault ?? new LimberError('invalid-input', error.message, { cause: error })
  }

  #block(handle: number): Block {
    const block = this.#blocks.get(handle)
    if (!block) throw new LimberError('disposed', 'this simulation was disposed')
    return block
  }

  #bytes(handle: number): Uint8Array {
    return this.#block(handle).bytes
  }

  /** Hands over inputs that JavaScript has written since the last step. */
  #push(handle: number): void {
    this.#call('push', handle, this.#bytes(handle))
  }

  /** Fetches every channel, into a new block where the layout has changed. */
  #pull(handle: number): void {
    const sections = this.#call('layout', handle) as ChannelSection[]
    const last = sections.at(-1)
    const size = last ? last.byteOffset + 4 * last.length : 0
    let block = this.#blocks.get(handle)
    if (!block || size > block.bytes.length) block = { bytes: new Uint8Array(size), sections }
    block.sections = sections
    this.#blocks.set(handle, block)
    this.#call('pull', handle, block.bytes)
  }
}
