/**
 * The order sheet's ragdoll, twice: the yardsticks that Limber is timed against.
 * `tests/bench/sheet-ragdoll.test.mjs` holds both against `tests/golden/ragdoll.json`.
 */
import { MathUtils, Vector3 } from 'three'

/** @typedef {import('../bodies.mjs').Build} Build */
/** @typedef {Float64Array | Float32Array} Places */

/** Seconds of a step. */
const STEP = 1 / 120

/** The sheet's own `simulate()`, on `Vector3`s, body after body. What it ends with is in `cur`, ready to be read. */
export class SheetRagdoll {
  /** @param {Build} build of each body @param {number} [bodies] */
  constructor({ positions, previous = positions, inverseMass, radius, links }, bodies = 1) {
    this.pointCount = inverseMass.length
    const vectors = (/** @type {number[]} */ numbers) =>
      inverseMass.map((_, i) => new Vector3().fromArray(numbers, i * 3))
    this.bodies = Array.from({ length: bodies }, () => ({ cur: vectors(positions), prev: vectors(previous) }))
    this.inverseMass = inverseMass
    this.radius = radius
    this.links = links
  }

  /** Moves a body, and throws it. @param {number} body @param {number[]} offset m @param {number[]} velocity m/s */
  place(body, [x, y, z], velocity) {
    const { cur, prev } = this.bodies[body]
    for (const points of [cur, prev]) for (const point of points) point.add(new Vector3(x, y, z))
    this.throw(body, velocity)
  }

  /** Every point of a body gains a velocity. @param {number} body @param {number[]} velocity m/s */
  throw(body, [x, y, z]) {
    for (const point of this.bodies[body].prev) point.sub(new Vector3(x, y, z).multiplyScalar(STEP))
  }

  /** One frame. @param {number} dt seconds @param {number} [iterations] */
  step(dt, iterations = 10) {
    for (const { cur, prev } of this.bodies)
      simulate(cur, prev, this.links, this.inverseMass, this.radius, dt, iterations)
  }

  /** `[x, y, z] × points × bodies`, world, metres. @param {Float64Array} out */
  read(out) {
    this.bodies.forEach(({ cur }, body) =>
      cur.forEach((point, i) => point.toArray(out, (body * this.pointCount + i) * 3)),
    )
    return out
  }
}

/**
 * As the sheet has it, but for its names in a closure, which are arguments here.
 *
 * @param {Vector3[]} cur @param {Vector3[]} prev @param {import('../bodies.mjs').Link[]} links @param {number[]} invM
 * @param {number[]} R @param {number} dt @param {number} iters
 */
function simulate(cur, prev, links, invM, R, dt, iters) {
  const N = cur.length
  const n = MathUtils.clamp(Math.round(dt * 120), 1, 6)
  const h = 1 / 120
  const tmp = new Vector3()
  for (let s = 0; s < n; s++) {
    for (let i = 0; i < N; i++) {
      const p = cur[i]
      const q = prev[i]
      tmp.subVectors(p, q).multiplyScalar(0.995)
      q.copy(p)
      p.add(tmp)
      p.y -= 9.8 * h * h
    }
    for (let it = 0; it < iters; it++) {
      for (const [a, b, rest, minOnly] of links) {
        const pa = cur[a]
        const pb = cur[b]
        tmp.subVectors(pb, pa)
        const dd = tmp.length() || 1e-6
        if (minOnly && dd >= rest) continue
        const k = (dd - rest) / dd / (invM[a] + invM[b])
        pa.addScaledVector(tmp, k * invM[a])
        pb.addScaledVector(tmp, -k * invM[b])
      }
      for (let i = 0; i < N; i++) {
        const p = cur[i]
        if (p.y < R[i]) {
          p.y = R[i]
          const q = prev[i]
          q.x = p.x - (p.x - q.x) * 0.6
          q.z = p.z - (p.z - q.z) * 0.6
        }
      }
    }
  }
}

/**
 * The same arithmetic as fast as plain JavaScript allows: typed arrays of all bodies, nothing allocated in a frame, the shares
 * of a link worked out once. It ends with f32 positions that a `BufferAttribute` can show.
 */
