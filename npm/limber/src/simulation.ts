import type { BufferAttribute, Matrix4 } from 'three'
import type { Backend, Channel, ChannelInfo, LiveSimulation } from './backend.js'
import { checkFunction, checkNumber, LimberError, shown, settings } from './error.js'
import { checkMatrix } from './vector.js'

/** What `onDiverge` is told. */
export interface DivergeInfo {
  /** Simulated time at the end of the call in which the state stopped being finite, in seconds. */
  time: number
  /** How often this has happened since the simulation was made. */
  count: number
}

/** Counts and times of a simulation. */
export interface SimulationStats {
  /** Wall-clock milliseconds of a `step` call, averaged over the last whole second (at first over the calls so far). */
  milliseconds: number
}

/** A technique as the core numbers it; generated. */
export interface Technique<Channels> {
  /** Its number. */
  readonly kind: number
  /** Its arrays. */
  readonly channels: { readonly [Name in keyof Channels]: ChannelInfo }
}

/** How a simulation is made. */
export interface Creation<Channels> {
  /** Name of its class, for messages: bundlers shorten the class's own. */
  name: string
  /** What it is of. */
  technique: Technique<Channels>
  /** Seconds of a fixed step. */
  fixedStep: number
  /** Most fixed steps that one call runs. */
  maxSteps: number
  /** Creation options. */
  order: string
  /** Bulk numbers, as the technique wants them. */
  reals: Float32Array
  /** Bulk indices, as the technique wants them. */
  indices: Uint32Array
}

/** A draw attribute may outlive the variable that held its simulation: it keeps the memory it shows alive. */
const owners = /* @__PURE__ */ new WeakMap<BufferAttribute, object>()

/** What every technique has: time, options, state, and an end. */
export abstract class Simulation<
  Options extends object = object,
  Channels extends object = object,
