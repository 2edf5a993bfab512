import { checkNumber, LimberError } from 'limber/core'
import type { LowRank } from '../addon.js'
import type { Compression } from './document.js'
import { fitLowRank, fitLowRankAsync } from './low-rank.js'
import type { RecordedMesh } from './recording.js'

/**
 * How closely a recording is kept: `tolerance` and `maxTargets` are for the meshes in it, `angle` and `distance` for skeletons
 * and flocks, the others for skeletons. All are bounds at every recorded frame. Of a skeleton, each bone is held within its own
 * parent: down a chain of bones, errors add up.
 */
export interface FitOptions {
  /** Largest distance of a vertex from where it was recorded, at any frame, in metres, from 0.00001 to 1; 0.001 unless set. */
  tolerance?: number | undefined
  /** Most morph targets of a mesh, from 1 to 200; 64 unless set. Phones show a mesh with more than 241 as nothing. */
  maxTargets?: number | undefined
  /**
   * Largest angle of a bone or boid from its recorded rotation, in radians, from 0.00001 to 0.1; 0.00087 (0.05°) unless set,
   * and 0.02 (1.1°) for boids.
   */
  angle?: number | undefined
  /**
   * Largest distance of a bone or boid from its recorded position, in metres of the world, from 0.000001 to 1; 0.0001 unless
   * set, and for boids a thousandth of the longest side of their torus, or of the box that they kept within.
   */
  distance?: number | undefined
  /** Largest part by which a bone's scale is off, from 0.000001 to 0.1; 0.0001 unless set. */
  ratio?: number | undefined
  /** `'jiggle'`: nothing but the rotations of the bones that jiggle bones turn, for what has the rest of the pose from elsewhere. */
  only?: 'jiggle' | undefined
}

/** What {@link FitOptions} are unless set. */
export const BAKE_FIT_DEFAULTS = {
  tolerance: 0.001,
  maxTargets: 64,
  angle: 0.00087,
  distance: 0.0001,
  ratio: 0.0001,
} as const

/** Names of {@link FitOptions} for meshes. */
export const MESH_KEYS = ['tolerance', 'maxTargets']
/** Names of {@link FitOptions} for skeletons. */
export const SKELETON_KEYS = ['angle', 'distance', 'ratio']
/** Names of {@link FitOptions} for flocks. */
export const FLOCK_KEYS = ['angle', 'distance']
/** Names of {@link FitOptions} for skeletons with jiggle bones. */
export const SWING_KEYS = ['only']

/** A recorded mesh as morph targets on its first frame, and what each weighs at some frames. */
export class MorphFit {
  /** Times of the keyframes, in seconds. */
  readonly times: Float32Array<ArrayBuffer>
  /** Weights, `[target] × keyframes`; 0 at the first. */
  readonly weights: Float32Array<ArrayBuffer>
  /** Metres of a position's delta of 1. */
  readonly unit: number
  /** What each target adds, as fractions of 127 or, in 16 bits, of 32767: to positions in {@link unit}s, and to normals. */
  readonly targets: { positions: Codes; normals: Codes }[]

  constructor({ unit, wide, codes, weights, keyframes }: LowRank, fps: number) {
    const count = wide.length
    const size = codes.length / count / 2
    this.unit = unit
    this.times = Float32Array.from(keyframes, (frame) => frame / fps)
    this.weights = new Float32Array(keyframes.length * count)
    keyframes.forEach((frame, i) => this.weights.set(weights.subarray(frame * count, (frame + 1) * count), i * count))
    this.targets = Array.from(wide, (isWide, k) => {
      const [positions, normals] = [0, 1].map((half) => {
        const own = codes.subarray((2 * k + half) * size, (2 * k + half + 1) * size)
        return isWide ? Int16Array.from(own) : Int8Array.from(own)
      }) as [Codes, Codes]
      return { positions, normals }
    })
  }

  /** What each target adds to the first frame's positions: `[x, y, z] × vertices`, metres. */
  get positions(): Float32Array<ArrayBuffer>[] {
    return this.targets.map(({ positions }) => numbers(positions, this.unit))
  }

  /** What each target adds to the first frame's normals. */
  get normals(): Float32Array<ArrayBuffer>[] {
    return this.targets.map(({ normals }) => numbers(normals, 1))
  }
}

/** Fractions of the largest number of their type. */
export type Codes = Int8Array<ArrayBuffer> | Int16Array<ArrayBuffer>
/** Numbers as a file holds them. */
export type Stored = Float32Array<ArrayBuffer> | Codes

/** What codes stand for, as loaders read them. */
function numbers(codes: Codes, unit: number): Float32Array<ArrayBuffer> {
  const largest = codes instanceof Int8Array ? 127 : 32767
  return Float32Array.from(codes, (code) => (code / largest) * unit)
}

/** A fitted mesh as a file holds it: numbers of all vertices. */
export interface StoredMesh {
  /** What a node scales its mesh by. */
  unit: number
  position: Stored
  normal: Stored
  targets: { position: Stored; normal: Stored }[]
}

/** A fitted mesh as a file of some compression holds it. */
export function stored({ positions, normals }: RecordedMesh, fit: MorphFit, compression: Compression): StoredMesh {
  const [position, normal] = [positions[0]!, normals[0]!]
  if (compression === 'none') {
    const targets = fit.positions.map((position, k) => ({ position, normal: numbers(fit.targets[k]!.normals, 1) }))
    return { unit: 1, position, normal, targets }
  }
  return {
    unit: fit.unit,
    position: position.map((number) => number / fit.unit),
    normal: Int8Array.from(normal, (number) => Math.round(number * 127)),
    targets: fit.targets.map(({ positions, normals }) => ({ position: positions, normal: normals })),
  }
}

