import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { farthest } from '../helpers.mjs'
import { CellBoids, SheetBoids } from './peers/sheet-boids.mjs'

const golden = JSON.parse(readFileSync(new URL('../golden/boids.json', import.meta.url), 'utf8'))

const triples = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.flatMap((v, i) => [v, y[i], 0])

describe.each([
  ['the sheet', SheetBoids],
  ['plain JS', CellBoids],
])('%s reproduces golden/boids.json', (_, Boids) => {
  test.each(/** @type {any[]} */ (golden.cases).map((made) => ({ count: made.x.length, made })))(
    '$count fish',
    ({ count, made }) => {
      const { x, y, vx, vy, expect: rows, aspect } = made
      const boids = new Boids({ ...made, size: [aspect, 1] }, triples(x, y), triples(vx, vy))
      const [positions, velocities] = [new Float64Array(count * 3), new Float64Array(count * 3)]
      let seen = 0
      for (let s = 1; s <= 30; s++) {
        boids.step()
        const wanted = rows[s]
        if (!wanted) continue
        seen++
        boids.read(positions, velocities)
        // The golden has nine significant digits.
        expect(farthest(positions, triples(wanted.x, wanted.y))).toBeLessThan(1e-8)
        expect(farthest(velocities, triples(wanted.vx, wanted.vy))).toBeLessThan(1e-8)
      }
      expect(seen).toBe(Object.keys(rows).length)
    },
  )
})