> implements LiveSimulation {
  /** Runs this simulation. */
  readonly backend: Backend
  /**
   * Called before each fixed step with the simulated time at its end, in seconds. The place for wind, pins and colliders
   * that are functions of simulated time: they are then read as they are, not interpolated over the call. It is not waited
   * for.
   */
  onFixedStep: ((time: number) => unknown) | undefined
  /** Called once each time the state stopped being finite and was put back to its last finite state. */
  onDiverge: ((info: DivergeInfo) => void) | undefined
  /**
   * While `true`, `step(dt)` runs no fixed step. Pinned vertices are still drawn where their pins are, and the rest stands
   * still: where pins move far in a pause, move the cloth with them, by {@link teleport}. `step()` without `dt` still runs one
   * step.
   */
  paused = false
  /** Seconds of a fixed step. */
  readonly fixedStep: number
  /** Most fixed steps that one `step(dt)` runs; time beyond them is dropped. */
  readonly maxSteps: number
  /** Counts, and the milliseconds of a step. */
  abstract readonly stats: SimulationStats

  /** Every channel, by name. */
  protected readonly views: Channels

  readonly #name: string
  readonly #technique: Technique<Channels>
  readonly #handle: number
  #disposed = false
  /** While `onFixedStep` may be called: between the core's `begin` and `finish`. */
  #amidStep = false
  /** While {@link stepAsync} steps elsewhere. */
  #away = false
  #timeScale = 1
  #options: Readonly<Options> | undefined
  #diverged = 0
  #windowStart = 0
  #windowSum = 0
  #windowCount = 0
  #windowFull = false

  protected constructor(backend: Backend, creation: Creation<Channels>) {
    const { technique, order, reals, indices } = creation
    this.backend = backend
    this.fixedStep = creation.fixedStep
    this.maxSteps = creation.maxSteps
    this.#name = creation.name
    this.#technique = technique
    this.#handle = backend.create(technique.kind, order, reals, indices)
    this.views = {} as Channels
    this.#takeViews()
  }

  /** Writes what JavaScript holds in objects (vectors, followed objects) into the input arrays. */
  protected abstract writeInputs(): void
  /** Tells three.js that the outputs changed. */
  protected abstract readOutputs(): void
  /** How often the core put the state back because it had stopped being finite. */
  protected abstract divergences(): number
  /** Hands {@link views} to the attributes that show them. */
  protected abstract rebound(): void

  /** How fast simulated time passes, from 0 to 100 times real time; 1 unless set. */
  get timeScale(): number {
    return this.#timeScale
  }

  set timeScale(value: number) {
    this.#checkAlive()
    checkNumber('timeScale', value, 0, 100)
    this.#timeScale = value
  }

  /** Simulated time, in seconds. */
  get time(): number {
    return this.backend.time(this.handle)
  }

  /** Whether it was disposed. */
  get disposed(): boolean {
    return this.#disposed
  }

  /** The options in force; {@link configure} changes them. */
  get options(): Readonly<Options> {
    const handle = this.handle
    return (this.#options ??= freeze(JSON.parse(this.backend.options(handle)) as Options))
  }

  /**
   * Moves on by `dt` seconds of real time (seconds, not milliseconds: what `Timer.getDelta()` gives) and says how many fixed steps ran: at most {@link maxSteps}, none for
   * `dt ≤ 0`. What is owed of a step is kept for the next call. Without `dt`, runs exactly one fixed step and shows it at
   * once.
   *
   * Allocates nothing.
   *
   * What {@link onFixedStep} throws comes through; the steps until then have run, and are shown.
   *
   * @throws LimberError `invalid-input` when `dt` or an input array is not finite, or when it is called from
   *   {@link onFixedStep} of the same simulation; `invalid-option` for a callback that is no function; `disposed`;
   *   `backend-lost`.
   */
  step(dt?: number): number {
    const start = performance.now()
    const handle = this.handle
    const seconds = this.#prepare(dt)
    let steps: number
    if (this.onFixedStep) {
      steps = this.#stepWithHook(handle, seconds)
    } else {
      steps = seconds === undefined ? this.backend.advanceOne(handle) : this.backend.advance(handle, seconds)
      this.readOutputs()
    }
    this.#stepped(start)
    return steps
  }

  /**
   * {@link step}, in the addon's thread pool where there is one. Until it resolves, neither this simulation nor its arrays
   * may be touched. With {@link onFixedStep} set it runs here, as that is called between the steps; and so does the one step
   * of a call without `dt`.
   */
  async stepAsync(dt?: number): Promise<number> {
    if (!this.backend.advanceAsync || this.onFixedStep || dt === undefined) return this.step(dt)
    const start = performance.now()
    const handle = this.handle
    const seconds = this.#prepare(dt)!
    this.#away = true
    let steps: number
    try {
      steps = await this.backend.advanceAsync(handle, seconds)
    } catch (error) {
      // Disposed meanwhile: nobody waits for this.
      if (this.#disposed) return 0
      throw error
    } finally {
      this.#away = false
    }
    if (this.#disposed) return steps
    this.readOutputs()
    this.#stepped(start)
    return steps
  }

  /** Changes some options while it runs. @throws LimberError `invalid-option` naming option and range; nothing has changed. */
  configure(partial: PartialOptions<Options>): void {
    const handle = this.handle
    if (typeof partial !== 'object' || partial === null || Array.isArray(partial)) {
      throw new LimberError('invalid-option', `options must be an object, got ${shown(partial)}`)
    }
    this.backend.configure(handle, settings(partial))
    this.#options = undefined
    this.rebind()
  }

  /**
   * Back to the start, bit for bit: to the place where it was made, with the pins, colliders and options of now. A cloth that
   * was put somewhere else with {@link teleport} is to be put there again afterwards.
   */
  reset(): void {
    this.backend.reset(this.handle)
    this.#changed()
  }

  /**
   * Moves everything by a world matrix, without any swing: velocities turn with it, and nothing is swept between. The matrix
   * goes on top of where it is now: a cloth made about the origin comes to a bone by `teleport(bone.matrixWorld)`. Colliders
   * that follow nothing stay.
   *
   * @throws LimberError `invalid-option` for what is no `Matrix4`; `invalid-input` for one that cannot be inverted
   */
  teleport(matrix: Matrix4): void {
    const handle = this.handle
    checkMatrix('matrix', matrix)
    matrix.toArray(teleportMatrix)
    this.backend.teleport(handle, teleportMatrix)
    this.#changed()
  }

  /** The exact state, time owed included. */
  snapshot(): Uint8Array<ArrayBuffer> {
    return this.backend.snapshot(this.handle)
  }

  /**
   * Takes a state that {@link snapshot} gave. There must be the same pins and as many colliders of the same kinds as then;
   * options are no part of it, and stay as they are now.
   *
   * @throws LimberError `invalid-snapshot` for another's bytes
   */
  restore(bytes: Uint8Array): void {
    const handle = this.handle
    if (!(bytes instanceof Uint8Array)) {
      throw new LimberError('invalid-snapshot', `a snapshot is a Uint8Array, got ${shown(bytes)}`)
    }
    this.backend.restore(handle, bytes)
    this.#changed()
  }

  /** A digest of the state alone, 16 hexadecimal digits, equal on every platform. */
  hash(): string {
    return this.backend.hash(this.handle)
  }

  /**
   * Frees it at once. Its arrays and attributes become JS copies of the last pose, so that what is still drawn stays whole.
   * Every later use throws `disposed`; disposing twice does nothing.
   */
  dispose(): void {
    if (this.#disposed) return
    for (const name of this.#channelNames()) {
      const view = this.views[name] as Channel
      // Of a backend that was lost while memory grew, views are detached: there is nothing left to copy.
      const copy = view.length > 0 ? view.slice() : view instanceof Uint32Array ? new Uint32Array() : new Float32Array()
      this.views[name] = copy as (typeof this.views)[typeof name]
    }
    this.rebound()
    this.#disposed = true
    this.backend.live.delete(this.#handle, this)
    this.backend.destroy(this.#handle)
  }

  /** Whether {@link onFixedStep} is being called: between the steps of a call. */
  protected get amidStep(): boolean {
    return this.#amidStep
  }

  /** The handle for the backend. @throws LimberError `disposed` */
  protected get handle(): number {
    this.#checkAlive()
    return this.#handle
  }

  #checkAlive(): void {
    if (!this.#disposed) return
    throw new LimberError('disposed', `this ${this.#name} was disposed: remove it from the loop that steps it`)
  }

  /** Ends construction: from now on the backend knows it, and its draw attributes keep it alive. */
  protected register(attributes: readonly BufferAttribute[]): void {
    this.backend.live.add(this.#handle, this)
    this.keepAlive(attributes)
  }

  /** These attributes show it: as long as one of them lives, it does. */
  protected keepAlive(attributes: readonly BufferAttribute[]): void {
    for (const attribute of attributes) owners.set(attribute, this)
  }

  /** For the backend: takes fresh views of channels that have moved. */
  rebind(): void {
    this.#takeViews()
    this.rebound()
  }

  /** Runs an operation of this technique, which may move channels. */
  protected command(op: number, payload: Float32Array): Float32Array {
    const result = this.backend.command(this.handle, op, payload)
    this.rebind()
    return result
  }

  #channelNames(): (keyof Channels)[] {
    return Object.keys(this.#technique.channels) as (keyof Channels)[]
  }

  /** Most calls move nothing, and then arrays keep their identity. */
  #takeViews(): void {
    for (const name of this.#channelNames()) {
      const current = this.views[name] as Channel | undefined
      const view = this.backend.view(this.#handle, this.#technique.channels[name])
      const same =
        current !== undefined &&
        current.buffer === view.buffer &&
        current.byteOffset === view.byteOffset &&
        current.length === view.length
      if (!same) this.views[name] = view as Channels[typeof name]
    }
  }

  /** Checks all that a call takes, writes the inputs, and gives the `dt` that the core is to be told. */
  #prepare(dt: number | undefined): number | undefined {
    if (this.#amidStep) {
      throw new LimberError('invalid-input', `this ${this.#name} is amid a step: onFixedStep must not step it`)
    }
    if (this.#away) {
      throw new LimberError('invalid-input', `this ${this.#name} is stepping elsewhere: wait for its stepAsync() first`)
    }
    const seconds = this.#seconds(dt)
    checkFunction('onFixedStep', this.onFixedStep)
    checkFunction('onDiverge', this.onDiverge)
    this.writeInputs()
    return seconds
  }

  #seconds(dt: number | undefined): number | undefined {
    if (dt === undefined) return undefined
    if (!Number.isFinite(dt)) throw new LimberError('invalid-input', `dt must be a finite number (s), got ${shown(dt)}`)
    return this.paused ? 0 : Math.min(dt * this.#timeScale, Number.MAX_VALUE)
  }

  /** Whatever the hook throws, the steps until then are finished and shown. */
  #stepWithHook(handle: number, seconds: number | undefined): number {
    const { backend } = this
    const due = seconds === undefined ? backend.beginOne(handle) : backend.begin(handle, seconds)
    let done = 0
    this.#amidStep = true
    try {
      for (; done < due; done++) {
        // It may have changed itself.
        checkFunction('onFixedStep', this.onFixedStep)
        // Counted as the core counts it, so that the hook sees the same bits at every frame rate.
        const steps = Math.round(backend.time(handle) / this.fixedStep)
        this.onFixedStep?.((steps + 1) * this.fixedStep)
        this.writeInputs()
        backend.rereadInputs(handle)
        backend.fixedStep(handle)
      }
    } finally {
      this.#amidStep = false
      if (!this.#disposed) {
        backend.finish(handle)
        this.readOutputs()
      }
    }
    return done
  }

  #stepped(start: number): void {
    if (this.#disposed) return
    const now = performance.now()
    if (this.#windowCount > 0 && now - this.#windowStart >= 1000) {
      this.stats.milliseconds = this.#windowSum / this.#windowCount
      this.#windowFull = true
      this.#windowSum = this.#windowCount = 0
    }
    if (this.#windowCount === 0) this.#windowStart = now
    this.#windowSum += now - start
    this.#windowCount += 1
    if (!this.#windowFull) this.stats.milliseconds = this.#windowSum / this.#windowCount
    const count = this.divergences()
    const more = count > this.#diverged
    this.#diverged = count
    if (more) this.onDiverge?.({ time: this.time, count })
  }

  /** After the core moved the state by itself. */
  #changed(): void {
    this.rebind()
    this.#diverged = this.divergences()
    this.readOutputs()
  }
}

/** Options to change, nested ones in part too. */
export type PartialOptions<T> = {
  [K in keyof T]?: (T[K] extends object ? PartialOptions<T[K]> : T[K]) | undefined
}

const teleportMatrix = /* @__PURE__ */ new Float32Array(16)

function freeze<T extends object>(value: T): Readonly<T> {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner as object)
  return Object.freeze(value)
}
