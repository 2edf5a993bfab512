import { Vector3 } from 'three'
import { expect, it } from 'vitest'
import { clipTime, timing, windDrive, type Timing } from '../../npm/limber-node/src/scene/drive.js'
import { retimed } from '../../npm/limber-node/src/scene/retime.js'

const scene = (duration: number, loop?: number, rounds = 1): Timing => ({ duration, loop, rounds, fps: 30 })

it('a clip stands at its ends, or goes round', () => {
  const once = [-1, 0, 0.5, 1, 3].map((t) => clipTime(t, scene(3), 1))
  expect(once).toEqual([0, 0, 0.5, 1, 1])
  const round = [-0.25, 0, 0.5, 1, 1.75].map((t) => clipTime(t, scene(2, 2, 2), 1))
  expect(round).toEqual([0.75, 0, 0.5, 0, 0.75])
  // A duration that was rounded is still the clip's.
  const times = timing({ duration: 1.0000001 } as never, 1, 30, true)
  expect(times).toEqual({ duration: 1, loop: 1, rounds: 1, fps: 30 })
})

it('gusts never blow harder than they may, change with the seed, and close in a loop', () => {
  const samples = Array.from({ length: 4000 }, (_, i) => i * 0.01)
  const [at, out] = [(t: number, blow: ReturnType<typeof windDrive>) => (blow(t, out), out.toArray()), new Vector3()]
  for (const seed of [0, 1, 2, 3]) {
    const blow = windDrive('wind', { base: [0, 0, -3], gust: 2 }, seed, undefined)
    const speeds = samples.map((t) => at(t, blow)[2]!)
    expect(Math.min(...speeds)).toBeGreaterThanOrEqual(-5)
    expect(Math.max(...speeds)).toBeLessThanOrEqual(-1)
    expect(Math.max(...speeds) - Math.min(...speeds)).toBeGreaterThan(2)
    // Smooth: no jump from one frame to the next.
    expect(Math.max(...speeds.slice(1).map((n, i) => Math.abs(n - speeds[i]!)))).toBeLessThan(0.15)
    const other = windDrive('wind', { base: [0, 0, -3], gust: 2 }, seed + 1, undefined)
    expect(at(1.3, other)).not.toEqual(at(1.3, blow))
    const looped = windDrive('wind', { gust: [1, 2, 3], period: 0.7 }, seed, 1.2)
    for (const t of [-0.4, 0, 0.1, 0.8]) {
      at(t + 1.2, looped).forEach((n, c) => expect(n).toBeCloseTo(at(t, looped)[c]!, 9))
    }
  }
  const still = windDrive('wind', [1, 2, 3], 5, undefined)
  expect(at(7, still)).toEqual([1, 2, 3])
})

it('keyframes are cut off, and repeated with the step that the clip has', () => {
  const [times, values] = [[0, 0.5, 1], Float64Array.of(0, 4, 2)]
  const plain = (keys: ReturnType<typeof retimed>) => [Array.from(keys.times), Array.from(keys.values)]
  expect(plain(retimed(times, values, 1, false, 'LINEAR', 1, scene(0.75)))).toEqual([
    [0, 0.5, 0.75],
    [0, 4, 3],
  ])
  const [at, shown] = plain(retimed(times, values, 1, false, 'LINEAR', 1, scene(2, 2, 2)))
  expect(shown).toEqual([0, 4, 2, 0, 4, 2])
  expect(at!.map((t) => Math.round(t * 1e5) / 1e5)).toEqual([0, 0.5, 1, 1, 1.5, 2])
  expect(at![3]).toBeGreaterThan(at![2]!)
  // Held, not blended.
  expect(plain(retimed(times, values, 1, false, 'STEP', 1, scene(0.75)))).toEqual([
    [0, 0.5, 0.75],
    [0, 4, 4],
  ])
})

it('cubic keyframes become straight pieces', () => {
  // From 0 to 1 and level at both ends.
  const values = Float64Array.of(0, 0, 0, 0, 1, 0)
  const keys = retimed([0, 1], values, 3, false, 'CUBICSPLINE', 1, scene(0.5))
  expect(keys.times.length).toBe(16)
  keys.times.forEach((t, i) => expect(keys.values[i]).toBeCloseTo(3 * t ** 2 - 2 * t ** 3, 6))
})
