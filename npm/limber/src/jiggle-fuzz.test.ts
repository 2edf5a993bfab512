import fc from 'fast-check'
import { JiggleBones, LimberError, type Backend } from 'limber'
import { Bone, Euler, Matrix4, Object3D, Quaternion, type EulerOrder } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { allFinite, farthest } from '../../../tests/helpers.mjs'
import { poseOf } from '../../../tests/jiggle/chain.mjs'

/** Runs of a property: the same ones every time. */
const BUDGET = { numRuns: 250, seed: 20 }

const strange = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -0, 1e39, null, undefined, true, 'NaN', '', [], {}, 2 ** 32, -1, 0.5),
  fc.anything(),
)
const sound = (low: number, high: number) => fc.double({ min: low, max: high, noNaN: true })
const mostly = <T>(arbitrary: fc.Arbitrary<T>, weight = 200) => fc.oneof({ weight, arbitrary }, strange)
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const coordinate = fc.oneof(
  { weight: 12, arbitrary: fc.float({ min: -2, max: 2, noNaN: true }) },
  fc.constantFrom(0, 1e-30, 1e6, -1e6, 1e7, NaN, Infinity),
)
const near = fc.float({ min: -1, max: 1, noNaN: true })
const vector = fc.tuple(coordinate, coordinate, coordinate)
const place = fc.tuple(near, near, near)
const turn = fc
  .tuple(near, near, near, near)
  .map(([x, y, z, w]) => (Math.hypot(x, y, z, w) > 0.1 ? new Quaternion(x, y, z, w).normalize() : new Quaternion()))
const scale = fc.oneof(
  { weight: 6, arbitrary: fc.constant([1, 1, 1] as const) },
  fc.constantFrom(
    [0.01, 0.01, 0.01] as const,
    [-1, 1, 1] as const,
    [1, 2, 3] as const,
    [0, 0, 0] as const,
    [1e-6, 1, 1e6] as const,
  ),
)

/** A tree: each object hangs on one that was before it. */
const tree = fc.array(
  fc.record({
    parent: fc.nat(),
    isBone: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
    place,
    turn,
    scale,
    order: fc.constantFrom<EulerOrder>('XYZ', 'YZX', 'ZYX', 'ZXY'),
  }),
  { minLength: 1, maxLength: 14 },
)
type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never

