import { accessSync, constants, rmSync, statSync } from 'node:fs'
import { constants as system } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { errorText, EXIT, Fault, shownPath, systemText } from '../config/fault.js'
import { importsOf, Inputs } from '../config/inputs.js'
import type { Job } from '../config/jobs.js'
import { findConfig } from '../config/load.js'
import { Cache } from './cache.js'
import { manifestBytes, manifestName, sha256, writeManifest, type Entry } from './manifest.js'
import { attempt, makeFolders, removeLeftovers, writeWhole } from './outputs.js'
import { fileName, hashOf, makePlan, type Plan, type PlanOptions } from './plan.js'
import { Pool, type Outcome } from './pool.js'
import { Progress } from './progress.js'
import { jobsOf } from './shard.js'
import { grouped, size } from './table.js'

/** What `limber bake` is told. */
export interface BakeAllOptions extends PlanOptions {
  /** Jobs at once; 1 unless set. */
  jobs?: number
  /** Folder, relative to the working folder. */
  cache?: string
  dryRun?: boolean
  json?: boolean
  force?: boolean
}

/** Extensions of what imports other files. */
const MODULES = ['.mjs', '.js']

/** Most lines that are told once. */
const REMEMBERED = 1000

/** How a job came out. */
type State = 'baked' | 'up to date' | 'from cache' | 'to bake' | 'failed' | 'tolerance missed' | 'budget missed'

/** A job of the JSON document. */
interface Result extends Partial<Omit<Entry, 'id'>> {
  id: string
  state: State
  error?: string
  notes?: string[]
}

/** `limber bake`. Gives the exit code. @throws Fault */
export async function bakeAll(options: BakeAllOptions): Promise<number> {
  if (isWatched()) await tellFiles([findConfig(options.config)])
  const run = new Run(await makePlan(options), options)
  try {
    return await run.all()
  } finally {
    run.end()
  }
}

class Run {
  readonly #plan: Plan
  readonly #options: BakeAllOptions
  readonly #jobs: Job[]
  readonly #progress: Progress
  readonly #pool: Pool
  readonly #cache: Cache | undefined
  readonly #results = new Map<string, Result>()
  /** What the manifest lists. */
  readonly #entries = new Map<string, Entry>()
  /** What manifests said of each job before. */
  readonly #known = new Map<string, Entry[]>()
  readonly #hashes = new Map<string, string>()
  readonly #printed = new Set<string>()
  #manifestFault: string | undefined
  /** When the manifest may be written again, by `performance.now`. */
  #nextWrite = 0
  #stopping = false
  /** Whether there is anything new for the manifest. */
  #baking = false

