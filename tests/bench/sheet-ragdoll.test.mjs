import { describe, expect, test } from 'vitest'
import { farthest } from '../helpers.mjs'
import { FRAME, figure, golden, goldenBuild, RATE, thrown } from './bodies.mjs'
import { LeanRagdoll, SheetRagdoll } from './peers/sheet-ragdoll.mjs'

/** The golden has nine significant digits, and arithmetic in another order has other roundings that grow: metres, to a step. */
const ROUNDING = [
  [10, 1e-8],
  [60, 1e-7],
  [600, 1e-5],
]

describe.each([
  ['the sheet', SheetRagdoll],
  ['plain JS', LeanRagdoll],
])('%s reproduces golden/ragdoll.json', (_, Ragdoll) => {
  test.each(/** @type {any[]} */ (golden.cases).map((made, i) => ({ i, points: made.inverseMass.length, made })))(
    'case $i, $points points',
    ({ points, made }) => {
      const bodies = 3
      const solver = new Ragdoll(goldenBuild(made), bodies)
      const found = new Float64Array(points * 3 * bodies)
      let rows = 0
      for (let s = 1; s <= 600; s++) {
        solver.step(1 / RATE, made.iterations)
        const wanted = made.expect[s]
        if (!wanted) continue
        rows++
        const most = ROUNDING.find(([until]) => s <= until)?.[1]
        solver.read(found)
        for (let body = 0; body < bodies; body++)
          expect(
            farthest(found.subarray(body * points * 3, (body + 1) * points * 3), wanted),
            `step ${s}`,
          ).toBeLessThan(Number(most))
      }
      expect(rows).toBe(Object.keys(made.expect).length)
    },
  )
})

test('both throw the same bodies', () => {
  const [sheet, lean] = [SheetRagdoll, LeanRagdoll].map((Ragdoll) => {
    const solver = new Ragdoll(figure(), 12)
    for (let body = 0; body < 12; body++) {
      const { offset, velocity } = thrown(body)
      solver.place(body, offset, velocity)
    }
    for (let f = 0; f < 30; f++) solver.step(FRAME)
    return solver.read(new Float64Array(12 * 60))
  })
  expect(farthest(sheet, lean)).toBeLessThan(1e-9)
  expect(sheet.every(Number.isFinite)).toBe(true)
})
