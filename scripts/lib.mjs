// What the scripts share. They run before anything is installed, so they need nothing but Node.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Absolute path of a file in the repository. */
export const at = (...parts) => join(root, ...parts)

/** Tools that setup compiles for this repository alone. */
export const tools = at('.tools')

// Rust is found too where its folder is not on the path yet, as in the shell that installed it.
process.env.PATH = [join(tools, 'bin'), process.env.PATH, join(homedir(), '.cargo', 'bin')].join(delimiter)

const windows = process.platform === 'win32'

/** Says what is being done, on stderr: stdout is for results. */
export const say = (text) => console.error(`\x1b[1mlimber\x1b[0m ${text}`)

/** A fault of the user's machine or files, told in one line. */
export class Stop extends Error {}

/** Ends the script with what `error` says. */
function stop(error) {
  if (!(error instanceof Stop)) throw error
  say(`\x1b[31m${error.message}\x1b[0m`)
  process.exit(1)
}

/** Runs `main` if the script at `url` is the one that was started, and tells a {@link Stop} in one line. */
export async function run(url, main) {
  if (url === pathToFileURL(process.argv[1]).href) await main().catch(stop)
}

/** Runs a command, its output shown on stderr; throws a {@link Stop} when it fails. */
export async function command(name, args, { env, cwd = root, stdout = 2 } = {}) {
  const code = await exitCode(name, args, { env, cwd, stdout })
  if (code !== 0) throw new Stop(`failed: ${name} ${args.join(' ')}`)
}

/** Runs a command and gives its exit code. */
export function exitCode(name, args, { env, cwd = root, stdout = 'inherit' } = {}) {
  return new Promise((resolve, reject) => {
    // On Windows npm and npx are scripts, which only a shell starts.
    const child = spawn(name, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', stdout, 'inherit'],
      shell: windows,
    })
    child.on('error', (error) => reject(new Stop(`${name} did not start: ${error.message}`)))
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** What a command prints, trimmed, or undefined when it is missing or fails. */
export function ask(name, ...args) {
  const { status, stdout } = spawnSync(name, args, { cwd: root, encoding: 'utf8', shell: windows })
  return status === 0 ? stdout.trim() : undefined
}

/** Folders of the npm workspaces, relative to the repository. */
export function workspaces() {
  const parts = ['npm', 'examples-three'].flatMap((parent) =>
    readdirSync(at(parent)).map((name) => `${parent}/${name}`),
  )
  return [...parts, 'tests'].filter((folder) => existsSync(at(folder, 'package.json')))
}

/** The command line of a tool that npm installed. */
export const bin = (name) => at('node_modules', '.bin', windows ? `${name}.cmd` : name)

/** Whether dotted version `have` is at least `want`. */
export function atLeast(have, want) {
  const [a, b] = [have, want].map((version) => version.split('.').map(Number))
  for (let i = 0; i < b.length; i++) if ((a[i] ?? 0) !== b[i]) return (a[i] ?? 0) > b[i]
  return true
}

const skipped = new Set(['node_modules', 'dist', 'pkg', 'target', '.vite'])

/** All files in `places`, files or folders of the repository, sorted. */
function files(places) {
  return places.flatMap((place) => {
    const path = at(place)
    if (!existsSync(path)) return []
    if (statSync(path).isFile()) return [path]
    const names = readdirSync(path)
      .filter((name) => !skipped.has(name))
      .sort()
    return files(names.map((name) => join(place, name)))
  })
}

/** A digest of the contents of `places` and of `more`. */
function digest(places, more) {
  const hash = createHash('sha256').update(more)
  for (const file of files(places))
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/**
 * Runs `make` unless `outputs` exist and were made of the same `inputs` (files and folders, by content; `more` is any
 * text that matters too). Says `title` when it runs.
 */
export async function fresh({ name, title, inputs, more = '', outputs }, make) {
  const stamp = at('target', 'limber', name)
  const now = digest(inputs, more)
  const isFresh =
    outputs.every((output) => existsSync(at(output))) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now
  if (isFresh) return false
  const began = Date.now()
  say(title)
  await make()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, now)
  say(`  done in ${Math.round((Date.now() - began) / 1000)} s`)
  return true
}