  constructor(plan: Plan, options: BakeAllOptions) {
    this.#plan = plan
    this.#options = options
    this.#jobs = jobsOf(plan.shard, plan.jobs)
    this.#progress = new Progress(options.json === true)
    this.#cache = options.cache === undefined ? undefined : new Cache(resolve(options.cache))
    this.#pool = new Pool(plan.loaded, plan.overrides, {
      progress: (job, part) => this.#progress.part(job.id, part),
      print: (job, line) => this.#print(job, line),
    })
    process.on('SIGINT', this.#stop).on('SIGTERM', this.#stop)
  }

  /** Lets go of what it listens to. */
  end(): void {
    this.#progress.end()
    process.off('SIGINT', this.#stop).off('SIGTERM', this.#stop)
  }

  async all(): Promise<number> {
    const { dryRun, force } = this.#options
    if (isWatched()) await tellFiles(this.#sources())
    this.#readEntries()
    const toDo: Job[] = []
    for (const job of this.#jobs) {
      const hash = await hashOf(this.#plan, job)
      if (hash instanceof Fault) {
        this.#fail(job, 'failed', hash.message)
        continue
      }
      this.#hashes.set(job.id, hash)
      const entry = force ? undefined : this.#finished(job, hash)
      if (entry) {
        this.#finish(job, 'up to date', entry)
        if (!dryRun) this.#keep(entry)
      } else toDo.push(job)
    }
    if (dryRun) for (const job of toDo) this.#wouldBake(job)
    else await this.#bake(toDo)
    return this.#summary()
  }

  /** The config, and what its jobs name. */
  #sources(): string[] {
    const { file, folder } = this.#plan.loaded
    const named = this.#jobs.flatMap(({ input, module }) => input ?? module ?? [])
    return [...new Set([file, ...named.map((path) => resolve(folder, path))])]
  }

  /** What the folder's manifests say of our jobs. */
  #readEntries(): void {
    const known = this.#plan.known.flatMap(({ jobs }) => jobs)
    for (const { id } of this.#jobs) this.#known.set(id, [])
    for (const entry of known) this.#known.get(entry.id)?.push(entry)
    for (const [id, [first]] of this.#known) if (first) this.#entries.set(id, first)
  }

  /** The entry of a file that is there and is what would be made. */
  #finished(job: Job, hash: string): Entry | undefined {
    const file = fileName(job, hash)
    return this.#known.get(job.id)!.find((entry) => {
      if (entry.hash !== hash || entry.file !== file) return false
      const there = statSync(join(this.#plan.out, file), { throwIfNoEntry: false })
      return there?.isFile() === true && there.size === entry.bytes
    })
  }

  async #bake(toDo: readonly Job[]): Promise<void> {
    const { out } = this.#plan
    if (toDo.length > 0 || this.#plan.shard) makeFolder(out)
    const ours = new Set(this.#jobs.map(({ id }) => id))
    removeLeftovers(out, (name) => name === manifestName(this.#plan.shard) || ours.has(idOf(name) ?? ''))
    const left = toDo.filter((job) => !this.#take(job))
    this.#baking = true
    await this.#progress.begin(left.length)
    await this.#pool.run(left, this.#options.jobs ?? 1, async (job, outcome) => {
      const isSame = await this.#isUnchanged(job)
      if (this.#stopping) return
      this.#progress.part(job.id, 1)
      if (isSame) this.#place(job, outcome)
      else this.#fail(job, 'failed', 'its inputs changed while it was baked: run it again')
    })
    this.#progress.end()
    this.#writeManifest()
  }

  /** Whether a job's inputs are still what its file is named by. */
  async #isUnchanged(job: Job): Promise<boolean> {
    const { loaded, version } = this.#plan
    const hash = await hashOf({ inputs: new Inputs(loaded, version) }, job)
    return hash === this.#hashes.get(job.id)
  }

  /** Takes a file from the cache, where it has it. */
  #take(job: Job): boolean {
    const hash = this.#hashes.get(job.id)!
    const found = this.#options.force ? undefined : this.#cache?.take(hash)
    if (!found) return false
    const { bytes, report } = found
    try {
      this.#settle(job, 'from cache', this.#write(job, bytes, report))
    } catch (error) {
      this.#fail(job, 'failed', errorText(error))
    }
    return true
  }

  /** Puts what a job made where it belongs. */
  #place(job: Job, outcome: Outcome): void {
    if (outcome.kind === 'failed') {
      return this.#fail(job, outcome.code === 'tolerance' ? 'tolerance missed' : 'failed', outcome.message)
    }
    try {
      const entry = this.#write(job, outcome.bytes, outcome.report)
      this.#keep(entry, outcome.bytes)
      this.#settle(job, 'baked', entry, outcome.notes)
    } catch (error) {
      this.#fail(job, 'failed', errorText(error))
    }
  }

  #write(job: Job, bytes: Uint8Array, report: unknown): Entry {
    const hash = this.#hashes.get(job.id)!
    const file = fileName(job, hash)
    writeWhole(join(this.#plan.out, file), bytes)
    return { id: job.id, file, hash, bytes: bytes.byteLength, sha256: sha256(bytes), report }
  }

  /** Notes a file that is in place, and removes the one before it. */
  #settle(job: Job, state: State, entry: Entry, notes: string[] = []): void {
    for (const { file } of this.#known.get(job.id)!) {
      if (file === entry.file || idOf(file) !== job.id) continue
      attempt(() => {
        rmSync(join(this.#plan.out, file))
        this.#progress.line(`${'removed'.padEnd(10)}  ${file}`)
      })
    }
    this.#finish(job, state, entry, notes)
    // One of many jobs takes a while to write: a twentieth of the time at most goes there.
    const now = performance.now()
    if (now < this.#nextWrite) return
    this.#writeManifest()
    const took = performance.now() - now
    this.#nextWrite = now + 20 * took
  }

  #keep(entry: Entry, bytes?: Uint8Array): void {
    try {
      this.#cache?.keep(entry, join(this.#plan.out, entry.file), bytes)
    } catch (error) {
      this.#say(`limber: the cache does not have ${entry.id}: ${errorText(error)}`)
    }
  }

  #finish(job: Job, state: State, entry: Entry, notes: string[] = []): void {
    this.#entries.set(job.id, entry)
    const { file, bytes, report } = entry
    const over = job.budget !== undefined && bytes > job.budget
    const error = over ? `${grouped(bytes)} bytes, and its budget is ${grouped(job.budget!)}` : undefined
    this.#results.set(job.id, {
      ...entry,
      state: over ? 'budget missed' : state,
      ...(error !== undefined && { error }),
      ...(notes.length > 0 && { notes }),
    })
    for (const note of notes) this.#progress.line(`${job.id}: ${note}`)
    this.#progress.line(`${state.padEnd(10)}  ${file}  ${summaryOf(bytes, report)}`)
    if (error !== undefined) this.#progress.fault(`limber: ${job.id}: ${error}`)
  }

  #fail(job: Job, state: State, error: string): void {
    this.#results.set(job.id, { id: job.id, state, error })
    this.#progress.fault(`limber: ${job.id}: ${error}`)
  }

  #wouldBake(job: Job): void {
    const file = fileName(job, this.#hashes.get(job.id)!)
    this.#results.set(job.id, { id: job.id, state: 'to bake', file })
    this.#progress.line(`${'to bake'.padEnd(10)}  ${file}`)
  }

  #print(job: Job, line: string): void {
    // Each process says the same of the addon.
    if (this.#printed.has(line)) return
    if (this.#printed.size < REMEMBERED) this.#printed.add(line)
    this.#progress.fault(`${job.id}: ${line}`)
  }

  /** A line that is not of a job, once. */
  #say(line: string): void {
    if (this.#printed.has(line)) return
    this.#printed.add(line)
    this.#progress.fault(line)
  }

  #writeManifest(): void {
    const { out, shard } = this.#plan
    const entries = this.#jobs.flatMap(({ id }): Entry[] => {
      const { stale: _, ...entry } = this.#entries.get(id) ?? {}
      if (!('id' in entry)) return []
      return [entry.hash === this.#hashes.get(id) ? (entry as Entry) : { ...(entry as Entry), stale: true }]
    })
    if (entries.length === 0 && !shard) return
    try {
      const { version, hash: config } = this.#plan
      writeManifest(join(out, manifestName(shard)), manifestBytes({ version, config }, shard, entries))
      this.#manifestFault = undefined
    } catch (error) {
      this.#manifestFault = errorText(error)
    }
  }

  #summary(): number {
    const results = this.#jobs.flatMap(({ id }) => this.#results.get(id) ?? [])
    const has = (state: State) => results.some((result) => result.state === state)
    if (this.#manifestFault !== undefined) this.#progress.fault(`limber: ${this.#manifestFault}`)
    const exit =
      has('failed') || this.#manifestFault !== undefined
        ? EXIT.failed
        : has('tolerance missed') || has('budget missed')
          ? EXIT.missed
          : EXIT.done
    const states = [...new Set(results.map(({ state }) => state))]
    const counts = states.map((state) => `${results.filter((result) => result.state === state).length} ${state}`)
    const part = this.#plan.shard ? `part ${this.#plan.shard.index} of ${this.#plan.shard.total}: ` : ''
    this.#progress.line(
      `${part}${results.length} ${results.length === 1 ? 'job' : 'jobs'}${counts.length ? `: ${counts.join(', ')}` : ''}`,
    )
    if (this.#options.json) {
      const { version, hash: config, out, shard } = this.#plan
      const document = { version, config, out, ...(shard && { shard: shard.index, shards: shard.total }), exit }
      console.log(JSON.stringify({ ...document, jobs: results }, null, 2))
    }
    return exit
  }

  /** Told to stop: nothing is half written here, as files are written in one go. A second signal finds us gone. */
  readonly #stop = (signal: NodeJS.Signals): void => {
    this.#stopping = true
    this.#pool.kill()
    this.#progress.end()
    if (this.#baking) this.#writeManifest()
    const done = [...this.#results.values()].filter(({ file }) => file !== undefined).length
    console.error(`limber: stopped: ${done} of ${this.#jobs.length} jobs are done; run it again to go on`)
    process.exit(signal === 'SIGINT' ? EXIT.interrupted : 128 + system.signals[signal])
  }
}