/** How a mesh is to be fitted, checked. */
interface MeshLimits {
  tolerance: number
  maxTargets: number
  /** What of a tolerance is for players that compute in 32 bits, metres. */
  rest: number
}

function limitsOf(mesh: RecordedMesh, options: FitOptions): MeshLimits {
  const { tolerance = BAKE_FIT_DEFAULTS.tolerance, maxTargets = BAKE_FIT_DEFAULTS.maxTargets } = options
  checkNumber('tolerance', tolerance, 0.00001, 1, 'm')
  checkNumber('maxTargets', maxTargets, 1, 200)
  let furthest = 0
  for (const frame of mesh.positions) for (const number of frame) furthest = Math.max(furthest, Math.abs(number))
  // Half a step of each of three coordinates, and as much for a few sums.
  const rest = furthest * 2 ** -22
  if (rest > tolerance / 2) {
    throw new LimberError(
      'tolerance',
      `${mesh.name}: ${tolerance} m is finer than 32-bit floats are ${Number(furthest.toPrecision(2))} m from the origin`,
    )
  }
  return { tolerance, maxTargets: Math.floor(maxTargets), rest }
}

/**
 * A recorded mesh as few morph targets, weighted anew at each keyframe so that every vertex is within the tolerance at every
 * recorded frame.
 *
 * @throws LimberError `tolerance` when `maxTargets` are not enough
 */
export function fit(mesh: RecordedMesh, fps: number, options: FitOptions): MorphFit {
  const limits = limitsOf(mesh, options)
  const found = fitLowRank(mesh, limits.tolerance - limits.rest, limits.maxTargets)
  if (typeof found !== 'number') return new MorphFit(found, fps)
  const search = loosened(mesh, limits, found)
  let asked = search.next()
  while (!asked.done) asked = search.next(fitLowRank(mesh, asked.value - limits.rest, limits.maxTargets))
  throw tooMany(mesh, limits, asked.value)
}

/** The same, on a thread of the addon's pool where there is one. */
export async function fitAsync(mesh: RecordedMesh, fps: number, options: FitOptions): Promise<MorphFit> {
  const limits = limitsOf(mesh, options)
  const found = await fitLowRankAsync(mesh, limits.tolerance - limits.rest, limits.maxTargets)
  if (typeof found !== 'number') return new MorphFit(found, fps)
  const search = loosened(mesh, limits, found)
  let asked = search.next()
  while (!asked.done) asked = search.next(await fitLowRankAsync(mesh, asked.value - limits.rest, limits.maxTargets))
  throw tooMany(mesh, limits, asked.value)
}

/** Vertices times frames for which a fit takes seconds. */
const LARGE = 1_000_000

/** Looks for a tolerance that would do: asks for fits, and ends with the least that one was found for. */
function* loosened(
  { positions, vertices }: RecordedMesh,
  { tolerance }: MeshLimits,
  off: number,
): Generator<number, number, LowRank | number> {
  let [tight, enough] = [tolerance, twoDigits(off * 1.1)]
  for (let found; typeof (found = yield enough) === 'number';) {
    tight = enough
    enough = twoDigits(Math.max(found, enough) * 1.1)
  }
  const times = positions.length * vertices > LARGE ? 2 : 5
  for (let i = 0; i < times; i++) {
    const middle = twoDigits(Math.sqrt(tight * enough))
    if (middle >= enough) break
    if (typeof (yield middle) === 'number') tight = middle
    else enough = middle
  }
  return enough
}

/** To two digits, upward. */
function twoDigits(tolerance: number): number {
  const digit = 10 ** (Math.floor(Math.log10(tolerance)) - 1)
  return Number((Math.ceil(tolerance / digit) * digit).toPrecision(2))
}

function tooMany({ name }: RecordedMesh, { tolerance, maxTargets }: MeshLimits, needed: number): LimberError {
  return new LimberError(
    'tolerance',
    `${name} takes more than ${maxTargets} morph targets to stay within ${tolerance} m: ` +
      `a tolerance of ${needed} m would do, or more maxTargets, or a shorter recording`,
  )
}

/**
 * The fewest frames from the first to the last, such that `holds` for each and the next: the shortest path over all pairs
 * that may be, found breadth first. `ends` gives the frames that may come after one, the furthest first. `undefined` when there
 * is none.
 */
export function shortestPath(
  last: number,
  ends: (from: number) => number[],
  holds: (from: number, to: number) => boolean,
): number[] | undefined {
  if (last === 0) return [0]
  const before = new Int32Array(last + 1).fill(-1)
  const path = () => {
    const frames = [last]
    while (frames.at(-1) !== 0) frames.push(before[frames.at(-1)!]!)
    return frames.reverse()
  }
  let reached = [0]
  for (;;) {
    const next: number[] = []
    for (const from of reached) {
      for (const to of ends(from)) {
        if (before[to]! >= 0 || !holds(from, to)) continue
        before[to] = from
        if (to === last) return path()
        next.push(to)
      }
    }
    if (next.length === 0) return undefined
    // Furthest first: most often the next ones reach furthest from there.
    reached = next.sort((a, b) => b - a)
  }
}
