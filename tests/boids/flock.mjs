import { allFinite } from '../helpers.mjs'

/** Numbers from 0 to 1, the same for the same seed. @param {number} seed */
export function randoms(seed) {
  let state = (seed * 7919 + 17) % 2147483647
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

/** `[x, y, z]` of a boid. @param {ArrayLike<number>} list @param {number} i */
export function three(list, i) {
  return [list[i * 3], list[i * 3 + 1], list[i * 3 + 2]]
}

/** From one boid to another, the shorter way round in a torus. @param {import('limber').Boids} boids @returns {number[]} */
export function wayBetween(boids, from, to, places = boids.positions) {
  const { bounds, dimensions } = boids
  return [0, 1, 2].map((c) => {
    const way = places[to * 3 + c] - places[from * 3 + c]
    if (bounds.kind !== 'torus' || c >= dimensions) return way
    const side = bounds.max[c] - bounds.min[c]
    return way - side * Math.round(way / side)
  })
}

/** The square of the distance of two boids. */
export function square(boids, a, b, places = boids.positions) {
  const [x, y, z] = wayBetween(boids, a, b, places)
  return x * x + y * y + z * z
}

/** How many others are nearer than the root of `most`, on average. @param {import('limber').Boids} boids */
export function meanNeighbours(boids, most) {
  const count = boids.ids.length
  let seen = 0
  for (let a = 0; a < count; a++) for (let b = 0; b < count; b++) if (a !== b && square(boids, a, b) < most) seen++
  return seen / count
}

/**
 * Groups: sets of boids of which each is nearer than the root of `most` to another of its set, of at least `least` boids. Gives
 * the places of each. @param {import('limber').Boids} boids
 */
export function groups(boids, most, least = 3) {
  const rest = new Set(Array.from(boids.ids.keys()))
  const found = []
  for (const first of rest) {
    const group = [first]
    rest.delete(first)
    for (const one of group) {
      for (const other of rest) {
        if (square(boids, one, other) >= most) continue
        rest.delete(other)
        group.push(other)
      }
    }
    if (group.length >= least) found.push(group)
  }
  return found
}

/** How much a boid's matrix falls short of a rotation, and how far its +z is from `going`, if that has a length. */
export function matrixFaults(matrices, i, going) {
  const m = matrices.subarray(i * 16, i * 16 + 16)
  const columns = [0, 1, 2].map((c) => [m[c * 4], m[c * 4 + 1], m[c * 4 + 2]])
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
  const [x, y, z] = columns
  const det =
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0])
  let fault = Math.max(
    Math.abs(det - 1),
    ...columns.map((column) => Math.abs(dot(column, column) - 1)),
    Math.abs(dot(x, y)),
    Math.abs(dot(y, z)),
    Math.abs(dot(z, x)),
    ...[m[3], m[7], m[11]].map(Math.abs),
    Math.abs(m[15] - 1),
  )
  if (!allFinite([...m])) fault = NaN
  const speed = Math.hypot(...going)
  const astray = speed > 0 ? Math.hypot(...[0, 1, 2].map((c) => z[c] - going[c] / speed)) : 0
  return { fault, astray }
}

/** The angle in radians between the rotations in two lists of matrices. */
export function turnOf(before, after, i) {
  let trace = 0
  for (let c = 0; c < 3; c++)
    for (let r = 0; r < 3; r++) trace += before[i * 16 + c * 4 + r] * after[i * 16 + c * 4 + r]
  // The chord says it well near 0, where the cosine does not.
  let chord = 0
  for (let c = 0; c < 3; c++)
    for (let r = 0; r < 3; r++) chord += (before[i * 16 + c * 4 + r] - after[i * 16 + c * 4 + r]) ** 2
  return trace > 2.9
    ? 2 * Math.asin(Math.min(1, Math.sqrt(chord / 8)))
    : Math.acos(Math.min(1, Math.max(-1, (trace - 1) / 2)))
}

/** How far a place is outside of bounds, metres; 0 or less inside. @param {import('limber').BoidsBounds} bounds */
export function outside(bounds, dimensions, place) {
  if (bounds.kind === 'sphere') return Math.hypot(...[0, 1, 2].map((c) => place[c] - bounds.center[c])) - bounds.radius
  let most = dimensions === 2 ? Math.abs(place[2]) : 0
  for (let c = 0; c < dimensions; c++) most = Math.max(most, bounds.min[c] - place[c], place[c] - bounds.max[c])
  return most
}
