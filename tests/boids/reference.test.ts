import { Boids, type Backend, type BoidsSetup, type BoidsSpecies } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { allFinite } from '../helpers.mjs'
import { BoidsReference, SHEET_RULES } from './boids-reference.mjs'
import { randoms, square, three } from './flock.mjs'

type Triple = [number, number, number]
type Random = () => number

const pick = <T>(random: Random, list: readonly T[]) => list[Math.floor(random() * list.length)]!

/** A world, and a place in it. */
function randomWorld(random: Random, dimensions: 2 | 3) {
  const kind = pick(random, ['torus', 'torus', 'box', 'sphere'] as const)
  const flat = (v: Triple): Triple => (dimensions === 2 ? [v[0], v[1], 0] : v)
  const middle = flat([random() * 4 - 2, random() * 4 - 2, random() * 4 - 2])
  const half = flat([0.4 + random(), 0.4 + random(), 0.4 + random()])
  const least = Math.min(...half.slice(0, dimensions))
  if (kind === 'sphere') {
    const place = () => {
      for (;;) {
        const at = flat([random() * 2 - 1, random() * 2 - 1, random() * 2 - 1])
        if (Math.hypot(...at) < 1) return at.map((v, c) => middle[c]! + v * half[0]) as Triple
      }
    }
    return { bounds: { kind, center: middle, radius: half[0] }, least: half[0], place }
  }
  const [min, max] = [-1, 1].map((sign) => middle.map((v, c) => v + sign * half[c]!) as Triple) as [Triple, Triple]
  const place = () => middle.map((v, c) => v + (random() * 2 - 1) * half[c]!) as Triple
  return { bounds: { kind, min, max }, least, place }
}

interface Wishes {
  topological?: boolean
  species?: boolean
  angles?: boolean
  turns?: boolean
  repels?: boolean
  balls?: boolean
}

/** A flock of random settings: what `Boids` and the reference are made of. */
function randomFlock(seed: number, wishes: Wishes) {
  const random = randoms(seed)
  const dimensions = pick(random, [2, 3] as const)
  const { bounds, least, place } = randomWorld(random, dimensions)
  const count = 2 + Math.floor(random() * 60)
  const radius = () => {
    const most = bounds.kind === 'torus' ? least : 2 * least
    // As far as a torus lets one see, now and then.
    return random() < 0.15 ? most * 0.999 : Math.fround(most * (0.03 + 0.6 * random()))
  }
  const shared = radius()
  const near = { radius: random() < 0.7 ? shared * (0.2 + 0.5 * random()) : radius() }
  const angle = () => ({ angle: wishes.angles && random() < 0.8 ? 0.3 + 5.9 * random() : 2 * Math.PI })
  // With the nearest few both rules must mean the same ones by "within".
  const common = { radius: shared, ...angle() }
  const own = () => (wishes.topological || random() < 0.5 ? common : { radius: radius(), ...angle() })
  const max = 0.1 + random()
  const kinds = wishes.species ? 2 + Math.floor(random() * 4) : 1
  const some = () => Array.from({ length: kinds }, (_, s) => s).filter(() => random() < 0.4)
  const velocities = Array.from({ length: count }, () => {
    const way = [random() - 0.5, random() - 0.5, dimensions === 2 ? 0 : random() - 0.5]
    const pace = (max * (0.4 + 0.6 * random())) / Math.hypot(...way)
    return way.map((v) => v * pace)
  })
  const settings = {
    dimensions,
    bounds: bounds as Exclude<BoidsSetup['bounds'], undefined>,
    rules: {
      separation: { enabled: random() < 0.9, ...near, weight: 0.3 * random(), ...angle() },
      alignment: { enabled: random() < 0.9, ...own(), weight: random() ** 2 },
      cohesion: { enabled: random() < 0.9, ...own(), weight: 0.4 * random() },
    },
    speed: { min: max * (0.1 + 0.5 * random()), max },
    turnLimit: wishes.turns ? 0.5 + 12 * random() : null,
    topological: wishes.topological ?? false,
    nearest: 1 + Math.floor(random() * 12),
    walls: { margin: 0.05 + 0.95 * random(), weight: random() },
    avoidance: { time: 0.1 + random(), weight: random() },
    flight: { radius: Math.fround(least * 0.7 * random()), weight: 0.3 * random() },
    wander: 0,
    species: Array.from({ length: kinds }, (): BoidsSpecies => ({
      ...(wishes.species
        ? { flocksWith: some(), flees: some(), speed: 0.5 + random() }
        : { flocksWith: [0], flees: [] }),
    })),
    repellers: wishes.repels
      ? Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
          position: place(),
          radius: 0.1 + random(),
          weight: 0.3 * random(),
        }))
      : [],
  }
  const balls = wishes.balls ? [{ center: place(), radius: 0.05 + 0.3 * random() }] : []
  return {
    settings,
    balls,
    initial: {
      positions: Array.from({ length: count }, place).flat(),
      velocities: velocities.flat(),
      species: Array.from({ length: count }, () => Math.floor(random() * kinds)),
    },
  }
}