const curve = mostly(fc.array(sound(0, 3), { minLength: 1, maxLength: 4 }))
const limit = fc.oneof(
  fc.record({
    kind: fc.constantFrom('cone', 'hinge'),
    angle: sound(0, Math.PI),
    rotation: some(fc.tuple(near, near, near, near)),
  }),
  fc.record({ kind: fc.constant('spherical'), phi: sound(0, Math.PI), theta: sound(0, Math.PI / 2) }),
)
const collider = fc.oneof(
  fc.record({
    kind: fc.constant('sphere'),
    center: place,
    radius: sound(0, 1),
    inside: some(fc.boolean()),
    follow: some(fc.nat()),
  }),
  fc.record({
    kind: fc.constant('capsule'),
    a: place,
    b: place,
    radius: sound(0, 1),
    chains: some(fc.constant([0])),
  }),
  fc.record({ kind: fc.constant('taperedCapsule'), a: place, b: place, radiusA: sound(0, 1), radiusB: sound(0, 1) }),
  fc.record({
    kind: fc.constant('box'),
    center: place,
    halfExtents: fc.constant([0.3, 0.1, 0.5]),
    inside: some(fc.boolean()),
  }),
  fc.record({ kind: fc.constant('plane'), normal: place, offset: near }),
)
const springs = {
  stiffness: mostly(sound(0, 1)),
  damping: mostly(sound(0, 1)),
  frequency: mostly(sound(0.01, 60)),
  dampingRatio: mostly(sound(0, 10)),
}
const chain = fc.record(
  {
    first: fc.nat(),
    list: fc.boolean(),
    ...springs,
    multiplier: mostly(sound(0, 100)),
    radius: mostly(sound(0, 0.3)),
    gravityScale: mostly(sound(-100, 100)),
    windResponse: mostly(sound(0, 100)),
    inertia: mostly(sound(0, 1)),
    rate: mostly(fc.constantFrom(30, 60, 120, 333, 1000)),
    tip: mostly(place),
    curves: some(fc.record({ stiffness: mostly(curve), damping: curve, radius: curve }, { requiredKeys: [] })),
    limit: some(mostly(limit)),
    gravity: some(mostly(place)),
    rest: some(fc.constantFrom('clip', 'bind')),
    center: some(fc.nat()),
    colliders: some(fc.array(collider, { maxLength: 2 })),
  },
  { requiredKeys: ['first', 'list'] },
)
const setup = fc.record(
  {
    ...springs,
    gusts: mostly(sound(0, 2)),
    iterations: mostly(fc.integer({ min: 1, max: 64 })),
    teleportDistance: mostly(sound(0, 10)),
    teleportAngle: mostly(sound(0, 3.2)),
    interpolate: fc.boolean(),
    wind: mostly(place),
    gravity: mostly(place),
    colliders: fc.array(collider, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const act = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name: fc.constant('move'),
      object: fc.nat(),
      place: mostly(place as fc.Arbitrary<unknown>, 20),
    }),
  },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('turn'), object: fc.nat(), turn }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant('scale'), object: fc.nat(), scale }) },
  {
    weight: 2,
    arbitrary: fc.record({ name: fc.constantFrom('enable', 'disable', 'reset', 'carry', 'save', 'restore', 'one') }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('teleport'), by: vector }) },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant('configure'),
      change: fc.oneof(fc.record(springs, { requiredKeys: [] }), fc.anything()),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('hang'), object: fc.nat(), on: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('blow'), by: vector }) },
)
const frames = fc.array(
  fc.record({ acts: fc.array(act, { maxLength: 3 }), dt: mostly(fc.constantFrom(1 / 240, 1 / 60, 1 / 24, 0, 60), 20) }),
  {
    minLength: 1,
    maxLength: 12,
  },
)

