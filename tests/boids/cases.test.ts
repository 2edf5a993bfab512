import { Boids, type Backend, type BoidsSetup } from 'limber'
import { Matrix4 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { allFinite, farthest } from '../helpers.mjs'
import { matrixFaults, meanNeighbours, randoms, square, three, turnOf, wayBetween } from './flock.mjs'

const VIEW = 0.012
const SECOND = 60
const SHEET = { kind: 'torus', min: [0, 0, 0], max: [1.6, 1, 0] } as const
const NO_RULES = { separation: { enabled: false }, alignment: { enabled: false }, cohesion: { enabled: false } }

const run = (boids: Boids, seconds: number) => {
  for (let s = 0; s < seconds * SECOND; s++) boids.step()
}
const whole = (boids: Boids) => [...boids.positions, ...boids.velocities, ...boids.matrices]

/** How many share their place with another. */
function together({ positions }: Boids) {
  const places = new Set<string>()
  for (let i = 0; i < positions.length; i += 3) places.add(positions.subarray(i, i + 3).join())
  return positions.length / 3 - places.size
}

/** The least distance of two boids. */
function nearestPair(boids: Boids) {
  let least = Infinity
  for (const a of boids.ids.keys()) for (let b = 0; b < a; b++) least = Math.min(least, square(boids, a, b))
  return Math.sqrt(least)
}

/** Flocks of many kinds, for what must be so of every flock. */
const FLOCKS: [string, BoidsSetup][] = [
  ['the sheet', { dimensions: 2 }],
  ['a box', { count: 200, bounds: { kind: 'box', min: [-0.5, -0.4, -0.5], max: [0.5, 0.4, 0.5] } }],
  [
    'species, one of which hunts, in a ball',
    {
      bounds: { kind: 'sphere', center: [1, 2, 3], radius: 0.6 },
      species: [{ count: 90 }, { count: 60, flocksWith: [0, 1] }, { count: 5, hunts: [0, 1], speed: 1.5 }],
      rules: { cohesion: { radius: 0.2, angle: 4 }, alignment: { angle: 5 } },
      obstacles: [{ kind: 'sphere', center: [1, 2.2, 3], radius: 0.15 }],
      attractors: [{ position: [1.2, 2, 3], weight: 0.03 }, { boid: 3 }],
      repellers: [{ position: [0.8, 2, 3] }],
    },
  ],
  ['the nearest seven, at angles', { count: 150, topological: true, rules: { alignment: { angle: 5 } } }],
]

describe.each(Object.entries(backends))('boids on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  describe('B1: all at one place, without a velocity', () => {
    it.each([
      [10, 2],
      [10, 3],
      [10_000, 2],
      [10_000, 3],
    ] as const)('%d boids in %dD are apart within 30 steps, by their seed', (count, dimensions) => {
      const ends: string[] = []
      for (const seed of [1, 1, 2]) {
        const boids = new Boids(limber, {
          dimensions,
          seed,
          initial: {
            positions: Array.from({ length: count * 3 }, (_, i) => [0.3, 0.4, 0][i % 3]!),
            velocities: new Float32Array(count * 3),
          },
        })
        let apart = false
        for (let s = 0; s < 30; s++) {
          boids.step()
          expect(boids.positions.every(Number.isFinite), `step ${s}`).toBe(true)
          apart ||= together(boids) === 0
        }
        expect(apart).toBe(true)
        expect(boids.matrices.every(Number.isFinite)).toBe(true)
        expect(together(boids)).toBe(0)
        // Few of them are soon as far from one another as they like to be.
        if (count === 10) expect(nearestPair(boids)).toBeGreaterThan(0.002)
        ends.push(boids.hash())
        boids.dispose()
      }
      expect(ends[0]).toBe(ends[1])
      expect(ends[0]).not.toBe(ends[2])
    })

    it('pairs of fast ones with one velocity part too', () => {
      const boids = new Boids(limber, {
        dimensions: 2,
        wander: 0,
        initial: { positions: [0.5, 0.5, 0, 0.5, 0.5, 0], velocities: [0.2, 0, 0, 0.2, 0, 0] },
      })
      run(boids, 0.5)
      expect(nearestPair(boids)).toBeGreaterThan(0.005)
      boids.dispose()
    })
  })

  describe('B2: the edge of a torus', () => {
    const CUBE = { kind: 'torus', min: [-1, -1, -1], max: [1, 1, 1] } as const
    it.each([
      ['x', 2, [1.59, 0.5, 0], [0.03, 0.52, 0]],
      ['y', 2, [0.5, 0.01, 0], [0.53, 0.98, 0]],
      ['a corner', 2, [0.01, 0.01, 0], [1.58, 0.99, 0]],
      ['z', 3, [0.1, 0.2, -0.99], [0.12, 0.2, 0.97]],
      ['a corner of a cube', 3, [0.99, -0.98, 0.99], [-0.99, 0.99, -0.98]],
    ] as const)('two across %s are neighbours', (_, dimensions, a, b) => {
      const bounds = dimensions === 2 ? SHEET : CUBE
      const initial = { positions: [...a, ...b], velocities: [0.2, 0, 0, 0, 0.2, 0] }
      const boids = new Boids(limber, { dimensions, bounds, initial, wander: 0, turnLimit: null })
      expect([boids.neighbours(0), boids.neighbours(1)]).toEqual([[1], [0]])
      expect(boids.query(a, 0.1)).toEqual([0, 1])
      const apart = Math.hypot(...wayBetween(boids, 0, 1))
      expect(apart).toBeLessThan(0.09)
      // The same two with all of the way between them in the middle.
      const middle = dimensions === 2 ? [0.8, 0.5, 0] : [0, 0, 0]
      const other = middle.map((v, c) => v + wayBetween(boids, 0, 1)[c]!)
      const twin = new Boids(limber, {
        dimensions,
        bounds,
        initial: { ...initial, positions: [...middle, ...other] },
        wander: 0,
        turnLimit: null,
      })
      const alone = new Boids(limber, { dimensions, bounds, rules: NO_RULES, initial, wander: 0, turnLimit: null })
      for (let s = 0; s < 60; s++) {
        for (const one of [boids, twin, alone]) one.step()
        expect(farthest(boids.velocities, twin.velocities), `step ${s}`).toBeLessThan(1e-5)
      }
      expect(farthest(boids.velocities, alone.velocities)).toBeGreaterThan(0.05)
      for (const one of [boids, twin, alone]) one.dispose()
    })

    /** How far a run is from one that was shifted by half the world, as parts of the sides. */
    const shifted = (setup: BoidsSetup, steps: number) => {
      const first = new Boids(limber, setup)
      const { bounds, dimensions } = first
      if (bounds.kind !== 'torus') throw new Error('a torus')
      const sides = [0, 1, 2].map((c) => bounds.max[c]! - bounds.min[c]!)
      const by = sides.map((side, c) => (c < dimensions ? side / 2 : 0))
      const initial = { positions: first.positions.map((v, i) => v + by[i % 3]!), velocities: first.velocities.slice() }
      const second = new Boids(limber, { ...setup, initial })
      for (let s = 0; s < steps; s++) for (const boids of [first, second]) boids.step()
      const most = first.positions.reduce((most, v, i) => {
        const side = sides[i % 3]!
        const way = second.positions[i]! - v - by[i % 3]!
        return side === 0 ? most : Math.max(most, Math.abs(way / side - Math.round(way / side)))
      }, 0)
      const start = new Boids(limber, setup)
      const moved = farthest(first.positions, start.positions)
      for (const boids of [start, first, second]) boids.dispose()
      return { most, moved }
    }

    /** Two across the edge, each in the other's radius. */
    const two = (seed: number): BoidsSetup => {
      const random = randoms(seed + 1)
      const [x, y] = [1.56 + 0.03 * random(), random()]
      return {
        dimensions: 2,
        seed,
        initial: {
          positions: [x, y, 0, x + 0.03 + 0.04 * random(), y + 0.04 * random() - 0.02, 0],
          velocities: [0.1 + 0.1 * random(), 0.1 * random(), 0, 0.1 + 0.1 * random(), -0.1 * random(), 0],
        },
      }
    }
    it.each<[string, number, (seed: number) => BoidsSetup]>([
      ['two', 600, two],
      ['two that do not wander', 600, (seed) => ({ ...two(seed), wander: 0 })],
      ['110 fish', 60, (seed) => ({ dimensions: 2, seed })],
      ['300 fish in 3D', 60, (seed) => ({ seed, count: 300 })],
    ])('a run of %s is the same half a world farther, for %d steps', (_, steps, setup) => {
      const runs = Array.from({ length: 50 }, (_, seed) => shifted(setup(seed), steps))
      for (const { most, moved } of runs) {
        expect(moved).toBeGreaterThan(0.02)
        expect(most).toBeLessThan(0.02)
      }
      // Where rounding decides in which step one comes into the radius of another, it is no longer rounding.
      expect(runs.filter(({ most }) => most < 1e-4).length).toBeGreaterThanOrEqual(45)
      expect(runs[0]!.most).toBeLessThan(1e-4)
    })
  })

  describe('B3: a weight of 0, raised later', () => {
    const nearestMean = (boids: Boids) => {
      const all = Array.from(boids.ids.keys())
      const nearest = (a: number) => Math.min(...all.map((b) => (a === b ? Infinity : square(boids, a, b))))
      return all.reduce((sum, a) => sum + Math.sqrt(nearest(a)), 0) / all.length
    }
    it.each(['separation', 'alignment', 'cohesion', 'all'] as const)('of %s', (which) => {
      for (const key of ['weight', 'radius'] as const) {
        const boids = new Boids(limber, { dimensions: 2, seed: 4 })
        run(boids, 9)
        const usual = nearestMean(boids)
        const rules = which === 'all' ? Object.values(boids.rules) : [boids.rules[which]]
        const before = rules.map((rule) => rule[key])
        for (const rule of rules) rule[key] = 0
        for (let s = 0; s < 5 * SECOND; s++) {
          boids.step()
          expect(allFinite(whole(boids))).toBe(true)
        }
        // Without separation they draw together.
        if (which === 'separation') expect(nearestMean(boids)).toBeLessThan(usual * 0.8)
        rules.forEach((rule, r) => (rule[key] = before[r]!))
        for (let s = 0; s < 12 * SECOND; s++) {
          boids.step()
          expect(allFinite(whole(boids))).toBe(true)
        }
        expect(meanNeighbours(boids, VIEW)).toBeGreaterThanOrEqual(12)
        expect(nearestMean(boids)).toBeGreaterThan(usual * 0.7)
        expect(nearestMean(boids)).toBeLessThan(usual * 1.5)
        boids.dispose()
      }
    })
  })

  describe('B4: frame rates', () => {
    it.each(FLOCKS)('%s has the same hash at 30, 60 and 144 Hz', (_, setup) => {
      const hashes = [30, 60, 144].map((rate) => {
        const boids = new Boids(limber, setup)
        const seen: string[] = []
        let steps = 0
        for (let frame = 1; frame <= 10 * rate; frame++) {
          steps += boids.step(1 / rate)
          if (frame % rate === 0) {
            expect(steps).toBe((frame / rate) * 60)
            seen.push(boids.hash())
          }
        }
        expect(boids.time).toBeCloseTo(10, 9)
        boids.dispose()
        return seen
      })
      expect(new Set(hashes[0]).size).toBe(10)
      expect(hashes[1]).toEqual(hashes[0])
      expect(hashes[2]).toEqual(hashes[0])
    })
  })

  it('B8: the nearer pushes harder: 1 % of the separation radius, 50 %', () => {
    for (const radius of [Math.sqrt(0.0012), 0.2]) {
      const [hard, soft] = [0.01, 0.5].map((part) => {
        const boids = new Boids(limber, {
          dimensions: 2,
          wander: 0,
          rules: { ...NO_RULES, separation: { enabled: true, radius } },
          speed: { min: 0, max: 1000 },
          initial: {
            positions: [0.8, 0.5, 0, 0.8 + part * radius, 0.5, 0],
            velocities: [0, 0.2, 0, 0, 0.2, 0],
          },
        })
        boids.step()
        const push = boids.velocities[3]! - boids.velocities[0]!
        expect(push).toBeGreaterThan(0)
        boids.dispose()
        return push
      })
      expect(hard).toBeGreaterThan(soft!)
    }
  })

  describe('B10: velocities that sweep through vertical', () => {
    /** Follows a boid and says how much its matrix turned at most in a step, and how its heading did. */
    const follow = (boids: Boids, steps: number, move: (s: number) => void = () => {}) => {
      let [most, heading, highest] = [0, 0, -1]
      for (let s = 0; s < steps; s++) {
        const [before, going] = [boids.matrices.slice(), boids.velocities.slice()]
        move(s)
        boids.step()
        for (const i of boids.ids.keys()) {
          const [from, to] = [three(going, i), three(boids.velocities, i)] as [number[], number[]]
          const { fault, astray } = matrixFaults(boids.matrices, i, to)
          if (!(fault < 1e-4 && astray < 1e-5))
            expect.fail(`boid ${i} is turned wrongly in step ${s}: ${fault}, ${astray}`)
          most = Math.max(most, turnOf(before, boids.matrices, i))
          const chord = Math.hypot(...from.map((v, c) => v / Math.hypot(...from) - to[c]! / Math.hypot(...to)))
          heading = Math.max(heading, 2 * Math.asin(Math.min(1, chord / 2)))
          highest = Math.max(highest, Math.abs(to[1]!) / Math.hypot(...to))
        }
      }
      return { most, heading, highest }
    }
    const alone = (velocity: readonly number[], more: BoidsSetup = {}) =>
      new Boids(limber, {
        bounds: { kind: 'torus', min: [-100, -100, -100], max: [100, 100, 100] },
        rules: NO_RULES,
        wander: 0,
        initial: { positions: [0, 0, 0], velocities: velocity as number[] },
        ...more,
      })

    it.each([undefined, 1, 3, 12, 40])('a loop, with a turn limit of %s', (turnLimit) => {
      const limit = turnLimit ?? 2 * Math.PI
      for (const tilt of [0, 1e-6, 1e-3, 0.05]) {
        // It is drawn by what goes round it, over the zenith and under the nadir.
        const bait = { position: [0, 0, 50] as [number, number, number], weight: 1 }
        const boids = alone([0, 0, 0.2], { ...(turnLimit && { turnLimit }), attractors: [bait] })
        const pace = Math.min(limit, 4) / 60
        const { most, heading, highest } = follow(boids, Math.ceil((4 * Math.PI) / pace), (s) => {
          const [x, y, z] = three(boids.positions, 0) as [number, number, number]
          bait.position = [x + 50 * tilt, y + 50 * Math.sin(s * pace), z + 50 * Math.cos(s * pace)]
        })
        expect(highest).toBeGreaterThan(0.99)
        expect(heading).toBeLessThan(limit / 60 + 1e-4)
        expect(most, `tilt ${tilt}`).toBeLessThan(limit / 60 + 1e-4)
        boids.dispose()
      }
    })

    it.each([
      [0, 0.2, 0],
      [0, -0.2, 0],
      [1e-9, 0.2, 0],
      [1e-4, -0.2, 1e-5],
    ])('begins at [%d, %d, %d], and turns about', (...velocity) => {
      const boids = alone(velocity, { attractors: [{ position: velocity.map((v) => -200 * v) as never, weight: 1 }] })
      const { most } = follow(boids, 90)
      expect(most).toBeLessThan((2 * Math.PI) / 60 + 1e-4)
      expect(Math.sign(boids.velocities[1]!)).toBe(-Math.sign(velocity[1]!))
      boids.dispose()
    })

    it('swarms that wander wildly, up and down', () => {
      for (const turnLimit of [2 * Math.PI, 1.5, 15]) {
        const boids = new Boids(limber, { count: 60, wander: 1, turnLimit, seed: 9 })
        const { most, heading, highest } = follow(boids, 300)
        expect(highest).toBeGreaterThan(0.99)
        expect(heading).toBeLessThan(turnLimit / 60 + 1e-4)
        expect(heading).toBeGreaterThan(turnLimit / 60 - 1e-3)
        expect(most).toBeLessThan(turnLimit / 60 + 1e-4)
        boids.dispose()
      }
    })

    it('without a turn limit they do not roll over: the back goes with the heading', () => {
      // At 3 rad/s, and banking by a tenth of a radian a step at most.
      const bait = { position: [0, 0, 50] as [number, number, number], weight: 1 }
      const boids = alone([0, 0, 0.2], { turnLimit: null, attractors: [bait] })
      const { most, heading } = follow(boids, 300, (s) => {
        const [x, y, z] = three(boids.positions, 0) as [number, number, number]
        bait.position = [x + 0.05, y + 50 * Math.sin(s / 20), z + 50 * Math.cos(s / 20)]
      })
      expect(heading).toBeLessThan(0.06)
      expect(most).toBeLessThan(heading + 0.11)
      boids.dispose()
    })

    it('a turn limit of 0, and very small ones', () => {
      for (const turnLimit of [0, 1e-3, 0.01, 0.1]) {
        const boids = alone([0.1, 0.15, 0.05], { turnLimit, attractors: [{ position: [-50, 20, 30], weight: 1 }] })
        const [x, y, z] = three(boids.velocities, 0) as [number, number, number]
        for (let s = 0; s < 600; s++) boids.step()
        const [u, v, w] = three(boids.velocities, 0) as [number, number, number]
        const cross = Math.hypot(y * w - z * v, z * u - x * w, x * v - y * u)
        const angle = Math.atan2(cross, x * u + y * v + z * w)
        expect(angle, `after 10 s at ${turnLimit} rad/s`).toBeLessThan(10 * turnLimit + 1e-3)
        boids.dispose()
      }
    })
  })

  describe('B12: any order of the same boids', () => {
    it.each(FLOCKS)('%s: reversed and shuffled, they are identical by id', (_, setup) => {
      const first = new Boids(limber, setup)
      const count = first.ids.length
      const random = randoms(12)
      // Ids far from one another, the largest there is among them.
      const ids = Array.from({ length: count }, (_, i) => (i === count - 1 ? 2 ** 32 - 1 : i * 1000 + (i % 7)))
      const orders = [
        ids.map((_, i) => i),
        ids.map((_, i) => count - 1 - i),
        ids
          .map((_, i) => [random(), i] as const)
          .sort((a, b) => a[0] - b[0])
          .map(([, i]) => i),
      ]
      // Some are at one place, where chance decides.
      const positions = first.positions.slice()
      positions.copyWithin(3, 0, 3)
      positions.copyWithin(6, 0, 3)
      const attractors = setup.attractors?.map((one) => (one.boid === undefined ? one : { ...one, boid: ids[3]! }))
      const kinds = setup.species?.map(({ count: _, ...rest }) => rest)
      const flocks = orders.map(
        (order) =>
          new Boids(limber, {
            ...setup,
            count: undefined,
            attractors,
            species: kinds,
            initial: {
              ids: order.map((i) => ids[i]!),
              positions: order.flatMap((i) => three(positions, i)),
              velocities: order.flatMap((i) => three(first.velocities, i)),
              species: order.map((i) => first.species[i]!),
            },
          }),
      )
      for (let s = 0; s < 600; s++) for (const boids of flocks) boids.step()
      for (const boids of flocks) {
        expect([...boids.ids]).toEqual(ids)
        expect(boids.species).toEqual(first.species)
        expect(boids.hash()).toBe(flocks[0]!.hash())
        expect(boids.positions).toEqual(flocks[0]!.positions)
        expect(boids.velocities).toEqual(flocks[0]!.velocities)
        expect(boids.matrices).toEqual(flocks[0]!.matrices)
        expect(together(boids)).toBe(0)
      }
      for (const boids of [first, ...flocks]) boids.dispose()
    })

    it('chance goes by id, not by place', () => {
      const make = (ids: number[]) =>
        new Boids(limber, {
          dimensions: 2,
          rules: NO_RULES,
          initial: {
            ids,
            positions: ids.flatMap((id) => [0.1 * id, 0.5, 0]),
            velocities: ids.flatMap(() => [0.2, 0, 0]),
          },
        })
      // Without rules a boid is the same whoever else there is.
      const [few, many] = [make([3, 5]), make([1, 2, 3, 4, 5, 6])]
      for (let s = 0; s < 60; s++) for (const boids of [few, many]) boids.step()
      expect(three(few.velocities, 0)).toEqual(three(many.velocities, 2))
      expect(three(few.velocities, 1)).toEqual(three(many.velocities, 4))
      expect(three(few.velocities, 0)).not.toEqual(three(few.velocities, 1))
      for (const boids of [few, many]) boids.dispose()
    })
  })

  describe('snapshots', () => {
    it.each(FLOCKS)('%s: a snapshot brings back the exact run', (_, setup) => {
      const boids = new Boids(limber, setup)
      const play = (one: Boids) => {
        for (let s = 0; s < 300; s++) one.step(1 / 50)
      }
      play(boids)
      const saved = boids.snapshot()
      const shown = whole(boids)
      play(boids)
      const [hash, later] = [boids.hash(), whole(boids)]
      boids.restore(saved)
      expect(boids.snapshot()).toEqual(saved)
      expect(whole(boids)).toEqual(shown)
      play(boids)
      expect(boids.hash()).toBe(hash)
      const twin = new Boids(limber, setup)
      twin.restore(saved)
      play(twin)
      expect(twin.hash()).toBe(hash)
      expect(whole(twin)).toEqual(later)
      boids.reset()
      expect(boids.time).toBe(0)
      const again = new Boids(limber, setup)
      expect(boids.hash()).toBe(again.hash())
      expect(whole(boids)).toEqual(whole(again))
      for (const one of [boids, twin, again]) {
        play(one)
        one.teleport(new Matrix4().makeTranslation(0.3, 0.1, 0).multiply(new Matrix4().makeRotationZ(1)))
        run(one, 0.1)
        expect(allFinite(whole(one))).toBe(true)
      }
      expect(boids.hash()).toBe(again.hash())
      for (const one of [boids, twin, again]) one.dispose()
    })
  })
})

describe('the same bits whatever runs the core, on any number of threads', () => {
  const STEPS = 2000
  it.each([
    ...FLOCKS,
    ['five hundred in 3D', { count: 500 }],
    ['five hundred in 2D', { dimensions: 2, count: 500, bounds: { kind: 'torus', min: [0, 0], max: [3.2, 2] } }],
    ['one', { count: 1 }],
    ['five', { count: 5 }],
  ] as [string, BoidsSetup][])('%s, after 2,000 steps', async (_, setup) => {
    const found: Record<string, unknown[]> = {}
    for (const [backend, load] of Object.entries(backends)) {
      const limber = await load()
      for (const threads of backend === 'addon' ? [1, 2, 4] : [1]) {
        const boids = new Boids(limber, { ...setup, threads })
        for (let s = 0; s < STEPS; s++) boids.step()
        expect(boids.options.threads).toBe(threads)
        expect(allFinite(whole(boids))).toBe(true)
        found[`${backend}, ${threads}`] = [boids.hash(), whole(boids)]
        boids.dispose()
      }
      limber.dispose()
    }
    const [first, ...others] = Object.values(found)
    expect(others.length).toBe(4)
    for (const [name, one] of Object.entries(found)) expect(one, name).toEqual(first)
  })
})
