/**
 * Boids against the order sheet's own code (all pairs, an object a fish), against plain JavaScript with typed arrays and cells
 * sorted each step, and against yuka; the addon against WebAssembly; and how they grow.
 *
 * All run the sheet's rules on a torus without chance. Each ends a step with the positions and velocities of all readable in
 * JavaScript; matrices are off, since no peer has them. All begin anew each half second, in the time of each: flocks grow denser as
 * they form, and whoever steps faster would else be in a denser one.
 */
import { compare, race } from '../measure.mjs'
import { CellBoids, SHEET, SheetBoids } from '../peers/sheet-boids.mjs'
import { YukaBoids } from '../peers/yuka-boids.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Row} Row */
/** @typedef {import('../peers/sheet-boids.mjs').Rules} Rules */
/** @typedef {{positions: Float32Array, velocities: Float32Array}} Start */

/** Steps after which all begin anew. */
const AGAIN = 30
/** Steps for which results are compared, and how far the mean boid may be from the peer's then, as a share of the radius. */
const WATCH = 10
const SLACK = 1e-3
/** Neighbours of a boid in 3D, on average over the world. */
const NEIGHBOURS = 20

/** A start by chance. @param {number} count @param {number[]} size @returns {Start} */
function start(count, size) {
  let state = 12345
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647
  const numbers = (/** @type {(side: number) => number} */ one) =>
    Float32Array.from({ length: count * 3 }, (_, i) => (i % 3 < size.length ? one(size[i % 3]) : 0))
  return { positions: numbers((side) => random() * side), velocities: numbers(() => (random() - 0.5) * 0.3) }
}

/** The sheet's rules in a cube in which each has so many neighbours. @param {number} count @returns {Rules} */
function cube(count) {
  const side = Math.cbrt((count * (4 / 3) * Math.PI * SHEET.view2 ** 1.5) / NEIGHBOURS)
  return { ...SHEET, size: [side, side, side] }
}

/** @param {any} subject @param {Rules} rules @param {Start | undefined} initial @param {object} [more] */
function limberBoids({ limber, Boids }, rules, initial, more) {
  const { size, view2, separation2, separation, alignment, cohesion, minSpeed, maxSpeed } = rules
  const radius = Math.sqrt(view2)
  return new Boids(limber, {
    initial,
    dimensions: size.length,
    bounds: { kind: 'torus', min: size.map(() => 0), max: size },
    rules: {
      separation: { radius: Math.sqrt(separation2), weight: separation / separation2 },
      alignment: { radius, weight: alignment },
      cohesion: { radius, weight: cohesion },
    },
    speed: { min: minSpeed, max: maxSpeed },
    wander: 0,
    turnLimit: null,
    matrices: false,
    interpolate: false,
    ...more,
  })
}

/** @param {{step(): unknown, reset(): void}} boids @param {string} name */
function racer(boids, name) {
  let step = 0
  return {
    name,
    run() {
      if (step++ % AGAIN === 0) boids.reset()
      boids.step()
    },
  }
}

/**
 * Why a result is not the lean solver's, or nothing. Looked at from a start at which nobody is very near, as the sheet's push
 * becomes weaker there and ours does not.
 * @param {any} subject @param {Rules} rules @param {number} count
 */
function worse(subject, rules, count) {
  const { positions, velocities } = apart(count, rules.size)
  const [ours, theirs] = [
    limberBoids(subject, rules, { positions, velocities }),
    new CellBoids(rules, positions, velocities),
  ]
  const [found, speeds] = [new Float64Array(positions.length), new Float64Array(positions.length)]
  for (let s = 0; s < WATCH; s++) for (const boids of [ours, theirs]) boids.step()
  theirs.read(found, speeds)
  let sum = 0
  for (let i = 0; i < found.length; i++) {
    const side = rules.size[i % 3] ?? 1
    const way = Math.abs(ours.positions[i] - found[i])
    sum += Math.min(way, Math.abs(side - way))
  }
  ours.dispose()
  const mean = sum / count
  if (mean <= SLACK * Math.sqrt(rules.view2)) return undefined
  return `boids are ${(mean * 1000).toFixed(3)} mm from the peer's on average after ${WATCH} steps`
}

/** On a grid, each a little off it, and slow. @param {number} count @param {number[]} size @returns {Start} */
function apart(count, size) {
  const { positions, velocities } = start(count, size)
  let [edge, columns] = [size[0], [1]]
  while (columns.reduce((product, n) => product * n) < count) {
    edge *= 0.99
    columns = size.map((side) => Math.floor(side / edge))
  }
  for (let i = 0; i < count; i++) {
    let rest = i
    for (const [c, side] of size.entries()) {
      const place = (rest % columns[c]) + 0.5 + 0.2 * (positions[i * 3 + c] / side - 0.5)
      positions[i * 3 + c] = ((place / columns[c]) * side) % side
      rest = Math.floor(rest / columns[c])
      velocities[i * 3 + c] *= 0.5
    }
  }
  return { positions, velocities }
}

/** @param {string} subject @param {number} count @param {number[]} ms @param {string} peer @param {number[]} peerMs @returns {Row} */
function row(subject, count, ms, peer, peerMs) {
  const row = compare(ms, peerMs)
  const each = (/** @type {number} */ ms) => ((ms * 1e6) / count).toFixed(0)
  return {
    subject: `${subject} ×${count}`,
    peer,
    ...row,
    note: `${each(row.subjectMs)} ns a boid; ${each(row.peerMs)} in the peer`,
  }
}