describe.each(Object.entries(backends))('whatever is thrown at jiggle bones on %s', (_, load) => {
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

  function plant(rows: Tree) {
    const root = new Object3D()
    const objects = [root]
    for (const row of rows) {
      const object = row.isBone ? new Bone() : new Object3D()
      object.position.fromArray(row.place)
      object.rotation.order = row.order
      object.quaternion.copy(row.turn)
      object.scale.fromArray(row.scale)
      objects[row.parent % objects.length]!.add(object)
      objects.push(object)
    }
    return { root, objects }
  }
  const above = (object: Object3D, other: Object3D) => {
    for (let o: Object3D | null = other; o; o = o.parent) if (o === object) return true
    return false
  }
  /** Quaternions are of unit length, and angles say the same. */
  function isSound(bones: readonly Object3D[]) {
    for (const { quaternion, rotation } of bones) {
      expect(allFinite(quaternion.toArray())).toBe(true)
      expect(Math.abs(quaternion.length() - 1)).toBeLessThan(1e-6)
      if (rotation.order === 'XYZ') {
        const turned = new Quaternion().setFromEuler(rotation)
        const side = Math.sign(turned.dot(quaternion))
        // Where y is near a right angle x and z turn about one axis, and rounding weighs more: for three.js just as much.
        const bound = Math.min(1e-6 * Math.max(1, 0.5 / Math.abs(Math.cos(rotation.y))), 5e-4)
        const numbers = turned.toArray().map((v) => v * side)
        expect(farthest(numbers, quaternion.toArray())).toBeLessThan(bound)
      } else {
        // In other orders they are three.js's own.
        expect(rotation.toArray()).toEqual(new Euler().setFromQuaternion(quaternion, rotation.order).toArray())
      }
    }
  }

  it('bones stay whole, and are given back exactly', () => {
    let ran = 0
    fc.assert(
      fc.property(
        tree,
        fc.array(chain, { minLength: 1, maxLength: 3 }),
        setup,
        frames,
        (rows, chains, options, played) => {
          const { root, objects } = plant(rows)
          const pick = (n: number) => objects[n % objects.length]!
          const hung = (colliders: { follow?: number | undefined }[] = []) =>
            colliders.map(({ follow, ...rest }) => ({ ...rest, ...(follow !== undefined && { follow: pick(follow) }) }))
          const given = chains.map(({ first, list, center, colliders, ...rest }) => ({
            ...rest,
            bones: list ? [pick(first)] : pick(first),
            ...(center !== undefined && { center: pick(center) }),
            ...(colliders && { colliders: hung(colliders as never) }),
          }))
          const before = objects.map(poseOf)
          const jiggle = attempt(
            () =>
              new JiggleBones(
                limber,
                given as never,
                { ...options, ...(options.colliders && { colliders: hung(options.colliders as never) }) } as never,
              ),
          )
          if (!jiggle) {
            expect(objects.map(poseOf)).toEqual(before)
            return
          }
          ran += 1
          // The poses that bones would have without it.
          const own = new Map(objects.map((object) => [object, poseOf(object)]))
          const swings = new Set(jiggle.bones)
          let saved: Uint8Array | undefined
          for (const { acts, dt } of played) {
            for (const one of acts as never as Record<string, never>[]) {
              const object = pick(one.object ?? 0)
              const pose = own.get(object)!
              if (one.name === 'move')
                object.position.fromArray(Array.isArray(one.place) ? (one.place as number[]) : [NaN, 0, 0])
              if (one.name === 'turn') {
                object.quaternion.copy(one.turn as Quaternion)
                pose.splice(3, 7, ...poseOf(object).slice(3, 10))
              }
              if (one.name === 'scale') object.scale.fromArray(one.scale)
              if (one.name === 'enable') jiggle.enabled = true
              if (one.name === 'disable') jiggle.enabled = false
              if (one.name === 'reset') attempt(() => jiggle.reset())
              if (one.name === 'carry') attempt(() => jiggle.teleport())
              if (one.name === 'teleport')
                attempt(() => jiggle.teleport(new Matrix4().makeTranslation(...(one.by as [number, number, number]))))
              if (one.name === 'save') saved = jiggle.snapshot()
              if (one.name === 'restore' && saved) {
                // Poses come back with it: what they were is another's test.
                if (
                  objects.every((each) =>
                    own
                      .get(each)!
                      .slice(3, 7)
                      .every((v, i) => v === before[objects.indexOf(each)]![i + 3]),
                  )
                )
                  attempt(() => jiggle.restore(saved!))
              }
              if (one.name === 'one') attempt(() => jiggle.step())
              if (one.name === 'configure') attempt(() => jiggle.configure(one.change))
              if (one.name === 'blow') jiggle.wind.fromArray(one.by)
              if (one.name === 'hang' && object === objects[1] && !above(object, pick(one.on))) pick(one.on).add(object)
            }
            attempt(() => jiggle.step(dt as number))
            if (jiggle.enabled) isSound(jiggle.bones)
            else
              for (const object of objects) expect(poseOf(object).slice(3, 10)).toEqual(own.get(object)!.slice(3, 10))
            for (const object of objects) {
              if (!swings.has(object)) expect(poseOf(object).slice(3, 10)).toEqual(own.get(object)!.slice(3, 10))
            }
            // Mended before the next frame.
            for (const object of objects) {
              if (!object.position.toArray().every((v) => Math.abs(v) <= 2)) object.position.set(0, 0.1, 0)
            }
            if (!allFinite(jiggle.wind.toArray()) || jiggle.wind.length() > 1e6) jiggle.wind.set(0, 0, 0)
          }
          root.position.set(0, 0, 0)
          jiggle.enabled = false
          for (const object of objects) expect(poseOf(object).slice(3, 10)).toEqual(own.get(object)!.slice(3, 10))
          jiggle.dispose()
          for (const object of objects) expect(poseOf(object).slice(3, 10)).toEqual(own.get(object)!.slice(3, 10))
        },
      ),
      BUDGET,
    )
    // Enough of them were not refused.
    expect(ran).toBeGreaterThan(BUDGET.numRuns / 5)
  })

  it('chains of anything', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.anything()), fc.anything()), fc.anything(), (chains, options) => {
        attempt(() => new JiggleBones(limber, chains as never, options as never))?.dispose()
        const bone = new Bone()
        attempt(() => new JiggleBones(limber, [bone], options as never))?.dispose()
        attempt(() => new JiggleBones(limber, [{ bones: bone, ...(options as object) }]))?.dispose()
        expect(poseOf(bone)).toEqual(poseOf(new Bone()))
      }),
      BUDGET,
    )
  })

  it('files of anything', () => {
    const list = (of: fc.Arbitrary<unknown>) => mostly(fc.array(of, { maxLength: 3 }), 8)
    const joint = mostly(
      fc.record(
        {
          node: mostly(fc.nat(4), 20),
          stiffness: strange,
          hitRadius: strange,
          gravityDir: strange,
          gravityPower: strange,
        },
        { requiredKeys: ['node'] },
      ),
      20,
    )
    const one = fc.record(
      {
        springs: list(
          mostly(
            fc.record(
              { joints: list(joint), center: mostly(fc.nat(4)), colliderGroups: list(fc.nat(2)) },
              { requiredKeys: ['joints'] },
            ),
          ),
        ),
        colliders: list(strange),
        colliderGroups: list(strange),
      },
      { requiredKeys: ['springs'] },
    )
    const zero = fc.record(
      {
        boneGroups: list(
          mostly(
            fc.record({ bones: list(fc.nat(4)), hitRadius: strange, gravityDir: strange }, { requiredKeys: ['bones'] }),
          ),
        ),
        colliderGroups: list(strange),
      },
      { requiredKeys: ['boneGroups'] },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          one.map((VRMC_springBone) => ({ VRMC_springBone })),
          zero.map((secondaryAnimation) => ({ VRM: { secondaryAnimation } })),
          fc.anything(),
        ),
        (extensions) => {
          const { root, objects } = plant(
            [0, 1, 2, 0].map((parent) => ({
              parent,
              isBone: true,
              place: [0, 0.1, 0],
              turn: new Quaternion(),
              scale: [1, 1, 1],
              order: 'XYZ',
            })),
          )
          const associations = new Map(objects.slice(1).map((object, nodes) => [object, { nodes }]))
          const jiggle = attempt(() =>
            JiggleBones.fromGLTF(limber, { scene: root, parser: { json: { extensions }, associations } }),
          )
          if (!jiggle) return
          for (let i = 0; i < 4; i++) attempt(() => jiggle.step(1 / 60))
          isSound(jiggle.bones)
          jiggle.dispose()
        },
      ),
      BUDGET,
    )
  })

  it('snapshots with flipped bytes', () => {
    const { objects } = plant(
      [0, 1, 2].map((parent) => ({
        parent,
        isBone: true,
        place: [0, 0.1, 0],
        turn: new Quaternion(),
        scale: [1, 1, 1],
        order: 'XYZ',
      })),
    )
    const jiggle = new JiggleBones(limber, [{ bones: objects[1]!, tip: [0, 0.1, 0] }])
    jiggle.step()
    const bytes = jiggle.snapshot()
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (flips) => {
          const broken = bytes.slice()
          for (const [at, value] of flips) broken[at] = value
          attempt(() => jiggle.restore(broken))
          for (let i = 0; i < 4; i++) attempt(() => jiggle.step(1 / 40))
          for (const { quaternion } of jiggle.bones) expect(allFinite(quaternion.toArray())).toBe(true)
          jiggle.restore(bytes)
          jiggle.step(1 / 40)
          isSound(jiggle.bones)
        },
      ),
      BUDGET,
    )
    jiggle.dispose()
  })
})
