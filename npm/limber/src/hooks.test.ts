import { Box3, BufferAttribute } from 'three'
import { Cloth, LimberError, type Backend, type ChannelInfo } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { refusal } from '../../../tests/helpers.mjs'

describe.each(Object.entries(backends))('callbacks on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const sheet = () => Cloth.grid(limber, { columns: 8, rows: 6, pinned: 'top', floor: null })

  /** Bounds and draw attributes tell what the arrays hold. */
  function expectShown(cloth: Cloth, versions: readonly number[]): void {
    const box = new Box3().setFromBufferAttribute(new BufferAttribute(cloth.positions, 3))
    expect(cloth.geometry.boundingBox!.min.distanceTo(box.min)).toBeLessThan(1e-6)
    expect(cloth.geometry.boundingBox!.max.distanceTo(box.max)).toBeLessThan(1e-6)
    expect(versionsOf(cloth).every((version, i) => version > versions[i]!)).toBe(true)
  }

  const versionsOf = ({ geometry }: Cloth) =>
    ['position', 'normal'].map((name) => (geometry.getAttribute(name) as BufferAttribute).version)

  it('shows the steps that ran before onFixedStep threw', () => {
    const cloth = sheet()
    cloth.wind.set(0, 0, 20)
    const thrown = new Error('from the hook')
    for (const dt of [1 / 20, undefined]) {
      const versions = versionsOf(cloth)
      const { time } = cloth
      let calls = 0
      cloth.onFixedStep = () => {
        calls += 1
        if (calls === (dt ? 3 : 1)) throw thrown
      }
      expect(() => cloth.step(dt)).toThrow(thrown)
      expect(cloth.time - time).toBeCloseTo(dt ? 2 / 60 : 0, 9)
      expectShown(cloth, versions)
      cloth.onFixedStep = undefined
      expect(cloth.step(dt)).toBeGreaterThan(0)
    }
    cloth.dispose()
  })

  it('shows what is there when onDiverge throws, and tells of it once', () => {
    // No input that is allowed makes a cloth diverge: count in its place.
    const count = new Uint32Array(1)
    const counting = new Proxy(limber, {
      get(_, name: keyof Backend) {
        if (name === 'view') return (h: number, c: ChannelInfo) => (c.id === 3 ? count : limber.view(h, c))
        const member = limber[name]
        return typeof member === 'function' ? (member as () => unknown).bind(limber) : member
      },
    })
    const cloth = Cloth.grid(counting, { columns: 8, rows: 6, pinned: 'top', floor: null, wind: [0, 0, 20] })
    const thrown = new Error('from the hook')
    cloth.onDiverge = () => {
      throw thrown
    }
    for (const hook of [undefined, () => {}]) {
      cloth.onFixedStep = hook
      const versions = versionsOf(cloth)
      count[0]! += 1
      expect(() => cloth.step(1 / 30)).toThrow(thrown)
      expectShown(cloth, versions)
      expect(cloth.step(1 / 30)).toBe(2)
    }
    // One that comes in a call whose other hook throws is told of in the next.
    cloth.onFixedStep = () => {
      count[0]! += 1
      throw new Error('first')
    }
    expect(() => cloth.step()).toThrow('first')
    cloth.onFixedStep = undefined
    expect(() => cloth.step()).toThrow(thrown)
    cloth.dispose()
  })

  it('refuses to be stepped amid its own step, and goes on', async () => {
    const [cloth, twin] = [sheet(), sheet()]
    const other = sheet()
    for (const dt of [1 / 30, undefined]) {
      const refused: LimberError[] = []
      const rejected: Promise<number>[] = []
      cloth.onFixedStep = () => {
        refused.push(
          refusal(() => cloth.step(1 / 60)),
          refusal(() => cloth.step()),
        )
        rejected.push(cloth.stepAsync(1 / 60))
        rejected.at(-1)!.catch(() => {})
        // Another one may.
        other.step()
      }
      const steps = cloth.step(dt)
      expect(twin.step(dt)).toBe(steps)
      expect(refused.length).toBe(2 * steps)
      for (const { code, message } of refused) {
        expect(code).toBe('invalid-input')
        expect(message).toMatch(/onFixedStep must not step it$/)
      }
      for (const call of rejected) await expect(call).rejects.toThrow(/onFixedStep must not step it$/)
    }
    expect(cloth.hash()).toBe(twin.hash())
    // Not let through unnoticed either: what the hook does not catch comes out, and the next call is free again.
    cloth.onFixedStep = () => void cloth.step()
    expect(refusal(() => cloth.step()).code).toBe('invalid-input')
    cloth.onFixedStep = undefined
    expect(cloth.step()).toBe(1)
    for (const each of [cloth, twin, other]) each.dispose()
  })

  it('refuses callbacks that are no functions before time is taken', async () => {
    const cloth = sheet()
    const hash = cloth.hash()
    for (const name of ['onFixedStep', 'onDiverge'] as const) {
      for (const value of [5, 'x', {}, null, true]) {
        Object.assign(cloth, { [name]: value })
        for (const dt of [1 / 60, undefined]) {
          const error = refusal(() => cloth.step(dt))
          expect(error.code).toBe('invalid-option')
          expect(error.message).toMatch(new RegExp(`^${name} must be a function, got `))
          await expect(cloth.stepAsync(dt)).rejects.toThrow(error.message)
        }
      }
      Object.assign(cloth, { [name]: undefined })
    }
    expect(cloth.time).toBe(0)
    expect(cloth.hash()).toBe(hash)
    // What was refused is not owed.
    expect(cloth.step(1 / 61)).toBe(0)
    // One that makes itself such is named as well.
    cloth.onFixedStep = () => void Object.assign(cloth, { onFixedStep: 5 })
    expect(refusal(() => cloth.step(1 / 30)).message).toMatch(/^onFixedStep must be a function, got 5$/)
    cloth.dispose()
  })

  it('stepAsync without dt is step without dt', async () => {
    const [a, b] = [sheet(), sheet()]
    for (const dt of [undefined, 1 / 100, undefined, 1 / 30, undefined]) {
      expect(await a.stepAsync(dt)).toBe(b.step(dt))
      expect(a.hash()).toBe(b.hash())
      expect(a.positions).toEqual(b.positions)
    }
    expect(await a.stepAsync()).toBe(1)
    for (const dt of [null, '1', {}, [], true, 1n, NaN, Infinity, Symbol('s'), () => 1]) {
      const error = refusal(() => b.step(dt as never))
      expect(error.code).toBe('invalid-input')
      expect(error.message).toMatch(/^dt must be a finite number \(s\), got /)
      const rejection = a.stepAsync(dt as never)
      await expect(rejection).rejects.toBeInstanceOf(LimberError)
      await expect(rejection).rejects.toThrow(error.message)
    }
    for (const each of [a, b]) each.dispose()
  })

  it('everything that acts throws disposed afterwards', async () => {
    const cloth = sheet()
    const bytes = cloth.snapshot()
    cloth.dispose()
    for (const use of [
      () => (cloth.timeScale = 2),
      () => (cloth.timeScale = NaN),
      () => cloth.time,
      () => cloth.options,
      () => cloth.step(),
      () => cloth.step(NaN),
      () => cloth.configure({ iterations: 2 }),
      () => cloth.configure([] as never),
      () => cloth.reset(),
      () => cloth.teleport(undefined as never),
      () => cloth.snapshot(),
      () => cloth.restore(bytes),
      () => cloth.hash(),
    ]) {
      expect(refusal(() => void use()).code, String(use)).toBe('disposed')
    }
    for (const dt of [1, undefined]) await expect(cloth.stepAsync(dt)).rejects.toMatchObject({ code: 'disposed' })
    expect(cloth.timeScale).toBe(1)
  })
})
