import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serveBuilt } from './browser.mjs'

/** The three sizes of a desktop and a phone. */
const SIZES = [
  [1280, 720],
  [844, 390],
  [390, 844],
] as const

describe('examples-three/cloth', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    browser = await launch()
    server = await serveBuilt(new URL('../../examples-three/cloth', import.meta.url))
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  it.each(SIZES)('runs at %i×%i without a word on the console', async (width, height) => {
    const { page, faults } = await open(browser, `${server.url}?ratio=0.5&lang=en`, { width, height })
    await page.waitForFunction(() => window.limberExample !== undefined)
    await page.evaluate(() => window.limberExample!.ready)
    const first = await page.screenshot()
    const stats = await page.evaluate(() => {
      window.limberExample!.simulate(2)
      return window.limberExample!.stats as { points: number; links: number; milliseconds: number; time: number }
    })
    const later = await page.screenshot()
    expect(later.equals(first)).toBe(false)
    expect(stats.points).toBe(12 * 17 + 16 * 10)
    expect(stats.links).toBeGreaterThan(1800)
    expect(stats.milliseconds).toBeGreaterThan(0)
    // Nothing reaches beyond the screen.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(faults).toEqual([])
    await page.close()
  })
})
