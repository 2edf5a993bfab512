import { Matrix4, Object3D, Quaternion, Vector3 } from 'three'
import { Cloth, type Backend, type BoxCollider, type Collider } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { allFinite, farthest, refusal } from '../../../tests/helpers.mjs'

const shoulder: Collider = { kind: 'taperedCapsule', a: [0, 0, 0], b: [0, 1, 0], radiusA: 0.4, radiusB: 0.1 }
const chest: Collider = { kind: 'box', center: [0, 0.5, 0], halfExtents: [0.3, 0.2, 0.4] }

describe.each(Object.entries(backends))('colliders on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  /** A sheet of 1 m at height `y` that falls on what is below. */
  const sheet = (colliders: Collider[], y = 1.2, more = {}) =>
    Cloth.grid(limber, {
      columns: 17,
      rows: 17,
      place: (i, j, out) => out.set(i / 16 - 0.5, y, j / 16 - 0.5),
      floor: -2,
      colliders,
      ...more,
    })
  const run = (cloth: Cloth, steps: number) => {
    for (let i = 0; i < steps; i++) cloth.step(1 / 60)
  }
  const points = (cloth: Cloth) =>
    Array.from({ length: cloth.stats.vertices }, (_, v) => new Vector3().fromArray(cloth.positions, v * 3))
  /** How far the point of a cloth that is deepest in a solid is from its surface; below 0 inside. */
  const nearest = (cloth: Cloth, distance: (p: Vector3) => number) => Math.min(...points(cloth).map(distance))
  const toBox = (p: Vector3, { center, halfExtents, rotation }: BoxCollider) => {
    const local = p.clone().sub(new Vector3(...(center as [number, number, number])))
    if (rotation) local.applyQuaternion(new Quaternion(...(rotation as [number, number, number, number])).invert())
    const beyond = local.toArray().map((c, i) => Math.abs(c) - (halfExtents as number[])[i]!)
    const inside = Math.max(...beyond)
    return inside < 0 ? inside : Math.hypot(...beyond.map((c) => Math.max(c, 0)))
  }

  it('a sheet lies on a box, also on a turned one that moves', () => {
    const still = sheet([{ ...chest, friction: 1 }])
    run(still, 90)
    expect(nearest(still, (p) => toBox(p, chest as BoxCollider))).toBeGreaterThan(-1e-3)
    expect(points(still)[8 * 17 + 8]!.y).toBeCloseTo(0.7, 2)
    still.dispose()

    const turning = sheet([chest])
    const box = { ...chest, rotation: [0, 0, 0, 1] } as BoxCollider & { rotation: number[] }
    for (let i = 0; i < 120; i++) {
      box.rotation = new Quaternion().setFromAxisAngle(new Vector3(0.6, 0, 0.8), i / 30).toArray()
      turning.colliders.set(0, box)
      turning.step()
      expect(nearest(turning, (p) => toBox(p, box))).toBeGreaterThan(-0.01)
    }
    expect(allFinite(turning.positions)).toBe(true)
    turning.dispose()
  })

  it('a sheet lies on a tapered capsule, whose side is the cone that touches both balls', () => {
    const cloth = sheet([{ ...shoulder, friction: 0.8 }], 1.3)
    // The nearest of the balls between the ends, by trying many.
    const distance = (p: Vector3) => {
      let least = Infinity
      for (let t = 0; t <= 1; t += 1 / 256) least = Math.min(least, p.distanceTo(new Vector3(0, t, 0)) - 0.4 + 0.3 * t)
      return least
    }
    for (let i = 0; i < 6; i++) {
      run(cloth, 15)
      expect(nearest(cloth, distance)).toBeGreaterThan(-1e-3)
    }
    // It hangs down along the side, and closely.
    const beside = points(cloth).filter((p) => p.y > 0.2 && p.y < 0.8)
    expect(Math.min(...beside.map(distance))).toBeLessThan(0.01)
    cloth.dispose()
  })

  it.each([
    [
      'sphere',
      { kind: 'sphere', center: [0, 1, 0], radius: 0.8, inside: true },
      (p: Vector3) => 0.8 - p.distanceTo(new Vector3(0, 1, 0)),
    ],
    [
      'capsule',
      { kind: 'capsule', a: [-0.5, 1, 0], b: [0.5, 1, 0], radius: 0.6, inside: true },
      (p: Vector3) => 0.6 - p.distanceTo(new Vector3(Math.min(Math.max(p.x, -0.5), 0.5), 1, 0)),
    ],
    [
      'box',
      { ...chest, halfExtents: [0.6, 0.8, 0.7], inside: true },
      (p: Vector3) => -toBox(p, { ...chest, halfExtents: [0.6, 0.8, 0.7] } as BoxCollider),
    ],
  ] as [string, Collider, (p: Vector3) => number][])('a sheet stays inside a %s', (_, room, distance) => {
    const cloth = sheet([room], 1)
    for (let i = 0; i < 60; i++) {
      cloth.wind.set(30 * Math.cos(i / 9), 0, 30 * Math.sin(i / 9))
      cloth.step()
      expect(nearest(cloth, distance)).toBeGreaterThan(-2e-3)
    }
    cloth.wind.set(0, 0, 0)
    run(cloth, 120)
    // It has fallen to the bottom.
    expect(nearest(cloth, distance)).toBeLessThan(0.01)
    cloth.dispose()
  })

  it('a fast box and a fast tapered capsule do not jump over a hanging sheet', () => {
    for (const kind of ['box', 'taperedCapsule'] as const) {
      const at = (z: number): Collider =>
        kind === 'box'
          ? { kind, center: [0, 0, z], halfExtents: [0.2, 0.2, 0.1] }
          : { kind, a: [-0.2, 0, z], b: [0.2, 0, z], radiusA: 0.2, radiusB: 0.1 }
      const cloth = sheet([at(-0.25)], 0, {
        pinned: 'top',
        place: (i: number, j: number, out: Vector3) => out.set(i / 16 - 0.5, 0.5 - j / 16, 0),
      })
      cloth.step()
      cloth.colliders.set(0, at(0.25))
      cloth.step()
      // It slips along the capsule, and stays in front of it.
      expect(points(cloth)[8 * 17 + 8]!.z).toBeGreaterThan(kind === 'box' ? 0.34 : 0.1)
      cloth.dispose()
    }
  })

  it('say back what was set', () => {
    const cloth = sheet([])
    const { colliders } = cloth
    colliders.add(shoulder)
    colliders.add({ ...chest, rotation: new Quaternion(0, 2, 0, 0), friction: 0.5 })
    colliders.add({ ...chest, inside: true })
    colliders.add({ kind: 'sphere', center: [1, 2, 3], radius: 4, inside: true })
    colliders.add({ kind: 'sphere', center: [1, 2, 3], radius: 4, inside: false })
    const expected: Collider[] = [
      { ...shoulder, friction: 0 },
      { ...chest, rotation: [0, 1, 0, 0], friction: 0.5 },
      { ...chest, rotation: [0, 0, 0, 1], inside: true, friction: 0 },
      { kind: 'sphere', center: [1, 2, 3], radius: 4, inside: true, friction: 0 },
      { kind: 'sphere', center: [1, 2, 3], radius: 4, friction: 0 },
    ]
    expect([...colliders]).toEqual(expected)
    colliders.set(3, expected[4]!)
    expect(colliders.at(3)).toEqual(expected[4])
    const saved = cloth.snapshot()
    colliders.set(0, { ...shoulder, radiusB: 0.2 })
    cloth.restore(saved)
    expect(farthest([(colliders.at(0) as { radiusB: number }).radiusB], [0.1])).toBeLessThan(1e-7)
    colliders.set(4, { ...expected[4]!, inside: true } as Collider)
    expect(refusal(() => cloth.restore(saved)).code).toBe('invalid-snapshot')
    cloth.dispose()
  })

  describe('that follow an object', () => {
    /** The numbers of collider 0 in the core. */
    const pose = (cloth: Cloth) => [...(cloth as unknown as { views: { colliders: Float32Array } }).views.colliders]

    it('take its turn and its scale', () => {
      const object = new Object3D()
      const parent = new Object3D().add(object)
      parent.position.set(0, 1, 0)
      parent.rotation.z = Math.PI / 2
      object.scale.set(2, 1, 3)
      const cloth = sheet([
        { ...chest, follow: object },
        { ...shoulder, follow: object },
      ])
      cloth.step()
      const half = Math.SQRT1_2
      expect(farthest(pose(cloth).slice(0, 12), [-0.5, 1, 0, 0.6, 0.2, 1.2, 0, 0, 0, 0, half, half])).toBeLessThan(1e-6)
      expect(farthest(pose(cloth).slice(12, 24), [0, 1, 0, -1, 1, 0, 1.2, 0, 0.3, 0, 0, 0])).toBeLessThan(1e-6)
      cloth.dispose()
    })

    it('a slanted box keeps the lengths of its edges and the way of the first', () => {
      const object = new Object3D()
      object.scale.set(1, 3, 1)
      const rotation = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 4)
      const cloth = sheet([{ ...chest, rotation, follow: object }])
      cloth.step()
      const [, , , ...rest] = pose(cloth)
      const edge = Math.sqrt(5)
      expect(farthest(rest.slice(0, 3), [0.3 * edge, 0.2 * edge, 0.4])).toBeLessThan(1e-6)
      const first = new Vector3(1, 0, 0).applyQuaternion(new Quaternion().fromArray(rest, 5))
      expect(farthest(first.toArray(), [Math.sqrt(0.1), Math.sqrt(0.9), 0])).toBeLessThan(1e-6)
      cloth.dispose()
    })

    const all: Collider[] = [
      { kind: 'plane', normal: [0, 1, 0], offset: 0.5 },
      { kind: 'sphere', center: [0, 0.5, 0], radius: 0.3 },
      { kind: 'sphere', center: [0, 0.5, 0], radius: 2, inside: true },
      { kind: 'capsule', a: [0, 0, 0], b: [0, 0.5, 0], radius: 0.3 },
      shoulder,
      chest,
      { ...chest, halfExtents: [3, 3, 3], inside: true },
    ]
    const spoil: [string, (object: Object3D) => void][] = [
      ['scale 0', (object) => object.scale.setScalar(0)],
      ['a flat scale', (object) => object.scale.set(1, 0, 1)],
      ['NaN', (object) => (object.position.x = NaN)],
      ['infinity', (object) => (object.scale.y = Infinity)],
      ['a place out of reach', (object) => (object.position.y = 1e9)],
    ]

    it.each(spoil)('stay where they were at %s', (_, act) => {
      for (const collider of all) {
        const object = new Object3D()
        object.position.y = 0.25
        const cloth = sheet([{ ...collider, follow: object }])
        run(cloth, 2)
        const before = pose(cloth)
        act(object)
        run(cloth, 2)
        cloth.colliders.set(0, { ...collider, follow: object })
        cloth.colliders.add({ kind: 'sphere', center: [9, 9, 9], radius: 0.1 })
        run(cloth, 2)
        expect(pose(cloth).slice(0, 12)).toEqual(before)
        object.position.set(1, 0.3, 0)
        object.scale.setScalar(1)
        run(cloth, 2)
        expect(pose(cloth).slice(0, 12)).not.toEqual(before)
        expect(allFinite(cloth.positions)).toBe(true)
        cloth.dispose()
      }
    })

    it.each(spoil)('meet nothing while there has been nothing but %s', (_, act) => {
      const free = sheet([])
      const object = new Object3D()
      act(object)
      const cloth = sheet(all.map((collider) => ({ ...collider, follow: object })))
      run(free, 30)
      run(cloth, 30)
      expect(cloth.hash()).toBe(free.hash())
      object.position.set(0, -0.2, 0)
      object.scale.setScalar(1)
      run(cloth, 30)
      run(free, 30)
      expect(cloth.hash()).not.toBe(free.hash())
      expect(allFinite(cloth.positions)).toBe(true)
      cloth.dispose()
      free.dispose()
    })
  })

  it('cannot be changed once their cloth is disposed, nor can pins', () => {
    const cloth = sheet([shoulder], 1, { pinned: 'top' })
    const hand = new Object3D()
    cloth.attach([0, 1], hand)
    cloth.dispose()
    const { colliders, pins } = cloth
    for (const act of [
      () => colliders.set(0, shoulder),
      () => colliders.set(0, chest),
      () => colliders.add(shoulder),
      () => colliders.remove(0),
      () => colliders.clear(),
      () => colliders.replace([]),
      () => pins.set('top'),
      () => pins.set([3]),
      () => cloth.attach([0], hand),
      () => cloth.attach('bottom', hand),
      () => cloth.detach(),
      () => cloth.teleport(new Matrix4()),
    ])
      expect(refusal(act).code).toBe('disposed')
  })
})

