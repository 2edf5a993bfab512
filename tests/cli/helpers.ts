import { spawn, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** The command, as it is installed. */
export const LIMBER = join(root, 'npm/limber-node/dist/cli/main.js')

/** Without what would make this a part of many, or a terminal. */
const env = Object.fromEntries(
  Object.entries({ ...process.env, CI: '1' }).filter(
    ([name]) => !/^(JOB_COMPLETION|AWS_BATCH|LIMBER_|VITEST|NODE_OPTIONS)/.test(name),
  ),
) as Record<string, string>

const folders: string[] = []
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder of its own with these files, in which packages are found. Objects are written as JSON. */
export function project(files: Record<string, string | Uint8Array | object>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'limber-cli-')))
  folders.push(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  write(folder, files)
  return folder
}

/** Writes files into a folder. */
export function write(folder: string, files: Record<string, string | Uint8Array | object>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content))
  }
}

export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs the command to its end. */
export function limber(cwd: string, args: string[], more: Record<string, string> = {}): Ended {
  return spawnSync(process.execPath, [LIMBER, ...args], { cwd, env: { ...env, ...more }, encoding: 'utf8' })
}

/** Starts the command. */
export function start(cwd: string, args: string[]) {
  const child = spawn(process.execPath, [LIMBER, ...args], { cwd, env })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<{ status: number | null; signal: string | null; stdout: string; stderr: string }>(
    (resolve) => child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr })),
  )
  /** Waits until what it has printed holds. */
  const until = (holds: (printed: string) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => holds(stdout + stderr) && resolve()
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.on('close', () => reject(new Error(`ended too early: ${stdout}${stderr}`)))
      look()
    })
  return { child, ended, until }
}

/** All files of a folder but packages, hidden ones too, with their contents. */
export function contents(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'))
    .sort()
  return Object.fromEntries(names.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]))
}

/** A module whose scene is a small flag; quick to bake, and another for each seed and variant. */
export const FLAG = `
import { Cloth } from 'limber-node'
export default function (limber, { seed = 0, variant }) {
  const flag = Cloth.grid(limber, { columns: 4, rows: 3, width: 1, height: 0.7, pinned: 'left', floor: null })
  const strength = variant === 'storm' ? 9 : 4
  return { simulations: { flag }, duration: 0.2, drive: (t) => flag.wind.set(strength + seed, Math.sin(9 * t), 1) }
}
`

/** Some fish, as a module. */
export const FISH = `
import { Boids } from 'limber-node'
export default (limber, { seed }) => ({
  simulations: { fish: new Boids(limber, { count: 6, seed, bounds: { kind: 'box', min: [-1, -1, -1], max: [1, 1, 1] } }) },
  duration: 0.3,
})
`
