import { errorText } from '../config/fault.js'
import { expandJobs, type Job, type Overrides } from '../config/jobs.js'
import { loadConfig } from '../config/load.js'
import { bakeJob, placeFolder } from './bake-job.js'

/** What a process is told to bake. */
export interface Task {
  job: Omit<Job, 'scene'>
  /** Folder of the config. */
  folder: string
  /** The config, where the scene of the job is in it. */
  config?: string
  overrides: Overrides
}

/** What it says. */
export type Word =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'baked'; bytes: Uint8Array; report: unknown; notes: string[] }
  | { kind: 'failed'; code: string | undefined; message: string }

// Ctrl-C goes to all processes of a terminal: the command ends this one.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
process.once('message', (task: Task) => {
  // What a module left to itself and nobody waits for.
  const fail = (error: unknown) => failed(error, task.folder)
  process.on('uncaughtException', fail).on('unhandledRejection', fail)
  void work(task)
})

async function work({ job: given, folder, config, overrides }: Task): Promise<void> {
  try {
    let job: Job = given
    if (config !== undefined) job = expandJobs((await loadConfig(config)).config, overrides)[given.index]!
    let told = 0
    const { bytes, report, notes } = await bakeJob(job, folder, (done, total) => {
      const now = performance.now()
      if (now - told < 100 && done < total) return
      told = now
      say({ kind: 'progress', done, total })
    })
    end({ kind: 'baked', bytes, report, notes })
  } catch (error) {
    failed(error, folder)
  }
}

function failed(error: unknown, folder: string): void {
  const { code } = Object(error) as { code?: unknown }
  const message = errorText(error, placeFolder(folder))
  end({ kind: 'failed', code: typeof code === 'string' ? code : undefined, message })
}

function say(word: Word): void {
  // The command has gone where this fails.
  if (process.connected) process.send!(word, undefined, undefined, () => {})
}

/** The last word: nothing that a module keeps open holds the process after it. What was printed goes out first. */
function end(word: Word): void {
  const leave = () => process.stdout.write('', () => process.stderr.write('', () => process.exit()))
  if (process.connected) process.send!(word, undefined, undefined, leave)
  else process.exit()
}
