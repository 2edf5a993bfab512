/** The cloths that are timed and held against the golden, in a form that every solver can be built from. */
import { readFileSync } from 'node:fs'

/** Seconds a step. */
export const STEP = 1 / 60

export const golden = JSON.parse(readFileSync(new URL('../golden/cloth.json', import.meta.url), 'utf8'))

/**
 * @typedef {object} Scene
 * @property {number} columns
 * @property {number} rows
 * @property {(i: number, j: number) => [number, number, number]} place world, metres
 * @property {'top' | 'left'} edge the pinned edge
 * @property {{a: number[], b: number[], radius: number}[]} capsules
 * @property {number | null} floor metres; null = none
 * @property {(t: number) => [number, number, number]} wind m/s at time t, seconds
 */

const calm = /** @returns {[number, number, number]} */ () => [0, 0, 0]

/** A breeze that presses a cape against the body. @param {number} t @returns {[number, number, number]} */
const breeze = (t) => [0, 0, 1 + 0.3 * Math.sin(2.1 * t)]

/** The golden's gusts for a flag. @param {number} w m/s @returns {(t: number) => [number, number, number]} */
export const gusts = (w) => (t) => [w * (1 + 0.3 * Math.sin(2.1 * t)), 0, w * 0.35 * Math.sin(1.3 * t)]

/** The golden's cape, blown against its three capsules. @type {Scene} */
export const cape = {
  columns: 12,
  rows: 17,
  place: (i, j) => [(i / 11 - 0.5) * 0.54, 1.5 - (j / 16) * 1.2, -0.24],
  edge: 'top',
  capsules: golden.cape.capsules,
  floor: 0.02,
  wind: breeze,
}

/** The golden's flag in gusts of 5 m/s; it meets no body, as in the sheet. @type {Scene} */
export const flag = {
  columns: 16,
  rows: 10,
  place: (i, j) => [(i / 15) * 1.2, 2.6 - (j / 9) * 0.75, 0],
  edge: 'left',
  capsules: [],
  floor: 0.02,
  wind: gusts(5),
}

/** A large cape on the same three capsules. @type {Scene} */
export const curtain = {
  columns: 128,
  rows: 128,
  place: (i, j) => [(i / 127 - 0.5) * 2, 2.5 - (j / 127) * 2, -0.24],
  edge: 'top',
  capsules: golden.cape.capsules,
  floor: 0.02,
  wind: breeze,
}

/** Metres a side of `sheet`. */
export const SHEET_SIDE = 1.2
/** Height of the pinned row of `sheet`, metres. */
export const SHEET_TOP = 5

/** A square that hangs in still air and meets nothing: links alone. @type {Scene} */
export const sheet = {
  columns: 64,
  rows: 64,
  place: (i, j) => [(i / 63 - 0.5) * SHEET_SIDE, SHEET_TOP - (j / 63) * SHEET_SIDE, 0],
  edge: 'top',
  capsules: [],
  floor: null,
  wind: calm,
}

/** @param {Scene} scene @returns {(i: number, j: number) => boolean} */
export const pinnedIn = (scene) => (scene.edge === 'top' ? (_, j) => j === 0 : (i) => i === 0)

/**
 * The largest length of a structural link, over its length at the start.
 * @param {Scene} scene
 * @param {ArrayLike<number>} positions `[x, y, z] × points`
 */
export function largestStretch({ columns, rows, place }, positions) {
  let largest = 0
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++)
      for (const [di, dj] of [
        [1, 0],
        [0, 1],
      ]) {
        if (i + di >= columns || j + dj >= rows) continue
        const a = (j * columns + i) * 3
        const b = a + (dj * columns + di) * 3
        const from = place(i, j)
        const to = place(i + di, j + dj)
        const length = Math.hypot(
          positions[b] - positions[a],
          positions[b + 1] - positions[a + 1],
          positions[b + 2] - positions[a + 2],
        )
        largest = Math.max(largest, length / Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]))
      }
  return largest
}

/**
 * How deep the deepest free point lies inside a capsule, metres; 0 when none does.
 * @param {Scene} scene
 * @param {ArrayLike<number>} positions `[x, y, z] × points`
 */
export function deepestPenetration(scene, positions) {
  const pinned = pinnedIn(scene)
  let deepest = 0
  for (let j = 0; j < scene.rows; j++)
    for (let i = 0; i < scene.columns; i++) {
      if (pinned(i, j)) continue
      const k = (j * scene.columns + i) * 3
      const point = [positions[k], positions[k + 1], positions[k + 2]]
      for (const { a, b, radius } of scene.capsules) {
        const axis = b.map((v, x) => v - a[x])
        const along =
          axis.reduce((sum, v, x) => sum + v * (point[x] - a[x]), 0) / axis.reduce((sum, v) => sum + v * v, 0)
        const t = Math.min(1, Math.max(0, along))
        deepest = Math.max(deepest, radius - Math.hypot(...point.map((v, x) => v - a[x] - axis[x] * t)))
      }
    }
  return deepest
}
