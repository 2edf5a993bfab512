/**
 * Cloth against the sheet's solver in plain JavaScript, against jolt-physics, and the addon against WebAssembly.
 *
 * A step is everything up to the f32 positions, normals and bounds that three.js draws from. Jolt's step ends with its own
 * positions, velocities and bounds, and makes no normals.
 */
import { compare, race } from '../measure.mjs'
import { JoltCloth, loadJolt } from '../peers/jolt-cloth.mjs'
import { SheetCloth } from '../peers/sheet-cloth.mjs'
import {
  SHEET_SIDE,
  SHEET_TOP,
  STEP,
  cape,
  curtain,
  deepestPenetration,
  flag,
  largestStretch,
  pinnedIn,
  sheet,
} from '../scenes.mjs'

/** @typedef {import('../scenes.mjs').Scene} Scene */
/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Row} Row */
/** @typedef {{step(wind: [number, number, number]): void, positions(): ArrayLike<number>, links: number, dispose(): void}} Body */
/** @typedef {{name: string, build(scene: Scene, options?: {iterations?: number, substeps?: number}): Body}} Subject */

const ITERATIONS = 8
/** Where a settled stretch may lie above the peer's before the row is void: the golden's "few per cent". */
const STRETCH_SLACK = 1.03
/** Metres. How much deeper than the peer's a point may lie in a capsule. */
const PENETRATION_SLACK = 0.002
/** Largest stretch at which cloth counts as cloth in the comparison with Jolt. */
const GOOD_STRETCH = 1.15
/** Steps until a hanging sheet has settled, and steps after that over which its stretch is looked at. */
const SETTLE = 300
const WATCH = 60
/** Most substeps of Limber, and iterations of Jolt, that are tried. */
const MOST = 32

/** @type {Subject} */
const plain = {
  name: 'plain JS',
  build(scene, { iterations = ITERATIONS } = {}) {
    const cloth = new SheetCloth({ ...scene, floor: scene.floor ?? -Infinity, pinned: pinnedIn(scene) })
    return {
      step: ([x, y, z]) => cloth.step(STEP, iterations, x, y, z),
      positions: () => cloth.output,
      links: cloth.linkCount,
      dispose() {},
    }
  },
}

/** @param {import('../bench.mjs').LimberSubject} subject @returns {Subject} */
const limberSubject = ({ name, limber, Cloth }) => ({
  name,
  build({ columns, rows, place, edge, capsules, floor }, { iterations = ITERATIONS, substeps = 1 } = {}) {
    const corner = place(0, 0)
    const opposite = place(columns - 1, rows - 1)
    const cloth = Cloth.grid(limber, {
      columns,
      rows,
      width: opposite[0] - corner[0],
      height: corner[1] - opposite[1],
      place: (/** @type {number} */ i, /** @type {number} */ j, /** @type {import('three').Vector3} */ out) =>
        out.set(...place(i, j)),
      pinned: edge,
      colliders: capsules.map((capsule) => ({ kind: 'capsule', ...capsule })),
      floor,
      iterations,
      substeps,
    })
    return {
      step(wind) {
        cloth.wind.set(...wind)
        cloth.step()
      },
      positions: () => cloth.positions,
      links: cloth.stats.links,
      dispose: () => cloth.dispose(),
    }
  },
})

/**
 * A racer that steps one body of each scene, with the wind of simulated time.
 * @param {Subject} subject @param {Scene[]} scenes
 */
function stepper(subject, scenes) {
  const bodies = scenes.map((scene) => ({ scene, body: subject.build(scene) }))
  let steps = 0
  return {
    name: subject.name,
    run() {
      const t = steps++ * STEP
      for (const { scene, body } of bodies) body.step(scene.wind(t))
    },
    dispose: () => bodies.forEach(({ body }) => body.dispose()),
  }
}

/**
 * Mean of the largest stretch and the deepest penetration of each scene once it has settled in its wind.
 * @param {Subject} subject @param {Scene[]} scenes
 */
