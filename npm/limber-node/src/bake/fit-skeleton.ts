import { checkNumber, LimberError, shown } from 'limber/core'
import { across, crossings, type Keys } from './around.js'
import { BAKE_FIT_DEFAULTS, shortestPath, type FitOptions } from './fit.js'
import type { RecordedNode, RecordedSkeleton } from './recorded-skeleton.js'

/** Keyframes of what a node does in one of three ways: values are `[x, y, z, w]` of neighbouring signs, or `[x, y, z]`. */
export interface KeyTrack extends Keys {
  node: RecordedNode
  path: 'quaternion' | 'position' | 'scale'
}

/** What players of 32-bit arithmetic, and those that take a straight line for a small arc, do on top: radians. */
const PLAYERS = 2e-6

/**
 * The fewest recorded frames of each node that, played as glTF and three.js do (on an arc between two rotations, else on a
 * straight line), keep it at every recorded frame within the tolerances. This is looked at with the numbers as a file has
 * them, at each frame: a bound, not an estimate. Where a boid goes round a torus, one path ends and another begins.
 *
 * @throws LimberError `tolerance` where it is finer than 32-bit floats
 */
export function fitSkeleton({ nodes, flock }: RecordedSkeleton, fps: number, options: FitOptions): KeyTrack[] {
  const { angle, distance, ratio } = boundsOf({ flock }, options)
  const { only } = options
  checkNumber('angle', angle, 0.00001, 0.1, 'rad')
  checkNumber('distance', distance, 0.000001, 1, 'm')
  checkNumber('ratio', ratio, 0.000001, 0.1)
  if (only !== undefined && only !== 'jiggle') {
    throw new LimberError('invalid-option', `only must be 'jiggle' or left out, got ${shown(only)}`)
  }
  return nodes
    .filter((node) => (only ? node.swings : node.animated))
    .flatMap((node) => {
      const turn = keys(node, 'quaternion', new Turn(node.quaternions, fps, angle - PLAYERS), angle, 'rad')
      const tracks: KeyTrack[] = [{ node, path: 'quaternion', ...turn }]
      if (only) return tracks
      tracks.push({ node, path: 'position', ...places(node, fps, distance, flock?.around) })
      if (flock) return tracks
      const grow = new Move(node.scales, fps, (i) => ratio * largest(node.scales, i * 3))
      return [...tracks, { node, path: 'scale', ...keys(node, 'scale', grow, ratio, 'of it') }]
    })
}

/** How closely a skeleton or a flock is kept. */
export function boundsOf({ flock }: Pick<RecordedSkeleton, 'flock'>, options: FitOptions) {
  return { ...BAKE_FIT_DEFAULTS, ...flock?.closeness, ...defined(options) }
}

/** Keyframes of positions, also of what goes round a torus of these sizes. */
function places(node: RecordedNode, fps: number, distance: number, around: readonly number[] | undefined): Keys {
  const cuts = around ? crossings(node.positions, around) : []
  return [0, ...cuts]
    .map((first, i) => {
      const run = node.positions.subarray(first * 3, (cuts[i] ?? node.metres.length) * 3)
      const move = new Move(run, fps, (frame) => distance / node.metres[first + frame]!, first)
      return keys(node, 'position', move, distance, 'm')
    })
    .reduce((before, after) => across(before, after, around!))
}

function keys(node: RecordedNode, path: KeyTrack['path'], curve: Curve, tolerance: number, unit: string): Keys {
  const keyframes = shortestPath(
    curve.last,
    (from) => curve.ends(from),
    (from, to) => curve.holds(from, to),
  )
  if (!keyframes) {
    throw new LimberError(
      'tolerance',
      `${tolerance} ${unit} is finer than 32-bit floats are for the ${path} of ${node.name}, at its times and size`,
    )
  }
  return {
    times: Float32Array.from(keyframes, (frame) => curve.timeOf(frame)),
    values: curve.values(keyframes),
  }
}

