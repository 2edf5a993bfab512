import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, shownPath, systemText } from '../config/fault.js'
import { sha256, type Entry } from './manifest.js'
import { attempt, makeFolders, writeWhole } from './outputs.js'

/** What is kept of a file beside it. */
interface Kept {
  bytes: number
  sha256: string
  report: unknown
}

/** Finished files by what they were made of, for any number of configs and folders. */
export class Cache {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file that was made of this, or nothing; one that is damaged counts as none. */
  take(hash: string): { bytes: Uint8Array; report: unknown } | undefined {
    let found: { bytes: Uint8Array; report: unknown } | undefined
    attempt(() => {
      const kept = JSON.parse(readFileSync(this.#note(hash), 'utf8')) as Kept
      const bytes = readFileSync(this.#content(hash))
      if (bytes.length === kept.bytes && sha256(bytes) === kept.sha256) found = { bytes, report: kept.report }
    })
    return found
  }

  /** Keeps a file that is at `path`. @throws Fault where it cannot be written */
  keep({ hash, bytes, sha256, report }: Entry, path: string, content?: Uint8Array): void {
    if (content === undefined && existsSync(this.#note(hash))) return
    try {
      makeFolders(this.#folder)
    } catch (error) {
      throw new Fault(`${shownPath(this.#folder)} cannot be made: ${systemText(error)}`)
    }
    writeWhole(this.#content(hash), content ?? readFileSync(path))
    const kept: Kept = { bytes, sha256, report }
    writeWhole(this.#note(hash), new TextEncoder().encode(JSON.stringify(kept)))
  }

  #content(hash: string): string {
    return join(this.#folder, `${hash}.bin`)
  }

  #note(hash: string): string {
    return join(this.#folder, `${hash}.json`)
  }
}