const quality = (subject, scenes) =>
  scenes.map((scene) => {
    const body = subject.build(scene)
    let stretch = 0
    let penetration = 0
    for (let s = 0; s < SETTLE + WATCH; s++) {
      body.step(scene.wind(s * STEP))
      if (s < SETTLE) continue
      stretch += largestStretch(scene, body.positions()) / WATCH
      penetration = Math.max(penetration, deepestPenetration(scene, body.positions()))
    }
    body.dispose()
    return { stretch, penetration }
  })

/**
 * Why a result is worse than the peer's, or nothing.
 * @param {ReturnType<typeof quality>} ours @param {ReturnType<typeof quality>} theirs
 */
function worse(ours, theirs) {
  for (const [s, { stretch, penetration }] of ours.entries()) {
    if (!(stretch <= theirs[s].stretch * STRETCH_SLACK))
      return `stretch ${stretch.toFixed(3)}, the peer's ${theirs[s].stretch.toFixed(3)}`
    if (!(penetration <= theirs[s].penetration + PENETRATION_SLACK))
      return `${(penetration * 1000).toFixed(1)} mm inside a capsule`
  }
}

/**
 * Whole steps: each build of Limber against plain JavaScript, and the addon against WebAssembly.
 * @param {string} name @param {Scene[]} scenes @param {{required: number, aim: number}} goal of WebAssembly against plain JavaScript
 */
const wholeStep = (name, scenes, goal) => ({
  name,
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = (await bench.limber()).map(limberSubject)
    const racers = [wasm, addon, plain].map((subject) => stepper(subject, scenes))
    const [wasmMs, addonMs, plainMs] = race(racers, bench.effort)
    racers.forEach((racer) => racer.dispose())
    const yardstick = quality(plain, scenes)
    return [
      {
        subject: wasm.name,
        peer: plain.name,
        ...compare(wasmMs, plainMs),
        goal: { ratio: goal },
        worse: worse(quality(wasm, scenes), yardstick),
      },
      {
        subject: addon.name,
        peer: plain.name,
        ...compare(addonMs, plainMs),
        worse: worse(quality(addon, scenes), yardstick),
      },
      { subject: addon.name, peer: wasm.name, ...compare(addonMs, wasmMs), goal: { ratio: { required: 0.95 } } },
    ]
  },
})

/** What twelve more iterations cost: (time with 20 − time with 8) / (12 × links), with nothing to meet. */
const linkSolve = {
  name: 'links-64',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [few, many] = [8, 20]
    const still = sheet.wind(0)
    const subjects = [...(await bench.limber()).map(limberSubject), plain]
    const bodies = subjects.flatMap((subject) =>
      [few, many].map((iterations) => ({ name: subject.name, body: subject.build(sheet, { iterations }) })),
    )
    const times = race(
      bodies.map(({ name, body }) => ({ name, run: () => body.step(still) })),
      bench.effort,
    )
    const { links } = bodies[0].body
    bodies.forEach(({ body }) => body.dispose())
    const solve = subjects.map((_, s) => times[2 * s + 1].map((ms, round) => ms - times[2 * s][round]))
    return [0, 1].map((s) => {
      const row = compare(solve[s], solve[2])
      const nsPerLink = (row.subjectMs * 1e6) / ((many - few) * links)
      const goal = s === 0 ? { nsPerLink: { required: 2, aim: 1.2 } } : undefined
      return {
        subject: subjects[s].name,
        peer: plain.name,
        ...row,
        nsPerLink,
        goal,
        note: `${((row.peerMs * 1e6) / ((many - few) * links)).toFixed(1)} ns in the peer`,
      }
    })
  },
}

/**
 * The largest stretch that a hanging sheet still shows once it has settled.
 * @param {() => void} step @param {() => number} stretch
 */
