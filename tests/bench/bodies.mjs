/** A body of points and links, in a form that every solver of ragdolls can be built from. */
import { readFileSync } from 'node:fs'

/** Seconds a frame: two steps of 1/120 s. */
export const FRAME = 1 / 60
/** Steps a second. */
export const RATE = 120

export const golden = JSON.parse(readFileSync(new URL('../golden/ragdoll.json', import.meta.url), 'utf8'))

/**
 * @typedef {[a: number, b: number, rest: number, minOnly: boolean]} Link
 *
 * @typedef {object} Build one body
 * @property {number[]} positions `[x, y, z] × points`, world, metres
 * @property {number[]} [previous] the same a step before; where they are unless set
 * @property {number[]} inverseMass
 * @property {number[]} radius metres
 * @property {Link[]} links
 */

/** The body of a case of the golden. @param {any} made @returns {Build} */
export function goldenBuild({ positions, previous, inverseMass, radius, links }) {
  return {
    positions,
    previous,
    inverseMass,
    radius,
    links: links.map((/** @type {any} */ { a, b, rest, minOnly }) => [a, b, rest, minOnly]),
  }
}

/** Of the figure: where each point is, and its radius. @type {Record<string, [number, number, number, number]>} */
const POINTS = {
  pelvis: [0, 0.92, 0, 0.1],
  neck: [0, 1.42, 0, 0.07],
  shoulderL: [0.19, 1.36, 0, 0.07],
  shoulderR: [-0.19, 1.36, 0, 0.07],
  hipL: [0.1, 0.88, 0, 0.09],
  hipR: [-0.1, 0.88, 0, 0.09],
  elbowL: [0.46, 1.34, -0.03, 0.05],
  elbowR: [-0.46, 1.34, -0.03, 0.05],
  handL: [0.72, 1.33, 0, 0.05],
  handR: [-0.72, 1.33, 0, 0.05],
  kneeL: [0.11, 0.48, 0.03, 0.06],
  kneeR: [-0.11, 0.48, 0.03, 0.06],
  footL: [0.11, 0.08, -0.02, 0.05],
  footR: [-0.11, 0.08, -0.02, 0.05],
  toeL: [0.12, 0.04, 0.14, 0.03],
  toeR: [-0.12, 0.04, 0.14, 0.03],
  head: [0, 1.58, 0.02, 0.11],
  crown: [0, 1.74, 0, 0.08],
  earL: [0.09, 1.6, 0, 0.05],
  earR: [-0.09, 1.6, 0, 0.05],
}
/** Points that keep all their distances. */
const RIGID = [
  ['pelvis', 'neck', 'shoulderL', 'shoulderR', 'hipL', 'hipR'],
  ['neck', 'head', 'crown', 'earL', 'earR'],
]
/** Points of a limb, in a row. */
const LIMBS = [
  ['shoulder*', 'elbow*', 'hand*'],
  ['hip*', 'knee*', 'foot*', 'toe*'],
]
/** `[a, b, part of their distance]`: they come no nearer. */
const APART = [
  ['shoulder*', 'hand*', 0.5],
  ['hip*', 'foot*', 0.5],
  ['knee*', 'toe*', 0.9],
  ['pelvis', 'knee*', 0.6],
  ['pelvis', 'foot*', 0.4],
  ['neck', 'elbow*', 0.6],
  ['neck', 'hand*', 0.3],
  ['pelvis', 'hand*', 0.3],
  ['pelvis', 'elbow*', 0.4],
  ['head', 'hand*', 0.3],
  ['neck', 'knee*', 0.4],
  ['head', 'shoulder*', 0.8],
]
/** The same between the sides. */
const ACROSS = [
  ['kneeL', 'kneeR', 0.7],
  ['footL', 'footR', 0.6],
  ['handL', 'handR', 0.1],
  ['elbowL', 'elbowR', 0.3],
  ['toeL', 'toeR', 0.5],
]

/** The names of the figure's points, in their order. */
export const names = Object.keys(POINTS)

/** Twenty points, 64 links: what a person makes by the order sheet. @returns {Build} */
export function figure() {
  const positions = names.flatMap((name) => POINTS[name].slice(0, 3))
  const at = (/** @type {string} */ name) => names.indexOf(name)
  /** @type {Link[]} */
  const links = []
  const link = (/** @type {string} */ from, /** @type {string} */ to, part = 1, minOnly = false) => {
    const [a, b] = [at(from), at(to)]
    const apart = [0, 1, 2].map((c) => positions[b * 3 + c] - positions[a * 3 + c])
    links.push([a, b, part * Math.hypot(...apart), minOnly])
  }
  for (const group of RIGID)
    group.forEach((from, i) => {
      for (const to of group.slice(i + 1)) link(from, to)
    })
  for (const side of ['L', 'R']) {
    const named = (/** @type {string | number} */ name) => String(name).replace('*', side)
    for (const limb of LIMBS) for (let i = 1; i < limb.length; i++) link(named(limb[i - 1]), named(limb[i]))
    for (const [from, to, part] of APART) link(named(from), named(to), Number(part), true)
  }
  for (const [from, to, part] of ACROSS) link(String(from), String(to), Number(part), true)
  return {
    positions,
    inverseMass: names.map((name) => (name === 'head' || name === 'pelvis' ? 0.5 : 1)),
    radius: names.map((name) => POINTS[name][3]),
    links,
  }
}

/**
 * How body `index` of a crowd is placed and thrown: side by side, each to another side.
 * @param {number} index
 */
export function thrown(index) {
  const turn = index * 2.399963
  return {
    offset: [(index % 10) * 2, 0.1 + (index % 7) * 0.05, Math.floor(index / 10) * 2],
    /** m/s, of all its points */
    velocity: [2 * Math.cos(turn), 1 + (index % 3), 2 * Math.sin(turn)],
  }
}

/** Frames after which a body of a crowd is thrown again. */
export const AGAIN = 90
