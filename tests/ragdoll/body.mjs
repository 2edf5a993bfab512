/** What a limp body looks like, measured from its points alone: none of it is the library's own word. */
import { Vector3 } from 'three'

/** @typedef {import('three').Object3D} Object3D */
/**
 * @typedef {object} Landmarks points by index, of one side each
 * @property {number} hip
 * @property {number} knee
 * @property {number} kneeAxis
 * @property {number} ankle
 * @property {number} shoulder
 * @property {number} elbow
 * @property {number} elbowAxis
 * @property {number} wrist
 *
 * @typedef {object} Joint
 * @property {string} name
 * @property {number[]} points a, joint, axis, b
 * @property {number} sign so that a knee bends backwards and an elbow forwards, in degrees above 0
 */

const DEGREE = Math.PI / 180

/** @param {ArrayLike<number>} points @param {number} i */
export const at = (points, i) => new Vector3(points[i * 3], points[i * 3 + 1], points[i * 3 + 2])

/** The point nearest to a place. @param {ArrayLike<number>} points @param {Vector3} place @param {number[]} [but] @returns {number} */
export function nearest(points, place, but = []) {
  let [best, least] = [-1, Infinity]
  for (let i = 0; i < points.length / 3; i++) {
    const distance = at(points, i).distanceTo(place)
    if (but.includes(i) || !(distance < least)) continue
    best = i
    least = distance
  }
  return best
}

/**
 * Finds the joints among the points of a body that stands in its bind pose, looking along +z.
 * @param {ArrayLike<number>} points of the body @param {(name: string) => Object3D} bone by the names of `humanoid.mjs`
 */
export function landmarks(points, bone) {
  const head = (/** @type {string} */ name) => bone(name).getWorldPosition(new Vector3())
  const point = (/** @type {string} */ name) => nearest(points, head(name))
  return Object.fromEntries(
    ['Left', 'Right'].map((side) => {
      const [hip, knee, ankle] = ['UpLeg', 'Leg', 'Foot'].map((name) => point(side + name))
      const [shoulder, elbow, wrist] = ['Arm', 'ForeArm', 'Hand'].map((name) => point(side + name))
      const beside = (/** @type {number} */ joint) => nearest(points, at(points, joint), [joint])
      return [side, { hip, knee, kneeAxis: beside(knee), ankle, shoulder, elbow, elbowAxis: beside(elbow), wrist }]
    }),
  )
}

/** The knees and elbows of a body in its bind pose. @param {ArrayLike<number>} points @param {Record<string, Landmarks>} marks @returns {Joint[]} */
export function hinges(points, marks) {
  return Object.entries(marks).flatMap(([side, m]) => {
    // Left is +x: a knee turns the shank back about +x, an elbow the forearm forward about the line that is square to both.
    const along = at(points, m.wrist).sub(at(points, m.shoulder))
    const forward = along.cross(new Vector3(0, 0, 1))
    /** @type {[string, number[], Vector3][]} */
    const all = [
      [`${side} knee`, [m.hip, m.knee, m.kneeAxis, m.ankle], new Vector3(1, 0, 0)],
      [`${side} elbow`, [m.shoulder, m.elbow, m.elbowAxis, m.wrist], forward],
    ]
    return all.map(([name, joint, axis]) => ({
      name,
      points: joint,
      sign: Math.sign(at(points, joint[2]).sub(at(points, joint[1])).dot(axis)),
    }))
  })
}

/** Degrees by which a joint is bent the right way; below 0 it is folded backward. @param {ArrayLike<number>} points @param {Joint} joint */
export function flexion(points, { points: [a, joint, axis, b], sign }) {
  const line = at(points, axis).sub(at(points, joint)).normalize()
  const upper = at(points, joint).sub(at(points, a))
  const lower = at(points, b).sub(at(points, joint))
  for (const limb of [upper, lower]) limb.addScaledVector(line, -limb.dot(line))
  return (sign * Math.atan2(upper.clone().cross(lower).dot(line), upper.dot(lower))) / DEGREE
}

