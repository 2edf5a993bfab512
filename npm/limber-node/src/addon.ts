import { createRequire } from 'node:module'

/** Where a channel lies in a simulation's block. */
export interface ChannelSection {
  id: number
  element: 'f32' | 'u32'
  input: boolean
  /** Bytes, a multiple of 16. */
  byteOffset: number
  /** Numbers. */
  length: number
}

/** What the addon's class offers; see `crates/node`. */
export interface AddonBackend {
  check(kind: number, settings: string): void
  create(kind: number, settings: string, reals: Float32Array, indices: Uint32Array): number
  destroy(handle: number): void
  configure(handle: number, settings: string): void
  options(handle: number): string
  report(handle: number): string
  begin(handle: number, dt: number, block: Uint8Array): number
  beginOne(handle: number, block: Uint8Array): number
  rereadInputs(handle: number, block: Uint8Array): void
  fixedStep(handle: number): void
  finish(handle: number, block: Uint8Array): void
  advance(handle: number, dt: number, block: Uint8Array): number
  advanceOne(handle: number, block: Uint8Array): number
  advanceAsync(handle: number, dt: number, block: Uint8Array): Promise<number>
  time(handle: number): number
  layout(handle: number): ChannelSection[]
  push(handle: number, block: Uint8Array): void
  pull(handle: number, block: Uint8Array): void
  command(handle: number, op: number, payload: Float32Array): Float32Array
  reset(handle: number): void
  teleport(handle: number, matrix: Float32Array): void
  snapshot(handle: number): Uint8Array<ArrayBuffer>
  restore(handle: number, bytes: Uint8Array): void
  hash(handle: number): string
}

/** A recorded mesh as morph targets; see `crates/bake`. */
export interface LowRank {
  /** Metres of a position's delta of 1. */
  unit: number
  /** Of each target, 1 where its codes need 16 bits: a delta is `code / 32767` then, and `code / 127` otherwise. */
  wide: Uint8Array
  /** `[x, y, z] × vertices` of positions and then of normals, of each target. */
  codes: Int16Array
  /** `[target] × frames`. */
  weights: Float32Array
  /** Frames that are enough, ascending, the first and the last among them. */
  keyframes: Uint32Array
}

/** How the addon fits. */
export interface LowRankAddon {
  lowRank(frames: number, positions: Float32Array, normals: Float32Array, tolerance: number, targets: number): LowRank
  lowRankAsync(...args: Parameters<LowRankAddon['lowRank']>): Promise<LowRank>
}

/** The addon's exports. */
export interface Addon extends LowRankAddon {
  Backend: new () => AddonBackend
}

/** The addon for this platform, or the name of the package that should hold it and why it does not load. */
export function findAddon(): { addon: Addon } | { missing: string; reason: string } {
  const require = createRequire(import.meta.url)
  const platform = platformName()
  const missing = `limber-node-${platform}`
  let reason = ''
  // The first is where a build in the repository puts it.
  for (const place of [`../limber-node.${platform}.node`, missing]) {
    try {
      return { addon: require(place) as Addon }
    } catch (error) {
      reason = error instanceof Error ? error.message.split('\n', 1)[0]! : String(error)
    }
  }
  return { missing, reason }
}

/** The platform as packages of addons are named: `linux-x64-gnu`. */
function platformName(): string {
  const { platform, arch } = process
  const abi = platform === 'linux' ? (isGnu() ? '-gnu' : '-musl') : platform === 'win32' ? '-msvc' : ''
  return `${platform}-${arch}${abi}`
}

/** Whether Node runs on glibc; Alpine, say, has musl. */
function isGnu(): boolean {
  const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  return report.header.glibcVersionRuntime !== undefined
}
