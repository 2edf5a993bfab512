import fc from 'fast-check'
import { Boids, LimberError, type Backend, type BoidsSetup, type Collider } from 'limber'
import { Matrix4 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { matrixFaults, outside, randoms, three } from '../../../tests/boids/flock.mjs'
import { allFinite } from '../../../tests/helpers.mjs'

/** Random configurations, and steps of each. */
const CONFIGURATIONS: Record<string, number> = { wasm: 10_000, 'wasm without SIMD': 500, addon: 500 }
const STEPS = 200
/** Steps after which all is looked at. */
const STRIDE = 20

type Triple = [number, number, number]
type Random = () => number

const pick = <T>(random: Random, list: readonly T[]) => list[Math.floor(random() * list.length)]!
const some = <T>(random: Random, most: number, make: () => T) =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, make)
/** Of any size up to the largest there is: mostly a usual one. */
const sized = (random: Random, usual: number, most: number) => {
  const kind = random()
  if (kind < 0.1) return 0
  if (kind < 0.2) return most
  if (kind < 0.3) return Math.min(most, usual * 10 ** (4 * random()))
  return Math.min(most, 2 * usual * random())
}

/** A configuration of anything that is allowed. */
function configuration(seed: number): BoidsSetup {
  const random = randoms(seed)
  const dimensions = pick(random, [2, 3] as const)
  const scale = random() < 0.7 ? 1 : 10 ** (random() * 6 - 2)
  const kind = pick(random, ['torus', 'box', 'sphere'] as const)
  const middle = random() < 0.5 ? [0, 0, 0] : [0, 1, 2].map(() => scale * (random() * 4 - 2))
  const half = [0, 1, 2].map(() => scale * (0.2 + random()))
  const flat = (v: number[]): Triple => [v[0]!, v[1]!, dimensions === 2 ? 0 : v[2]!]
  const near = () => flat(middle.map((v, c) => v + (random() * 3 - 1.5) * half[c]!))
  const bounds =
    kind === 'sphere'
      ? { kind, center: flat(middle), radius: half[0]! }
      : {
          kind,
          min: flat(middle.map((v, c) => v - half[c]!)),
          max: flat(middle.map((v, c) => v + half[c]!)),
        }
  // In a torus nobody sees farther than half around it.
  const least = Math.min(...half.slice(0, kind === 'sphere' ? 1 : dimensions))
  const most = kind === 'torus' ? least * 0.99 : 100_000
  const radius = () => sized(random, 0.3 * least, most)
  const shared = radius()
  const angle = () => (random() < 0.6 ? 2 * Math.PI : random() * 6.28)
  const rule = (usual: number, largest: number) => ({
    enabled: random() < 0.9,
    radius: random() < 0.5 ? shared : radius(),
    weight: sized(random, usual, largest),
    angle: random() < 0.5 ? 2 * Math.PI : angle(),
  })
  const count = random() < 0.02 ? 100 + Math.floor(300 * random()) : 1 + Math.floor(40 * random() ** 2)
  const kinds = random() < 0.5 ? 1 : 1 + Math.floor(random() * 5)
  const list = () => Array.from({ length: kinds }, (_, s) => s).filter(() => random() < 0.3)
  const max = random() < 0.8 ? scale * (0.05 + random()) : Math.max(1e-6, sized(random, scale, 100_000))
  const turn = random()
  const place = (): Triple => (random() < 0.1 ? [...flat(middle)] : near())
  const size = () => sized(random, 0.2 * scale, 1_000_000)
  const solid = (): Collider =>
    pick<() => Collider>(random, [
      () => ({ kind: 'sphere', center: place(), radius: size(), inside: random() < 0.2 }),
      () => ({ kind: 'capsule', a: place(), b: place(), radius: size(), inside: random() < 0.1 }),
      () => ({ kind: 'taperedCapsule', a: place(), b: place(), radiusA: size(), radiusB: size() }),
      () => ({
        kind: 'box',
        center: place(),
        halfExtents: [size(), size(), size()],
        rotation: [random(), random(), random(), 0.1 + random()],
      }),
      () => ({
        kind: 'plane',
        normal: [random() - 0.5, 0.1 + random(), random() - 0.5],
        offset: scale * (random() - 0.5),
      }),
    ])()
  const influence = () => ({
    radius: random() < 0.5 ? undefined : size(),
    weight: random() < 0.5 ? undefined : sized(random, 0.1, 1000),
    enabled: random() < 0.9,
  })
  const repeller = () => ({
    position: place(),
    ...(random() < 0.3 && { direction: pick(random, [near(), [0, 0, 1] as Triple, [0, 0, 0] as Triple]) }),
    ...influence(),
  })
  const vectors = (make: () => Triple) => Array.from({ length: count }, make).flat()
  const setup: BoidsSetup = {
    dimensions,
    bounds,
    seed: Math.floor(random() * 1e9),
    rules: { separation: rule(0.2, 1000), alignment: rule(0.06, 1), cohesion: rule(0.05, 1000) },
    speed: { min: random() < 0.1 ? 0 : max * random(), max },
    ...(turn < 0.6 && { turnLimit: turn < 0.1 ? null : sized(random, 6, 1000) }),
    wander: sized(random, 0.05, 10),
    topological: random() < 0.3,
    nearest: 1 + Math.floor(random() * 32),
    walls: { margin: random(), weight: sized(random, 0.2, 10) },
    avoidance: { time: sized(random, 0.5, 60), weight: sized(random, 0.2, 10) },
    flight: { radius: radius(), weight: sized(random, 0.1, 1000) },
    hunt: { radius: radius(), weight: sized(random, 0.1, 10) },
    banking: sized(random, 1, 10),
    interpolate: random() < 0.5,
    species: Array.from({ length: kinds }, () => ({
      ...(random() < 0.5 && { flocksWith: list() }),
      ...(random() < 0.3 && { flees: list() }),
      ...(random() < 0.4 && { hunts: list() }),
      ...(random() < 0.3 && { speed: random() < 0.9 ? 0.1 + random() : Math.max(1e-6, sized(random, 1, 1000)) }),
    })),
    initial: {
      species: Array.from({ length: count }, () => Math.floor(random() * kinds)),
      // Anywhere, or all at one place.
      ...(random() < 0.4 && { positions: vectors(random() < 0.3 ? () => flat(middle) : near) }),
      ...(random() < 0.4 && {
        velocities: vectors(
          random() < 0.3 ? () => [0, 0, 0] : () => [0, 1, 2].map(() => max * (random() - 0.5)) as Triple,
        ),
      }),
    },
    obstacles: random() < 0.3 ? some(random, 3, solid) : [],
    repellers: random() < 0.3 ? some(random, 3, repeller) : [],
    attractors:
      random() < 0.3
        ? some(random, 3, () =>
            pick<() => object>(random, [
              repeller,
              () => ({ boid: Math.floor(random() * count), ...influence() }),
              () => ({
                path: Array.from({ length: 2 + Math.floor(3 * random()) }, place),
                closed: random() < 0.5,
                ...influence(),
              }),
            ])(),
          )
        : [],
  }
  return setup
}

