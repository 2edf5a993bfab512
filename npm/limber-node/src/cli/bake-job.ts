import { readFile } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AnimationClip } from 'three'
import { checkKeys, LimberError, shown, type Backend } from 'limber/core'
import { bake } from '../bake/bake.js'
import { measureClip } from '../bake/measure.js'
import type { Recording } from '../bake/recording.js'
import type { GLBOptions } from '../bake/to-glb.js'
import { FIT_KEYS, type BuiltScene, type SceneFunction } from '../config/config.js'
import { Fault, shownPath, systemText } from '../config/fault.js'
import type { Job } from '../config/jobs.js'
import { load } from '../load.js'
import { sha256 } from './manifest.js'
import { sinceInput, validateGLB, type Issue } from './validate.js'

/** A file that was made. */
export interface Baked {
  bytes: Uint8Array
  report: unknown
  /** What is worth a word and no fault. */
  notes: string[]
}

/** What is recorded, and how it becomes a GLB. */
interface Recorded {
  recording: Recording
  toGLB(options: GLBOptions): Promise<Uint8Array>
  dispose(): void | Promise<void>
  /** The GLB that the file is made from. */
  from: Uint8Array | undefined
}

type Progress = (done: number, total: number) => void

const BUILT = ['simulations', 'drive', 'duration', 'root', 'onto', 'geometry', 'dispose']

/**
 * Bakes a job. `folder` is that of the config.
 *
 * @throws LimberError, Fault, or what a module throws
 */
export async function bakeJob(job: Job, folder: string, onProgress: Progress): Promise<Baked> {
  const limber = await load()
  try {
    const recorded =
      job.input === undefined
        ? await recordModule(limber, job, folder, onProgress)
        : await recordInput(limber, job, resolve(folder, job.input), onProgress)
    try {
      return await written(job, recorded)
    } finally {
      await recorded.dispose()
    }
  } finally {
    limber.dispose()
  }
}

async function recordInput(limber: Backend, job: Job, file: string, onProgress: Progress): Promise<Recorded> {
  const { clip, fps, duration, warmup, seed, loop, simulations } = job.settings
  let from: Uint8Array
  try {
    from = await readFile(file)
  } catch (error) {
    throw new Fault(`input ${shownPath(file)} cannot be read: ${systemText(error)}`)
  }
  // Readers of all that a GLB may be: modules need none.
  const { bakeScene } = await import('../scene/scene.js')
  const options = {
    fps,
    ...(clip !== undefined && { clip }),
    ...(duration !== undefined && { duration }),
    ...(warmup !== undefined && { warmup }),
    ...(seed !== undefined && { seed }),
    ...(loop !== undefined && { loop }),
    simulations,
  }
  const named = <T>(action: () => Promise<T>) =>
    action().catch((error: unknown) => {
      if (error instanceof LimberError) throw new LimberError(error.code, `${shownPath(file)}: ${error.message}`)
      throw error
    })
  const baked = await named(() => bakeScene(limber, from, options as Parameters<typeof bakeScene>[2], { onProgress }))
  return {
    recording: baked.recording,
    toGLB: (limits) => named(() => baked.toGLB(limits)),
    dispose: () => baked.dispose(),
    from,
  }
}

