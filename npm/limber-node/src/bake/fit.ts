import { checkNumber, LimberError } from 'limber/core'
import type { RecordedMesh } from './recording.js'

/**
 * How closely a recording is kept: `tolerance` and `maxTargets` are for the meshes in it, `angle` and `distance` for skeletons
 * and flocks, the others for skeletons. All are bounds at every recorded frame. Of a skeleton, each bone is held within its own
 * parent: down a chain of bones, errors add up.
 */
export interface FitOptions {
  /** Largest distance of a vertex from where it was recorded, at any frame, in metres, from 0.00001 to 1; 0.001 unless set. */
  tolerance?: number | undefined
  /** Most morph targets of a mesh, from 1 to 200; 200 unless set. Phones show a mesh with more than 241 as nothing. */
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
  maxTargets: 200,
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

/** A recorded mesh as morph targets: the base is the first frame, and each target another keyframe. */
export interface MorphFit {
  /** Frames that are kept, ascending, the first and the last among them. */
  keyframes: number[]
  /** Times of the keyframes, in seconds. */
  times: Float32Array<ArrayBuffer>
  /** Weights, `[target] × keyframes`: between two keyframes, one target fades to the next. */
  weights: Float32Array<ArrayBuffer>
  /** What each target adds to the base's positions: `[x, y, z] × vertices`, metres. */
  positions: Float32Array<ArrayBuffer>[]
  /** What each target adds to the base's normals. */
  normals: Float32Array<ArrayBuffer>[]
}

/**
 * The fewest recorded frames that, interpolated linearly, keep every vertex at every recorded frame within the tolerance.
 *
 * @throws LimberError `tolerance` when that takes more targets than are allowed
 */
export function fit(mesh: RecordedMesh, fps: number, options: FitOptions): MorphFit {
  const { tolerance = BAKE_FIT_DEFAULTS.tolerance, maxTargets = BAKE_FIT_DEFAULTS.maxTargets } = options
  checkNumber('tolerance', tolerance, 0.00001, 1, 'm')
  checkNumber('maxTargets', maxTargets, 1, 200)
  const track = new Track(mesh.positions, fps)
  const keyframes = track.keyframes(tolerance)
  if (keyframes.length - 1 > maxTargets) {
    const needed = loosest(track, tolerance, Math.floor(maxTargets))
    throw new LimberError(
      'tolerance',
      `${mesh.name} takes ${keyframes.length - 1} morph targets to stay within ${tolerance} m, and ${maxTargets} are allowed: ` +
        `a tolerance of ${needed} m would do, or a shorter recording`,
    )
  }
  const targets = keyframes.length - 1
  const weights = new Float32Array(keyframes.length * targets)
  for (let k = 1; k < keyframes.length; k++) weights[k * targets + k - 1] = 1
  return {
    keyframes,
    times: Float32Array.from(keyframes, (frame) => frame / fps),
    weights,
    positions: keyframes.slice(1).map((frame) => minus(mesh.positions[frame]!, mesh.positions[0]!)),
    normals: keyframes.slice(1).map((frame) => minus(mesh.normals[frame]!, mesh.normals[0]!)),
  }
}

/**
 * The fewest frames from the first to the last, such that `holds` for each and the next: the shortest path over all pairs
 * that may be, found breadth first. `ends` gives the frames that may come after one, the furthest first. Empty when it takes
 * more than `most` steps, `undefined` when there is none.
 */
export function shortestPath(
  last: number,
  ends: (from: number) => number[],
  holds: (from: number, to: number) => boolean,
  most = Infinity,
): number[] | undefined {
  if (last === 0) return [0]
  const before = new Int32Array(last + 1).fill(-1)
  const path = () => {
    const frames = [last]
    while (frames.at(-1) !== 0) frames.push(before[frames.at(-1)!]!)
    return frames.reverse()
  }
  let reached = [0]
  for (let steps = 0; steps < most; steps++) {
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
  return []
}

/** A tolerance, to two digits, that `targets` are enough for. */
function loosest(track: Track, tight: number, targets: number): number {
  let enough = tight
  while (track.keyframes(enough, targets).length === 0) enough *= 2
  for (let i = 0; i < 8; i++) {
    const middle = Math.sqrt(tight * enough)
    if (track.keyframes(middle, targets).length === 0) tight = middle
    else enough = middle
  }
  const digit = 10 ** (Math.floor(Math.log10(enough)) - 1)
  return Number((Math.ceil(enough / digit) * digit).toPrecision(2))
}

/** Positions over time, as a file holds them. */
class Track {
  readonly #positions: Float32Array[]
  /** What the file adds to the first frame, rounded as there. */
  readonly #deltas: Float32Array[]
  readonly #fps: number
  /** The number that was last found too far off: most likely to be so again. */
  #suspect = 0

  constructor(positions: Float32Array[], fps: number) {
    this.#positions = positions
    this.#deltas = positions.map((frame) => minus(frame, positions[0]!))
    this.#fps = fps
  }

  /** The fewest keyframes within `tolerance`. Empty when it takes more than `targets` steps. */
  keyframes(tolerance: number, targets = Infinity): number[] {
    const last = this.#positions.length - 1
    const path = shortestPath(
      last,
      (from) => Array.from({ length: last - from }, (_, i) => last - i),
      (from, to) => this.#isStraight(from, to, tolerance),
      targets,
    )
    if (path) return path
    throw new LimberError('tolerance', `${tolerance} m is finer than 32-bit floats are so far from the first frame`)
  }

  /** Whether every frame between two keyframes, these included, shows within `tolerance` of where it was recorded. */
  #isStraight(from: number, to: number, tolerance: number): boolean {
    // The middle first: it is furthest off, most often.
    if (!this.#isClose(from, (from + to) >> 1, to, tolerance)) return false
    for (let frame = from; frame <= to; frame++) if (!this.#isClose(from, frame, to, tolerance)) return false
    return true
  }

  #isClose(from: number, frame: number, to: number, tolerance: number): boolean {
    const base = this.#positions[0]!
    const recorded = this.#positions[frame]!
    const a = this.#deltas[from]!
    const b = this.#deltas[to]!
    const start = Math.fround(from / this.#fps)
    const end = Math.fround(to / this.#fps)
    const weight = Math.min(Math.max((frame / this.#fps - start) / (end - start), 0), 1)
    const limit = tolerance * tolerance
    const { length } = base
    const first = this.#suspect
    for (let n = 0; n < length; n += 3) {
      const i = first + n < length ? first + n : first + n - length
      const x = base[i]! + a[i]! * (1 - weight) + b[i]! * weight - recorded[i]!
      const y = base[i + 1]! + a[i + 1]! * (1 - weight) + b[i + 1]! * weight - recorded[i + 1]!
      const z = base[i + 2]! + a[i + 2]! * (1 - weight) + b[i + 2]! * weight - recorded[i + 2]!
      if (x * x + y * y + z * z > limit) {
        this.#suspect = i
        return false
      }
    }
    return true
  }
}

function minus(a: Float32Array, b: Float32Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(a, (value, i) => value - b[i]!)
}
