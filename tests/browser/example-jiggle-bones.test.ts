import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, openExample, serveBuilt } from './browser.mjs'

/** The three sizes of a desktop and a phone. */
const SIZES = [
  [1280, 720],
  [844, 390],
  [390, 844],
] as const

/** `difference`: the largest angle between the same bone of both bunnies, in radians. */
type Stats = { bones: number; milliseconds: number; difference: number; state: string }

describe('examples-three/jiggle-bones', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    browser = await launch()
    server = await serveBuilt(new URL('../../examples-three/jiggle-bones', import.meta.url))
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  const begin = (query: string, size: readonly [number, number]) => openExample<Stats>(browser, server.url, query, size)

  it.each(SIZES)('runs at %i×%i without a word on the console', async (width, height) => {
    const { page, faults, simulate } = await begin('t=0', [width, height])
    const first = await page.screenshot()
    const stats = await simulate(0.5)
    expect((await page.screenshot()).equals(first)).toBe(false)
    expect(stats.bones).toBe(7)
    expect(stats.milliseconds).toBeGreaterThan(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(faults).toEqual([])
    await page.close()
  })

  it('the right bunny swings, and equals the left one when it is switched off', async () => {
    const { page, faults, simulate } = await begin('t=0', SIZES[0])
    let most = 0
    for (let i = 0; i < 20; i++) most = Math.max(most, (await simulate(0.2)).difference)
    expect(most).toBeGreaterThan(0.3)
    const box = page.getByRole('switch')
    await box.click()
    expect((await simulate(0.5)).difference).toBe(0)
    await box.click()
    for (let i = 0, most = 0; most < 0.3; i++) {
      expect(i).toBeLessThan(50)
      most = (await simulate(0.2)).difference
    }
    expect(faults).toEqual([])
    await page.close()
  })

  it('loads a model from a file, and answers a broken one in words', async () => {
    const { page, faults, simulate } = await begin('model=robot&t=1', SIZES[2])
    expect((await simulate(0.5)).bones).toBeGreaterThan(3)
    const model = (name: string) => fileURLToPath(new URL(`../models/${name}`, import.meta.url))
    const input = page.locator('input[type=file]')
    const bones = () => page.evaluate(() => (window.limberExample!.stats as { bones: number }).bones)
    // Its bones have names that tell nothing, so none is chosen.
    await input.setInputFiles(model('CesiumMan.glb'))
    while ((await bones()) > 0) await page.evaluate(() => new Promise(requestAnimationFrame))
    const before = await page.evaluate(() => document.body.innerText)
    await input.setInputFiles({ name: 'broken.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('no model') })
    while ((await page.evaluate(() => document.body.innerText)) === before)
      await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await bones()).toBe(0)
    expect(faults).toEqual([])
    await page.close()
  })
})
