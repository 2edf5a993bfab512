/**
 * Ragdolls against the order sheet's own code and against the same in plain JavaScript with typed arrays, and the addon against
 * WebAssembly.
 *
 * Bodies of twenty points and 64 links, with the sheet's ten iterations. A frame of 1/60 s is two steps, and ends with the
 * positions of all points readable in JavaScript. Every body is thrown again each 90 frames, in the time of every side, so that
 * all of them fly, hit the floor, slide and lie on it; none of ours may sleep, but where the row says so.
 */
import { Object3D } from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import { AGAIN, FRAME, figure, RATE, thrown } from '../bodies.mjs'
import { compare, race } from '../measure.mjs'
import { LeanRagdoll, SheetRagdoll } from '../peers/sheet-ragdoll.mjs'
import { humanoid } from '../../ragdoll/humanoid.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Row} Row */
/**
 * @typedef {object} Crowd
 * @property {(body: number, velocity: number[]) => void} throw
 * @property {(dt: number) => void} step
 * @property {() => ArrayLike<number>} read `[x, y, z] × points × bodies`
 * @property {() => void} [dispose]
 *
 * @typedef {{name: string, build(bodies: number, options?: object): Crowd}} Subject
 */

/** Bodies that results are looked at on, and steps for which they must be the sheet's: then chance rules. */
const WATCHED = 40
const WATCH = 60
/** Metres that a point may be from the sheet's until then: the golden's. */
const SLACK = 5e-4
/**
 * Where rounding decides whether a point is in the floor and braked, as it does for ten of the bodies, no solver that keeps its
 * points in 32 bits can stay within that: the sheet's own arithmetic in 32 bits is up to 0.6 mm off after 44 steps and 14 mm
 * after 60. There a point may be so many times as far off as the sheet's in 32 bits is, of bodies in so many places.
 */
const ROUNDED = 3
const PLACES = 8
/** Links are looked at for so many frames; their errors may be by so much larger than the sheet's, as a share of their lengths. */
const FRAMES = 240
const LENGTH_SLACK = 1e-3

const build = figure()

/** @param {string} name @param {typeof SheetRagdoll | typeof LeanRagdoll} Ragdoll @returns {Subject} */
const peer = (name, Ragdoll) => ({
  name,
  build(bodies) {
    const solver = new Ragdoll(build, bodies)
    const out = new Float64Array(bodies * solver.pointCount * 3)
    for (let body = 0; body < bodies; body++) {
      const { offset, velocity } = thrown(body)
      solver.place(body, offset, velocity)
    }
    return {
      throw: (body, velocity) => solver.throw(body, velocity),
      step: (dt) => solver.step(dt),
      read: () => solver.read(out),
    }
  },
})
const sheet = peer("the sheet's", SheetRagdoll)
const lean = peer('lean JS', LeanRagdoll)

/** @param {import('../bench.mjs').LimberSubject & {Ragdoll?: any}} subject @returns {Subject} */
const limberSubject = ({ name, limber, Ragdoll }) => ({
  name,
  build(bodies, options = { sleepTime: null }) {
    const ragdoll = new Ragdoll(limber, {
      points: build.radius.map((radius, i) => ({
        position: build.positions.slice(i * 3, i * 3 + 3),
        inverseMass: build.inverseMass[i],
        radius,
      })),
      links: build.links,
      bodies: Array.from({ length: bodies }, (_, body) => {
        const place = new Object3D()
        place.position.fromArray(thrown(body).offset)
        place.updateMatrix()
        return { matrix: place.matrix }
      }),
      ...options,
    })
    const hurl = (/** @type {number} */ body, /** @type {number[]} */ velocity) =>
      ragdoll.bodies[body].hit(ORIGIN, velocity, Infinity)
    for (let body = 0; body < bodies; body++) hurl(body, thrown(body).velocity)
    return {
      throw: hurl,
      step: (dt) => ragdoll.step(dt),
      read: () => ragdoll.points,
      dispose: () => ragdoll.dispose(),
    }
  },
})
const ORIGIN = [0, 0, 0]

/** A racer that throws bodies again and again. @param {Subject} subject @param {number} bodies */
function thrower(subject, bodies) {
  const crowd = subject.build(bodies)
  let frame = 0
  return {
    name: subject.name,
    run() {
      // One after another, so that every frame has its part of them.
      for (let body = frame % AGAIN; body < bodies; body += AGAIN) crowd.throw(body, thrown(body + frame).velocity)
      frame++
      crowd.step(FRAME)
      if (!(crowd.read().length > 0)) throw new Error('no points')
    },
    dispose: () => crowd.dispose?.(),
  }
}

/** Lengths of all links, as shares of their rests: how far the mean of those that hold both ways is off. @param {ArrayLike<number>} points */
function strain(points) {
  let sum = 0
  let count = 0
  for (let from = 0; from < points.length; from += build.radius.length * 3)
    for (const [a, b, rest, minOnly] of build.links) {
      if (minOnly) continue
      const apart = [0, 1, 2].map((c) => points[from + b * 3 + c] - points[from + a * 3 + c])
      sum += Math.abs(Math.hypot(...apart) / rest - 1)
      count++
    }
  return sum / count
}

