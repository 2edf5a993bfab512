import fc from 'fast-check'
import { LimberError, Ragdoll, type Backend } from 'limber'
import { Bone, Matrix4, Object3D, Quaternion, type SkinnedMesh } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { allFinite } from '../../../tests/helpers.mjs'
import { poseOf } from '../../../tests/jiggle/chain.mjs'
import { humanoid } from '../../../tests/ragdoll/humanoid.mjs'

/** Runs of a property: the same ones every time. */
const BUDGET = { numRuns: 250, seed: 20 }

const strange = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -0, 1e39, null, undefined, true, 'NaN', '', [], {}, 2 ** 32, -1, 0.5),
  fc.anything(),
)
const sound = (low: number, high: number) => fc.double({ min: low, max: high, noNaN: true })
const mostly = <T>(arbitrary: fc.Arbitrary<T>, weight = 1500) => fc.oneof({ weight, arbitrary }, strange)
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const near = fc.float({ min: -1, max: 1, noNaN: true })
const coordinate = fc.oneof({ weight: 20, arbitrary: near }, fc.constantFrom(0, 1e-30, 1e6, -1e6, 1e7, NaN, Infinity))
const vector = fc.tuple(coordinate, coordinate, coordinate)
const place = fc.tuple(near, near, near)
const turn = fc
  .tuple(near, near, near, near)
  .map(([x, y, z, w]) => (Math.hypot(x, y, z, w) > 0.1 ? new Quaternion(x, y, z, w).normalize() : new Quaternion()))
const scale = fc.oneof(
  { weight: 8, arbitrary: fc.constant([1, 1, 1] as const) },
  fc.constantFrom([0.01, 0.01, 0.01] as const, [-1, 1, 1] as const, [1, 2, 3] as const, [0, 0, 0] as const),
)

/** A tree: each object hangs on one that was before it. */
const tree = fc.array(fc.record({ parent: fc.nat(), place, turn, scale }), { minLength: 1, maxLength: 8 })
type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never

const point = fc.record(
  {
    bone: some(fc.nat()),
    position: mostly(place),
    radius: mostly(sound(0, 0.3)),
    weight: fc.oneof(fc.record({ mass: mostly(sound(0.01, 100)) }), fc.record({ inverseMass: mostly(sound(0, 10)) }), {
      weight: 4,
      arbitrary: fc.constant({}),
    }),
    velocity: some(mostly(place)),
  },
  { requiredKeys: ['position', 'weight'] },
)
const index = mostly(fc.nat(9))
const link = fc.oneof(
  fc.tuple(index, index),
  fc.tuple(index, index, mostly(sound(0, 2))),
  fc.tuple(index, index, mostly(sound(0, 2)), fc.boolean()),
  fc.record({ a: index, b: index, rest: some(mostly(sound(0, 2))), minOnly: some(fc.boolean()) }),
)
const three = fc.tuple(index, index, index)
const limit = fc.oneof(
  fc.record({
    kind: fc.constant('hinge'),
    points: fc.tuple(index, index, index, index),
    min: mostly(sound(-3, 0)),
    max: mostly(sound(0, 3)),
  }),
  fc.record({
    kind: fc.constant('cone'),
    frame: three,
    points: fc.tuple(index, index),
    axis: mostly(place),
    angle: mostly(sound(0, 3)),
  }),
  fc.record({ kind: fc.constant('twist'), frame: three, points: three, angle: mostly(sound(0, 3)) }),
)
const capsule = fc.record({ points: fc.tuple(index, index), radius: mostly(sound(0, 0.3)) })
const boneOf = fc.record(
  { bone: fc.nat(), points: fc.oneof(three, fc.tuple(index, index)), parent: some(fc.nat()) },
  { requiredKeys: ['bone', 'points'] },
)
const collider = fc.oneof(
  fc.record({ kind: fc.constant('sphere'), center: place, radius: sound(0, 1), inside: some(fc.boolean()) }),
  fc.record({ kind: fc.constant('capsule'), a: place, b: place, radius: sound(0, 1) }),
  fc.record({ kind: fc.constant('box'), center: place, halfExtents: fc.constant([0.3, 0.1, 0.5]) }),
  fc.record({ kind: fc.constant('plane'), normal: place, offset: near }),
)
const options = {
  iterations: mostly(fc.integer({ min: 1, max: 64 })),
  classic: mostly(fc.boolean()),
  velocityKeep: mostly(sound(0, 1)),
  floor: mostly(fc.option(sound(-1, 1))),
  floorFriction: mostly(sound(0, 1)),
  damping: mostly(sound(0, 1)),
  selfCollision: mostly(fc.boolean()),
  sleepDistance: mostly(sound(0, 1)),
  sleepTime: mostly(fc.option(sound(0.05, 1))),
  interpolate: fc.boolean(),
}
const setup = fc.record(
  {
    ...options,
    gravity: mostly(place),
    colliders: fc.array(collider, { maxLength: 2 }),
    bodies: fc.constantFrom(1, 2, 5),
  },
  { requiredKeys: [] },
)
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constantFrom('activate', 'part', 'getUp', 'settle', 'wake', 'reset', 'save', 'restore', 'one'),
      body: fc.nat(),
      object: fc.nat(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('turn'), object: fc.nat(), turn }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('move'), object: fc.nat(), place }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('scale'), object: fc.nat(), scale }) },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constant('hit'),
      body: fc.nat(),
      point: vector,
      impulse: mostly(vector),
      falloff: mostly(sound(0, 3)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('strength'), body: fc.nat(), strength: mostly(sound(0, 1)) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('teleport'), by: vector }) },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant('configure'),
      change: fc.oneof(fc.record(options, { requiredKeys: [] }), fc.anything()),
    }),
  },
)
const frames = fc.array(
  fc.record({ acts: fc.array(act, { maxLength: 3 }), dt: mostly(fc.constantFrom(1 / 240, 1 / 60, 1 / 24, 0, 60), 20) }),
  { minLength: 1, maxLength: 12 },
)
type Frames = typeof frames extends fc.Arbitrary<infer T> ? T : never

