import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { LoadedConfig } from './load.js'
import type { Job } from './jobs.js'
import { Fault, shownPath, systemText } from './fault.js'

/** Changes whenever files of the same inputs would be written in another way by the same version. */
export const FORMAT = 1

/** A file that an asset is meant by, as bundlers know it. */
const ASSET = /new\s+URL\(\s*(['"`])([^'"`$]+)\1\s*,\s*import\.meta\.url\s*\)/g

/** Reads what jobs are made of. Each file is read once. */
export class Inputs {
  readonly #loaded: LoadedConfig
  readonly #version: string
  readonly #digests = new Map<string, string>()
  readonly #modules = new Map<string, Promise<string[]>>()

  /** @param version that of `limber-node` */
  constructor(loaded: LoadedConfig, version: string) {
    this.#loaded = loaded
    this.#version = version
  }

  /**
   * What a job's file is named by: SHA-256 of its options, of the contents of its inputs, and of the version.
   *
   * @throws Fault for an input that is not there
   */
  async hash(job: Job): Promise<string> {
    const files = await this.files(job)
    const base = dirname(files[0]!)
    const inputs = files.map((file, i) => [i === 0 ? '' : portable(relative(base, file)), this.#digest(file, job)])
    const kind = job.input === undefined ? 'module' : 'input'
    return createHash('sha256')
      .update(JSON.stringify([FORMAT, this.#version, job.settings, kind, inputs]))
      .digest('hex')
  }

  /** Paths of what a job is made of: the GLB; or the module first, and all local files that it imports. */
  async files(job: Job): Promise<string[]> {
    const { folder, file } = this.#loaded
    if (job.input !== undefined) return [resolve(folder, job.input)]
    const module = job.module === undefined ? file : resolve(folder, job.module)
    let files = this.#modules.get(module)
    if (!files) this.#modules.set(module, (files = importsOf(module)))
    return files
  }

  #digest(file: string, job: Job): string {
    let digest = this.#digests.get(file)
    if (digest === undefined) {
      try {
        digest = createHash('sha256').update(readFileSync(file)).digest('hex')
      } catch (error) {
        const what = job.input === undefined ? '' : 'input '
        throw new Fault(`${what}${shownPath(file)} cannot be read: ${systemText(error)}`)
      }
      this.#digests.set(file, digest)
    }
    return digest
  }
}

function portable(path: string): string {
  return path.split(sep).join('/')
}

/**
 * A module and all local files that it imports, or names as `new URL('file', import.meta.url)`, and so on from those; sorted
 * but for the first. Packages are left out. `found` has them as they are found, up to one that is broken.
 *
 * @throws Fault for a module that is not there, or cannot be read as one
 */
export async function importsOf(module: string, found = new Set<string>()): Promise<string[]> {
  const { init, parse } = await import('es-module-lexer')
  await init
  found.add(module)
  for (const file of found) {
    if (!['.js', '.mjs'].includes(extname(file))) continue
    let source: string
    try {
      source = readFileSync(file, 'utf8')
    } catch (error) {
      throw new Fault(`module ${shownPath(file)} cannot be read: ${systemText(error)}`)
    }
    const add = (specifier: string, needed: boolean) => {
      if (!/^(\.{0,2}\/|file:)/.test(specifier)) return
      const url = new URL(specifier, pathToFileURL(file))
      url.search = url.hash = ''
      const path = fileURLToPath(url)
      const isThere = existsSync(path) && statSync(path).isFile()
      if (isThere || needed) found.add(path)
      if (needed && !isThere) throw new Fault(`${shownPath(file)} imports ${specifier}: no such file`)
    }
    try {
      const [imports] = parse(source, file)
      for (const { n: specifier, d: dynamic } of imports) {
        if (specifier !== undefined) add(specifier, dynamic === -1)
      }
    } catch (error) {
      if (error instanceof Fault) throw error
      const at = (error as { idx?: number }).idx ?? 0
      const line = source.slice(0, at).split('\n').length
      throw new Fault(`module ${shownPath(file)} cannot be read as an ES module: see line ${line}`)
    }
    for (const [, , specifier] of source.matchAll(ASSET)) {
      add(/^(\.{0,2}\/|[a-z]+:)/i.test(specifier!) ? specifier! : `./${specifier}`, false)
    }
  }
  return [module, ...[...found].slice(1).sort()]
}
