import { Quaternion } from 'three'
import { clipTime, type Timing } from './drive.js'

/** Keyframes. */
export interface Keys {
  times: Float32Array<ArrayBuffer>
  values: Float32Array<ArrayBuffer>
}

type Interpolation = 'LINEAR' | 'STEP' | 'CUBICSPLINE'

/** Numbers at a time between keyframes, as glTF has them. */
class Curve {
  readonly #times: ArrayLike<number>
  readonly #values: Float64Array
  readonly #size: number
  readonly #turns: boolean
  readonly #interpolation: Interpolation

  constructor(
    times: ArrayLike<number>,
    values: Float64Array,
    size: number,
    turns: boolean,
    interpolation: Interpolation,
  ) {
    this.#times = times
    this.#values = values
    this.#size = size
    this.#turns = turns
    this.#interpolation = interpolation
  }

  at(time: number): number[] {
    const times = this.#times
    let key = 0
    while (key + 2 < times.length && times[key + 1]! <= time) key += 1
    if (times.length === 1 || time <= times[0]!) return this.#key(0)
    if (time >= times[times.length - 1]!) return this.#key(times.length - 1)
    const span = times[key + 1]! - times[key]!
    const share = (time - times[key]!) / span
    if (this.#interpolation === 'STEP') return this.#key(key)
    const [a, b] = [this.#key(key), this.#key(key + 1)]
    if (this.#interpolation === 'LINEAR') {
      if (this.#turns) {
        return new Quaternion(...(a as Four)).slerp(new Quaternion(...(b as Four)), share).toArray()
      }
      return a.map((n, c) => n + (b[c]! - n) * share)
    }
    // Hermite: each key has what leads to it, its value, and what leads on.
    const [s, s2, s3] = [share, share * share, share ** 3]
    const [out, into] = [this.#key(key, 1), this.#key(key + 1, -1)]
    const shown = a.map(
      (n, c) =>
        (2 * s3 - 3 * s2 + 1) * n +
        span * (s3 - 2 * s2 + s) * out[c]! +
        (3 * s2 - 2 * s3) * b[c]! +
        span * (s3 - s2) * into[c]!,
    )
    const length = Math.hypot(...shown)
    return this.#turns && length > 0 ? shown.map((n) => n / length) : shown
  }

  /** A keyframe's value; of a cubic one also what is before (-1) and after it (1). */
  #key(key: number, beside = 0): number[] {
    const size = this.#size
    const at = this.#interpolation === 'CUBICSPLINE' ? key * size * 3 + size * (1 + beside) : key * size
    return Array.from(this.#values.subarray(at, at + size))
  }
}

type Four = [number, number, number, number]

/**
 * Keyframes of a clip of `length` seconds as a scene plays it: cut off, or repeated. Cubic curves become straight pieces from
 * frame to frame. `width` is how many numbers a time has in all.
 */
export function retimed(
  times: ArrayLike<number>,
  values: Float64Array,
  width: number,
  turns: boolean,
  interpolation: Interpolation,
  length: number,
  scene: Timing,
): Keys {
  const size = interpolation === 'CUBICSPLINE' ? width / 3 : width
  const curve = new Curve(times, values, size, turns, interpolation)
  const { duration, loop, rounds, fps } = scene
  const keys: [time: number, values: number[]][] = []
  if (interpolation === 'CUBICSPLINE') {
    const frames = Math.max(Math.round(duration * fps), 1)
    for (let i = 0; i <= frames; i++) {
      const t = (i / frames) * duration
      // The end of the last round, not the beginning of the next.
      keys.push([t, curve.at(i === frames && loop !== undefined ? length : clipTime(t, scene, length))])
    }
  } else {
    const period = loop === undefined ? duration : loop / rounds
    const scale = loop === undefined ? 1 : period / length
    for (let round = 0; round < rounds; round++) {
      const start = round * period
      keys.push([start, curve.at(0)])
      for (let i = 0; i < times.length; i++) {
        const t = times[i]! * scale
        if (t > 0 && t < period) keys.push([start + t, curve.at(times[i]!)])
      }
      keys.push([start + period, curve.at(loop === undefined ? duration : length)])
    }
  }
  const kept: typeof keys = []
  for (const [time, shown] of keys) {
    const last = kept.at(-1)
    let t = Math.fround(time)
    if (last && t <= last[0]) {
      if (last[1].every((n, c) => n === shown[c])) continue
      t = following(last[0])
    }
    kept.push([t, shown])
  }
  return {
    times: Float32Array.from(kept, ([t]) => t),
    values: Float32Array.from(kept.flatMap(([, shown]) => shown)),
  }
}

/** The next larger number in 32 bits, of one from 0 up. */
function following(value: number): number {
  const numbers = Float32Array.of(value)
  new Uint32Array(numbers.buffer)[0]! += 1
  return numbers[0]!
}
