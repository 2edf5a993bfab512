import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FORMAT } from '../config/inputs.js'
import { Fault, shownPath, systemText } from '../config/fault.js'
import { attempt, writeWhole } from './outputs.js'
import type { Shard } from './shard.js'

/** A finished file, as a manifest lists it. */
export interface Entry {
  id: string
  /** Its name, in the folder of the manifest. */
  file: string
  /** What it is named by, whole: of options, inputs and version. */
  hash: string
  bytes: number
  /** Of its content. */
  sha256: string
  /** How true it is to the recording, or what the format tells. */
  report: unknown
  /** It is of a config or of inputs before: what would be in its place failed, or is not made yet. */
  stale?: true
}

/** What a folder of finished files holds. No time and no name of a machine is in it. */
export interface Manifest {
  format: number
  /** Of limber-node. */
  version: string
  /** Hash of the config. */
  config: string
  /** Of a fragment: which of how many. */
  shard?: number
  shards?: number
  /** In the order of the config. */
  jobs: Entry[]
}

const FRAGMENT = /^manifest\.(\d+)-of-(\d+)\.json$/

/** The name of the manifest of all jobs, or of a part. */
export function manifestName(shard: Shard | undefined): string {
  return shard ? `manifest.${shard.index}-of-${shard.total}.json` : 'manifest.json'
}

/** The bytes of a manifest. */
export function manifestBytes(
  { version, config }: Pick<Manifest, 'version' | 'config'>,
  shard: Shard | undefined,
  jobs: readonly Entry[],
): Uint8Array {
  const manifest: Manifest = {
    format: FORMAT,
    version,
    config,
    ...(shard && { shard: shard.index, shards: shard.total }),
    jobs: jobs.map(({ id, file, hash, bytes, sha256, report, stale }) => {
      return { id, file, hash, bytes, sha256, ...(stale && { stale }), report }
    }),
  }
  return new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`)
}

/** Writes a manifest unless it is there as it should be. */
export function writeManifest(path: string, bytes: Uint8Array): void {
  let there: Uint8Array | undefined
  attempt(() => void (there = readFileSync(path)))
  if (there === undefined || Buffer.compare(there, bytes) !== 0) writeWhole(path, bytes)
}

/** Names of the fragments in a folder, sorted by part. */
export function fragmentNames(folder: string): string[] {
  let names: string[] = []
  attempt(() => void (names = readdirSync(folder)))
  const place = (name: string) => Number(FRAGMENT.exec(name)![1])
  return names.filter((name) => FRAGMENT.test(name)).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
}

/** Reads a manifest. @throws Fault for what is none */
export function readManifest(path: string): Manifest {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Fault(`${shownPath(path)} cannot be read: ${systemText(error)}`)
  }
  let manifest: Partial<Manifest> | null = null
  attempt(() => void (manifest = JSON.parse(text) as Partial<Manifest>))
  const { jobs } = (manifest ?? {}) as Partial<Manifest>
  if (!Array.isArray(jobs) || !jobs.every(isEntry)) throw new Fault(`${shownPath(path)} is no manifest of limber`)
  return manifest as unknown as Manifest
}

function isEntry(entry: Partial<Entry> | null): boolean {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    [entry.id, entry.file, entry.hash, entry.sha256].every((text) => typeof text === 'string') &&
    typeof entry.bytes === 'number'
  )
}

/** All manifests of a folder, its own fragment first; what cannot be read, or is of another format, counts as not there. */
export function knownManifests(folder: string, shard: Shard | undefined): Manifest[] {
  const names = new Set([manifestName(shard), 'manifest.json', ...fragmentNames(folder)])
  const found: Manifest[] = []
  for (const name of names) {
    attempt(() => {
      const manifest = readManifest(join(folder, name))
      if (manifest.format === FORMAT) found.push(manifest)
    })
  }
  return found
}

/** SHA-256 in hexadecimal digits. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
