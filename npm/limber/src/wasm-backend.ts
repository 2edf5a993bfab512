import { LiveSimulations, type Backend, type BackendTarget, type Channel, type ChannelInfo } from './backend.js'
import { LimberError } from './error.js'
import { CALL } from './generated/calls.js'

/** What the WebAssembly exports; the struct's address comes first. See `crates/wasm`. */
interface Exports {
  memory: WebAssembly.Memory
  backend_new(): number
  /** Gives a number, or −1 for a refusal. */
  backend_call(self: number, call: number, handle: number, a: number, b: number, c: number): number
  __wbindgen_start?(): void
}

/** One instance of the WebAssembly, with its own memory. */
export class WasmBackend implements Backend {
  readonly target: BackendTarget
  readonly live = new LiveSimulations((handle) => this.destroy(handle))
  readonly #exports: Exports
  /** Address of the core's struct. */
  readonly #self: number
  /** What memory was when views were last taken. */
  #memory: ArrayBuffer
  /** Why no call is possible any more. */
  #ended: LimberError | undefined

  private constructor(exports: Exports, target: BackendTarget, reserve: number) {
    this.#exports = exports
    this.target = target
    this.#self = exports.backend_new()
    if (this.#call(CALL.reserve, 0, reserve) < 0) {
      throw new LimberError('out-of-memory', `reserve: ${reserve} bytes of memory could not be had`)
    }
    this.#memory = exports.memory.buffer
  }

  /** A fresh instance of `module` with at least `reserve` bytes free. */
  static async instantiate(module: WebAssembly.Module, reserve: number): Promise<WasmBackend> {
    let exports: Exports
    try {
      const instance = await WebAssembly.instantiate(
        module,
        imports(module, () => exports.memory),
      )
      exports = instance.exports as unknown as Exports
      if (typeof exports.backend_new !== 'function') throw new Error('it has no backend')
      exports.__wbindgen_start?.()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new LimberError('load-failed', `the given WebAssembly is not Limber's: ${reason}`, { cause })
    }
    // The build marks the one without SIMD.
    const scalar = WebAssembly.Module.customSections(module, 'limber-scalar').length > 0
    return new WasmBackend(exports, scalar ? 'wasm-scalar' : 'wasm', reserve)
  }

  dispose(): void {
    if (this.#ended?.code === 'disposed') return
    this.live.dispose()
    this.#ended = new LimberError('disposed', 'this backend was disposed')
  }

  check(kind: number, settings: string): void {
    this.#done(this.#call(CALL.check, kind, this.#text(settings)))
    this.#settle()
  }

  create(kind: number, settings: string, reals: Float32Array, indices: Uint32Array): number {
    const head = 4 * (reals.length + indices.length)
    const at = this.#scratch(head + 3 * settings.length)
    const { buffer } = this.#exports.memory
    new Float32Array(buffer, at, reals.length).set(reals)
    new Uint32Array(buffer, at + 4 * reals.length, indices.length).set(indices)
    const written = writeText(settings, buffer, at + head)
    const handle = this.#call(CALL.create, kind, reals.length, indices.length, written)
    this.#settle()
    return this.#done(handle)
  }

  destroy(handle: number): void {
    if (!this.#ended) this.#done(this.#call(CALL.destroy, handle))
  }

  configure(handle: number, settings: string): void {
    const refused = this.#call(CALL.configure, handle, this.#text(settings))
    this.#settle()
    this.#done(refused)
  }

  options(handle: number): string {
    return this.#string(CALL.options, handle)
  }

  report(handle: number): string {
    return this.#string(CALL.report, handle)
  }

  begin(handle: number, dt: number): number {
    return this.#done(this.#call(CALL.begin, handle, dt))
  }

  beginOne(handle: number): number {
    return this.#done(this.#call(CALL.beginOne, handle))
  }

  rereadInputs(handle: number): void {
    this.#done(this.#call(CALL.rereadInputs, handle))
  }

  fixedStep(handle: number): void {
    this.#done(this.#call(CALL.fixedStep, handle))
  }

  finish(handle: number): void {
    this.#done(this.#call(CALL.finish, handle))
  }

  advance(handle: number, dt: number): number {
    return this.#done(this.#call(CALL.advance, handle, dt))
  }

  advanceOne(handle: number): number {
    return this.#done(this.#call(CALL.advanceOne, handle))
  }

  time(handle: number): number {
    return this.#done(this.#call(CALL.time, handle))
  }

  view(handle: number, channel: ChannelInfo): Channel {
    const length = this.#done(this.#call(CALL.channelLength, handle, channel.id))
    const at = this.#call(CALL.channelAddress, handle, channel.id)
    const { buffer } = this.#exports.memory
    return channel.element === 'f32' ? new Float32Array(buffer, at, length) : new Uint32Array(buffer, at, length)
  }

  command(handle: number, op: number, payload: Float32Array): Float32Array {
    const at = this.#scratch(4 * payload.length)
    new Float32Array(this.#exports.memory.buffer, at, payload.length).set(payload)
    const refused = this.#call(CALL.command, handle, op, payload.length)
    this.#settle()
    this.#done(refused)
    return new Float32Array(this.#output().buffer)
  }

  reset(handle: number): void {
    const refused = this.#call(CALL.reset, handle)
    this.#settle()
    this.#done(refused)
  }

  teleport(handle: number, matrix: Float32Array): void {
    const at = this.#scratch(64)
    new Float32Array(this.#exports.memory.buffer, at, 16).set(matrix)
    const refused = this.#call(CALL.teleport, handle)
    this.#settle()
    this.#done(refused)
  }

  snapshot(handle: number): Uint8Array<ArrayBuffer> {
    const refused = this.#call(CALL.snapshot, handle)
    this.#settle()
    this.#done(refused)
    return this.#output()
  }

  restore(handle: number, bytes: Uint8Array): void {
    const at = this.#scratch(bytes.length)
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes)
    const refused = this.#call(CALL.restore, handle, bytes.length)
    this.#settle()
    this.#done(refused)
  }

  hash(handle: number): string {
    return this.#string(CALL.hash, handle)
  }

  /** Calls the core. A call that traps leaves it in an unknown state: the backend is then lost. */
  #call(call: number, handle = 0, a = 0, b = 0, c = 0): number {
    if (this.#ended) throw this.#again()
    try {
      return this.#exports.backend_call(this.#self, call, handle, a, b, c)
    } catch (cause) {
      throw (this.#ended = new LimberError('backend-lost', 'the WebAssembly failed; make a new backend with load()', {
        cause,
      }))
    }
  }

  /** The end, with the stack of the call that met it. */
  #again(): LimberError {
    const { code, message, cause } = this.#ended!
    return new LimberError(code, message, { cause })
  }

  /** `count`, or throws when the core refused. */
  #done(count: number): number {
    if (count < 0) throw this.#refusal()
    return count
  }

