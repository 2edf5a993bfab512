import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Job, Overrides } from '../config/jobs.js'
import type { LoadedConfig } from '../config/load.js'
import type { Task, Word } from './worker.js'

/** How a job ended. */
export type Outcome = Exclude<Word, { kind: 'progress' }>

/** Who hears of a job while it runs. */
export interface Listener {
  /** A part from 0 to 1. */
  progress(job: Job, part: number): void
  /** A line that the job printed. */
  print(job: Job, line: string): void
}

/** Characters of a line that is printed in parts. */
const LONGEST = 65_536
/** Milliseconds that a process has to end once it has said its last word, and its output to be read. */
const GRACE = 2000

/** Whether this is of the process, and not of what it runs. */
function isWord(word: unknown): word is Word {
  const { kind, bytes, message, done, total } = Object(word) as Record<string, unknown>
  if (kind === 'progress') return typeof done === 'number' && typeof total === 'number'
  return kind === 'baked' ? bytes instanceof Uint8Array : kind === 'failed' && typeof message === 'string'
}

/**
 * Bakes jobs, each in a process of its own: what a module leaves behind never reaches another job, so that a file does not
 * depend on which jobs ran before it, or beside it.
 */
export class Pool {
  readonly #loaded: LoadedConfig
  readonly #overrides: Overrides
  readonly #listener: Listener
  readonly #running = new Set<ChildProcess>()

  constructor(loaded: LoadedConfig, overrides: Overrides, listener: Listener) {
    this.#loaded = loaded
    this.#overrides = overrides
    this.#listener = listener
  }

  /** Bakes `jobs`, `count` at once, and calls `take` as each ends; a promise is waited for. */
  async run(jobs: readonly Job[], count: number, take: (job: Job, outcome: Outcome) => unknown): Promise<void> {
    const waiting = [...jobs]
    const line = async () => {
      for (let job = waiting.shift(); job; job = waiting.shift()) await take(job, await this.#bake(job))
    }
    await Promise.all(Array.from({ length: Math.min(count, jobs.length) }, line))
  }

  /** Ends what is running, at once. */
  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #bake(job: Job): Promise<Outcome> {
    const { file, folder } = this.#loaded
    const { scene, ...plain } = job
    const task: Task = { job: plain, folder, overrides: this.#overrides, ...(scene && { config: file }) }
    return new Promise((resolve) => {
      const child = fork(fileURLToPath(new URL('worker.js', import.meta.url)), {
        serialization: 'advanced',
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      this.#running.add(child)
      let outcome: Outcome | undefined
      const streams = [child.stdout!, child.stderr!]
      for (const stream of streams) {
        let rest = ''
        const print = (line: string) => line.trim() !== '' && this.#listener.print(job, line.trimEnd())
        stream.setEncoding('utf8').on('data', (text: string) => {
          const lines = text.split('\n')
          lines[0] = rest + lines[0]!
          rest = lines.pop()!
          lines.forEach(print)
          if (rest.length < LONGEST) return
          print(rest)
          rest = ''
        })
        stream.on('close', () => print(rest))
      }
      child.on('message', (word: unknown) => {
        if (!isWord(word)) return
        if (word.kind === 'progress') return this.#listener.progress(job, word.done / word.total)
        outcome = word
        setTimeout(() => child.kill('SIGKILL'), GRACE).unref()
      })
      // What it started may hold what it printed to.
      child.on('exit', () => setTimeout(() => streams.forEach((stream) => stream.destroy()), GRACE).unref())
      const end = (message: string) => {
        this.#running.delete(child)
        resolve(outcome ?? { kind: 'failed', code: undefined, message })
      }
      child.on('error', (error) => end(`its process did not start: ${error.message}`))
      child.on('close', (code, signal) => end(`its process ended early, with ${signal ?? `exit code ${code}`}`))
      child.send(task, (error) => void error)
    })
  }
}
