import type { MultiBar, SingleBar } from 'cli-progress'
import { time } from './table.js'

/** Tells how far a command is: a bar with the time left on a terminal, plain lines elsewhere and where CI is set. */
export class Progress {
  readonly #toStderr: boolean
  readonly #parts = new Map<string, number>()
  #began = 0
  #total = 0
  #all: MultiBar | undefined
  #bar: SingleBar | undefined

  /** @param toStderr whether lines go to stderr: stdout is for a document then */
  constructor(toStderr: boolean) {
    this.#toStderr = toStderr
  }

  /** Begins to count so many jobs. */
  async begin(total: number): Promise<void> {
    this.#total = total
    this.#began = performance.now()
    if (total === 0 || !process.stderr.isTTY || process.env['CI']) return
    const { default: progress } = await import('cli-progress')
    this.#all = new progress.MultiBar({
      format: '{bar} {percentage} % | {done} of {jobs} jobs | {left} left',
      barsize: 24,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      stream: process.stderr,
    })
    this.#bar = this.#all.create(1000 * total, 0, { done: 0, jobs: total, left: '?' })
  }

  /** So much of a job is done, from 0 to 1. */
  part(id: string, part: number): void {
    this.#parts.set(id, part)
    if (!this.#bar) return
    const parts = [...this.#parts.values()]
    const done = parts.reduce((sum, one) => sum + one, 0)
    const seconds = (performance.now() - this.#began) / 1000
    const left = done > 0 ? time((seconds * (this.#total - done)) / done) : '?'
    this.#bar.update(Math.round(1000 * done), { done: parts.filter((one) => one === 1).length, left })
  }

  /** A line of what was done. */
  line(text: string): void {
    this.#print(text, this.#toStderr)
  }

  /** A line of what went wrong. */
  fault(text: string): void {
    this.#print(text, true)
  }

  #print(text: string, toStderr: boolean): void {
    const stream = toStderr ? process.stderr : process.stdout
    if (this.#all && stream.isTTY) {
      this.#all.log(`${text}\n`)
      this.#all.update()
    } else stream.write(`${text}\n`)
  }

  /** Takes the bar away. */
  end(): void {
    this.#all?.stop()
    this.#all = this.#bar = undefined
  }
}