const SETTINGS: [string, number, Wishes][] = [
  ['radii and weights', 40, {}],
  ['angles', 40, { angles: true }],
  ['a turn limit', 40, { turns: true }],
  ['species that flock with others and flee', 40, { species: true }],
  ['the nearest few', 200, { topological: true }],
  ['the nearest few of species, at angles', 40, { topological: true, species: true, angles: true }],
  ['repellers', 40, { repels: true }],
  ['obstacles', 40, { balls: true }],
  ['all at once', 40, { topological: true, species: true, angles: true, turns: true, repels: true, balls: true }],
]
/** Steps for which a flock is followed. */
const STEPS = 10

describe.each(Object.entries(backends))('the reference on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it.each(SETTINGS)('%s: %d random flocks', (_, flocks, wishes) => {
    let [compared, doubtful] = [0, 0]
    for (let seed = 1; seed <= flocks; seed++) {
      const { settings, balls, initial } = randomFlock(seed + flocks * 1000, wishes)
      const boids = new Boids(limber, {
        ...settings,
        initial,
        obstacles: balls.map((ball) => ({ kind: 'sphere', ...ball })),
      })
      const reference = new BoidsReference({ ...settings, balls })
      // The first step brings all within their speeds.
      boids.step()
      for (let s = 0; s < STEPS; s++) {
        // Each step by itself: both begin with the same numbers.
        reference.take(boids.positions, boids.velocities, boids.species)
        reference.step()
        boids.step()
        expect(allFinite([...boids.positions, ...boids.velocities])).toBe(true)
        const wrong: string[] = []
        reference.fish.forEach((one, i) => {
          const speed = settings.speed.max * (settings.species[one.species]!.speed ?? 1)
          // f32 of the parts, which may be far larger than their sum.
          const rounding = 2e-5 * one.strain * speed
          if (one.doubtful || rounding > 0.01 * speed) {
            doubtful++
            return
          }
          compared++
          const [at, going] = [three(boids.positions, i), three(boids.velocities, i)]
          const off = Math.hypot(...going.map((v, c) => v - one.going[c]!))
          const astray = Math.hypot(...reference.way(one.at, at))
          if (!(off < rounding)) wrong.push(`velocity of boid ${i}: off by ${off} of ${rounding}`)
          if (!(astray < rounding / 60 + 4e-6)) wrong.push(`place of boid ${i}: off by ${astray}`)
        })
        expect(wrong, `flock ${seed}, step ${s}`).toEqual([])
      }
      boids.dispose()
    }
    // Rounding decided but few.
    expect(compared).toBeGreaterThan(10 * doubtful)
    expect(compared).toBeGreaterThan(flocks * STEPS * 10)
  })

  it('neighbours are those of brute force, in 200 random flocks', () => {
    let [seen, full] = [0, 0]
    for (let seed = 1; seed <= 200; seed++) {
      const { settings, initial } = randomFlock(seed, { topological: seed % 2 === 0 })
      const boids = new Boids(limber, { ...settings, initial })
      boids.step(1 / 50)
      const { rules, topological, nearest } = boids.options
      const radius = Math.max(rules.separation.radius, rules.alignment.radius, rules.cohesion.radius)
      for (const own of boids.ids) {
        const others = Array.from(boids.ids)
          .filter((other) => other !== own)
          .map((other) => ({ other, square: square(boids, own, other) }))
          .filter((one) => one.square < radius * radius)
          .sort((a, b) => a.square - b.square || a.other - b.other)
        const wanted = others.slice(0, topological ? nearest : undefined).map(({ other }) => other)
        expect(boids.neighbours(own), `flock ${seed}, boid ${own}`).toEqual(wanted)
        seen += wanted.length
        if (topological && wanted.length === nearest) full++
      }
      boids.dispose()
    }
    expect(seen).toBeGreaterThan(10_000)
    expect(full).toBeGreaterThan(500)
  })

  it('follows the reference for a second where nothing is chaotic', () => {
    // A school that is already one: its fish differ by little, and go on so.
    const random = randoms(5)
    const positions = Array.from({ length: 40 }, () => [0.6 + 0.3 * random(), 0.4 + 0.3 * random(), 0]).flat()
    const velocities = Array.from({ length: 40 }, () => [0.2 + 0.02 * random(), 0.02 * random(), 0]).flat()
    const rules = { ...SHEET_RULES, separation: { ...SHEET_RULES.separation, enabled: false } }
    const bounds = { kind: 'torus', min: [0, 0, 0], max: [1.6, 1, 0] } as const
    const boids = new Boids(limber, { dimensions: 2, bounds, rules, wander: 0, initial: { positions, velocities } })
    const reference = new BoidsReference({ dimensions: 2, bounds, rules })
    reference.take(positions, velocities)
    for (let s = 0; s < 60; s++) {
      boids.step()
      reference.step()
    }
    reference.fish.forEach(({ at }, i) => {
      const found = three(boids.positions, i)
      expect(Math.hypot(...reference.way(at, found)), `fish ${i}`).toBeLessThan(2e-3)
    })
    boids.dispose()
  })
})