/** In the sheet's world. @param {number} count @param {number} required against the sheet's @param {number} [lean] against the lean one */
const flat = (count, required, lean) => ({
  name: `boids-${count}`,
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = await bench.limber()
    const initial = start(count, SHEET.size)
    const ours = [wasm, addon].map((subject) => limberBoids(subject, SHEET, initial))
    const racers = [
      ...ours.map((boids, i) => racer(boids, [wasm, addon][i].name)),
      racer(new SheetBoids(SHEET, initial.positions, initial.velocities), "the sheet's"),
      racer(new CellBoids(SHEET, initial.positions, initial.velocities), 'lean JS'),
    ]
    const [wasmMs, addonMs, sheetMs, leanMs] = race(racers, bench.effort)
    for (const boids of ours) boids.dispose()
    const reason = worse(wasm, SHEET, count)
    return [
      { ...row(wasm.name, count, wasmMs, "the sheet's", sheetMs), goal: { ratio: { required } }, worse: reason },
      {
        ...row(wasm.name, count, wasmMs, 'lean JS', leanMs),
        ...(lean && { goal: { ratio: { required: lean } } }),
        worse: reason,
      },
      row(addon.name, count, addonMs, wasm.name, wasmMs),
    ]
  },
})

/** In a cube, about twenty neighbours each. @param {number} count */
const deep = (count) => ({
  name: `boids-3d-${count}`,
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = await bench.limber()
    const rules = cube(count)
    const initial = start(count, rules.size)
    const ours = [
      limberBoids(wasm, rules, initial),
      limberBoids(addon, rules, initial),
      limberBoids(addon, rules, initial, { threads: 2 }),
    ]
    const racers = [
      ...ours.map((boids, i) => racer(boids, `${i}`)),
      racer(new CellBoids(rules, initial.positions, initial.velocities), 'lean JS'),
    ]
    const [wasmMs, addonMs, threadsMs, leanMs] = race(racers, bench.effort)
    for (const boids of ours) boids.dispose()
    return [
      {
        ...row(wasm.name, count, wasmMs, 'lean JS', leanMs),
        goal: { ratio: { required: 4, aim: 6 } },
        worse: worse(wasm, rules, count),
      },
      row(addon.name, count, addonMs, wasm.name, wasmMs),
      row('2 threads', count, threadsMs, addon.name, addonMs),
    ]
  },
})

/** Twice as many at the same density. */
const growth = {
  name: 'boids-growth',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = await bench.limber()
    const counts = [25_000, 50_000, 100_000, 200_000]
    const ours = counts.map((count) => limberBoids(wasm, cube(count), start(count, cube(count).size)))
    const times = race(
      ours.map((boids, i) => racer(boids, `${counts[i]}`)),
      { ...bench.effort, rounds: Math.min(bench.effort.rounds, 7) },
    )
    for (const boids of ours) boids.dispose()
    // The peer is the larger flock: how much longer it takes must be small, so its half the shorter time is the subject.
    return counts.slice(1).map((count, i) => {
      const one = compare(times[i], times[i + 1])
      return {
        subject: `×${counts[i]}`,
        peer: `×${count}`,
        ...one,
        worse: one.ratio > 2.3 ? `t(2N)/t(N) is ${one.ratio.toFixed(2)}, more than 2.3` : undefined,
        note: 't(2N)/t(N), at most 2.3',
      }
    })
  },
}

/** Ten thousand at one place, step after step, against as many that are spread. */
const crowd = {
  name: 'boids-crowd',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = await bench.limber()
    const count = 10_000
    const rules = cube(count)
    const middle = {
      positions: new Float32Array(count * 3).fill(rules.size[0] / 2),
      velocities: new Float32Array(count * 3),
    }
    const [crowded, spread] = [limberBoids(wasm, rules, middle), limberBoids(wasm, rules, start(count, rules.size))]
    let steps = 0
    const [crowdedMs, spreadMs] = race(
      [
        {
          name: 'at one place',
          run() {
            if (steps++ % 20 === 0) crowded.reset()
            crowded.step()
          },
        },
        racer(spread, 'spread'),
      ],
      bench.effort,
    )
    for (const boids of [crowded, spread]) boids.dispose()
    const one = compare(crowdedMs, spreadMs)
    return [
      { ...row('at one place', count, crowdedMs, 'spread', spreadMs), ...one, goal: { ratio: { required: 1 / 3 } } },
    ]
  },
}

/** Against yuka with its spatial index, in the sheet's world. */
const yuka = {
  name: 'boids-yuka',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = await bench.limber()
    const count = 2000
    const rules = cube(count)
    const initial = start(count, rules.size)
    const ours = limberBoids(wasm, rules, initial)
    const racers = [racer(ours, wasm.name), racer(new YukaBoids(rules, initial.positions, initial.velocities), 'yuka')]
    const [wasmMs, yukaMs] = race(racers, bench.effort)
    ours.dispose()
    return [{ ...row(wasm.name, count, wasmMs, 'yuka', yukaMs), goal: { ratio: { required: 20 } } }]
  },
}

export const cases = [flat(110, 4), flat(2000, 40, 5), deep(10_000), deep(50_000), growth, crowd, yuka]