  /** What the core said when it refused. */
  #refusal(): LimberError {
    const text = new TextDecoder().decode(this.#output())
    return LimberError.parse(text) ?? new LimberError('backend-lost', text)
  }

  /** A copy of the last call's output. */
  #output(): Uint8Array<ArrayBuffer> {
    const at = this.#call(CALL.outputAddress)
    const length = this.#call(CALL.outputLength)
    return new Uint8Array(this.#exports.memory.buffer, at, length).slice()
  }

  /** The output of a call that leaves a text. */
  #string(call: number, handle: number): string {
    const refused = this.#call(call, handle)
    this.#settle()
    this.#done(refused)
    return new TextDecoder().decode(this.#output())
  }

  /** Address of `bytes` for what the next call reads. Memory may have grown: only then is its buffer what it is. */
  #scratch(bytes: number): number {
    // A number from 2³² on would arrive as what is left of it.
    const at = bytes < 2 ** 32 ? this.#call(CALL.scratch, 0, bytes) : 0
    this.#settle()
    if (at === 0 && bytes > 0) throw new LimberError('out-of-memory', `${bytes} bytes for a call could not be had`)
    return at
  }

  /** Writes `text` where the next call reads, and gives its bytes. */
  #text(text: string): number {
    const at = this.#scratch(3 * text.length)
    return writeText(text, this.#exports.memory.buffer, at)
  }

  /**
   * Rebinds every simulation when memory has grown, which detaches all views. Ends every call that may allocate. It takes
   * a quarter more then, so that a program that makes many simulations is rebound a few times and not at each.
   */
  #settle(): void {
    const { memory } = this.#exports
    if (this.#memory === memory.buffer) return
    if (!this.#ended) this.#call(CALL.reserve, 0, memory.buffer.byteLength / 4)
    this.#memory = memory.buffer
    this.live.rebind()
  }
}

/**
 * Writes `text` to `buffer` from `at` on, where there is room for three bytes a character, and gives its bytes. The view
 * ends with that room: into one longer than 2 GiB, `encodeInto` writes nothing.
 */
function writeText(text: string, buffer: ArrayBuffer, at: number): number {
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(buffer, at, 3 * text.length))
  if (read === text.length) return written
  throw new LimberError('out-of-memory', `only ${read} of ${text.length} characters of a call could be handed over`)
}

/**
 * The imports of `module`. The core calls nothing outside; what wasm-bindgen asks for is one way to throw, and a set-up
 * that is nothing to us.
 */
function imports(module: WebAssembly.Module, memory: () => WebAssembly.Memory): WebAssembly.Imports {
  const all: Record<string, Record<string, () => void>> = {}
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    const throws = (at = 0, length = 0): never => {
      throw new Error(new TextDecoder().decode(new Uint8Array(memory().buffer, at >>> 0, length >>> 0)))
    }
    ;(all[from] ??= {})[name] = name.includes('throw') ? throws : () => {}
  }
  return all
}