/**
 * How far a body's points may be from the sheet's, metres: `[step][body]`.
 * @returns {number[][]}
 */
function allowed() {
  const alone = (/** @type {typeof Float64Array | typeof Float32Array} */ Numbers, /** @type {number[]} */ [x, z]) => {
    const solver = new LeanRagdoll(build, WATCHED, Numbers)
    for (let body = 0; body < WATCHED; body++) {
      const { offset, velocity } = thrown(body)
      solver.place(body, [x, offset[1], z], velocity)
    }
    return { solver, place: [x, 0, z] }
  }
  const exact = alone(Float64Array, [0, 0])
  const rounded = Array.from({ length: PLACES }, (_, i) => alone(Float32Array, [(0.37 * i) % 1, (0.61 * i) % 1]))
  const spread = new Array(WATCHED).fill(0)
  const numbers = build.positions.length
  return Array.from({ length: WATCH }, () => {
    for (const { solver } of [exact, ...rounded]) solver.step(1 / RATE)
    for (const { solver, place } of rounded)
      solver.positions.forEach((v, i) => {
        const body = Math.floor(i / numbers)
        spread[body] = Math.max(spread[body], Math.abs(v - place[i % 3] - exact.solver.positions[i]))
      })
    return spread.map((metres) => Math.max(SLACK, ROUNDED * metres))
  })
}

/** @type {number[][] | undefined} */
let slacks

/**
 * Why a result is worse than the sheet's, or nothing: points elsewhere after the same steps; later on longer links, or points in
 * the floor.
 * @param {Subject} subject
 */
function worse(subject) {
  const newest = { sleepTime: null, interpolate: false }
  const [ours, theirs] = [subject.build(WATCHED, newest), sheet.build(WATCHED)]
  slacks ??= allowed()
  for (let s = 1; s <= WATCH; s++) {
    for (const crowd of [ours, theirs]) crowd.step(1 / RATE)
    const [found, wanted] = [ours.read(), theirs.read()]
    for (let i = 0; i < wanted.length; i++)
      if (!(Math.abs(found[i] - wanted[i]) <= slacks[s - 1][Math.floor(i / build.positions.length)]))
        return `a point ${(Math.abs(found[i] - wanted[i]) * 1000).toFixed(2)} mm from the sheet's after ${s} steps`
  }
  let [off, theirOff] = [0, 0]
  for (let f = 0; f < FRAMES; f++) {
    for (const crowd of [ours, theirs]) {
      for (let body = f % AGAIN; body < WATCHED; body += AGAIN) crowd.throw(body, thrown(body + f).velocity)
      crowd.step(FRAME)
    }
    const points = ours.read()
    off += strain(points) / FRAMES
    theirOff += strain(theirs.read()) / FRAMES
    for (let i = 0; i < points.length; i += 3)
      if (!(points[i + 1] >= build.radius[(i / 3) % build.radius.length] - 1e-5)) return 'a point in the floor'
  }
  ours.dispose?.()
  if (!(off <= theirOff + LENGTH_SLACK))
    return `links ${(off * 100).toFixed(2)} % off, the sheet's ${(theirOff * 100).toFixed(2)} %`
}

/** Nanoseconds that a pass over a link takes, all else of a step in it. @param {number} ms a frame @param {number} bodies */
const perLink = (ms, bodies) => (ms * 1e6) / (bodies * build.links.length * 10 * 2)

/** A hundred bodies. */
const hundred = {
  name: 'ragdoll-100',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = (await bench.limber()).map(limberSubject)
    const racers = [wasm, addon, sheet, lean].map((subject) => thrower(subject, 100))
    const [wasmMs, addonMs, sheetMs, leanMs] = race(racers, bench.effort)
    racers.forEach((racer) => racer.dispose())
    const [wasmWorse, addonWorse] = [wasm, addon].map(worse)
    /** @param {Subject} subject @param {number[]} ms @param {Subject} other @param {number[]} otherMs @param {string | undefined} reason @returns {Row} */
    const row = (subject, ms, other, otherMs, reason) => {
      const row = compare(ms, otherMs)
      return {
        subject: subject.name,
        peer: other.name,
        ...row,
        worse: reason,
        note: `${perLink(row.subjectMs, 100).toFixed(2)} ns a link and pass; ${perLink(row.peerMs, 100).toFixed(2)} in the peer`,
      }
    }
    return [
      { ...row(wasm, wasmMs, sheet, sheetMs, wasmWorse), goal: { ratio: { required: 8, aim: 15 } } },
      row(wasm, wasmMs, lean, leanMs, wasmWorse),
      row(addon, addonMs, sheet, sheetMs, addonWorse),
      { ...row(addon, addonMs, wasm, wasmMs, addonWorse), goal: { ratio: { required: 0.95 } } },
    ]
  },
}

