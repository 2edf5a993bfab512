import { readFileSync } from 'node:fs'
import { initSync, lowRank } from '../../pkg/limber_bake.js'
import { findAddon, type LowRank, type LowRankAddon } from '../addon.js'

/** What is fitted: `[x, y, z] × vertices` at each frame. */
export interface Frames {
  positions: readonly Float32Array[]
  normals: readonly Float32Array[]
}

let native: LowRankAddon | null | undefined

/** The addon, unless there is none or the WebAssembly is asked for. The numbers are the same. */
function addon(): LowRankAddon | null {
  if (native !== undefined) return native
  const found = process.env['LIMBER_NODE_FORCE_WASM'] === '1' ? undefined : findAddon()
  native = found && 'addon' in found ? found.addon : null
  if (!native) initSync({ module: readFileSync(new URL('../../pkg/limber_bake_bg.wasm', import.meta.url)) })
  return native
}

/**
 * A mesh as at most `targets` targets, within `tolerance` metres; or so many metres as they leave a vertex off, where they are
 * not enough.
 */
export function fitLowRank({ positions, normals }: Frames, tolerance: number, targets: number): LowRank | number {
  const arrays = [together(positions), together(normals)] as const
  return orOff(() => {
    const found = addon()
    if (found) return found.lowRank(positions.length, ...arrays, tolerance, targets)
    const fit = lowRank(positions.length, ...arrays, tolerance, targets)
    const { unit, wide, codes, weights, keyframes } = fit
    fit.free()
    return { unit, wide, codes, weights, keyframes }
  })
}

/** The same, on a thread of the addon's pool where there is one. */
export async function fitLowRankAsync(frames: Frames, tolerance: number, targets: number): Promise<LowRank | number> {
  const found = addon()
  if (!found) return fitLowRank(frames, tolerance, targets)
  const { positions, normals } = frames
  const work = found.lowRankAsync(positions.length, together(positions), together(normals), tolerance, targets)
  const result = await work.catch((error: unknown) => error as Error)
  return orOff(() => {
    if (result instanceof Error) throw result
    return result
  })
}

function orOff(fit: () => LowRank): LowRank | number {
  try {
    return fit()
  } catch (error) {
    // The addon throws errors, the WebAssembly texts.
    const off = /^tolerance (.+)$/.exec(error instanceof Error ? error.message : String(error))?.[1]
    if (off === undefined) throw error
    return Number(off)
  }
}

function together(frames: readonly Float32Array[]): Float32Array {
  const size = frames[0]!.length
  const all = new Float32Array(size * frames.length)
  frames.forEach((frame, i) => all.set(frame, i * size))
  return all
}
