import { createHash } from 'node:crypto'
import { basename, extname } from 'node:path'
import type { BakeConfig, JobConfig, JobFormat, SceneFunction, VariantConfig } from './config.js'
import { usage } from './fault.js'

/** What the command line says in place of the config. */
export interface Overrides {
  /** Frames a second. */
  fps?: number | undefined
  /** Seconds. */
  duration?: number | undefined
}

/** What a file is made of, apart from the contents of its inputs: what it is named by. */
export interface JobSettings extends Pick<
  JobConfig,
  | 'clip'
  | 'seed'
  | 'duration'
  | 'warmup'
  | 'loop'
  | 'tolerance'
  | 'maxTargets'
  | 'angle'
  | 'distance'
  | 'ratio'
  | 'compression'
  | 'simulations'
> {
  variant?: string
  fps: number
  format: JobFormat
}

/** One file to be written. */
export interface Job {
  /** Stable name: `name[.clip][.variant][.s<seed>]`. */
  id: string
  /** Place in the list of all jobs, from 0. */
  index: number
  /** Where it stands in the config: `config.jobs[0]`. */
  path: string
  input?: string
  module?: string
  scene?: SceneFunction
  settings: JobSettings
  /** Bytes. */
  budget?: number
}

/** Options that change what is written, in the order in which they are hashed. */
const SETTINGS = [
  'duration',
  'warmup',
  'loop',
  'tolerance',
  'maxTargets',
  'angle',
  'distance',
  'ratio',
  'compression',
  'simulations',
] as const

const SOURCES = ['input', 'module', 'scene'] as const

/**
 * All jobs of a config, in its order: of each entry clip after clip, of each clip variant after variant, of each variant seed
 * after seed.
 *
 * @throws Fault 2 for an entry without a source, or with two; and for two jobs of one id
 */
export function expandJobs(config: BakeConfig, overrides: Overrides = {}): Job[] {
  const { $schema: _, out: __, jobs: entries, ...defaults } = config
  if (!Array.isArray(entries)) throw usage('config.jobs must be a list of jobs')
  const jobs: Job[] = []
  const owners = new Map<string, string>()
  entries.forEach((entry, place) => {
    const path = `config.jobs[${place}]`
    if (typeof entry !== 'object' || entry === null) throw usage(`${path} must be an object`)
    const whole = withDefaults(defaults, entry)
    const variants = Object.entries(whole.variants ?? { '': {} })
    for (const clip of whole.clips ?? [whole.clip]) {
      for (const [variant, changes] of variants) {
        for (const seed of whole.seeds ?? [whole.seed]) {
          const given = { ...varied(whole, changes), clip, seed }
          const job = jobOf(given, variant, path, overrides)
          const owner = owners.get(job.id)
          if (owner !== undefined) {
            const who = owner === path ? `two jobs of ${path}` : `${owner} and ${path}`
            throw usage(`${who} both have the id ${job.id}: give them names of their own (name)`)
          }
          owners.set(job.id, path)
          jobs.push({ ...job, index: jobs.length })
        }
      }
    }
  })
  return jobs
}

/** A job with what stands beside `jobs` where it says nothing itself. */
function withDefaults(defaults: Omit<BakeConfig, '$schema' | 'out' | 'jobs'>, entry: JobConfig): JobConfig {
  const own: JobConfig = { ...defaults, ...entry }
  const says = (...keys: (keyof JobConfig)[]) => keys.some((key) => entry[key] !== undefined)
  // One source replaces the other, and one clip the list of them.
  for (const keys of [SOURCES, ['clip', 'clips'], ['seed', 'seeds']] as const) {
    if (says(...keys)) for (const key of keys) if (entry[key] === undefined) delete own[key]
  }
  return own
}

/** A job with the changes of a variant. */
function varied(job: JobConfig, changes: VariantConfig): JobConfig {
  const whole = merged(job, changes) as JobConfig
  if (SOURCES.some((key) => changes[key] !== undefined)) {
    for (const key of SOURCES) if (changes[key] === undefined) delete whole[key]
  }
  return whole
}

/** `changes` over `base`: objects are merged, all else is replaced. */
function merged(base: unknown, changes: unknown): unknown {
  if (!isPlain(base) || !isPlain(changes)) return changes
  const all: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(changes)) {
    if (value !== undefined) all[key] = Object.hasOwn(base, key) ? merged(base[key], value) : value
  }
  return all
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jobOf(given: JobConfig, variant: string, path: string, { fps, duration }: Overrides): Omit<Job, 'index'> {
  const sources = SOURCES.filter((key) => given[key] !== undefined)
  if (sources.length !== 1) {
    const got = sources.length === 0 ? 'has none' : `has ${sources.join(' and ')}`
    throw usage(`${path} must have one of input, module and scene, and ${got}`)
  }
  const { input, module, scene, clip, seed, budget } = given
  if (scene !== undefined && typeof scene !== 'function') throw usage(`${path}.scene must be a function`)
  if (input === undefined && given.simulations !== undefined) {
    throw usage(`${path}.simulations is for jobs with input: a module or scene makes its own`)
  }
  if (input !== undefined && Object.keys(given.simulations ?? {}).length === 0) {
    throw usage(`${path}.simulations must name at least one simulation that acts on ${input}`)
  }
  const changed = { ...given, ...(fps !== undefined && { fps }), ...(duration !== undefined && { duration }) }
  if (input !== undefined && clip === undefined && changed.duration === undefined) {
    throw usage(`${path}.duration is missing: without a clip there is none to take (seconds, at most 3600)`)
  }
  const settings: JobSettings = {
    ...(clip !== undefined && { clip }),
    ...(variant !== '' && { variant }),
    ...(seed !== undefined && { seed }),
    fps: changed.fps ?? 30,
    format: changed.format ?? 'glb',
    ...Object.fromEntries(SETTINGS.filter((key) => changed[key] !== undefined).map((key) => [key, changed[key]])),
  }
  const file = input ?? module ?? 'scene'
  const name = given.name ?? basename(file, extname(file))
  const parts = [name, ...(clip === undefined ? [] : [clip]), ...(variant === '' ? [] : [variant])].map(safe)
  const id = [...parts, ...(seed === undefined ? [] : [`s${seed}`])].join('.')
  return {
    id,
    path,
    settings,
    ...(input !== undefined && { input }),
    ...(module !== undefined && { module }),
    ...(scene !== undefined && { scene }),
    ...(budget !== undefined && { budget }),
  }
}

/** A part of an id, of characters that every file system takes. */
function safe(part: string): string {
  return String(part).replace(/[^A-Za-z0-9_-]/g, '-')
}

/**
 * What tells a config from another: a hash of all that it says, and of what the command line changes in it.
 *
 * @throws Fault 2 for a config that holds itself, or a BigInt
 */
export function configHash(config: BakeConfig, { fps, duration }: Overrides = {}): string {
  const { $schema: _, ...said } = config
  let text: string
  try {
    text = JSON.stringify([said, fps ?? null, duration ?? null], (_, value) =>
      typeof value === 'function' ? 'function' : value,
    )
  } catch (error) {
    throw usage(`config must hold nothing that JSON has not: ${(error as Error).message.split('\n')[0]}`)
  }
  return createHash('sha256').update(text).digest('hex')
}
