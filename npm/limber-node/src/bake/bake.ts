import { setImmediate } from 'node:timers/promises'
import { checkNumber, Cloth, LimberError, shown } from 'limber/core'
import { Recording, RecordedMesh } from './recording.js'

/** What is recorded: one simulation, several, or several by name. */
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
   * while warming up. The simulations' arrays may be touched here and nowhere else.
   */
  drive?: ((t: number) => void | Promise<void>) | undefined
  /** Told after each frame how many of all are done; warming up counts. */
  onProgress?: ((done: number, total: number) => void) | undefined
  /** Stops the recording: `bake` then rejects with the signal's reason, and the simulations stay where they are. */
  signal?: AbortSignal | undefined
}

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
 * @throws LimberError `invalid-option` naming option and range; what a step throws
 */
export async function bake(subjects: BakeSubjects, options: BakeOptions): Promise<Recording> {
  const named = byName(subjects)
  const { fps, frames, warm } = readOptions(options)
  const { drive, onProgress, signal } = options
  const simulations = named.map(([, simulation]) => simulation)
  const parts = Math.max(...simulations.map((simulation) => partsOfFrame(simulation, fps)))
  const inThread = simulations.every(({ backend, onFixedStep }) => !backend.advanceAsync || onFixedStep)

  const meshes = named.map(([name, simulation]) => new RecordedMesh(name, simulation.geometry))
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
  return new Recording(fps, frames, meshes)
}

/**
 * Into how many parts a frame is cut so that no time is dropped: what is owed from the last call, less than a step, and the
 * part's own time must not come to more than one call runs.
 */
function partsOfFrame({ timeScale, maxSteps, fixedStep }: Cloth, fps: number): number {
  return Math.max(Math.ceil(timeScale / fps / ((maxSteps - 1) * fixedStep) - 1e-9), 1)
}

function readOptions(options: BakeOptions): { fps: number; frames: number; warm: number } {
  if (typeof options !== 'object' || options === null) {
    throw new LimberError('invalid-option', `options must be an object, got ${shown(options)}`)
  }
  const unknown = Object.keys(options).find((key) => !KNOWN.includes(key))
  if (unknown) throw new LimberError('invalid-option', `${unknown} is no option of bake; known: ${KNOWN.join(', ')}`)
  const { fps = 30, duration, warmup = 0 } = options
  checkNumber('fps', fps, 1, 240, '1/s')
  checkNumber('duration', duration, 1 / fps, 3600, 's')
  checkNumber('warmup', warmup, 0, 3600, 's')
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