function settledStretch(step, stretch) {
  for (let s = 0; s < SETTLE; s++) step()
  let largest = 0
  for (let s = 0; s < WATCH; s++) {
    step()
    if (s % 6 === 5) largest = Math.max(largest, stretch())
  }
  return largest
}

/** The fewest iterations of Jolt that hold the sheet. @param {any} Jolt */
function holdWithJolt(Jolt) {
  for (let iterations = 1; iterations <= MOST; iterations++) {
    const body = new JoltCloth(Jolt, { size: sheet.columns, width: SHEET_SIDE, height: SHEET_TOP, h: STEP, iterations })
    const stretch = settledStretch(
      () => body.step(),
      () => body.stretch(),
    )
    if (stretch < GOOD_STRETCH) return { body, iterations, stretch }
    body.dispose()
  }
  throw new Error(`jolt-physics: no stretch under ${GOOD_STRETCH} with up to ${MOST} iterations`)
}

/**
 * The cheapest substeps × iterations that hold the sheet no worse than `limit`: all whose passes over the links are at most
 * half again the fewest that do are timed, since a substep costs more than an iteration.
 * @param {Subject} subject @param {number} limit largest stretch @param {Bench} bench
 */
function holdWithLimber(subject, limit, bench) {
  const still = sheet.wind(0)
  /** @type {{body: Body, substeps: number, iterations: number, stretch: number}[]} */
  const holding = []
  for (let passes = 1, last = MOST * MOST; passes <= last; passes++)
    for (let substeps = 1; substeps <= Math.min(MOST, passes); substeps++) {
      const iterations = passes / substeps
      if (!Number.isInteger(iterations)) continue
      const body = subject.build(sheet, { substeps, iterations })
      const stretch = settledStretch(
        () => body.step(still),
        () => largestStretch(sheet, body.positions()),
      )
      if (stretch <= limit) {
        holding.push({ body, substeps, iterations, stretch })
        last = Math.min(last, Math.floor(passes * 1.5))
      } else body.dispose()
    }
  if (holding.length === 0) throw new Error(`${subject.name}: no stretch under ${limit}`)
  const times = race(
    holding.map(({ body }) => ({ name: subject.name, run: () => body.step(still) })),
    { ...bench.effort, rounds: 5 },
  ).map((rounds) => Math.min(...rounds))
  const cheapest = holding[times.indexOf(Math.min(...times))]
  holding.forEach((each) => each !== cheapest && each.body.dispose())
  return cheapest
}

/** The same links at equal quality: each side with as little work as holds the sheet, ours no worse than theirs. */
const jolt = {
  name: 'jolt-64',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const peer = holdWithJolt(await loadJolt())
    const subjects = (await bench.limber()).map(limberSubject)
    const still = sheet.wind(0)
    const limit = Math.min(GOOD_STRETCH, peer.stretch)
    const ours = subjects.map((subject) => holdWithLimber(subject, limit, bench))
    const times = race(
      [
        ...ours.map(({ body }) => ({ name: 'limber', run: () => body.step(still) })),
        { name: 'jolt', run: () => peer.body.step() },
      ],
      bench.effort,
    )
    peer.body.dispose()
    return ours.map(({ body, substeps, iterations, stretch }, s) => {
      body.dispose()
      return {
        subject: subjects[s].name,
        peer: 'jolt-physics',
        ...compare(times[s], times[ours.length]),
        goal: s === 0 ? { ratio: { required: 4 } } : undefined,
        note: `${substeps} × ${iterations}, stretch ${stretch.toFixed(3)}; jolt ${peer.iterations}, ${peer.stretch.toFixed(3)}`,
        worse:
          stretch <= peer.stretch ? undefined : `stretch ${stretch.toFixed(3)}, the peer's ${peer.stretch.toFixed(3)}`,
      }
    })
  },
}

export const cases = [
  wholeStep('cape-and-flag', [cape, flag], { required: 8, aim: 12 }),
  wholeStep('curtain-128', [curtain], { required: 10, aim: 16 }),
  linkSolve,
  jolt,
]