async function recordModule(limber: Backend, job: Job, folder: string, onProgress: Progress): Promise<Recorded> {
  const { settings, module } = job
  const { clip, variant, seed, fps, duration, warmup, loop } = settings
  const name = module === undefined ? `${job.path}.scene` : shownPath(resolve(folder, module))
  const build = job.scene ?? (await sceneOf(resolve(folder, module!), name))
  const built = (await build(limber, { seed, variant, clip, fps, duration })) as BuiltScene
  if (typeof built !== 'object' || built === null) {
    throw new LimberError('invalid-input', `${name} must give { simulations, … }, got ${shown(built)}`)
  }
  checkKeys('what a scene gives', built, BUILT, name)
  const { simulations, drive, root, onto, geometry } = built
  const seconds = duration ?? built.duration
  if (seconds === undefined) {
    throw new LimberError('invalid-option', `duration is missing: neither the config nor ${name} says it (seconds)`)
  }
  if (simulations === undefined) throw new LimberError('invalid-input', `${name} gives no simulations`)
  const options = {
    fps,
    duration: seconds,
    onProgress,
    ...(warmup !== undefined && { warmup }),
    ...(loop !== undefined && { loop }),
    ...(drive !== undefined && { drive }),
    ...(root !== undefined && { root }),
  }
  const recording = await bake(simulations, options as Parameters<typeof bake>[1])
  return {
    recording,
    toGLB: (limits) =>
      recording.toGLB({ ...limits, ...(onto !== undefined && { onto }), ...(geometry !== undefined && { geometry }) }),
    dispose: async () => void (await built.dispose?.()),
    from: onto,
  }
}

async function sceneOf(file: string, name: string): Promise<SceneFunction> {
  const { default: scene } = (await import(pathToFileURL(file).href)) as { default?: unknown }
  if (typeof scene === 'function') return scene as SceneFunction
  throw new LimberError('invalid-input', `${name} must export a function by default, got ${shown(scene)}`)
}

/** The file of a recording, in the format of the job. */
async function written({ settings }: Job, recorded: Recorded): Promise<Baked> {
  const { recording } = recorded
  const { format, compression } = settings
  const known = recording.fitKeys
  const limits: GLBOptions = Object.fromEntries(
    FIT_KEYS.filter((key) => known.includes(key) && settings[key] !== undefined).map((key) => [key, settings[key]]),
  )
  const notes: string[] = []
  let bytes: Uint8Array
  const { meshes, skeletons, flocks } = recording
  const lost = { glb: [], clip: meshes, vat: [...skeletons, ...flocks], flock: [...meshes, ...skeletons] }[format]
  if (lost.length > 0) {
    const names = lost.map(({ name }) => name).join(', ')
    const kept = { glb: '', clip: 'bones and boids', vat: 'a cloth', flock: 'boids' }[format]
    throw new LimberError(
      'invalid-option',
      `format "${format}" holds ${kept} alone, and would lose ${names}: write a "glb"`,
    )
  }
  if (format === 'glb') {
    bytes = await recorded.toGLB({ ...limits, ...(compression !== undefined && { compression }) } as GLBOptions)
    const before = recorded.from ? await validateGLB(recorded.from) : []
    const { own, inherited } = sinceInput(await validateGLB(bytes), before)
    if (own.length > 0) throw new Fault(refused(own))
    notes.push(...inherited.map(({ text }) => `the input has this warning already: ${text}`))
  } else if (format === 'clip') {
    bytes = clipBytes(recording.toAnimationClip(limits))
    const clip = AnimationClip.parse(JSON.parse(new TextDecoder().decode(bytes)))
    recording.report = measureClip(recording, limits, bytes.byteLength, clip)
  } else if (format === 'flock') {
    const { angle, distance } = limits
    bytes = recording.toFlockClip({
      ...(angle !== undefined && { angle }),
      ...(distance !== undefined && { distance }),
    })
  } else {
    const { tolerance } = limits
    bytes = recording.toVAT({ ...(tolerance !== undefined && { tolerance }) })
  }
  return { bytes, report: JSON.parse(JSON.stringify(recording.report)), notes }
}

function refused(issues: readonly Issue[]): string {
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return `the file is not valid glTF: ${issues[0]!.text}${more}`
}

/** A clip as JSON. Its UUID is of what it holds: one that was drawn would be another in each run. */
function clipBytes(clip: AnimationClip): Uint8Array {
  const { uuid: _, ...said } = (clip.constructor as typeof AnimationClip).toJSON(clip) as { uuid: string }
  const digits = sha256(new TextEncoder().encode(JSON.stringify(said)))
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`
  return new TextEncoder().encode(JSON.stringify({ ...said, uuid }))
}

/** Where to look for the line of a fault: the folder of the config. */
export function placeFolder(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep
}