/**
 * By what share links are longer or shorter than at first, the most of them.
 * @param {ArrayLike<number>} points @param {ArrayLike<number>} links @param {ArrayLike<number>} lengths
 */
export function strain(points, links, lengths) {
  let most = 0
  for (let l = 0; l < lengths.length; l++) {
    const off = Math.abs(at(points, links[l * 2]).distanceTo(at(points, links[l * 2 + 1])) / lengths[l] - 1)
    if (!(off <= most)) most = off
  }
  return most
}

/** @param {ArrayLike<number>} points @param {ArrayLike<number>} links */
export function lengthsOf(points, links) {
  return Array.from({ length: links.length / 2 }, (_, l) =>
    at(points, links[l * 2]).distanceTo(at(points, links[l * 2 + 1])),
  )
}

/** The distance of two line segments. @param {Vector3} a @param {Vector3} b @param {Vector3} c @param {Vector3} d */
export function apart(a, b, c, d) {
  const [u, v, w] = [b.clone().sub(a), d.clone().sub(c), a.clone().sub(c)]
  const [uu, uv, vv, uw, vw] = [u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w)]
  const clamp = (/** @type {number} */ n) => Math.min(1, Math.max(0, n))
  const flat = uu * vv - uv * uv
  let s = flat > 1e-12 * uu * vv ? clamp((uv * vw - vv * uw) / flat) : 0
  const t = clamp(vv > 0 ? (uv * s + vw) / vv : 0)
  s = clamp(uu > 0 ? (uv * t - uw) / uu : 0)
  return a.clone().addScaledVector(u, s).distanceTo(c.clone().addScaledVector(v, t))
}

/**
 * How deep limbs are in the trunk, in the head and in one another, in metres for a figure of 1.76 m: of their middles, which are
 * thinner than any body. Below 0 none touches another.
 * @param {ArrayLike<number>} points @param {Record<string, Landmarks>} marks @param {{neck: number, crown: number}} axis
 * @param {number} [size] of the figure
 */
export function deepest(points, { Left: left, Right: right }, { neck, crown }, size = 1) {
  const p = (/** @type {number} */ i) => at(points, i)
  const hips = p(left.hip).add(p(right.hip)).multiplyScalar(0.5)
  /** @type {Record<string, [Vector3, Vector3, number]>} */
  const parts = {
    trunk: [hips, p(neck), 0.08],
    head: [p(neck).lerp(p(crown), 0.4), p(crown).lerp(p(neck), 0.2), 0.06],
  }
  for (const [side, m] of Object.entries({ left, right })) {
    parts[`${side} forearm`] = [p(m.elbow), p(m.wrist), 0.025]
    parts[`${side} thigh`] = [p(m.hip).lerp(p(m.knee), 0.35), p(m.knee), 0.04]
    parts[`${side} shank`] = [p(m.knee), p(m.ankle), 0.03]
  }
  const pairs = ['left', 'right'].flatMap((side) => {
    const other = side === 'left' ? 'right' : 'left'
    return [
      [`${side} forearm`, 'trunk'],
      [`${side} forearm`, 'head'],
      [`${side} shank`, 'trunk'],
      [`${side} forearm`, `${side} thigh`],
      [`${side} forearm`, `${other} thigh`],
      [`${side} shank`, `${other} thigh`],
    ]
  })
  pairs.push(['left shank', 'right shank'], ['left forearm', 'right forearm'])
  let [depth, which] = [-Infinity, '']
  for (const pair of pairs) {
    const [[a, b, r], [c, d, s]] = pair.map((name) => parts[name])
    const deep = (r + s) * size - apart(a, b, c, d)
    if (deep > depth) [depth, which] = [deep, pair.join(' in ')]
  }
  return { depth, which }
}
