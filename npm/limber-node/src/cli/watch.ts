import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { watch as watchFiles } from 'chokidar'
import { EXIT } from '../config/fault.js'
import { findConfig } from '../config/load.js'

/** Milliseconds from the last change until it bakes again: editors write in several goes. */
const QUIET = 150

/**
 * `limber bake --watch`: bakes, and bakes again whenever a file changes that a job is made of, or the config. Each round is a
 * process of its own, which reads modules anew. Ends by Ctrl-C alone.
 */
export async function watch(path: string | undefined, args: readonly string[]): Promise<number> {
  const config = findConfig(path)
  const watched = new Set([config])
  const watcher = watchFiles(config, { ignoreInitial: true })
  let round: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let again = false
  let stopping = false

  const bake = () => {
    again = false
    const child = fork(
      fileURLToPath(new URL('main.js', import.meta.url)),
      args.filter((arg) => arg !== '--watch'),
      { env: { ...process.env, LIMBER_WATCH: '1' }, stdio: 'inherit' },
    )
    round = child
    child.on('message', ({ files }: { files: string[] }) => {
      const fresh = files.filter((file) => !watched.has(file))
      for (const file of fresh) watched.add(file)
      watcher.add(fresh)
    })
    child.on('close', () => {
      round = undefined
      if (stopping) return
      if (again) return bake()
      console.error(`watching ${watched.size} ${watched.size === 1 ? 'file' : 'files'}; Ctrl-C ends it`)
    })
  }
  watcher.on('all', (event) => {
    if (event === 'addDir' || event === 'unlinkDir') return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (round) again = true
      else bake()
    }, QUIET)
  })
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()))

  return new Promise((resolve) => {
    process.on('SIGINT', () => {
      if (stopping) {
        round?.kill('SIGKILL')
        process.exit(EXIT.interrupted)
      }
      stopping = true
      clearTimeout(timer)
      const end = () => void watcher.close().then(() => resolve(EXIT.interrupted))
      if (!round) {
        console.error('limber: stopped')
        return end()
      }
      round.once('close', end)
      round.kill('SIGINT')
    })
    process.on('SIGTERM', () => {
      round?.kill('SIGTERM')
      process.exit(143)
    })
    bake()
  })
}
