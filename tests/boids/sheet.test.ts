import { Boids, type Backend } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { farthest } from '../helpers.mjs'
import { groups, matrixFaults, meanNeighbours, randoms, square, three, wayBetween } from './flock.mjs'

const SEEDS = Array.from({ length: 10 }, (_, seed) => seed)
/** Square of the distance within which fish are neighbours. */
const VIEW = 0.012
const SECOND = 60

const run = (boids: Boids, seconds: number) => {
  for (let s = 0; s < seconds * SECOND; s++) boids.step()
}
const speedOf = (boids: Boids, i: number) => Math.hypot(...three(boids.velocities, i))

// The criteria of the order sheet, by all defaults: 110 fish in a torus of 1.6 × 1.
describe.each(Object.entries(backends))('the order sheet on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const shoal = (seed: number, more = {}) => new Boids(limber, { dimensions: 2, seed, ...more })

  it('begins with 110 fish anywhere, each with a direction of its own', () => {
    const boids = shoal(0)
    expect([boids.ids.length, boids.positions.length, boids.matrices.length]).toEqual([110, 330, 1760])
    const [x, y] = [0, 1].map((c) => Array.from({ length: 110 }, (_, i) => boids.positions[i * 3 + c]!))
    for (const [list, side] of [[x!, 1.6] as const, [y!, 1] as const]) {
      for (let part = 0; part < 4; part++) {
        const here = list.filter((v) => v >= (part * side) / 4 && v < ((part + 1) * side) / 4).length
        // A quarter of them, give or take three deviations.
        expect(Math.abs(here - 27.5)).toBeLessThan(14)
      }
    }
    expect(meanNeighbours(boids, VIEW)).toBeLessThan(4)
    boids.dispose()
  })

  it('gather when the rules are on, scatter when alignment and cohesion are off, and gather again', () => {
    let several = 0
    for (const seed of SEEDS) {
      const boids = shoal(seed)
      run(boids, 9)
      expect(meanNeighbours(boids, VIEW), `neighbours, seed ${seed}`).toBeGreaterThanOrEqual(12)
      const shoals = groups(boids, VIEW)
      if (shoals.length >= 2 && shoals.length <= 8) several++
      boids.rules.alignment.enabled = boids.rules.cohesion.enabled = false
      run(boids, 5)
      expect(meanNeighbours(boids, VIEW), `neighbours without rules, seed ${seed}`).toBeLessThanOrEqual(7)
      boids.rules.alignment.enabled = boids.rules.cohesion.enabled = true
      run(boids, 9)
      // Gathered anew from all over the sea they are a little fewer.
      expect(meanNeighbours(boids, VIEW), `neighbours again, seed ${seed}`).toBeGreaterThanOrEqual(10)
      boids.dispose()
    }
    // Groups: three fish or more, each nearer than the view to another of its group.
    expect(several, 'seeds with 2 to 8 groups').toBeGreaterThan(SEEDS.length / 2)
  })

  it('swim as their neighbours do', () => {
    /** The mean cosine between the headings of neighbours. */
    const agreement = (boids: Boids) => {
      let [sum, count] = [0, 0]
      for (const a of boids.ids.keys()) {
        for (let b = 0; b < a; b++) {
          if (square(boids, a, b) >= VIEW) continue
          const [u, v] = [three(boids.velocities, a), three(boids.velocities, b)] as [number[], number[]]
          sum += (u[0]! * v[0]! + u[1]! * v[1]!) / Math.hypot(...u) / Math.hypot(...v)
          count++
        }
      }
      return sum / count
    }
    let all = 0
    for (const seed of SEEDS) {
      const boids = shoal(seed)
      expect(Math.abs(agreement(boids)), `start, seed ${seed}`).toBeLessThan(0.25)
      run(boids, 9)
      // Where two shoals meet it is little for a while.
      expect(agreement(boids), `seed ${seed}`).toBeGreaterThan(0.5)
      all += agreement(boids)
      boids.dispose()
    }
    // The sheet's own code gives 0.97.
    expect(all / SEEDS.length).toBeGreaterThan(0.9)
  })

  it('flee from a pointer of the size of the sheet', () => {
    for (const seed of SEEDS.slice(0, 5)) {
      const boids = shoal(seed)
      run(boids, 5)
      // In the middle of the largest group.
      const [group] = groups(boids, VIEW).sort((a, b) => b.length - a.length)
      const [x, y] = three(boids.positions, group![0]!) as [number, number]
      const away = (i: number) => {
        const ways = [boids.positions[i * 3]! - x, boids.positions[i * 3 + 1]! - y]
        return Math.hypot(ways[0]! - 1.6 * Math.round(ways[0]! / 1.6), ways[1]! - Math.round(ways[1]!))
      }
      const everyone = Array.from(boids.ids.keys())
      const rest = new Set(everyone.filter((i) => away(i) < 0.2))
      expect(rest.size).toBeGreaterThan(5)
      boids.repellers.push({ position: [x, y, 0] })
      for (let s = 0; s < 2 * SECOND && rest.size > 0; s++) {
        boids.step()
        for (const i of rest) if (away(i) >= 0.2) rest.delete(i)
      }
      expect([...rest], `still within the pointer's radius, seed ${seed}`).toEqual([])
      // Nobody comes near any more, as long as it is there.
      for (let s = 0; s < 5 * SECOND; s++) {
        boids.step()
        expect(Math.min(...everyone.map(away))).toBeGreaterThan(0.1)
      }
      // And nothing is left of it.
      boids.repellers.pop()
      let nearest = Infinity
      for (let s = 0; s < 60 * SECOND && nearest > 0.1; s++) {
        boids.step()
        nearest = Math.min(nearest, ...everyone.map(away))
      }
      expect(nearest).toBeLessThan(0.1)
      boids.dispose()
    }
  })

  it('look where they swim, at speeds between the two bounds', () => {
    for (const more of [{}, { dimensions: 3, bounds: { kind: 'box', min: [0, 0, 0], max: [1.6, 1, 1] } }] as const) {
      for (const dt of [undefined, 1 / 60, 1 / 144]) {
        const boids = shoal(3, { ...more, interpolate: dt !== 1 / 60 })
        for (let s = 0; s < 300; s++) {
          boids.step(dt)
          if (s < 3) continue
          let [fault, astray, off, slow, fast] = [0, 0, 0, Infinity, 0]
          for (const i of boids.ids.keys()) {
            const faults = matrixFaults(boids.matrices, i, three(boids.velocities, i))
            fault = Math.max(fault, faults.fault)
            astray = Math.max(astray, faults.astray)
            slow = Math.min(slow, speedOf(boids, i))
            fast = Math.max(fast, speedOf(boids, i))
            off = Math.max(off, farthest(three(boids.matrices.subarray(i * 16 + 12), 0), three(boids.positions, i)))
          }
          const name = `step ${s} of ${dt}`
          expect(off, name).toBe(0)
          expect(fault, name).toBeLessThan(1e-5)
          expect(fast, name).toBeLessThan(0.28 * 1.00001)
          expect(astray, `heading, ${name}`).toBeLessThan(dt === 1 / 144 ? 0.02 : 1e-5)
          // What is drawn between two velocities may be a little slower than both.
          if (dt !== 1 / 144) expect(slow, name).toBeGreaterThan(0.12 * 0.99999)
        }
        boids.dispose()
      }
    }
  })

  it('in 2D their backs are towards +z', () => {
    const boids = shoal(1)
    run(boids, 2)
    for (const i of boids.ids.keys()) {
      expect([...boids.matrices.subarray(i * 16 + 4, i * 16 + 7)]).toEqual([0, 0, 1])
      expect(boids.positions[i * 3 + 2]).toBe(0)
      expect(boids.velocities[i * 3 + 2]).toBe(0)
    }
    boids.dispose()
  })

  it('wander by up to 0.005 m/s a step along each axis, evenly', () => {
    const off = { enabled: false }
    const boids = shoal(2, {
      rules: { separation: off, alignment: off, cohesion: off },
      // Nobody is held to a speed.
      speed: { min: 0, max: 0.28 },
      initial: { velocities: Array.from({ length: 330 }, (_, i) => (i % 3 < 2 ? 0.02 : 0)) },
    })
    const gains: number[] = []
    for (let s = 0; s < 20; s++) {
      const before = boids.velocities.slice()
      boids.step()
      boids.velocities.forEach((v, i) => i % 3 < 2 && gains.push(v - before[i]!))
    }
    expect(Math.max(...gains.map(Math.abs))).toBeLessThan(0.005 * 1.0001)
    expect(Math.max(...gains.map(Math.abs))).toBeGreaterThan(0.0049)
    const mean = gains.reduce((sum, v) => sum + v) / gains.length
    const spread = gains.reduce((sum, v) => sum + (v - mean) ** 2, 0) / gains.length
    // Evenly from −0.005 to 0.005: their squares are a third of the largest, and 4400 of them leave a mean of 0.
    expect(Math.abs(mean)).toBeLessThan(0.005 * 0.04)
    expect(spread / (0.005 ** 2 / 3)).toBeCloseTo(1, 1)
    boids.dispose()
  })

  it('an edge does not tear a shoal: it is as wide as one in the middle', () => {
    const at = (x: number, y: number) => {
      const random = randoms(4)
      const positions = Array.from({ length: 30 }, () => [x + 0.06 * random(), y + 0.06 * random(), 0]).flat()
      return shoal(5, { initial: { positions, velocities: Array.from({ length: 30 }, () => [0.2, 0.05, 0]).flat() } })
    }
    const spread = (boids: Boids) =>
      Math.max(...Array.from(boids.ids.keys()).map((i) => Math.hypot(...wayBetween(boids, 0, i))))
    const [edge, middle] = [at(1.57, 0.97), at(0.4, 0.4)]
    for (let s = 0; s < 150; s++) {
      for (const boids of [edge, middle]) boids.step()
      // Rounding is different there.
      expect(Math.abs(spread(edge) - spread(middle)), `step ${s}`).toBeLessThan(0.005)
    }
    for (const boids of [edge, middle]) boids.dispose()
  })
})
