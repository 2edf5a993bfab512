import type { BufferGeometry, Object3D } from 'three'
import type { Backend } from 'limber/core'
import type { BakeSubjects } from '../bake/bake.js'
import type { SimulationConfig } from '../scene/config.js'

/** What a job writes: a GLB, a three.js clip as JSON, a vertex animation texture, or a flock clip. */
export type JobFormat = 'glb' | 'clip' | 'vat' | 'flock'

/**
 * One entry of `jobs`. It is as many jobs as `clips`, `variants` and `seeds` multiply to. Of `input`, `module` and `scene` it
 * has exactly one. All of it but `name` may stand beside `jobs` too, where it is what jobs have unless they say otherwise.
 */
export interface JobConfig {
  /** First part of the ids of its jobs. The file name of `input` or `module` without extension unless set. */
  name?: string | undefined
  /** A GLB file, relative to the config. Needs `simulations`. */
  input?: string | undefined
  /** An ES module whose default export is a {@link SceneFunction}, relative to the config. */
  module?: string | undefined
  /** In a config that is an ES module: the function itself. */
  scene?: SceneFunction | undefined
  /** Name of the animation that moves the character; the bind pose unless set. */
  clip?: string | undefined
  /** Several such names, a job each. */
  clips?: string[] | undefined
  /** Seed of all that is random, a whole number from 0 to 1000000000. */
  seed?: number | undefined
  /** Several seeds, a job each. */
  seeds?: number[] | undefined
  /** Changes by name, a job each: merged deeply over the job. Lists are replaced whole. */
  variants?: Record<string, VariantConfig> | undefined
  /** Frames a second, from 1 to 240; 30 unless set. */
  fps?: number | undefined
  /** Length in seconds, above 0, at most 3600; that of the clip, or what the module says, unless set. */
  duration?: number | undefined
  /** Seconds simulated before the first frame, from 0 to 3600; 0 unless set. */
  warmup?: number | undefined
  /** Makes the last frame the first: see `bake`. A number is how many seconds fade. `false` unless set. */
  loop?: boolean | number | 'crossfade' | 'periodic' | undefined
  /** What is written; `glb` unless set. */
  format?: JobFormat | undefined
  /** Largest distance of a vertex from where it was recorded, in metres, from 0.00001 to 1; 0.001 unless set. */
  tolerance?: number | undefined
  /** Most morph targets of a mesh, from 1 to 200; 64 unless set. */
  maxTargets?: number | undefined
  /** Largest angle of a bone or boid from what was recorded, in radians, from 0.00001 to 0.1; as `toGLB` has it unless set. */
  angle?: number | undefined
  /** Largest distance of a bone or boid, in metres, from 0.000001 to 1; as `toGLB` has it unless set. */
  distance?: number | undefined
  /** Largest part by which a bone's scale is off, from 0.000001 to 0.1; 0.0001 unless set. */
  ratio?: number | undefined
  /** How a GLB is packed; `'quantize'` unless set: see `toGLB`. */
  compression?: 'none' | 'quantize' | 'meshopt' | undefined
  /** Most bytes that the file may have, from 1; a larger one is written, and the command ends with 3. No limit unless set. */
  budget?: number | undefined
  /** With `input`: what is simulated, by name. */
  simulations?: Record<string, SimulationConfig> | undefined
}

/** What a variant may change: all of a job but what its id is made of. */
export interface VariantConfig extends Omit<
  JobConfig,
  'name' | 'clip' | 'clips' | 'seed' | 'seeds' | 'variants' | 'simulations'
> {
  /** Changes of simulations, by their names. */
  simulations?: Record<string, Partial<SimulationConfig>> | undefined
}

/** A config: JSON by `schema/config.json`, or the default export of an ES module. */
export interface BakeConfig extends Omit<JobConfig, 'name'> {
  /** Where the JSON Schema is: for editors. */
  $schema?: string | undefined
  /** Folder of the files that are written, relative to the config; `baked` unless set. */
  out?: string | undefined
  jobs: JobConfig[]
}

/** What a module may export: a config, or a function that gives one. */
export type ConfigExport = BakeConfig | (() => BakeConfig | Promise<BakeConfig>)

/** What a {@link SceneFunction} is told of its job; what the config does not say is `undefined`. */
export interface SceneContext {
  seed: number | undefined
  variant: string | undefined
  clip: string | undefined
  /** Frames a second. */
  fps: number
  /** Seconds. */
  duration: number | undefined
}

/** What a {@link SceneFunction} makes. */
export interface BuiltScene {
  /** What `bake` records. */
  simulations: BakeSubjects
  /** Sets the scene to time `t`, in seconds, as `bake` takes it. */
  drive?: ((t: number) => unknown) | undefined
  /** Seconds, where the config says nothing. */
  duration?: number | undefined
  /** The object of which all is recorded, as `bake` takes it. */
  root?: Object3D | undefined
  /** The bytes of a GLB file that the animation is added to, as `toGLB` takes them. */
  onto?: Uint8Array | undefined
  /** What a boid is shown as, as `toGLB` takes it. */
  geometry?: BufferGeometry | undefined
  /** Called after the file was made. */
  dispose?: (() => unknown) | undefined
}

/** Builds what a job records. It is run in a process of its own, so that nothing is left of the job before. */
export type SceneFunction = (limber: Backend, context: SceneContext) => BuiltScene | Promise<BuiltScene>

const JOB = {
  name: true,
  input: true,
  module: true,
  scene: true,
  clip: true,
  clips: true,
  seed: true,
  seeds: true,
  variants: true,
  fps: true,
  duration: true,
  warmup: true,
  loop: true,
  format: true,
  tolerance: true,
  maxTargets: true,
  angle: true,
  distance: true,
  ratio: true,
  compression: true,
  budget: true,
  simulations: true,
} satisfies Record<keyof JobConfig, true>

const CONFIG = { $schema: true, out: true, jobs: true } satisfies Record<
  Exclude<keyof BakeConfig, keyof JobConfig>,
  true
>

/** Names of what makes an id, which no variant changes. */
const IDENTITY: readonly string[] = ['name', 'clip', 'clips', 'seed', 'seeds', 'variants']

/** Names of the options of a {@link JobConfig}. */
export const JOB_KEYS: readonly string[] = Object.keys(JOB)
/** Names of the options of a {@link VariantConfig}. */
export const VARIANT_KEYS: readonly string[] = JOB_KEYS.filter((key) => !IDENTITY.includes(key))
/** Names of the options of a {@link BakeConfig}. */
export const CONFIG_KEYS: readonly string[] = [...Object.keys(CONFIG), ...JOB_KEYS.filter((key) => key !== 'name')]

/** What {@link FitOptions} a job may set. */
export const FIT_KEYS = ['tolerance', 'maxTargets', 'angle', 'distance', 'ratio'] as const

/** Extensions of what is written. */
export const EXTENSIONS: Record<JobFormat, string> = { glb: 'glb', clip: 'json', vat: 'vat', flock: 'flock' }
