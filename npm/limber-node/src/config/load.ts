import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BakeConfig } from './config.js'
import { errorText, EXIT, shownPath, systemText, usage } from './fault.js'

/** Names of a config where none is given. */
export const CONFIG_NAMES = ['limber.config.json', 'limber.config.mjs', 'limber.config.js']

/** A config as it was written. */
export interface LoadedConfig {
  /** Its path. */
  file: string
  /** Where it lies: its own paths are relative to that. */
  folder: string
  /** Whether it is an ES module. */
  isModule: boolean
  /** What it says; nothing of it is checked yet but that it is an object. */
  config: BakeConfig
}

/** The config at `path`, or the one of the working folder. @throws Fault 2 where there is none */
export function findConfig(path: string | undefined): string {
  if (path !== undefined) {
    const file = resolve(path)
    if (!existsSync(file)) throw usage(`${path}: no such file`)
    return file
  }
  const found = CONFIG_NAMES.map((name) => resolve(name)).find((file) => existsSync(file))
  if (found === undefined) {
    throw usage(`there is no ${CONFIG_NAMES.join(', ')} in ${process.cwd()}: make one, or give the path of another`)
  }
  return found
}

/** Reads a config. @throws Fault 2 for what is no config, or a module that throws */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const folder = dirname(file)
  const isModule = ['.mjs', '.js'].includes(extname(file))
  const config = isModule ? await fromModule(file, folder) : fromJson(file)
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw usage(`${shownPath(file)} must ${isModule ? 'export by default' : 'hold'} an object with jobs`)
  }
  return { file, folder, isModule, config: config as BakeConfig }
}

function fromJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${shownPath(file)} cannot be read: ${systemText(error)}`)
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw usage(`${shownPath(file)} is no JSON: ${(error as Error).message}`)
  }
}

async function fromModule(file: string, folder: string): Promise<unknown> {
  const early = () => {
    console.error(`limber: ${shownPath(file)} ends the process, or waits for what never comes, and gives no config`)
    process.exitCode = EXIT.usage
  }
  process.once('exit', early)
  try {
    const { default: given } = (await import(pathToFileURL(file).href)) as { default?: unknown }
    return await (typeof given === 'function' ? given() : given)
  } catch (error) {
    throw usage(`${shownPath(file)} failed: ${errorText(error, join(folder, '/'))}${await lineOf(error, file)}`)
  } finally {
    process.off('exit', early)
  }
}

/** Where a module cannot be read: Node tells its terminal alone. */
async function lineOf(error: unknown, file: string): Promise<string> {
  if (!(error instanceof SyntaxError)) return ''
  const { importsOf } = await import('./inputs.js')
  return importsOf(file).then(
    () => '',
    (fault: Error) => ` (${fault.message})`,
  )
}
