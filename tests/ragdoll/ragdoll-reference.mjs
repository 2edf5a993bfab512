/**
 * One ragdoll in float64, written from what `tests/golden/ragdoll.json` and ARCHITECTURE.md state: the order sheet's arithmetic,
 * hits, and rotations of bones from points.
 */
import { Matrix4, Quaternion, Vector3 } from 'three'

/** Seconds of a step. */
export const STEP = 1 / 120

/**
 * @typedef {object} ReferenceBody
 * @property {number[][]} points `[x, y, z]` each, world, metres
 * @property {number[][]} [velocities] m/s; none unless set
 * @property {number[]} [inverseMass] 1 unless set
 * @property {number[]} [radius] metres; 0.05 unless set
 * @property {{a: number, b: number, rest?: number, minOnly?: boolean}[]} links
 *
 * @typedef {object} ReferenceOptions
 * @property {number} [iterations]
 * @property {number[]} [gravity] m/s²
 * @property {number} [velocityKeep] part of the velocity that a step leaves
 * @property {number | null} [floor] height; null for none
 * @property {number} [floorFriction] part of the sideways velocity lost in a pass
 */

export class RagdollReference {
  /** @param {ReferenceBody} body @param {ReferenceOptions} [options] */
  constructor({ points, velocities, inverseMass, radius, links }, options = {}) {
    this.options = {
      iterations: 10,
      gravity: [0, -9.8, 0],
      velocityKeep: 0.995,
      floor: 0,
      floorFriction: 0.4,
      ...options,
    }
    this.points = points.map(([x, y, z], i) => {
      const at = new Vector3(x, y, z)
      const [u, v, w] = velocities?.[i] ?? [0, 0, 0]
      const before = at.clone().addScaledVector(new Vector3(u, v, w), -STEP)
      return { at, before, light: inverseMass?.[i] ?? 1, radius: radius?.[i] ?? 0.05 }
    })
    this.links = links.map(({ a, b, rest, minOnly = false }) => ({
      ends: [this.points[a], this.points[b]],
      rest: rest ?? this.points[a].at.distanceTo(this.points[b].at),
      minOnly,
    }))
    /** Whether a point was so near to the floor, and so fast, that rounding decides whether it is braked. */
    this.doubtful = false
  }

  step() {
    const { iterations, gravity, velocityKeep } = this.options
    for (const point of this.points) {
      if (point.light === 0) continue
      const way = point.at.clone().sub(point.before)
      point.before.copy(point.at)
      point.at.addScaledVector(way, velocityKeep)
      point.at.addScaledVector(new Vector3(...gravity), STEP ** 2)
    }
    for (let pass = 0; pass < iterations; pass++) {
      for (const link of this.links) hold(link)
      for (const point of this.points) this.#land(point)
    }
  }

  /** @param {{at: Vector3, before: Vector3, radius: number, light: number}} point */
  #land({ at, before, radius, light }) {
    const { floor, floorFriction } = this.options
    const height = at.y - (floor ?? 0) - radius
    const braked = floorFriction * Math.hypot(at.x - before.x, at.z - before.z)
    if (floor !== null && height !== 0 && Math.abs(height) < 1e-8 && braked > 1e-4) this.doubtful = true
    if (floor === null || light === 0 || at.y >= floor + radius) return
    at.y = floor + radius
    for (const c of /** @type {const} */ (['x', 'z'])) before[c] = at[c] - (at[c] - before[c]) * (1 - floorFriction)
  }

  /** Each point gains a velocity, the less the farther it is. @param {number[]} from @param {number[]} velocity @param {number} falloff m² */
  hit(from, velocity, falloff = 0.3) {
    for (const { at, before, light } of this.points) {
      const share = falloff === Infinity ? 1 : Math.exp(-at.distanceToSquared(new Vector3(...from)) / falloff)
      if (light > 0) before.addScaledVector(new Vector3(...velocity), -STEP * share)
    }
  }

  /** `[x, y, z] × points` */
  get positions() {
    return this.points.flatMap(({ at }) => at.toArray())
  }
}

/** @param {{ends: {at: Vector3, light: number}[], rest: number, minOnly: boolean}} link */
function hold({ ends: [a, b], rest, minOnly }) {
  const both = a.light + b.light
  if (both === 0) return
  const apart = b.at.clone().sub(a.at)
  const length = apart.length() || 1e-6
  if (minOnly && length >= rest) return
  const error = (length - rest) / length
  a.at.addScaledVector(apart, (error * a.light) / both)
  b.at.addScaledVector(apart, (-error * b.light) / both)
}

/** The rotation whose y runs along a line and whose z is square to it and to the point beside it. @param {Vector3[]} points */
export function basis([origin, along, side]) {
  const y = along.clone().sub(origin).normalize()
  const x = side.clone().sub(origin)
  x.addScaledVector(y, -x.dot(y)).normalize()
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, x.clone().cross(y)))
}

/** How three points have turned. @param {Vector3[]} rest @param {Vector3[]} now */
export function turned(rest, now) {
  return basis(now).multiply(basis(rest).invert())
}

/**
 * How a line of two points has turned where its parent has turned by `parent`: that, and then the shortest way.
 * @param {Vector3[]} rest @param {Vector3[]} now @param {Quaternion} parent
 */
export function swung([origin, along], [at, end], parent) {
  const carried = along.clone().sub(origin).normalize().applyQuaternion(parent)
  const axis = carried.clone().cross(end.clone().sub(at))
  const angle = carried.angleTo(end.clone().sub(at))
  return new Quaternion().setFromAxisAngle(axis.normalize(), angle).multiply(parent)
}
