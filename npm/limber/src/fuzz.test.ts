import fc from 'fast-check'
import { BufferAttribute, BufferGeometry } from 'three'
import { Cloth, load, LimberError, type Backend, type Collider } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allFinite } from '../../../tests/helpers.mjs'

/** Runs of a property: the same ones every time. */
const BUDGET = { numRuns: 300, seed: 20 }

const strange = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -0, 1e39, null, undefined, true, 'NaN', '', [], {}, 2 ** 32, -1, 0.5),
  fc.anything(),
)
const option = (low: number, high: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.double({ min: low, max: high, noNaN: true }) }, strange)
const whole = (low: number, high: number) =>
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: low, max: high }) }, strange)

const options = fc.record(
  {
    iterations: whole(1, 30),
    substeps: whole(1, 4),
    stiffness: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record(
          { structural: option(0, 1), shear: option(0, 1), bend: option(0, 1) },
          { requiredKeys: [] },
        ),
      },
      strange,
    ),
    damping: option(0, 1),
    drag: option(0, 10),
    windResponse: option(0, 10),
    friction: option(0, 1),
    floor: option(-10, 10),
    interpolate: fc.oneof(fc.boolean(), strange),
  },
  { requiredKeys: [] },
)

const coordinate = fc.oneof(
  { weight: 8, arbitrary: fc.float({ min: -5, max: 5, noNaN: true }) },
  fc.constantFrom(0, 1e6, -1e6, 1e7, NaN, Infinity, 1e-40),
)
const vector = fc.tuple(coordinate, coordinate, coordinate)
const inside = fc.option(fc.boolean(), { nil: undefined })
const collider = fc.oneof(
  fc.record({ kind: fc.constant('sphere'), center: vector, radius: coordinate, inside }),
  fc.record({ kind: fc.constant('capsule'), a: vector, b: vector, radius: coordinate, friction: option(0, 1) }),
  fc.record({
    kind: fc.constant('taperedCapsule'),
    a: vector,
    b: vector,
    radiusA: coordinate,
    radiusB: coordinate,
    inside,
  }),
  fc.record({
    kind: fc.constant('box'),
    center: vector,
    halfExtents: fc.oneof(vector, fc.constant([1, 0.2, 0.5])),
    rotation: fc.tuple(coordinate, coordinate, coordinate, coordinate),
    inside,
  }),
  fc.record({ kind: fc.constant('plane'), normal: vector, offset: coordinate }),
  fc.anything(),
) as fc.Arbitrary<Collider>

describe('whatever is thrown at it, it is refused by name or stays finite', () => {
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

  function lives(cloth: Cloth): void {
    for (let i = 0; i < 10; i++) attempt(() => cloth.step(1 / 40))
    expect(allFinite(cloth.positions) && allFinite(cloth.normals)).toBe(true)
    expect(allFinite(cloth.geometry.boundingSphere!.center.toArray())).toBe(true)
  }

  it('options of a new grid', () => {
    const grid = fc.record(
      { columns: whole(2, 12), rows: whole(2, 12), width: option(0.1, 4), height: option(0.1, 4) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(options, grid, vector, (more, size, wind) => {
        const cloth = attempt(() => Cloth.grid(limber, { ...more, ...size, wind, pinned: 'corners' } as never))
        if (cloth) lives(cloth)
        cloth?.dispose()
      }),
      BUDGET,
    )
  })

  it('options of a running cloth: all or nothing', () => {
    const cloth = Cloth.grid(limber, { columns: 5, rows: 6, pinned: 'top' })
    fc.assert(
      fc.property(fc.oneof(options, fc.anything()), (change) => {
        const before = cloth.options
        const done = attempt(() => {
          cloth.configure(change as never)
          return true
        })
        if (!done) expect(cloth.options).toEqual(before)
        lives(cloth)
      }),
      BUDGET,
    )
    cloth.dispose()
  })

  it('colliders, pins and forces', () => {
    fc.assert(
      fc.property(
        fc.array(collider, { maxLength: 4 }),
        fc.array(vector, { maxLength: 6 }),
        vector,
        vector,
        (colliders, targets, wind, gravity) => {
          const cloth = Cloth.grid(limber, { columns: 5, rows: 4, pinned: 'corners' })
          attempt(() => cloth.colliders.replace(colliders))
          for (const one of colliders) attempt(() => cloth.colliders.add(one))
          attempt(() => cloth.colliders.set(0, colliders[0]!))
          targets.flat().forEach((value, i) => (cloth.pins.targets[i] = value))
          cloth.wind.set(...wind)
          cloth.gravity.set(...gravity)
          lives(cloth)
          cloth.dispose()
        },
      ),
      BUDGET,
    )
  })

  it('geometries', () => {
    const corner = fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 9 }) },
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    )
    fc.assert(
      fc.property(
        fc.array(vector, { minLength: 10, maxLength: 12 }),
        fc.array(corner, { maxLength: 60 }),
        option(0, 0.1),
        (points, index, weld) => {
          const geometry = new BufferGeometry().setFromPoints(points.map(([x, y, z]) => ({ x, y, z })) as never)
          geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1))
          const cloth = attempt(() => Cloth.fromGeometry(limber, geometry, { weld: weld as number, pinned: [0] }))
          if (cloth) lives(cloth)
          cloth?.dispose()
        },
      ),
      BUDGET,
    )
  })

  it('snapshots with flipped bytes', () => {
    const cloth = Cloth.grid(limber, { columns: 4, rows: 4, pinned: 'top' })
    cloth.step()
    const bytes = cloth.snapshot()
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (flips) => {
          const broken = bytes.slice()
          for (const [at, value] of flips) broken[at] = value
          attempt(() => cloth.restore(broken))
          lives(cloth)
          cloth.restore(bytes)
        },
      ),
      BUDGET,
    )
    cloth.dispose()
  })
})