/** What is wrong with boids as they are shown after whole steps; nothing if all is well. */
function faultOf(boids: Boids, kinds: readonly number[]): string | undefined {
  const { positions, velocities, matrices, species, bounds, dimensions } = boids
  const { speed } = boids.options
  const far = bounds.kind === 'sphere' ? [...bounds.center, bounds.radius] : [...bounds.min, ...bounds.max]
  // A place is as true as f32 tells places so far out apart.
  const hair = 4e-7 * Math.max(...far.map(Math.abs))
  for (const i of boids.ids.keys()) {
    const [at, going] = [three(positions, i), three(velocities, i)] as [number[], number[]]
    if (!allFinite([...at, ...going])) return `boid ${i} is not finite`
    if (outside(bounds, dimensions, at) > hair) return `boid ${i} is at ${at}, outside of ${JSON.stringify(bounds)}`
    if (dimensions === 2 && going[2] !== 0) return `boid ${i} leaves the plane`
    const pace = Math.hypot(...going)
    const own = kinds[species[i]!]!
    if (pace > speed.max * own * 1.00001 || pace < speed.min * own * 0.99999)
      return `boid ${i} goes ${pace} m/s, not from ${speed.min * own} to ${speed.max * own}`
    const { fault, astray } = matrixFaults(matrices, i, going)
    if (!(fault < 1e-4)) return `the matrix of boid ${i} is off by ${fault}: ${matrices.subarray(i * 16, i * 16 + 16)}`
    if (!(astray < 1e-4) && pace > 1e-12) return `boid ${i} looks ${astray} away from where it goes`
    if (![0, 1, 2].every((c) => matrices[i * 16 + 12 + c] === at[c])) return `the matrix of boid ${i} is elsewhere`
  }
  return undefined
}

