import { usage } from '../config/fault.js'
import type { Job } from '../config/jobs.js'

/** A part of the jobs. */
export interface Shard {
  /** From 0 to `total` - 1. */
  index: number
  /** From 1 to 100000. */
  total: number
}

const MOST = 100_000

/** What engines for many machines call the index of one, and how many there are. */
const ENGINES = [
  ['JOB_COMPLETION_INDEX', 'JOB_COMPLETIONS'],
  ['AWS_BATCH_JOB_ARRAY_INDEX', 'AWS_BATCH_JOB_ARRAY_SIZE'],
] as const

/**
 * The part that `--shard` names, or else the environment; all jobs where neither does.
 *
 * @throws Fault 2 for what is no part
 */
export function readShard(given: string | undefined, env: NodeJS.ProcessEnv = {}): Shard | undefined {
  if (given !== undefined) {
    const [, index, total] = /^(\d{1,6})\/(\d{1,6})$/.exec(given) ?? []
    if (index === undefined) throw usage(`--shard must be i/n, such as 0/3, got ${JSON.stringify(given)}`)
    return checked('--shard', Number(index), Number(total))
  }
  for (const [indexName, totalName] of ENGINES) {
    const index = env[indexName]
    if (index === undefined || index === '') continue
    const name = env[totalName] ? totalName : 'LIMBER_SHARDS'
    const total = env[name]
    if (!total) {
      throw usage(
        `${indexName} is ${index}, and nothing says of how many: set ${totalName} or LIMBER_SHARDS, or give --shard`,
      )
    }
    if (!/^\d{1,6}$/.test(index) || !/^\d{1,6}$/.test(total)) {
      throw usage(
        `${indexName} and ${name} must be whole numbers, got ${JSON.stringify(index)} and ${JSON.stringify(total)}`,
      )
    }
    return checked(`${indexName} and ${name}`, Number(index), Number(total))
  }
  return undefined
}

function checked(what: string, index: number, total: number): Shard {
  if (total < 1 || total > MOST) throw usage(`${what}: n must be a whole number from 1 to ${MOST}, got ${total}`)
  if (index >= total) throw usage(`${what}: i must be a whole number from 0 to ${total - 1}, got ${index}`)
  return { index, total }
}

/** The jobs of a part: dealt one by one, as jobs that stand together take about as long. */
export function jobsOf(shard: Shard | undefined, jobs: readonly Job[]): Job[] {
  return jobs.filter(({ index }) => shard === undefined || index % shard.total === shard.index)
}