describe.each(Object.entries(backends))('whatever is thrown at ragdolls on %s', (_, load) => {
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
      const object = new Bone()
      object.position.fromArray(row.place)
      object.quaternion.copy(row.turn)
      object.scale.fromArray(row.scale)
      objects[row.parent % objects.length]!.add(object)
      objects.push(object)
    }
    return objects
  }

  /** Plays frames; all stays finite, and what the ragdoll does not write keeps what it was given. */
  function play(ragdoll: Ragdoll, objects: Object3D[], written: Set<Object3D>, played: Frames) {
    const pick = (n: number) => objects[n % objects.length]!
    const own = new Map(objects.map((object) => [object, poseOf(object)]))
    let saved: Uint8Array | undefined
    for (const { acts, dt } of played) {
      for (const one of acts as never as Record<string, never>[]) {
        const body = ragdoll.bodies[(one.body ?? 0) % ragdoll.bodies.length]!
        const object = pick(one.object ?? 0)
        if (one.name === 'activate') attempt(() => body.activate())
        if (one.name === 'part') attempt(() => body.activate({ from: object }))
        if (one.name === 'getUp') attempt(() => body.getUp({ duration: 0.05 }))
        if (one.name === 'settle') attempt(() => body.settle())
        if (one.name === 'wake') attempt(() => body.wake())
        if (one.name === 'hit') attempt(() => body.hit(one.point, one.impulse, one.falloff))
        if (one.name === 'strength') attempt(() => void (body.strength = one.strength))
        if (one.name === 'reset') attempt(() => ragdoll.reset())
        if (one.name === 'save') saved = ragdoll.snapshot()
        if (one.name === 'restore' && saved) attempt(() => ragdoll.restore(saved!))
        if (one.name === 'one') attempt(() => ragdoll.step())
        if (one.name === 'configure') attempt(() => ragdoll.configure(one.change))
        if (one.name === 'teleport')
          attempt(() => ragdoll.teleport(new Matrix4().makeTranslation(...(one.by as [number, number, number]))))
        if (one.name === 'turn') object.quaternion.copy(one.turn as Quaternion)
        if (one.name === 'move') object.position.fromArray(one.place)
        if (one.name === 'scale') object.scale.fromArray(one.scale)
        if (['turn', 'move', 'scale'].includes(one.name as string)) own.set(object, poseOf(object))
      }
      attempt(() => ragdoll.step(dt as number))
      expect(allFinite([...ragdoll.points])).toBe(true)
      for (const object of objects) {
        expect(allFinite(poseOf(object))).toBe(true)
        expect(Math.abs(object.quaternion.length() - 1)).toBeLessThan(1e-5)
        const turned = new Quaternion().setFromEuler(object.rotation)
        expect(Math.abs(Math.abs(turned.dot(object.quaternion)) - 1)).toBeLessThan(1e-4)
        if (!written.has(object)) expect(poseOf(object)).toEqual(own.get(object))
      }
    }
  }

  it('bodies by hand stay whole, on bones or without', () => {
    let ran = 0
    fc.assert(
      fc.property(
        tree,
        fc.array(point, { minLength: 3, maxLength: 10 }),
        fc.array(link, { maxLength: 12 }),
        fc.array(boneOf, { minLength: 1, maxLength: 3 }),
        fc.array(limit, { maxLength: 2 }),
        fc.array(capsule, { maxLength: 3 }),
        setup,
        frames,
        fc.boolean(),
        (rows, points, links, bones, limits, capsules, more, played, boned) => {
          const objects = plant(rows)
          const pick = (n: number) => objects[n % objects.length]!
          const count = points.length
          // Most of them exist.
          const known = (v: unknown) => Number.isInteger(v) && (v as number) >= 0 && (v as number) <= 9
          const within = (value: unknown): unknown =>
            Array.isArray(value)
              ? value.map((v, i) => (known(v) ? ((v as number) + (value.indexOf(v) < i ? i : 0)) % count : v))
              : value
          // The first is of the root, so that all others hang on it.
          const picked = bones.map(({ bone }, b) => (b === 0 ? objects[0]! : pick(bone)))
          const wished = new Set(picked)
          const given = {
            points: points.map(({ bone, weight, ...rest }) => ({
              ...rest,
              ...weight,
              ...(boned && { bone: pick(bone ?? 0) }),
            })),
            links: links.map((l) => (Array.isArray(l) ? [...(within(l.slice(0, 2)) as []), ...l.slice(2)] : l)),
            ...(boned && {
              bones: bones.map(({ points: own, parent }, b) => ({
                bone: picked[b],
                points: b === 0 ? [0, 1, 2] : within(own),
                ...(parent !== undefined && { parent: pick(parent) }),
              })),
            }),
            limits: limits.map((l) => ({
              ...l,
              points: within(l.points),
              ...('frame' in l && { frame: within(l.frame) }),
            })),
            capsules: capsules.map((c) => ({ ...c, points: within(c.points) })),
            ...more,
            ...(boned && { bodies: 1 }),
          }
          const before = objects.map(poseOf)
          const ragdoll = attempt(() => new Ragdoll(limber, given as never))
          if (!ragdoll) {
            expect(objects.map(poseOf)).toEqual(before)
            return
          }
          ran += 1
          // Those between mapped bones, and a root, are written too.
          const written = new Set<Object3D>()
          if (boned)
            for (const object of objects)
              for (const bone of wished) {
                let above: Object3D | null = bone
                while (above && above !== object) above = above.parent
                if (above) written.add(object)
              }
          play(ragdoll, objects, written, played)
          ragdoll.dispose()
          expect(objects.every((object) => allFinite(poseOf(object)))).toBe(true)
        },
      ),
      BUDGET,
    )
    // Enough of them were not refused.
    expect(ran).toBeGreaterThan(BUDGET.numRuns / 10)
  })

  it('skeletons stay whole', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.01, 0.25, 1, 100),
        fc.constantFrom(0.02, 1, 20),
        fc.record(options, { requiredKeys: [] }),
        frames,
        (armature, size, more, played) => {
          const { group, mesh, bones } = humanoid({ scale: armature, size })
          const objects = [group, ...Object.values(bones)]
          const ragdoll = attempt(() => Ragdoll.fromSkeleton(limber, mesh, more as never))
          if (!ragdoll) return
          const own = played.map(({ acts, dt }) => ({
            dt,
            // Hips at the neck, or a scale of 0, would be another body.
            acts: acts.filter(({ name }) => name !== 'move' && name !== 'scale'),
          }))
          play(ragdoll, objects, new Set(objects), own as Frames)
          ragdoll.dispose()
        },
      ),
      BUDGET,
    )
  })

  it('setups of anything', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (one, other) => {
        attempt(() => new Ragdoll(limber, one as never))?.dispose()
        attempt(() => new Ragdoll(limber, { points: one, links: other } as never))?.dispose()
        const points = [{ position: [0, 1, 0] }, { position: [0, 2, 0] }]
        for (const key of ['links', 'bones', 'limits', 'capsules', 'bodies', 'root', 'colliders', 'gravity'])
          attempt(() => new Ragdoll(limber, { points, links: [], [key]: one } as never))?.dispose()
        attempt(() => Ragdoll.fromSkeleton(limber, one as never, other as never))?.dispose()
        const { mesh } = humanoid()
        attempt(() => Ragdoll.fromSkeleton(limber, mesh as SkinnedMesh, { map: one } as never))?.dispose()
        attempt(() => Ragdoll.fromSkeleton(limber, mesh as SkinnedMesh, one as never))?.dispose()
      }),
      { ...BUDGET, numRuns: 120 },
    )
  })

  it('snapshots of anything', () => {
    const ragdoll = new Ragdoll(limber, {
      points: [{ position: [0, 1, 0] }, { position: [0, 2, 0] }, { position: [1, 2, 0] }],
      links: [
        [0, 1],
        [1, 2],
      ],
      bodies: 2,
    })
    for (let f = 0; f < 20; f++) ragdoll.step(1 / 60)
    const whole = ragdoll.snapshot()
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }),
        (bytes, changes) => {
          attempt(() => ragdoll.restore(bytes))
          const broken = whole.slice()
          for (const [at, value] of changes) broken[at] = value
          attempt(() => ragdoll.restore(broken))
          for (let f = 0; f < 3; f++) {
            ragdoll.step(1 / 60)
            expect(allFinite([...ragdoll.points])).toBe(true)
          }
        },
      ),
      BUDGET,
    )
    ragdoll.restore(whole)
    expect(ragdoll.snapshot()).toEqual(whole)
    ragdoll.dispose()
  })
})