const isWatched = () => process.env['LIMBER_WATCH'] === '1' && process.send !== undefined

/** Tells the process that watches which files are to be watched: these, and what modules among them are made of. */
async function tellFiles(sources: readonly string[]): Promise<void> {
  const files = new Set(sources)
  for (const source of sources) {
    if (!MODULES.includes(extname(source))) continue
    const found = new Set<string>()
    try {
      await importsOf(source, found)
    } catch (error) {
      // Whoever mends it changes a file that is among them.
      if (!(error instanceof Fault)) throw error
    }
    for (const file of found) files.add(file)
  }
  process.send!({ files: [...files] })
}

/** The id in the name of a file that we may have written. */
function idOf(file: string): string | undefined {
  return /^([A-Za-z0-9_.-]+)\.[0-9a-f]{12}\.(?:glb|json|vat|flock)$/.exec(file)?.[1]
}

/** @throws Fault where nothing can be written there */
function makeFolder(folder: string): void {
  try {
    makeFolders(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
    if (!statSync(folder).isDirectory()) throw new Error('it is a file')
  } catch (error) {
    throw new Fault(`nothing can be written to the folder ${shownPath(folder)}: ${systemText(error)}`)
  }
}

/** A few words on a file. */
function summaryOf(bytes: number, report: unknown): string {
  const { targets, keys, maxError, maxAngle, frames } = (report ?? {}) as Partial<Record<string, number>>
  const words = [size(bytes)]
  if (frames) words.push(`${frames} frames`)
  if (targets) words.push(`${targets} targets`)
  if (keys) words.push(`${keys} keys`)
  const off = [
    ...(maxError ? [`${shortened(1000 * maxError)} mm`] : []),
    ...(maxAngle ? [`${shortened(maxAngle)} rad`] : []),
  ]
  if (off.length > 0) words.push(`within ${off.join(' and ')}`)
  return words.join(', ')
}

function shortened(value: number): string {
  return String(Number(value.toPrecision(3)))
}
