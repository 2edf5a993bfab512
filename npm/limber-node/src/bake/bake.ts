import { setImmediate } from 'node:timers/promises'
import { checkFunction, checkKeys, checkNumber, Cloth, LimberError, shown } from 'limber/core'
import { Recording, RecordedMesh } from './recording.js'

/**
 * What is recorded: one simulation, several, or several by name. The names are those of the nodes in a file, and of the
 * meshes in a clip: the keys of an object; `cloth0`, `cloth1`, … for a list; `cloth` for one by itself.
 */
export type BakeSubjects = Cloth | readonly Cloth[] | Readonly<Record<string, Cloth>>

/** How a recording is made. */
export interface BakeOptions {
  /** Frames a second, from 1 to 240; 30 unless set. */
  fps?: number | undefined
  /** Length of the recording, in seconds, from one frame to 3600. */
  duration: number
  /** Seconds simulated before t = 0, from 0 to 3600, so that everything is in full motion then; 0 unless set. */
  warmup?: number | undefined
  /**
   * Sets the scene to time `t`, in seconds from the first recorded frame: bones, pins, wind, colliders. `t` is below 0
   * while warming up. The simulations' arrays may be touched here and nowhere else. A promise is waited for.
   */
  drive?: ((t: number) => unknown) | undefined
  /** Told after each frame how many of all are done; warming up counts. */
  onProgress?: ((done: number, total: number) => unknown) | undefined
  /** Stops the recording: `bake` then rejects with the signal's reason, and the simulations stay where they are. */
  signal?: AbortSignal | undefined
}

/** What is being recorded now. */
const recorded = new WeakSet<Cloth>()

const KNOWN = ['fps', 'duration', 'warmup', 'drive', 'onProgress', 'signal']

/**
 * Records simulations while `drive` moves their scene: the frame at t = 0 as it stands there, and every 1/fps seconds up
 * to `duration` one more. Between frames it is `drive(t)`, then `step(1 / fps)`, as in a live loop, so that the bits are
 * the same as in the browser.
 *
 * Steps run in the addon's thread pool. Frames so long that a call might drop time (below 30 a second, for a cloth) are
 * cut into equal parts, and `drive` is called for each.
 *
 * @example
 * const recording = await bake(cape, { duration: 4, drive: (t) => walk(t) })
 * await writeFile('cape.glb', await recording.toGLB())
 *
 * @throws LimberError `invalid-option` naming option and range, or a simulation that is given twice, paused, or already
 *   being recorded; what a step throws
 */
export async function bake(subjects: BakeSubjects, options: BakeOptions): Promise<Recording> {
  const named = byName(subjects)
  const { fps, frames, warm } = readOptions(options)
  const simulations = named.map(([, simulation]) => simulation)
  for (const simulation of simulations) recorded.add(simulation)
  try {
    const meshes = named.map(([name, simulation]) => new RecordedMesh(name, simulation.geometry))
    await record(simulations, meshes, options, fps, frames, warm)
    return new Recording(fps, frames, meshes)
  } finally {
    for (const simulation of simulations) recorded.delete(simulation)
  }
}

/** Runs the simulations, and takes each frame from 0 on into their meshes. */
async function record(
  simulations: readonly Cloth[],
  meshes: readonly RecordedMesh[],
  { drive, onProgress, signal }: BakeOptions,
  fps: number,
  frames: number,
  warm: number,
): Promise<void> {
  const parts = Math.max(...simulations.map((simulation) => partsOfFrame(simulation, fps)))
  const inThread = simulations.every(({ backend, onFixedStep }) => !backend.advanceAsync || onFixedStep)
  for (let frame = -warm; frame < frames; frame++) {
    signal?.throwIfAborted()
    if (frame === -warm) {
      await drive?.(frame / fps)
      for (const simulation of simulations) simulation.step(0)
    } else {
      for (let part = 1; part <= parts; part++) {
        await drive?.((frame - 1 + part / parts) / fps)
        for (const simulation of simulations) await simulation.stepAsync(1 / fps / parts)
      }
    }
    if (frame >= 0) meshes.forEach((mesh, i) => mesh.record(simulations[i]!))
    onProgress?.(frame + warm + 1, frames + warm)
    // Without a pool nothing else would run until the end: not even what aborts this.
    if (inThread) await setImmediate()
  }
  signal?.throwIfAborted()
}

/**
 * Into how many parts a frame is cut so that no time is dropped: what is owed from the last call, less than a step, and the
 * part's own time must not come to more than one call runs.
 */
function partsOfFrame({ timeScale, maxSteps, fixedStep }: Cloth, fps: number): number {
  return Math.max(Math.ceil(timeScale / fps / ((maxSteps - 1) * fixedStep) - 1e-9), 1)
}

function readOptions(options: BakeOptions): { fps: number; frames: number; warm: number } {
  checkKeys('bake', options, KNOWN)
  const { fps = 30, duration, warmup = 0, drive, onProgress, signal } = options
  checkNumber('fps', fps, 1, 240, '1/s')
  checkNumber('duration', duration, 1 / fps, 3600, 's')
  checkNumber('warmup', warmup, 0, 3600, 's')
  checkFunction('drive', drive)
  checkFunction('onProgress', onProgress)
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new LimberError('invalid-option', `signal must be an AbortSignal, got ${shown(signal)}`)
  }
  return { fps, frames: Math.round(duration * fps) + 1, warm: Math.round(warmup * fps) }
}

function byName(subjects: BakeSubjects): [name: string, simulation: Cloth][] {
  const named: [string, Cloth][] =
    subjects instanceof Cloth
      ? [['cloth', subjects]]
      : Array.isArray(subjects)
        ? (subjects as readonly Cloth[]).map((simulation, i) => [`cloth${i}`, simulation])
        : Object.entries((subjects ?? {}) as Readonly<Record<string, Cloth>>)
  if (named.length === 0) throw new LimberError('invalid-option', 'bake takes at least one simulation')
  for (const [name, simulation] of named) {
    if (!(simulation instanceof Cloth)) {
      throw new LimberError('invalid-option', `simulations.${name} must be a Cloth, got ${shown(simulation)}`)
    }
    if (named.some(([other, same]) => same === simulation && other !== name)) {
      throw new LimberError('invalid-option', `simulations.${name} is given more than once`)
    }
    if (recorded.has(simulation)) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} is being recorded by another bake: wait for it first`,
      )
    }
    if (simulation.paused) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} is paused, and would stand still: set paused = false`,
      )
    }
    // Characters that the paths of three.js animation tracks are made of.
    if (name === '' || /[[\].:/\s]/.test(name)) {
      throw new LimberError(
        'invalid-option',
        `the name ${shown(name)} must be a word without spaces or any of [ ] . : /`,
      )
    }
  }
  return named
}