/** One body, ten, a thousand: what one costs. */
const crowds = {
  name: 'ragdoll-crowds',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = (await bench.limber()).map(limberSubject)
    const sizes = [1, 10, 1000]
    const racers = sizes.flatMap((bodies) => [wasm, sheet].map((subject) => thrower(subject, bodies)))
    const times = race(racers, bench.effort)
    racers.forEach((racer) => racer.dispose())
    const reason = worse(wasm)
    return sizes.map((bodies, c) => {
      const row = compare(times[2 * c], times[2 * c + 1])
      const each = (/** @type {number} */ ms) => ((ms * 1e3) / bodies).toFixed(2)
      return {
        subject: `${wasm.name} ×${bodies}`,
        peer: sheet.name,
        ...row,
        worse: reason,
        note: `${each(row.subjectMs)} µs a body; ${each(row.peerMs)} in the peer`,
      }
    })
  },
}

/** A thousand bodies that have come to rest, against the same that may not sleep. */
const asleep = {
  name: 'ragdoll-asleep',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = (await bench.limber()).map(limberSubject)
    const bodies = 1000
    const [sleeping, awake] = [{}, { sleepTime: null }].map((options) => {
      const crowd = wasm.build(bodies, options)
      for (let f = 0; f < 600; f++) crowd.step(FRAME)
      return { name: wasm.name, run: () => crowd.step(FRAME), read: crowd.read, dispose: crowd.dispose }
    })
    const before = Float64Array.from(sleeping.read())
    const [sleepingMs, awakeMs] = race([sleeping, awake], bench.effort)
    const moved = sleeping.read()
    // They lie still to the bit.
    const still = before.every((v, i) => v === moved[i])
    for (const crowd of [sleeping, awake]) crowd.dispose?.()
    const row = compare(sleepingMs, awakeMs)
    const each = (/** @type {number} */ ms) => ((ms * 1e6) / bodies).toFixed(0)
    return [
      {
        subject: 'asleep',
        peer: 'awake',
        ...row,
        worse: still ? undefined : 'some do not sleep after 10 s',
        note: `${each(row.subjectMs)} ns a body; ${each(row.peerMs)} awake`,
      },
    ]
  },
}

/** Bodies of `fromSkeleton` with limits and limbs that collide, against the sheet's code on their points and links alone. */
const oriented = {
  name: 'ragdoll-skeleton',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = /** @type {any[]} */ (await bench.limber())
    const bodies = 100
    const { group } = humanoid()
    const made = [wasm, addon].map(({ name, limber, Ragdoll }) => {
      const meshes = Array.from({ length: bodies }, (_, body) => {
        const copy = SkeletonUtils.clone(group)
        copy.position.fromArray(thrown(body).offset)
        copy.updateMatrixWorld(true)
        return copy.getObjectByProperty('isSkinnedMesh', true)
      })
      const ragdoll = Ragdoll.fromSkeleton(limber, meshes, { sleepTime: null })
      ragdoll.step()
      ragdoll.activate()
      const hurl = (/** @type {number} */ body, /** @type {number[]} */ velocity) =>
        ragdoll.bodies[body].hit(ORIGIN, velocity, Infinity)
      let frame = 0
      return {
        name,
        ragdoll,
        run() {
          for (let body = frame % AGAIN; body < bodies; body += AGAIN) hurl(body, thrown(body + frame).velocity)
          frame++
          ragdoll.step(FRAME)
        },
      }
    })
    const { ragdoll } = made[0]
    const { pointCount: points, linkCount } = ragdoll
    /** @type {import('../bodies.mjs').Link[]} */
    const links = Array.from({ length: linkCount }, (_, l) => {
      const [a, b] = ragdoll.links.subarray(2 * l, 2 * l + 2)
      const apart = [0, 1, 2].map((c) => ragdoll.points[b * 3 + c] - ragdoll.points[a * 3 + c])
      return [a, b, Math.hypot(...apart), false]
    })
    const same = new SheetRagdoll(
      {
        positions: Array.from(ragdoll.points.subarray(0, points * 3)),
        inverseMass: new Array(points).fill(1),
        radius: new Array(points).fill(0.05),
        links,
      },
      bodies,
    )
    let frame = 0
    const theirs = {
      name: sheet.name,
      run() {
        for (let body = frame % AGAIN; body < bodies; body += AGAIN) same.throw(body, thrown(body + frame).velocity)
        frame++
        same.step(FRAME)
      },
    }
    const [wasmMs, addonMs, sheetMs] = race([...made, theirs], bench.effort)
    const broken = made.map(({ ragdoll }) => (ragdoll.points.every(Number.isFinite) ? undefined : 'not finite'))
    for (const { ragdoll } of made) ragdoll.dispose()
    const each = (/** @type {number} */ ms) => ((ms * 1e3) / bodies).toFixed(1)
    const note = (/** @type {number} */ ms) =>
      `${each(ms)} µs a body of ${points} points, ${linkCount} links, limits, bones and limbs that collide`
    const row = compare(wasmMs, sheetMs)
    return [
      { subject: wasm.name, peer: sheet.name, ...row, worse: broken[0], note: note(row.subjectMs) },
      {
        subject: addon.name,
        peer: wasm.name,
        ...compare(addonMs, wasmMs),
        goal: { ratio: { required: 0.95 } },
        worse: broken[1],
      },
    ]
  },
}

export const cases = [hundred, crowds, asleep, oriented]