export class LeanRagdoll {
  /** @param {Build} build of each body @param {number} [bodies] @param {typeof Float64Array | typeof Float32Array} [Numbers] that places are kept in */
  constructor({ positions, previous = positions, inverseMass, radius, links }, bodies = 1, Numbers = Float64Array) {
    const points = inverseMass.length
    this.pointCount = points
    const all = (/** @type {number[]} */ numbers) =>
      Numbers.from({ length: points * 3 * bodies }, (_, i) => numbers[i % (points * 3)])
    this.positions = all(positions)
    this.previous = all(previous)
    /** `positions` as f32, for three.js. */
    this.output = new Float32Array(points * 3 * bodies)
    this.radius = Float64Array.from(radius)
    /** Offsets of each link's ends in a body's positions. */
    this.ends = Uint16Array.from(links.flatMap(([a, b]) => [a * 3, b * 3]))
    /** Rest, the share of each end, and 1 for one that only keeps its ends apart. */
    this.numbers = Float64Array.from(
      links.flatMap(([a, b, rest, minOnly]) => {
        const both = inverseMass[a] + inverseMass[b]
        return [rest, inverseMass[a] / both, inverseMass[b] / both, Number(minOnly)]
      }),
    )
  }

  /** As in {@link SheetRagdoll}. @param {number} body @param {number[]} offset m @param {number[]} velocity m/s */
  place(body, offset, velocity) {
    const { pointCount, positions, previous } = this
    for (let i = 0; i < pointCount * 3; i++) {
      positions[body * pointCount * 3 + i] += offset[i % 3]
      previous[body * pointCount * 3 + i] += offset[i % 3]
    }
    this.throw(body, velocity)
  }

  /** As in {@link SheetRagdoll}. @param {number} body @param {number[]} velocity m/s */
  throw(body, velocity) {
    const { pointCount, previous } = this
    for (let i = 0; i < pointCount * 3; i++) previous[body * pointCount * 3 + i] -= velocity[i % 3] * STEP
  }

  /** One frame. @param {number} dt seconds @param {number} [iterations] */
  step(dt, iterations = 10) {
    const { pointCount, positions, previous, radius, ends, numbers, output } = this
    const steps = MathUtils.clamp(Math.round(dt / STEP), 1, 6)
    for (let from = 0; from < positions.length; from += pointCount * 3)
      for (let s = 0; s < steps; s++) {
        fall(positions, previous, from, pointCount)
        for (let i = 0; i < iterations; i++) {
          hold(positions, from, ends, numbers)
          stop(positions, previous, from, radius)
        }
      }
    output.set(positions)
  }

  /** `[x, y, z] × points × bodies`, world, metres. @param {Float64Array} out */
  read(out) {
    out.set(this.positions)
    return out
  }
}

/** @param {Places} p @param {Places} o @param {number} from @param {number} points */
function fall(p, o, from, points) {
  for (let i = from; i < from + points * 3; i += 3) {
    const x = p[i]
    const y = p[i + 1]
    const z = p[i + 2]
    p[i] = x + (x - o[i]) * 0.995
    p[i + 1] = y + (y - o[i + 1]) * 0.995 - 9.8 * STEP * STEP
    p[i + 2] = z + (z - o[i + 2]) * 0.995
    o[i] = x
    o[i + 1] = y
    o[i + 2] = z
  }
}

/** @param {Places} p @param {number} from @param {Uint16Array} ends @param {Float64Array} numbers */
function hold(p, from, ends, numbers) {
  for (let l = 0, n = 0; l < ends.length; l += 2, n += 4) {
    const a = from + ends[l]
    const b = from + ends[l + 1]
    const x = p[b] - p[a]
    const y = p[b + 1] - p[a + 1]
    const z = p[b + 2] - p[a + 2]
    const rest = numbers[n]
    const d = Math.sqrt(x * x + y * y + z * z) || 1e-6
    if (numbers[n + 3] !== 0 && d >= rest) continue
    const k = (d - rest) / d
    const ka = k * numbers[n + 1]
    const kb = k * numbers[n + 2]
    p[a] += x * ka
    p[a + 1] += y * ka
    p[a + 2] += z * ka
    p[b] -= x * kb
    p[b + 1] -= y * kb
    p[b + 2] -= z * kb
  }
}

/** @param {Places} p @param {Places} o @param {number} from @param {Float64Array} radius */
function stop(p, o, from, radius) {
  for (let r = 0, i = from; r < radius.length; r++, i += 3) {
    if (!(p[i + 1] < radius[r])) continue
    p[i + 1] = radius[r]
    o[i] = p[i] - (p[i] - o[i]) * 0.6
    o[i + 2] = p[i + 2] - (p[i + 2] - o[i + 2]) * 0.6
  }
}