type Three = [number, number, number]

/** One track, and how far a single piece of its interpolation reaches. */
abstract class Curve {
  readonly last: number
  readonly #fps: number
  readonly #first: number
  /** For each frame, the last keyframe from which it was seen that a piece ending there holds. */
  readonly #sure: Int32Array

  constructor(
    /** The numbers as a file has them. */
    protected readonly keys: Float32Array<ArrayBuffer>,
    protected readonly size: number,
    fps: number,
    /** The frame of the recording that its frame 0 is. */
    first = 0,
  ) {
    this.last = keys.length / size - 1
    this.#fps = fps
    this.#first = first
    this.#sure = new Int32Array(this.last + 1).fill(-1)
  }

  /**
   * Where frame `to` lies, seen from keyframe `from`, in coordinates in which what is shown between two keyframes runs
   * straight and evenly: as recorded, or as a keyframe.
   */
  protected abstract seen(from: number, to: number, asKey: boolean, out: Three): void
  /** How far off, in these coordinates, what fits may be at most, where `place` is seen; infinite where none can be told. */
  protected abstract slack(frame: number, place: Three): number
  /** How far off, in these coordinates, it may be at least, whatever the direction. */
  protected abstract leeway(frame: number): number
  /** The largest coordinate of a keyframe that can be seen. */
  protected abstract readonly horizon: number
  /** Prepares for `isClose` on the piece from one keyframe to the other; `false` if there can be none. */
  protected abstract span(from: number, to: number): boolean
  /** Whether what is shown there, a share of the way along the piece, fits `frame`. */
  protected abstract isClose(frame: number, share: number): boolean
  /** The values of keyframes. */
  abstract values(keyframes: readonly number[]): Float32Array<ArrayBuffer>

