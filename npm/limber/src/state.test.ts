import { Matrix4, Object3D, Vector3 } from 'three'
import { Cloth, type Backend, type ChannelInfo, type DivergeInfo } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { farthest, refusal } from '../../../tests/helpers.mjs'

describe.each(Object.entries(backends))('state on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const sheet = (more = {}) =>
    Cloth.grid(limber, {
      columns: 7,
      rows: 9,
      width: 1,
      height: 1.2,
      pinned: 'top',
      floor: -1,
      colliders: [{ kind: 'sphere', center: [0, -0.6, 0.1], radius: 0.2 }],
      ...more,
    })
  /** Some lively seconds. */
  const play = (cloth: Cloth, from: number, frames: number) => {
    for (let i = from; i < from + frames; i++) {
      cloth.wind.set(Math.sin(i / 9), 0, 3 * Math.cos(i / 7))
      cloth.pins.targets[0] = -0.5 + 0.1 * Math.sin(i / 5)
      cloth.colliders.set(0, { kind: 'sphere', center: [0.2 * Math.sin(i / 11), -0.6, 0.1], radius: 0.2 })
      cloth.step(1 / 50)
    }
  }

  it('goes out and in, time owed and inputs included', () => {
    const cloth = sheet()
    play(cloth, 0, 77)
    const saved = cloth.snapshot()
    const [hash, shown, wind] = [cloth.hash(), cloth.positions.slice(), cloth.wind.clone()]
    expect(hash).toMatch(/^[0-9a-f]{16}$/)
    play(cloth, 77, 50)
    const [later, laterShown] = [cloth.hash(), cloth.positions.slice()]
    expect(later).not.toBe(hash)

    const version = (cloth.geometry.attributes.position as { version: number } & object).version
    cloth.restore(saved)
    expect(cloth.geometry.attributes.position).toHaveProperty('version', version + 1)
    expect(cloth.hash()).toBe(hash)
    expect(cloth.positions).toEqual(shown)
    expect(cloth.snapshot()).toEqual(saved)
    expect(cloth.wind.clone().sub(wind).length()).toBeLessThan(1e-6)
    play(cloth, 77, 50)
    expect(cloth.hash()).toBe(later)
    expect(cloth.positions).toEqual(laterShown)

    const twin = sheet()
    twin.restore(saved)
    play(twin, 77, 50)
    expect(twin.hash()).toBe(later)
    cloth.dispose()
    twin.dispose()
  })

  it('comes from its own kind only', () => {
    const [cloth, other] = [sheet(), sheet({ columns: 8 })]
    play(cloth, 0, 5)
    const before = cloth.snapshot()
    const broken = before.slice()
    broken.fill(0xff, 200, 300)
    for (const bytes of [new Uint8Array(0), new Uint8Array(5000), before.slice(0, -4), other.snapshot(), broken]) {
      expect(refusal(() => cloth.restore(bytes)).code).toBe('invalid-snapshot')
    }
    expect(refusal(() => cloth.restore('bytes' as never)).code).toBe('invalid-snapshot')
    expect(cloth.snapshot()).toEqual(before)
    cloth.dispose()
    other.dispose()
  })

  it('resets bit for bit', () => {
    const cloth = sheet()
    const [hash, shown] = [cloth.hash(), cloth.positions.slice()]
    play(cloth, 0, 60)
    const later = cloth.hash()
    cloth.reset()
    expect([cloth.hash(), cloth.time]).toEqual([hash, 0])
    expect(cloth.positions).toEqual(shown)
    play(cloth, 0, 60)
    expect(cloth.hash()).toBe(later)
    cloth.dispose()
  })

  it('refuses what is no object and no function, and goes on', () => {
    const cloth = sheet()
    for (const wrong of [null, {}, 'world', 4] as never[])
      expect(refusal(() => (cloth.space = wrong)).message).toMatch(/^space must be an Object3D, got /)
    cloth.onFixedStep = 5 as never
    const hash = cloth.hash()
    expect(refusal(() => cloth.step(1 / 60)).message).toBe('onFixedStep must be a function, got 5')
    cloth.onFixedStep = undefined
    cloth.onDiverge = {} as never
    expect(refusal(() => cloth.step(1 / 60)).message).toBe('onDiverge must be a function, got an object')
    expect(cloth.hash()).toBe(hash)
    cloth.onDiverge = undefined
    expect(cloth.step(1 / 60)).toBe(1)
    cloth.dispose()
    const error = refusal(() => cloth.step(1 / 60))
    expect([error.code, error.message]).toEqual([
      'disposed',
      expect.stringMatching(/^this Cloth was disposed: .* loop/),
    ])
  })

  it('resets to where it was made, with the pins and options of now', () => {
    const cloth = sheet({ colliders: [] })
    const start = cloth.positions.slice()
    cloth.pins.set('left')
    cloth.configure({ iterations: 3 })
    cloth.teleport(new Matrix4().makeTranslation(4, 0, 0))
    for (let i = 0; i < 10; i++) cloth.step(1 / 60)
    cloth.reset()
    expect(cloth.positions).toEqual(start)
    expect([...cloth.pins.vertices]).toEqual([0, 7, 14, 21, 28, 35, 42, 49, 56])
    expect(cloth.options.iterations).toBe(3)
    cloth.dispose()
  })

  it('restores with the pins and colliders of the snapshot only, and keeps the options of now', () => {
    const cloth = sheet()
    const saved = cloth.snapshot()
    cloth.configure({ iterations: 3 })
    cloth.restore(saved)
    expect(cloth.options.iterations).toBe(3)
    cloth.colliders.add({ kind: 'sphere', center: [0, 0, 0], radius: 0.1 })
    expect(refusal(() => cloth.restore(saved)).code).toBe('invalid-snapshot')
    cloth.colliders.remove(1)
    cloth.pins.set('left')
    expect(refusal(() => cloth.restore(saved)).code).toBe('invalid-snapshot')
    cloth.pins.set('top')
    cloth.restore(saved)
    expect(cloth.snapshot()).toEqual(saved)
    cloth.dispose()
  })

  it('hangs on a bone that is already posed: made about the origin, teleported, attached', () => {
    const bone = new Object3D()
    bone.position.set(3, 1.4, -2)
    bone.rotation.y = 1
    bone.updateWorldMatrix(true, false)
    const place = (i: number, j: number, out: Vector3) => out.setY(out.y - 1.3)
    const cloth = sheet({ colliders: [], floor: null, place })
    cloth.teleport(bone.matrixWorld)
    cloth.attach('top', bone)
    cloth.step(1 / 60)
    for (const v of [0, 6]) {
      const local = bone.worldToLocal(new Vector3().fromArray(cloth.positions, v * 3))
      expect(farthest(local.toArray(), [v === 0 ? -0.5 : 0.5, 0, 0])).toBeLessThan(1e-5)
    }
    // A tear or a swing would have moved it.
    const lowest = Math.min(...cloth.positions.filter((_, i) => i % 3 === 1))
    expect(lowest).toBeCloseTo(0.2, 2)
    cloth.dispose()
  })

  it('teleports without a swing', () => {
    const cloth = sheet({ colliders: [], floor: null })
    const bone = new Object3D()
    cloth.attach(cloth.pins.vertices, bone)
    for (let i = 0; i < 300; i++) cloth.step(1 / 60)
    const before = cloth.positions.slice()
    const matrix = new Matrix4().makeTranslation(30, 2, -7)
    bone.applyMatrix4(matrix)
    cloth.teleport(matrix)
    const expected = before.map((value, i) => value + [30, 2, -7][i % 3]!)
    expect(farthest(cloth.positions, expected)).toBeLessThan(1e-5)
    for (let i = 0; i < 60; i++) cloth.step(1 / 60)
    expect(farthest(cloth.positions, expected)).toBeLessThan(0.01)
    for (const wrong of [undefined, null, [1, 2], {}, bone] as never[]) {
      const error = refusal(() => cloth.teleport(wrong))
      expect([error.code, error.message]).toEqual([
        'invalid-option',
        expect.stringMatching(/^matrix must be a Matrix4, /),
      ])
    }
    expect(refusal(() => cloth.teleport(new Matrix4().makeScale(1, 0, 1))).code).toBe('invalid-input')
    expect(refusal(() => cloth.teleport(new Matrix4().makeScale(1, NaN, 1))).code).toBe('invalid-input')
    cloth.dispose()
  })

  it('is told of each time the core put it back', () => {
    // No input that is allowed makes a cloth diverge: count in its place.
    const count = new Uint32Array(1)
    const counting = new Proxy(limber, {
      get(_, name: keyof Backend) {
        if (name === 'view') return (h: number, c: ChannelInfo) => (c.id === 3 ? count : limber.view(h, c))
        const member = limber[name]
        return typeof member === 'function' ? (member as () => unknown).bind(limber) : member
      },
    })
    const cloth = Cloth.grid(counting, { columns: 4, rows: 4 })
    const told: DivergeInfo[] = []
    cloth.onDiverge = (info) => told.push(info)
    cloth.step()
    expect(told).toEqual([])
    count[0] = 2
    cloth.step()
    cloth.step()
    expect(told).toEqual([{ time: expect.closeTo(2 / 60), count: 2 }])
    count[0] = 0
    cloth.reset()
    cloth.step()
    expect(told.length).toBe(1)
    cloth.dispose()
  })

  it('configures all or nothing', () => {
    const cloth = sheet()
    const { options } = cloth
    expect(Object.isFrozen(options) && Object.isFrozen(options.stiffness)).toBe(true)
    const positions = cloth.positions
    cloth.configure({ iterations: 3, stiffness: { bend: 0.5 }, floor: null, damping: undefined })
    expect(cloth.options).toEqual({
      ...options,
      iterations: 3,
      floor: null,
      stiffness: { ...options.stiffness, bend: 0.5 },
    })
    expect(cloth.positions).toBe(positions)
    const now = cloth.options
    for (const wrong of [
      { iterations: 5, drag: -1 },
      { stiffness: { bend: 0.1, shear: 2 } },
      { columns: 4 },
      { stiffness: 1 },
      { floor: 1n },
      { interpolate: () => true },
      null,
      7,
    ]) {
      expect(refusal(() => cloth.configure(wrong as never)).code).toBe('invalid-option')
      expect(cloth.options).toEqual(now)
    }
    for (const [wrong, message] of [
      [{ wind: [1, 0, 0] }, /^wind is no option that configure changes: set cloth\.wind$/],
      [{ gravity: 0 }, /: set cloth\.gravity$/],
      [{ space: null }, /: set cloth\.space$/],
      [{ pinned: 'top' }, /^pinned is no option .*: use cloth\.pins\.set\(\) or cloth\.attach\(\)$/],
      [{ colliders: [] }, /: use cloth\.colliders$/],
      [{ rows: 4 }, /: make a new cloth$/],
      [{ colour: 1 }, /^colour is no option of ClothOptions; known: iterations, /],
    ] as const) {
      const error = refusal(() => cloth.configure(wrong as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      expect(cloth.options).toEqual(now)
    }
    const loop: { self?: object } = {}
    loop.self = loop
    expect(refusal(() => cloth.configure(loop as never)).code).toBe('invalid-option')
    cloth.dispose()
  })

  it('moves its wind and gravity as vectors', () => {
    const cloth = sheet({ wind: { x: 1, y: 2, z: 3 }, gravity: new Vector3(0, -1.6, 0) })
    expect(cloth.wind.toArray()).toEqual([1, 2, 3])
    expect(cloth.gravity.toArray()).toEqual([0, -1.6, 0])
    expect(sheet().gravity.y).toBeCloseTo(-9.8)

    const { wind, gravity } = cloth
    const given = new Vector3(0, 0, 5)
    cloth.wind = given
    cloth.gravity = [0, -3, 0]
    given.x = 9
    expect([cloth.wind, cloth.gravity]).toEqual([new Vector3(0, 0, 5), new Vector3(0, -3, 0)])
    expect([cloth.wind === wind, cloth.gravity === gravity]).toEqual([true, true])
    const still = cloth.hash()
    cloth.step()
    expect(cloth.hash()).not.toBe(still)
    for (const wrong of [5, [0, 1], null, undefined, 'north', [0, NaN, 0]] as never[]) {
      expect(refusal(() => (cloth.wind = wrong)).message).toMatch(/^wind must be \[x, y, z\] .* \(m\/s\), got /)
      expect(refusal(() => (cloth.gravity = wrong)).message).toMatch(/^gravity must be .* \(m\/s²\), got /)
    }
    expect([wind.z, gravity.y]).toEqual([5, -3])
    cloth.dispose()
  })
})