describe.each(Object.entries(backends))('random boids on %s', (name, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  /** Plays a configuration; says what went wrong. */
  function play(setup: BoidsSetup): string | undefined {
    const boids = new Boids(limber, setup)
    const kinds = setup.species!.map((one) => Math.fround(one.speed ?? 1))
    for (let s = 0; s < STEPS; s += STRIDE) {
      // Frames of three steps, and the last by itself: it is shown as it is.
      let ran = 0
      while (ran < STRIDE - 1) ran += boids.step(Math.min(3, STRIDE - 1 - ran) / 60)
      if (!boids.positions.every(Number.isFinite) || !boids.matrices.every(Number.isFinite))
        return `step ${s}: what is drawn is not finite`
      boids.step()
      const fault = faultOf(boids, kinds)
      if (fault) return `step ${s + STRIDE}: ${fault}`
    }
    boids.dispose()
    return undefined
  }

  it(`${CONFIGURATIONS[name]} configurations × ${STEPS} steps stay whole`, async () => {
    const faults: string[] = []
    for (let seed = 1; seed <= CONFIGURATIONS[name]! && faults.length < 10; seed++) {
      try {
        const fault = play(configuration(seed))
        if (fault) faults.push(`configuration ${seed}, ${fault}`)
      } catch (error) {
        faults.push(`configuration ${seed}: ${(error as Error).message}`)
        // The backend may be lost.
        limber = await load()
      }
    }
    expect(faults).toEqual([])
  })

  it('snapshots of them bring back the exact run', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const boids = new Boids(limber, configuration(seed))
      for (let s = 0; s < 10; s++) boids.step(1 / 50)
      const saved = boids.snapshot()
      const run = () => {
        for (let s = 0; s < 10; s++) boids.step(1 / 50)
        return [boids.hash(), ...boids.matrices]
      }
      const first = run()
      boids.restore(saved)
      expect(boids.snapshot(), `configuration ${seed}`).toEqual(saved)
      expect(run(), `configuration ${seed}`).toEqual(first)
      boids.dispose()
    }
  })
})

/** Runs of a property: the same ones every time. */
const BUDGET = { numRuns: 250, seed: 20 }
const strange = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -0, 1e39, null, undefined, true, 'NaN', '', [], {}, 2 ** 32, -1, 0.5),
  fc.anything(),
)

