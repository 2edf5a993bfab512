import { Bone, Vector3 } from 'three'
import { Cloth, type Backend } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { farthest, refusal } from '../../../tests/helpers.mjs'
import { scenes } from '../../../tests/scenes/index.mjs'

/** Ten seconds of frames of uneven lengths, as a busy machine has them. */
function jittered(): number[] {
  let seed = 12345
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647
  return Array.from({ length: 1000 }, () => 0.004 + 0.02 * random())
}

describe.each(Object.entries(backends))('time on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const flag = (more = {}) => Cloth.grid(limber, { columns: 8, rows: 6, pinned: 'left', floor: null, ...more })

  describe.each(scenes)('C7: $name', ({ create, drive }) => {
    it('runs the steps of 10 s at every rate, and ends on the same bits', () => {
      const hashes = new Map<number, Set<string>>()
      for (const frames of [
        ...[24, 30, 60, 144, 240].map((rate) => Array<number>(rate * 10).fill(1 / rate)),
        jittered(),
      ]) {
        const simulation = create(limber)
        const steady = frames !== undefined && frames[0] === frames[1]
        let steps = 0
        simulation.onFixedStep = (time) => {
          drive(simulation, time)
          // The state before this step: comparable where another rate has run as many.
          if (steps % 100 === 0) {
            if (!hashes.has(steps)) hashes.set(steps, new Set())
            hashes.get(steps)!.add(simulation.hash())
          }
          steps += 1
        }
        let ran = 0
        for (const dt of frames) ran += simulation.step(dt)
        expect(ran).toBe(steps)
        if (steady) {
          expect(ran).toBe(Math.round(10 / simulation.fixedStep))
          expect(simulation.time).toBeCloseTo(10, 9)
        }
        simulation.dispose()
      }
      expect(hashes.size).toBeGreaterThanOrEqual(6)
      for (const [step, found] of hashes) expect(found.size, `after ${step} steps`).toBe(1)
    })
  })

  it('C24: 0, negative and endless frames', () => {
    const cloth = flag()
    cloth.step(1 / 50)
    const before = cloth.snapshot()
    expect(cloth.step(0)).toBe(0)
    expect(cloth.step(-1)).toBe(0)
    expect(cloth.snapshot()).toEqual(before)
    for (const dt of [NaN, Infinity, -Infinity, '0.1' as never]) {
      const error = refusal(() => cloth.step(dt))
      expect(error.code).toBe('invalid-input')
      expect(error.message).toMatch(/^dt must be a finite number/)
    }
    expect(cloth.snapshot()).toEqual(before)
    expect(cloth.step(30)).toBe(3)
    expect(cloth.step(0)).toBe(0)
    cloth.dispose()
  })

  it('step() runs one step and shows it at once', () => {
    const cloth = flag()
    expect(cloth.step()).toBe(1)
    const shown = cloth.positions.slice()
    const newest = flag({ interpolate: false })
    newest.step(1 / 60)
    expect(newest.positions).toEqual(shown)
    cloth.dispose()
    newest.dispose()
  })

  it('blends between the last two steps', () => {
    const [cloth, newest] = [flag(), flag({ interpolate: false })]
    for (let i = 0; i < 30; i++) [cloth, newest].forEach((c) => c.step(1 / 60))
    const from = newest.positions.slice()
    newest.step(1 / 60)
    const to = newest.positions.slice()
    expect(cloth.step(1.5 / 60)).toBe(1)
    expect(
      farthest(
        cloth.positions,
        from.map((value, i) => (value + to[i]!) / 2),
      ),
    ).toBeLessThan(1e-6)
    cloth.dispose()
    newest.dispose()
  })

  it('a pause and a time scale', () => {
    const cloth = flag()
    cloth.paused = true
    expect(cloth.step(1)).toBe(0)
    expect(cloth.step()).toBe(1)
    cloth.paused = false
    cloth.timeScale = 0.5
    let steps = 0
    for (let i = 0; i < 60; i++) steps += cloth.step(1 / 60)
    expect(steps).toBe(30)
    cloth.timeScale = 100
    expect(cloth.step(1e308)).toBe(3)
    for (const wrong of [-1, NaN, 101])
      expect(() => (cloth.timeScale = wrong)).toThrow(/^timeScale must be a number from 0 to 100/)
    expect(cloth.timeScale).toBe(100)
    cloth.dispose()
  })

  it('C10: pins sit on their bone in every frame, and the cape lags evenly', () => {
    for (const [rate, speed] of [
      [60, 10],
      [144, 10],
      [144, 1.2],
    ] as const) {
      const bone = new Bone()
      const cape = Cloth.grid(limber, { columns: 8, rows: 10, width: 0.5, height: 1, pinned: 'top', floor: null })
      cape.attach(cape.pins.vertices, bone)
      const local = cape.pins.targets.slice()
      const lags: number[] = []
      const [point, shown] = [new Vector3(), new Vector3()]
      for (let frame = 0; frame <= rate * 4; frame++) {
        // To and fro within a metre: farther out 32-bit floats are coarser than what is asked.
        const t = frame / rate
        const z = speed === 10 ? Math.abs(((t * speed) % 2) - 1) - 0.5 : speed * t
        bone.position.set(0, 0, z)
        cape.step(1 / rate)
        const off = Array.from(cape.pins.vertices, (vertex, slot) => {
          point.fromArray(local, slot * 3).applyMatrix4(bone.matrixWorld)
          return point.distanceTo(shown.fromArray(cape.positions, vertex * 3))
        })
        expect(Math.max(...off)).toBeLessThan(1e-6)
        let mean = 0
        for (let v = 8; v < 80; v++) mean += cape.positions[v * 3 + 2]! / 72
        if (t > 3) lags.push(mean - z)
      }
      // After three seconds at one speed only the beat of frames against steps is left, and what swings slowly.
      if (speed === 1.2) {
        const jumps = lags.slice(1).map((lag, i) => Math.abs(lag - lags[i]!))
        expect(Math.max(...jumps)).toBeLessThan(1e-3)
      }
      cape.dispose()
    }
  })

  it('a hook may dispose what it belongs to, and its error comes out', () => {
    const cloth = flag()
    cloth.onFixedStep = () => {
      throw new Error('from the hook')
    }
    expect(() => cloth.step(1 / 60)).toThrow('from the hook')
    cloth.onFixedStep = undefined
    expect(cloth.step(1 / 60)).toBe(1)
    cloth.onFixedStep = () => cloth.dispose()
    expect(() => cloth.step(1 / 60)).toThrow(/disposed/)
    expect(cloth.disposed).toBe(true)
  })

  it('stepAsync is step', async () => {
    const [a, b] = [flag({ wind: [2, 0, 1] }), flag({ wind: [2, 0, 1] })]
    for (let i = 0; i < 60; i++) {
      a.wind.z = b.wind.z = Math.sin(i)
      expect(await a.stepAsync(1 / 45)).toBe(b.step(1 / 45))
      expect(a.positions).toEqual(b.positions)
    }
    expect(a.hash()).toBe(b.hash())
    await expect(a.stepAsync(NaN)).rejects.toThrow(/^dt must be/)
    a.dispose()
    await expect(a.stepAsync(1)).rejects.toThrow(/disposed/)
    b.dispose()
  })

  it('issue: two steps at once spoilt one another', async () => {
    const [cloth, other] = [flag(), flag()]
    // Where there are no other threads it steps in the call.
    if (!limber.advanceAsync) return [cloth, other].forEach((one) => one.dispose())
    const first = cloth.stepAsync(1 / 60)
    await expect(cloth.stepAsync(1 / 60)).rejects.toThrow(/^this Cloth is stepping elsewhere/)
    expect(refusal(() => cloth.step()).code).toBe('invalid-input')
    expect(await first).toBe(1)
    expect(await cloth.stepAsync(1 / 60)).toBe(1)
    for (let i = 0; i < 2; i++) other.step(1 / 60)
    expect(cloth.hash()).toBe(other.hash())
    cloth.dispose()
    other.dispose()
  })

  it('says how long a step takes', () => {
    const cloth = flag()
    expect(cloth.stats.milliseconds).toBe(0)
    for (let i = 0; i < 10; i++) cloth.step(1 / 60)
    expect(cloth.stats.milliseconds).toBeGreaterThan(0)
    expect(cloth.stats.milliseconds).toBeLessThan(1000)
    cloth.dispose()
  })
})
