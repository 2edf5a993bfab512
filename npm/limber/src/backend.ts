import { LimberError } from './error.js'

/** What runs the simulations: WebAssembly with SIMD, WebAssembly without it, or a native addon. */
export type BackendTarget = 'wasm' | 'wasm-scalar' | 'native'

/** Numbers that a simulation shares with JavaScript. */
export type Channel = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** How a channel is asked for. */
export interface ChannelInfo {
  /** Its id. */
  readonly id: number
  /** What its numbers are. */
  readonly element: 'f32' | 'u32'
}

/**
 * What `load()` gives: the core and every simulation made with it. It holds no global state, and two live side by side.
 *
 * Beyond `target` and `dispose` its members are for the simulation classes. A simulation is known by a handle; all but
 * `dispose` throw a {@link LimberError} when the core refuses, and then nothing has changed.
 */
export interface Backend {
  /** What runs the simulations. */
  readonly target: BackendTarget
  /** Frees everything at once, after every simulation gave its attributes a JS copy of the last pose. */
  dispose(): void

  /** The simulations of this backend that are alive. */
  readonly live: LiveSimulations
  /** Checks creation options without allocating for them. */
  check(kind: number, settings: string): void
  /** Makes a simulation of technique `kind`. What the arrays mean is the technique's own. */
  create(kind: number, settings: string, reals: Float32Array, indices: Uint32Array): number
  /** Frees a simulation; its handle is never another's. */
  destroy(handle: number): void
  /** Changes the options that `settings` name. */
  configure(handle: number, settings: string): void
  /** The options in force, as JSON. */
  options(handle: number): string
  /** What creation dropped or merged, as JSON. */
  report(handle: number): string
  /** Takes `dt` seconds and says how many fixed steps are due; `finish` ends the call. */
  begin(handle: number, dt: number): number
  /** Plans exactly one fixed step that is shown at once; `finish` ends the call. */
  beginOne(handle: number): number
  /** Reads the inputs afresh for the next fixed step only, without interpolation. */
  rereadInputs(handle: number): void
  /** Runs one fixed step. */
  fixedStep(handle: number): void
  /** Writes the output arrays. */
  finish(handle: number): void
  /** `begin`, every step that is due, `finish`; says how many steps ran. */
  advance(handle: number, dt: number): number
  /** `beginOne`, one step, `finish`. */
  advanceOne(handle: number): number
  /** `advance` off the caller's thread, where the backend has other threads. Arrays may not be touched meanwhile. */
  advanceAsync?(handle: number, dt: number): Promise<number>
  /** Simulated time in seconds. */
  time(handle: number): number
  /** A fresh view of a channel. It dies when the channel moves: see {@link LiveSimulation.rebind}. */
  view(handle: number, channel: ChannelInfo): Channel
  /** Runs an operation that only this technique has. */
  command(handle: number, op: number, payload: Float32Array): Float32Array
  /** Back to the start. */
  reset(handle: number): void
  /** Moves everything by a column-major 4×4 matrix. */
  teleport(handle: number, matrix: Float32Array): void
  /** The exact state. */
  snapshot(handle: number): Uint8Array<ArrayBuffer>
  /** Takes a state that `snapshot` gave. */
  restore(handle: number, bytes: Uint8Array): void
  /** A digest of the state, 16 hexadecimal digits. */
  hash(handle: number): string
}

/** What a backend asks of the simulations made with it. */
export interface LiveSimulation {
  /** Takes fresh views of channels that have moved. */
  rebind(): void
  /** Frees it. */
  dispose(): void
}

/** The simulations of a backend, held weakly: one that the program forgot is freed when it is collected. */
export class LiveSimulations {
  readonly #simulations = new Map<number, WeakRef<LiveSimulation>>()
  readonly #forgotten: FinalizationRegistry<number>

  /** `destroy` frees what was forgotten. */
  constructor(destroy: (handle: number) => void) {
    this.#forgotten = new FinalizationRegistry((handle) => {
      this.#simulations.delete(handle)
      destroy(handle)
    })
  }

  /** Takes in a new simulation. */
  add(handle: number, simulation: LiveSimulation): void {
    this.#simulations.set(handle, new WeakRef(simulation))
    this.#forgotten.register(simulation, handle, simulation)
  }

  /** Lets go of a simulation that is being disposed. */
  delete(handle: number, simulation: LiveSimulation): void {
    this.#simulations.delete(handle)
    this.#forgotten.unregister(simulation)
  }

  /** Gives every simulation fresh views, after memory has moved. */
  rebind(): void {
    for (const simulation of this.#simulations.values()) simulation.deref()?.rebind()
  }

  /** Disposes every simulation. */
  dispose(): void {
    for (const simulation of [...this.#simulations.values()]) simulation.deref()?.dispose()
  }
}

/** Throws when `backend` is not what `load()` resolved to: its promise, most often. */
export function checkBackend(backend: Backend): void {
  if (typeof backend?.create !== 'function') {
    throw new LimberError('invalid-option', 'a simulation is made with what load() resolves to: await load()')
  }
}
