import { EXIT } from '../config/fault.js'
import { fileName, hashOf, makePlan, type PlanOptions } from './plan.js'
import { jobsOf } from './shard.js'
import { table } from './table.js'

/** `limber list`: what there is to bake. An input that is missing leaves `file` empty. */
export async function list(options: PlanOptions & { json?: boolean }): Promise<number> {
  const plan = await makePlan(options)
  const jobs = []
  for (const job of jobsOf(plan.shard, plan.jobs)) {
    const { id, index, input, module, settings } = job
    const hash = await hashOf(plan, job)
    const { clip, variant, seed, format } = settings
    const source = input ?? module ?? 'scene'
    const file = typeof hash === 'string' ? fileName(job, hash) : null
    jobs.push({ id, index, source, clip, variant, seed, format, file })
  }
  if (options.json) {
    const { hash: config, version } = plan
    console.log(JSON.stringify({ config, version, jobs }, null, 2))
  } else {
    const text = (value: string | number | undefined) => (value === undefined ? '' : String(value))
    const rows = jobs.map((job) => [
      job.id,
      job.source,
      text(job.clip),
      text(job.variant),
      text(job.seed),
      job.file ?? `(${job.source} is missing)`,
    ])
    console.log(table(['id', 'from', 'clip', 'variant', 'seed', 'file'], rows))
  }
  return EXIT.done
}
