import { expect, test } from 'vitest'
import { JoltCloth, loadJolt } from './peers/jolt-cloth.mjs'
import { SheetCloth } from './peers/sheet-cloth.mjs'
import { STEP } from './scenes.mjs'

test('jolt-physics hangs the same links, and holds them better with more iterations', async () => {
  const Jolt = await loadJolt()
  const size = 24
  const hang = (/** @type {number} */ iterations) => {
    const cloth = new JoltCloth(Jolt, { size, width: 1.2, height: 5, h: STEP, iterations })
    for (let s = 0; s < 300; s++) cloth.step()
    const { linkCount } = cloth
    const stretch = cloth.stretch()
    cloth.dispose()
    return { linkCount, stretch }
  }
  const [few, many] = [2, 8].map(hang)
  const sheet = new SheetCloth({ columns: size, rows: size, place: (i, j) => [i, -j, 0], pinned: (_, j) => j === 0 })
  expect(few.linkCount).toBe(sheet.linkCount)
  expect(few.stretch).toBeGreaterThan(many.stretch)
  expect(many.stretch).toBeGreaterThan(1)
  expect(many.stretch).toBeLessThan(1.05)
})
