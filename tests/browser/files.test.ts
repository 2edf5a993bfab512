import { load, type Backend } from 'limber-node'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIXTURES } from '../bake/fixtures.js'
import { launch, open, serve } from './browser.mjs'

const STRIDE = 7

describe('files that were baked play in a browser', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  let page: Page
  let faults: string[]
  let limber: Backend
  beforeAll(async () => {
    limber = await load()
    browser = await launch()
    server = await serve(new URL('page', import.meta.url))
    ;({ page, faults } = await open(browser, `${server.url}files.html`))
    await page.waitForFunction(() => window.files !== undefined)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
    limber.dispose()
  })

  it.each(Object.entries(FIXTURES))('%s', async (_, make) => {
    const { bytes, recording } = await make(limber)
    const { frames, fps, meshes } = recording
    const chosen = [0, frames >> 2, frames >> 1, frames - 1]
    const times = chosen.map((frame) => frame / fps)
    const shown = await page.evaluate(([base64, times, stride]) => window.files!.play(base64, times, stride), [
      Buffer.from(bytes).toString('base64'),
      times,
      STRIDE,
    ] as const)
    expect(faults).toEqual([])
    const { maxError, maxAngle } = recording.report!
    shown.forEach(({ covered, vertices, turns }, i) => {
      const frame = chosen[i]!
      expect(covered).toBeGreaterThan(20)
      // Meshes of a file's own nodes have names of theirs.
      const all = Object.values(vertices)
      meshes.forEach(({ positions }, m) => {
        let far = 0
        const list = all[m]!
        for (let k = 0; k < list.length / 3; k++) {
          const at = k * STRIDE * 3
          far = Math.max(far, Math.hypot(...[0, 1, 2].map((c) => list[k * 3 + c]! - positions[frame]![at + c]!)))
        }
        expect(list.length).toBeGreaterThan(0)
        expect(far).toBeLessThanOrEqual(maxError + 2e-6)
      })
      for (const { nodes } of recording.moving()) {
        for (const { name, quaternions } of nodes) {
          const turn = turns[name]
          if (!turn) continue
          const dot = [0, 1, 2, 3].reduce((sum, c) => sum + turn[c]! * quaternions[frame * 4 + c]!, 0)
          // acos is coarse near 0.
          expect(2 * Math.acos(Math.min(Math.abs(dot), 1))).toBeLessThanOrEqual(maxAngle + 1e-3)
        }
      }
      expect(all.length + Object.keys(turns).length).toBeGreaterThan(0)
    })
    // It moves.
    expect(JSON.stringify(shown[0])).not.toBe(JSON.stringify(shown[2]))
  })
})
