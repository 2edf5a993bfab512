import { resolve } from 'node:path'
import { EXTENSIONS } from '../config/config.js'
import { Fault, usage } from '../config/fault.js'
import { Inputs } from '../config/inputs.js'
import { configHash, expandJobs, type Job, type Overrides } from '../config/jobs.js'
import { findConfig, loadConfig, type LoadedConfig } from '../config/load.js'
import { knownManifests, type Manifest } from './manifest.js'
import { readShard, type Shard } from './shard.js'
import { version } from './version.js'

/** What a command is told of the config. */
export interface PlanOptions extends Overrides {
  config?: string | undefined
  shard?: string | undefined
  /** Where an engine for many machines may say which part this is. */
  env?: NodeJS.ProcessEnv | undefined
}

/** A config that was read and checked. */
export interface Plan {
  loaded: LoadedConfig
  overrides: Overrides
  /** Folder of what is written. */
  out: string
  version: string
  /** Hash of the config. */
  hash: string
  shard: Shard | undefined
  /** All jobs, of other parts too. */
  jobs: Job[]
  inputs: Inputs
  /** What is in the folder already. */
  known: Manifest[]
}

/**
 * Reads the config and lists its jobs. It is checked against the schema unless a manifest of the same config shows that it
 * was: that takes a library, and a second run is to be quick.
 *
 * @throws Fault 2
 */
export async function makePlan({ config: path, shard: given, env, fps, duration }: PlanOptions): Promise<Plan> {
  const shard = readShard(given, env)
  const loaded = await loadConfig(findConfig(path))
  const { config, folder } = loaded
  const overrides = { fps, duration }
  const own = version()
  const hash = configHash(config, overrides)
  if (config.out !== undefined && (typeof config.out !== 'string' || config.out === '')) {
    throw usage('config.out must be a text that is not empty')
  }
  const out = resolve(folder, config.out ?? 'baked')
  const known = knownManifests(out, shard)
  const list = () => expandJobs(config, overrides)
  let jobs: Job[] | undefined
  if (!known.some((manifest) => manifest.config === hash && manifest.version === own)) {
    const { checkConfig } = await import('../config/check.js')
    checkConfig(config, () => (jobs = list()))
  }
  jobs ??= list()
  return { loaded, overrides, out, version: own, hash, shard, jobs, inputs: new Inputs(loaded, own), known }
}

/** The name of a job's file. */
export function fileName({ id, settings }: Job, hash: string): string {
  return `${id}.${hash.slice(0, 12)}.${EXTENSIONS[settings.format]}`
}

/** The hash of a job, or why there is none. */
export async function hashOf({ inputs }: Pick<Plan, 'inputs'>, job: Job): Promise<string | Fault> {
  try {
    return await inputs.hash(job)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