  /** Time of a keyframe, as a file has it. */
  timeOf(frame: number): number {
    return Math.fround(this.#shownAt(frame))
  }

  /** When a frame is to be shown. */
  #shownAt(frame: number): number {
    return (this.#first + frame) / this.#fps
  }

  /**
   * Where the piece from keyframe `from` may end, the furthest first; what is not among these, does not hold.
   *
   * An end gives the piece a velocity, and each frame before it allows only some: those of a box, and once that is empty, no
   * end further on will do. Those of a smaller box are all allowed.
   */
  ends(from: number): number[] {
    const start = this.timeOf(from)
    const low: Three = [-Infinity, -Infinity, -Infinity]
    const high: Three = [Infinity, Infinity, Infinity]
    const surelyAbove: Three = [...low]
    const surelyBelow: Three = [...high]
    const place: Three = [0, 0, 0]
    const ends: number[] = []
    for (let to = from + 1; to <= this.last; to++) {
      const whole = this.timeOf(to) - start
      this.seen(from, to, true, place)
      if (isWithin(place, low, high, whole)) {
        ends.push(to)
        if (isWithin(place, surelyAbove, surelyBelow, whole)) this.#sure[to] = from
      }
      const part = this.#shownAt(to) - start
      if (!(part > 0 && whole > 0)) continue
      this.seen(from, to, false, place)
      const slack = this.slack(to, place) * (1 + 1e-9)
      const leeway = this.leeway(to)
      let open = true
      for (let c = 0; c < 3; c++) {
        low[c] = Math.max(low[c]!, (place[c]! - slack) / part)
        high[c] = Math.min(high[c]!, (place[c]! + slack) / part)
        surelyAbove[c] = Math.max(surelyAbove[c]!, (place[c]! - leeway) / part)
        surelyBelow[c] = Math.min(surelyBelow[c]!, (place[c]! + leeway) / part)
        open &&= low[c]! <= high[c]! && low[c]! * whole <= this.horizon && high[c]! * whole >= -this.horizon
      }
      if (!open) break
    }
    return ends.reverse()
  }

  /** Whether every frame between two keyframes, these included, is shown close enough. */
  holds(from: number, to: number): boolean {
    if (!this.span(from, to)) return false
    const start = this.timeOf(from)
    const whole = this.timeOf(to) - start
    const fits = (frame: number) =>
      this.isClose(frame, Math.min(Math.max((this.#shownAt(frame) - start) / whole, 0), 1))
    if (!fits(from) || !fits(to)) return false
    if (this.#sure[to] === from) return true
    // The middle first: it is furthest off, most often.
    if (!fits((from + to) >> 1)) return false
    for (let frame = from + 1; frame < to; frame++) if (!fits(frame)) return false
    return true
  }
}

/** Whether a place is reached, in so long, by a velocity within a box. */
function isWithin(place: Three, low: Three, high: Three, time: number): boolean {
  for (let c = 0; c < 3; c++) if (!(place[c]! >= low[c]! * time && place[c]! <= high[c]! * time)) return false
  return true
}

/** Half the edge of the cube in a ball of radius 1, and a little less. */
const CUBE = 0.577

/** Positions or scales. */
class Move extends Curve {
  protected readonly horizon = Infinity
  readonly #recorded: Float64Array
  /** Largest distance from what was recorded, at each frame. */
  readonly #bounds: Float64Array
  #from = 0
  #to = 0

  constructor(recorded: Float64Array, fps: number, bound: (frame: number) => number, first = 0) {
    super(Float32Array.from(recorded), 3, fps, first)
    this.#recorded = recorded
    this.#bounds = Float64Array.from({ length: recorded.length / 3 }, (_, i) => bound(i))
  }

  protected seen(from: number, to: number, asKey: boolean, out: Three): void {
    const { keys } = this
    const there = asKey ? keys : this.#recorded
    for (let c = 0; c < 3; c++) out[c] = there[to * 3 + c]! - keys[from * 3 + c]!
  }

  protected slack(frame: number): number {
    return this.#bounds[frame]!
  }

  protected leeway(frame: number): number {
    return this.#bounds[frame]! * CUBE
  }

  protected span(from: number, to: number): boolean {
    this.#from = from * 3
    this.#to = to * 3
    return true
  }

  protected isClose(frame: number, share: number): boolean {
    const { keys } = this
    let sum = 0
    for (let c = 0; c < 3; c++) {
      const a = keys[this.#from + c]!
      const off = a + (keys[this.#to + c]! - a) * share - this.#recorded[frame * 3 + c]!
      sum += off * off
    }
    return sum <= this.#bounds[frame]! ** 2
  }

  values(keyframes: readonly number[]): Float32Array<ArrayBuffer> {
    return Float32Array.from(keyframes.flatMap((frame) => [...this.keys.subarray(frame * 3, frame * 3 + 3)]))
  }
}

/** Keyframes further apart than this, as cosine of half the angle (179.9°), leave the way between them to rounding. */
const OPPOSITE = 1e-3

/** Rotations. They are seen as rotation vectors, whose length is the angle: along an arc these run straight. */
class Turn extends Curve {
  protected readonly horizon = Math.PI
  readonly #recorded: Float64Array
  readonly #angle: number
  /** Square of the sine of half the angle. */
  readonly #limit: number
  #from = 0
  #to = 0
  /** Half the angle of the piece, its sine, and the sign that makes it the shorter way. */
  #half = 0
  #sine = 0
  #sign = 1

  constructor(recorded: Float64Array, fps: number, angle: number) {
    super(normalized(recorded), 4, fps)
    this.#recorded = recorded
    this.#angle = angle
    this.#limit = Math.sin(angle / 2) ** 2
  }

  protected seen(from: number, to: number, asKey: boolean, out: Three): void {
    between(this.keys, from * 4, asKey ? this.keys : this.#recorded, to * 4, relative)
    const [x, y, z, w] = relative
    const sine = Math.hypot(x, y, z)
    const factor = sine > 0 ? (Math.sign(w || 1) * 2 * Math.atan2(sine, Math.abs(w))) / sine : 0
    out[0] = x * factor
    out[1] = y * factor
    out[2] = z * factor
  }

  protected slack(_: number, place: Three): number {
    const half = Math.hypot(...place) / 2
    // Nearer to half a turn, what is near may be seen on the other side.
    if (half > 1.4) return Infinity
    // A vector of length 2h turns into a rotation that is sin h / h times as far off, at least; and somewhat further out.
    const angle = this.#angle + 1e-5
    const out = half + angle / 2
    return (angle * out) / Math.sin(out)
  }

  protected leeway(): number {
    // Rotations are at most as far apart as their vectors.
    return this.#angle * CUBE
  }

  protected span(from: number, to: number): boolean {
    this.#from = from * 4
    this.#to = to * 4
    between(this.keys, this.#from, this.keys, this.#to, relative)
    const [x, y, z, w] = relative
    if (to > from + 1 && Math.abs(w) < OPPOSITE) return false
    this.#sign = w < 0 ? -1 : 1
    this.#half = Math.atan2(Math.hypot(x, y, z), Math.abs(w))
    this.#sine = Math.sin(this.#half)
    return true
  }

  protected isClose(frame: number, share: number): boolean {
    const { keys } = this
    const short = this.#half < 1e-3
    const a = short ? 1 - share : Math.sin((1 - share) * this.#half) / this.#sine
    const b = this.#sign * (short ? share : Math.sin(share * this.#half) / this.#sine)
    for (let c = 0; c < 4; c++) shownNow[c] = keys[this.#from + c]! * a + keys[this.#to + c]! * b
    between(shownNow, 0, this.#recorded, frame * 4, relative)
    const [x, y, z, w] = relative
    const sine = x * x + y * y + z * z
    return sine <= this.#limit * (sine + w * w)
  }

  values(keyframes: readonly number[]): Float32Array<ArrayBuffer> {
    const { keys } = this
    const out = new Float32Array(keyframes.length * 4)
    keyframes.forEach((frame, k) => {
      let dot = 0
      for (let c = 0; c < 4; c++) dot += k && out[k * 4 - 4 + c]! * keys[frame * 4 + c]!
      // The same rotation, on the side of the one before it. Zero keeps its sign.
      for (let c = 0; c < 4; c++)
        out[k * 4 + c] = dot < 0 && keys[frame * 4 + c] !== 0 ? -keys[frame * 4 + c]! : keys[frame * 4 + c]!
    })
    return out
  }
}

type Four = [number, number, number, number]

const relative: Four = [0, 0, 0, 1]
const shownNow = /* @__PURE__ */ new Float64Array(4)

/** The rotation from `a` to `b`, seen from `a`. */
function between(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, out: Four): void {
  const [ax, ay, az, aw] = [-a[i]!, -a[i + 1]!, -a[i + 2]!, a[i + 3]!]
  const [bx, by, bz, bw] = [b[j]!, b[j + 1]!, b[j + 2]!, b[j + 3]!]
  out[0] = aw * bx + ax * bw + ay * bz - az * by
  out[1] = aw * by - ax * bz + ay * bw + az * bx
  out[2] = aw * bz + ax * by - ay * bx + az * bw
  out[3] = aw * bw - ax * bx - ay * by - az * bz
}

function normalized(quaternions: Float64Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(quaternions.length)
  for (let i = 0; i < out.length; i += 4) {
    const length = Math.hypot(quaternions[i]!, quaternions[i + 1]!, quaternions[i + 2]!, quaternions[i + 3]!)
    for (let c = 0; c < 4; c++) out[i + c] = quaternions[i + c]! / length
  }
  return out
}

function largest(scale: ArrayLike<number>, at: number): number {
  return Math.max(Math.abs(scale[at]!), Math.abs(scale[at + 1]!), Math.abs(scale[at + 2]!))
}

function defined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