it('colliders of all kinds move a cloth by the same bits on every backend', async () => {
  const hashes = new Set<string>()
  for (const load of Object.values(backends)) {
    const limber = await load()
    const body = new Object3D()
    const cloth = Cloth.grid(limber, {
      columns: 14,
      rows: 14,
      place: (i, j, out) => out.set(i / 13 - 0.5, 1.3, j / 13 - 0.5),
      floor: null,
      colliders: [
        { ...shoulder, friction: 0.3 },
        { ...chest, center: [0.3, 0.4, 0.1], rotation: [0.1, 0.2, 0.3, 0.9], follow: body },
        { kind: 'sphere', center: [0, 0.5, 0], radius: 1.1, inside: true, friction: 0.1 },
        { kind: 'capsule', a: [0, 0, 0], b: [0, 1, 0], radius: 1, inside: true },
        { ...shoulder, radiusA: 1.2, radiusB: 0.9, inside: true },
        { ...chest, halfExtents: [0.9, 1, 0.9], inside: true },
      ],
    })
    for (let i = 0; i < 120; i++) {
      body.rotation.set(i / 20, i / 50, 0)
      cloth.wind.set(20 * Math.cos(i / 11), 0, 20 * Math.sin(i / 7))
      cloth.step(1 / 50)
    }
    expect(allFinite(cloth.positions)).toBe(true)
    hashes.add(cloth.hash())
    limber.dispose()
  }
  expect(hashes.size).toBe(1)
})
