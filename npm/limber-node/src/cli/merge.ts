import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Fault, shownPath } from '../config/fault.js'
import { fragmentNames, manifestBytes, manifestName, readManifest, sha256, writeManifest } from './manifest.js'
import type { Entry, Manifest } from './manifest.js'
import { attempt } from './outputs.js'
import { fileName, hashOf, makePlan, type Plan, type PlanOptions } from './plan.js'

/** `limber merge`: checks what the shards made, and writes one manifest of it. @throws Fault */
export async function merge({ json, ...options }: PlanOptions & { json?: boolean }): Promise<number> {
  const plan = await makePlan(options)
  const parts = fragmentNames(plan.out)
  const whole = manifestName(undefined)
  // What was merged, or baked at once, is checked again.
  const names = parts.length > 0 ? parts : existsSync(join(plan.out, whole)) ? [whole] : []
  if (names.length === 0) {
    throw new Fault(`there is no manifest.<i>-of-<n>.json in ${shownPath(plan.out)}: bake with --shard first`)
  }
  const { entries, faults } = await check(plan, names)
  for (const fault of faults) console.error(`limber: ${fault}`)
  if (faults.length === 0) {
    const { version, hash: config } = plan
    writeManifest(join(plan.out, whole), manifestBytes({ version, config }, undefined, entries))
    for (const name of parts) rmSync(join(plan.out, name), { force: true })
  }
  const exit = faults.length === 0 ? EXIT.done : EXIT.failed
  if (json) {
    const { version, hash: config, out } = plan
    console.log(JSON.stringify({ version, config, out, exit, fragments: names, faults, jobs: entries }, null, 2))
  } else if (faults.length === 0) {
    const how = parts.length > 0 ? `of ${parts.length} parts` : 'as they were written'
    console.log(`${shownPath(join(plan.out, whole))}: ${entries.length} jobs ${how}`)
  } else console.error(`limber: nothing was merged: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`)
  return exit
}

/** The entries of all jobs in order, and what is wrong. */
async function check(plan: Plan, names: readonly string[]): Promise<{ entries: Entry[]; faults: string[] }> {
  const faults: string[] = []
  const fragments = new Map<string, Manifest>()
  for (const name of names) {
    try {
      fragments.set(name, readManifest(join(plan.out, name)))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(error.message)
    }
  }
  faults.push(...strangers(plan, fragments), ...missingParts(names))
  if (faults.length > 0) return { entries: [], faults }

  const entries: Entry[] = []
  const owners = new Map<string, { name: string; entry: Entry }>()
  for (const [name, { jobs }] of fragments) {
    for (const entry of jobs) {
      const other = owners.get(entry.id)
      if (!other) owners.set(entry.id, { name, entry })
      else if (other.entry.sha256 !== entry.sha256 || other.entry.file !== entry.file) {
        faults.push(`${entry.id} is in ${other.name} and in ${name}, with different contents`)
      }
    }
  }
  for (const job of plan.jobs) {
    const { name, entry } = owners.get(job.id) ?? {}
    if (!entry) {
      faults.push(`${job.id} is missing: no part has it, so it failed or did not run`)
      continue
    }
    owners.delete(job.id)
    const hash = await hashOf(plan, job)
    if (hash instanceof Fault) faults.push(`${job.id}: ${hash.message}`)
    else if (entry.hash !== hash || entry.file !== fileName(job, hash)) {
      faults.push(`${job.id} in ${name} was made of other inputs: bake that part again`)
    } else {
      const fault = faultOf(plan, entry)
      if (fault) faults.push(fault)
      else entries.push(entry)
    }
  }
  for (const [id, { name }] of owners) faults.push(`${id} in ${name} is no job of the config`)
  return { entries, faults }
}

/** Fragments of another config or version, or that say something else than their names. */
function strangers(plan: Plan, fragments: ReadonlyMap<string, Manifest>): string[] {
  return [...fragments].flatMap(([name, { version, config, shard, shards }]) => {
    if (version !== plan.version) return [`${name} is of version ${version}, and this is ${plan.version}`]
    if (config !== plan.hash) return [`${name} is of another config, or of other --fps or --duration`]
    if (name !== manifestName(shard === undefined ? undefined : { index: shard, total: shards! }))
      return [`${name} says that it is part ${shard} of ${shards}`]
    return []
  })
}

/** Parts without a fragment. */
function missingParts(names: readonly string[]): string[] {
  if (names[0] === manifestName(undefined)) return []
  const totals = [...new Set(names.map((name) => Number(/-of-(\d+)/.exec(name)![1])))].sort((a, b) => a - b)
  if (totals.length > 1) {
    return [`there are fragments of ${totals.join(' and of ')} parts: remove those of the other run`]
  }
  const total = totals[0]!
  const missing = Array.from({ length: total }, (_, i) => `manifest.${i}-of-${total}.json`).filter(
    (name) => !names.includes(name),
  )
  return missing.map(
    (name) => `${name} is missing: limber bake --shard ${name.slice(9, -5).replace('-of-', '/')} writes it`,
  )
}

/** What is wrong with a file, or nothing. */
function faultOf(plan: Plan, { id, file, bytes, sha256: expected }: Entry): string | undefined {
  let content: Uint8Array | undefined
  attempt(() => void (content = readFileSync(join(plan.out, file))))
  if (!content) return `${id}: ${file} is missing`
  if (content.length !== bytes) return `${id}: ${file} has ${content.length} bytes, and should have ${bytes}`
  return sha256(content) === expected ? undefined : `${id}: ${file} has other contents than its part wrote`
}