describe.each(Object.entries(backends))('whatever is thrown at boids on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  /** What `run` gives, or nothing when it is refused with a code of the caller's making. */
  function attempt<T>(run: () => T): T | undefined {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof LimberError)) throw error
      expect(['invalid-option', 'invalid-input', 'invalid-snapshot']).toContain(error.code)
      expect(error.message.length).toBeGreaterThan(10)
      return undefined
    }
  }
  const goesOn = (boids: Boids | undefined) => {
    if (!boids) return false
    for (let s = 0; s < 5; s++) attempt(() => boids.step(1 / 50))
    expect(allFinite([...boids.positions, ...boids.velocities, ...boids.matrices])).toBe(true)
    return true
  }
  const KEYS = [
    ...[
      'count',
      'dimensions',
      'bounds',
      'seed',
      'matrices',
      'initial',
      'species',
      'attractors',
      'repellers',
      'obstacles',
    ],
    ...['rules', 'speed', 'turnLimit', 'wander', 'topological', 'nearest', 'walls', 'avoidance', 'flight', 'hunt'],
    ...['banking', 'threads', 'interpolate'],
  ]

  it('setups', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.constantFrom(...KEYS), strange, fc.nat(3), (seed, key, value, depth) => {
        // A sound one, of which something is replaced: the whole, a part of it, or a part of a part.
        const copy = configuration(seed) as Record<string, unknown>
        let [owner, name] = [copy, key]
        for (let d = 0; d < depth; d++) {
          const inner = owner[name] as Record<string, unknown> | undefined
          if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break
          ;[owner, name] = [inner, Object.keys(inner)[seed % Object.keys(inner).length]!]
        }
        owner[name] = value
        const boids = attempt(() => new Boids(limber, copy as never))
        if (boids && boids.ids.length < 10_000) goesOn(boids)
        boids?.dispose()
        attempt(() => new Boids(limber, value as never))?.dispose()
      }),
      BUDGET,
    )
  })

  it('changes while they run', () => {
    let ran = 0
    fc.assert(
      fc.property(
        fc.nat(10_000),
        fc.array(fc.tuple(fc.nat(11), strange, fc.nat(10_000)), { maxLength: 8 }),
        (seed, acts) => {
          const boids = new Boids(limber, configuration(seed))
          let saved: Uint8Array | undefined
          for (const [act, value, other] of acts) {
            const wrong = value as never
            const { rules, speed, wander, turnLimit, walls, bounds, obstacles } = configuration(other)
            if (act === 0) attempt(() => boids.configure(wrong))
            if (act === 1) attempt(() => boids.configure({ rules, speed, wander, turnLimit, walls } as never))
            if (act === 2) attempt(() => (boids.bounds = (other % 2 ? bounds : value) as never))
            if (act === 3) attempt(() => (boids.obstacles = (other % 2 ? obstacles : value) as never))
            if (act === 4) attempt(() => (boids.rules.cohesion.radius = wrong))
            if (act === 5)
              attempt(() => boids.teleport(new Matrix4().makeRotationX(other).setPosition(other, wrong, 0)))
            if (act === 6) saved = boids.snapshot()
            if (act === 7 && saved) attempt(() => boids.restore(saved!))
            if (act === 8) boids.reset()
            if (act === 9) attempt(() => boids.query(wrong, other))
            if (act === 10) attempt(() => boids.neighbours(other % 2 ? boids.ids[0]! : wrong))
            if (act === 11) {
              boids.repellers.push(wrong)
              attempt(() => boids.step())
              boids.repellers.pop()
            }
            goesOn(boids)
          }
          ran++
          boids.dispose()
        },
      ),
      BUDGET,
    )
    expect(ran).toBe(BUDGET.numRuns)
  })

  it('snapshots of anything', () => {
    const boids = new Boids(limber, {
      species: [{ count: 10 }, { count: 2, hunts: [0] }],
      repellers: [{ position: [0, 0, 0] }],
    })
    for (let s = 0; s < 20; s++) boids.step(1 / 50)
    const whole = boids.snapshot()
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }),
        (bytes, changes) => {
          attempt(() => boids.restore(bytes))
          const broken = whole.slice()
          for (const [at, value] of changes) broken[at] = value
          attempt(() => boids.restore(broken))
          goesOn(boids)
          boids.restore(whole)
        },
      ),
      BUDGET,
    )
    boids.dispose()
  })
})
