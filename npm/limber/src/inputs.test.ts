import { Bone, Matrix4, Object3D, PlaneGeometry, Vector3 } from 'three'
import { Cloth, type Backend, type Collider } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { farthest, refusal } from '../../../tests/helpers.mjs'

describe.each(Object.entries(backends))('inputs on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const sheet = (more = {}) =>
    Cloth.grid(limber, { columns: 6, rows: 5, width: 1, height: 0.8, pinned: 'top', floor: null, ...more })
  const run = (cloth: Cloth, steps: number) => {
    for (let i = 0; i < steps; i++) cloth.step(1 / 60)
  }
  const vertex = (cloth: Cloth, v: number) => [...cloth.positions.slice(v * 3, v * 3 + 3)]

  describe('C14: after ten seconds at rest it answers within a step', () => {
    it.each([
      ['a pin', (cloth: Cloth) => (cloth.pins.targets[1]! += 0.1)],
      ['a collider', (cloth: Cloth) => cloth.colliders.set(0, { kind: 'sphere', center: [0, 0.4, 0], radius: 0.2 })],
      ['the wind', (cloth: Cloth) => cloth.wind.set(0, 0, 3)],
      ['gravity', (cloth: Cloth) => cloth.gravity.set(2, -9, 0)],
    ])('to %s', (_, move) => {
      const cloth = sheet({ colliders: [{ kind: 'sphere', center: [0, -9, 0], radius: 0.2 }], interpolate: false })
      run(cloth, 600)
      const before = cloth.positions.slice()
      cloth.step()
      expect(farthest(cloth.positions, before)).toBeLessThan(1e-4)
      move(cloth)
      cloth.step()
      expect(farthest(cloth.positions, before)).toBeGreaterThan(2e-4)
      cloth.dispose()
    })
  })

  describe('pins', () => {
    it('hold what they are told to, and let go of it', () => {
      const cloth = sheet()
      run(cloth, 10)
      const held = vertex(cloth, 14)
      cloth.pins.set([14, 0])
      expect([...cloth.pins.vertices]).toEqual([0, 14])
      expect(cloth.stats.pins).toBe(2)
      run(cloth, 30)
      expect(farthest(vertex(cloth, 0), [-0.5, Math.fround(Math.fround(0.8) + 0.1), 0])).toBe(0)
      expect(farthest(vertex(cloth, 14), held)).toBeLessThan(0.01)
      expect(vertex(cloth, 5)[1]).toBeLessThan(0.895)
      cloth.pins.targets.set([2, 2, 2], 3)
      cloth.step(0)
      expect(vertex(cloth, 14)).toEqual([2, 2, 2])
      cloth.dispose()
    })

    it('follow objects from where they are, in the same frame', () => {
      const [hand, foot] = [new Object3D(), new Bone()]
      const parent = new Object3D().add(hand)
      parent.position.set(1, 2, 3)
      parent.rotation.set(0.2, 0.4, 0.6)
      const cloth = sheet()
      run(cloth, 5)
      cloth.attach([0, 1, 2], hand)
      cloth.attach([2, 29], foot)
      expect([...cloth.pins.vertices]).toEqual([0, 1, 2, 3, 4, 5, 29])
      const start = [0, 2, 3, 29].map((v) =>
        new Vector3().fromArray(cloth.pins.targets, cloth.pins.vertices.indexOf(v) * 3),
      )
      expect(farthest(start[0]!.toArray(), [-0.5, Math.fround(Math.fround(0.8) + 0.1), 0])).toBe(0)
      const local = hand.worldToLocal(start[0]!.clone())

      parent.rotation.y += 1
      hand.position.x = 0.5
      foot.position.y = 4
      cloth.step(1 / 60)
      const moved = hand.localToWorld(local)
      expect(farthest(vertex(cloth, 0), moved.toArray())).toBeLessThan(1e-6)
      expect(farthest(vertex(cloth, 2), [start[1]!.x, start[1]!.y + 4, start[1]!.z])).toBeLessThan(1e-6)
      expect(farthest(vertex(cloth, 3), start[2]!.toArray())).toBeLessThan(1e-6)
      expect(farthest(vertex(cloth, 29), [start[3]!.x, start[3]!.y + 4, start[3]!.z])).toBeLessThan(1e-6)

      cloth.detach([29])
      cloth.pins.set([0, 29])
      const stay = vertex(cloth, 29)
      parent.position.z = 9
      foot.position.y = 5
      cloth.step(0)
      expect(
        farthest(vertex(cloth, 0), hand.localToWorld(hand.worldToLocal(moved.clone().setZ(moved.z + 6))).toArray()),
      ).toBeLessThan(1e-5)
      expect(farthest(vertex(cloth, 29), stay)).toBeLessThan(1e-6)
      cloth.detach()
      const rest = vertex(cloth, 0)
      parent.position.z = 0
      cloth.step(0)
      expect(vertex(cloth, 0)).toEqual(rest)
      cloth.dispose()
    })

    it('are chosen as when the cloth is made', () => {
      const cloth = sheet()
      cloth.pins.set('corners')
      expect([...cloth.pins.vertices]).toEqual([0, 5, 24, 29])
      cloth.pins.set((i, j) => i === j)
      expect([...cloth.pins.vertices]).toEqual([0, 7, 14, 21, 28])
      const hand = new Object3D()
      cloth.attach('left', hand)
      expect([...cloth.pins.vertices]).toEqual([0, 6, 7, 12, 14, 18, 21, 24, 28])
      const before = cloth.pins.targets.slice()
      cloth.detach((_, j) => j === 0)
      hand.position.x = 1
      cloth.step(0)
      const moved = [...cloth.pins.vertices].filter((_, slot) => cloth.pins.targets[slot * 3] !== before[slot * 3])
      expect(moved).toEqual([6, 12, 18, 24])
      expect(refusal(() => cloth.pins.set('middle' as never)).message).toBe(
        'vertices must be one of top, bottom, left, right, corners, a list of vertices or a function of (i, j), got "middle"',
      )
      cloth.dispose()

      const space = new Object3D()
      space.position.set(5, 5, 5)
      const plane = Cloth.fromGeometry(limber, new PlaneGeometry(1, 1, 2, 2), { space })
      plane.teleport(new Matrix4().makeTranslation(0, 3, 0))
      // Where they are now, in the world.
      plane.attach((index, position) => index !== 1 && position.y > 3.4, hand)
      expect([...plane.pins.vertices]).toEqual([0, 2])
      for (const wrong of ['top', 4, {}, null] as never[])
        expect(refusal(() => plane.attach(wrong, hand)).message).toMatch(
          /^vertices must be a list of vertices or a function of \(index, position\), got /,
        )
      plane.dispose()
    })

    it('are written into, not put in their place', () => {
      const cloth = sheet()
      const error = refusal(() => ((cloth.pins as { targets: unknown }).targets = [0, 0, 0]))
      expect([error.code, error.message]).toEqual([
        'invalid-option',
        expect.stringMatching(/^pins\.targets is the memory/),
      ])
      cloth.dispose()
    })

    it('refuse what is no vertex or no object, by name', () => {
      const cloth = sheet()
      expect(refusal(() => cloth.pins.set([1, 30])).message).toBe(
        'vertices[1] must be a whole number from 0 to 29, got 30',
      )
      expect(refusal(() => cloth.attach([-1], new Object3D())).code).toBe('invalid-option')
      expect(refusal(() => cloth.attach([0], {} as never)).message).toBe('object must be an Object3D, got an object')
      const flat = new Object3D()
      flat.scale.set(1, 0, 1)
      expect(refusal(() => cloth.attach([0], flat)).message).toMatch(/can be inverted/)
      expect([...cloth.pins.vertices]).toEqual([0, 1, 2, 3, 4, 5])
      const before = cloth.snapshot()
      const target = cloth.pins.targets[4]!
      cloth.pins.targets[4] = NaN
      const error = refusal(() => cloth.step(1 / 60))
      expect([error.code, error.message]).toEqual([
        'invalid-input',
        expect.stringMatching(/^pins\.targets\[4\] must be from/),
      ])
      cloth.pins.targets[4] = target
      expect(cloth.snapshot()).toEqual(before)
      cloth.wind.x = Infinity
      expect(refusal(() => cloth.step(1 / 60)).message).toMatch(/^wind\[0\] must be from/)
      cloth.dispose()
    })
  })

  describe('colliders', () => {
    const ball: Collider = { kind: 'sphere', center: [0, -0.4, 0.1], radius: 0.3 }

    it('are a list', () => {
      const cloth = sheet({ colliders: [ball] })
      const { colliders } = cloth
      expect(colliders.length).toBe(1)
      expect(colliders.add({ kind: 'plane', normal: new Vector3(0, 2, 0), offset: -2, friction: 0.5 })).toBe(1)
      expect(colliders.add({ kind: 'capsule', a: [0, 0, 1], b: { x: 0, y: 1, z: 1 }, radius: 0.1 })).toBe(2)
      expect([...colliders]).toEqual([
        { ...ball, friction: 0 },
        { kind: 'plane', normal: [0, 1, 0], offset: -2, friction: 0.5 },
        { kind: 'capsule', a: [0, 0, 1], b: [0, 1, 1], radius: 0.1, friction: 0 },
      ])
      colliders.remove(0)
      colliders.set(1, ball)
      expect([...colliders].map(({ kind }) => kind)).toEqual(['plane', 'sphere'])
      colliders.clear()
      expect(colliders.length).toBe(0)
      cloth.dispose()
    })

    it('are replaced by what is assigned, all or nothing', () => {
      const cloth = sheet({ colliders: [ball] })
      const { colliders } = cloth
      for (const wrong of [4, ball, 'sphere', null, undefined, [{ kind: 'cube' }]] as never[]) {
        for (const act of [() => (cloth.colliders = wrong), () => colliders.replace(wrong)])
          expect(refusal(act).message).toMatch(/^colliders(\[0\]\.kind)? must be /)
      }
      expect([...colliders]).toEqual([{ ...ball, friction: 0 }])
      cloth.colliders = new Set([ball, { ...ball }])
      expect(cloth.colliders).toBe(colliders)
      expect(colliders.length).toBe(2)
      cloth.dispose()
    })

    it('keep the cloth out, wherever they are set', () => {
      const cloth = sheet({ colliders: [ball], interpolate: false })
      for (let i = 0; i < 120; i++) {
        const center: [number, number, number] = [0, -0.4, 0.1 * Math.cos(i / 20)]
        cloth.colliders.set(0, { kind: 'sphere', center, radius: 0.3 })
        cloth.step(1 / 60)
        let nearest = Infinity
        for (let v = 6; v < 30; v++)
          nearest = Math.min(nearest, new Vector3(...center).distanceTo(new Vector3(...vertex(cloth, v))))
        expect(nearest).toBeGreaterThan(0.298)
      }
      cloth.dispose()
    })

    it('follow objects, and grow with their largest scale', () => {
      const object = new Object3D()
      const parent = new Object3D().add(object)
      const local: Collider[] = [
        { kind: 'sphere', center: [0, 1, 0], radius: 0.1, follow: object },
        { kind: 'capsule', a: [0, 1, 0], b: [0, 2, 0], radius: 0.1, friction: 0.25, follow: object },
        { kind: 'plane', normal: [0, 0, 1], offset: 0.5, follow: object },
      ]
      const world = (matrix: Object3D): Collider[] => {
        const at = (y: number) => matrix.localToWorld(new Vector3(0, y, 0))
        const normal = new Vector3(0, 0, 1).transformDirection(matrix.matrixWorld)
        return [
          { kind: 'sphere', center: at(1), radius: 0.3 },
          { kind: 'capsule', a: at(1), b: at(2), radius: 0.3, friction: 0.25 },
          { kind: 'plane', normal, offset: normal.dot(matrix.localToWorld(new Vector3(0, 0, 0.5))) },
        ]
      }
      const [follows, set] = [
        sheet({ colliders: local, wind: [0, 0, 2] }),
        sheet({ colliders: local, wind: [0, 0, 2] }),
      ]
      for (let i = 0; i < 60; i++) {
        parent.rotation.set(0.02 * i, 0.1, 0)
        parent.scale.set(3, 2, 3)
        object.position.set(0, -0.6, -1 + 0.01 * i)
        object.updateWorldMatrix(true, false)
        set.colliders.replace(i === 0 ? world(object) : [...set.colliders])
        world(object).forEach((collider, index) => set.colliders.set(index, collider))
        follows.step(1 / 60)
        set.step(1 / 60)
      }
      expect(farthest(follows.positions, set.positions)).toBeLessThan(1e-3)
      expect(follows.colliders.at(0)).toEqual({ ...local[0], friction: 0 })
      follows.dispose()
      set.dispose()
    })

    it.each([
      [{ kind: 'sphere', center: [0, NaN, 0], radius: 1 }, /^colliders\[0\]\.center must be \[x, y, z\]/],
      [{ kind: 'sphere', center: [0, 0, 0] }, /^colliders\[0\]\.radius must be a number from 0 to .* got undefined/],
      [{ kind: 'capsule', a: [0, 0, 0], b: [0, 0], radius: 1 }, /^colliders\[0\]\.b must be/],
      [{ kind: 'plane', normal: [0, 0, 0], offset: 0 }, /^colliders\[0\]\.normal must not be 0/],
      [{ kind: 'plane', normal: [0, 1, 0], offset: Infinity }, /^colliders\[0\]\.offset must be a number/],
      [
        { kind: 'sphere', center: [0, 0, 0], radius: 1, friction: 2 },
        /^colliders\[0\]\.friction must be a number from 0 to 1, got 2/,
      ],
      [{ kind: 'sphere', center: [0, 0, 0], radius: 1, follow: {} }, /^colliders\[0\]\.follow must be an Object3D/],
      [
        { kind: 'sphere', center: [0, 0, 0], radius: 1, inside: 1 },
        /^colliders\[0\]\.inside must be true or false, got 1$/,
      ],
      [
        { kind: 'taperedCapsule', a: [0, 0, 0], b: [0, 0, 1], radiusA: 1, radiusB: -1 },
        /^colliders\[0\]\.radiusB must be a number from 0 to 1000000 \(m\), got -1$/,
      ],
      [
        { kind: 'taperedCapsule', a: [0, 0, 0], b: [0, 0, 1], radius: 1 },
        /^radius is no option .* known: kind, a, b, radiusA, radiusB, inside, friction, follow$/,
      ],
      [
        { kind: 'box', center: [0, 0, 0], halfExtents: [1, -1, 1] },
        /^colliders\[0\]\.halfExtents must be \[x, y, z\] of numbers from 0 to 1000000 \(m\), got \[1, -1, 1\]$/,
      ],
      [
        { kind: 'box', center: [0, 0, 0], halfExtents: [1, 1, 1], rotation: [0, 0, 0] },
        /^colliders\[0\]\.rotation must be a quaternion \[x, y, z, w\] .* not all 0, got \[0, 0, 0\]$/,
      ],
      [
        { kind: 'box', center: [0, 0, 0], halfExtents: [1, 1, 1], rotation: { x: 0, y: 0, z: 0, w: 0 } },
        /^colliders\[0\]\.rotation must be .* got \[0, 0, 0, 0\]$/,
      ],
      [
        { kind: 'plane', normal: [0, 1, 0], offset: 0, inside: true },
        /^inside is no option .* known: kind, normal, offset, friction, follow$/,
      ],
      [null, /^colliders\[0\]\.kind must be/],
      [
        { kind: 'sphere', center: [0, 0, 0], raduis: 1 },
        /^raduis is no option of colliders\[0\]; known: kind, center, radius, inside, friction, follow$/,
      ],
      [
        { kind: 'capsule', a: [0, 0, 0], b: [0, 0, 1], radius: 1, center: 0 },
        /^center is no option .* known: kind, a, b, /,
      ],
      [
        { kind: 'plane', normal: [0, 1, 0], offset: 0, radius: 1 },
        /^radius is no option .* known: kind, normal, offset, /,
      ],
    ])('refuse %j, and stay as they were', (wrong, message) => {
      const cloth = sheet({ colliders: [ball] })
      const before = cloth.snapshot()
      for (const act of [
        () => cloth.colliders.set(0, wrong as never),
        () => cloth.colliders.replace([wrong as never]),
      ]) {
        const error = refusal(act)
        expect(error.message).toMatch(message)
        expect(error.code).toBe('invalid-option')
      }
      expect([...cloth.colliders]).toEqual([{ ...ball, friction: 0 }])
      expect(cloth.snapshot()).toEqual(before)
      for (const index of [1, -1, 0.5, NaN])
        expect(refusal(() => cloth.colliders.at(index)).message).toMatch(/index must be .* from 0 to 0/)
      cloth.dispose()
    })
  })
})
