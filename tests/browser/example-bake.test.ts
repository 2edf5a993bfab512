import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import validator from 'gltf-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serveBuilt } from './browser.mjs'

const example = new URL('../../examples-three/bake/', import.meta.url)

describe('examples-three/bake', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    execFileSync(process.execPath, ['bake.mjs'], { cwd: example, stdio: 'pipe' })
    browser = await launch()
    server = await serveBuilt(example)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  it('bakes a valid file', async () => {
    const { issues } = await validator.validateBytes(readFileSync(new URL('baked/cape.glb', example)))
    expect([issues.numErrors, issues.numWarnings], JSON.stringify(issues.messages)).toEqual([0, 0])
  })

  it.each([
    [1280, 720],
    [844, 390],
    [390, 844],
  ])('plays it at %i×%i beside the same simulation, no further apart than the report says', async (width, height) => {
    const report = JSON.parse(readFileSync(new URL('baked/report.json', example), 'utf8')) as {
      maxError: number
      targets: number
    }
    const { page, faults } = await open(browser, `${server.url}?ratio=0.5&lang=en`, { width, height })
    await page.waitForFunction(() => window.limberExample !== undefined)
    await page.evaluate(() => window.limberExample!.ready)
    const first = await page.screenshot()
    // Once round, and back to the first frame.
    const stats = await page.evaluate(() => {
      window.limberExample!.simulate(9)
      return window.limberExample!.stats as { millimetres: number; targets: number }
    })
    expect((await page.screenshot()).equals(first)).toBe(false)
    expect(stats.targets).toBe(report.targets)
    expect(stats.millimetres).toBeLessThanOrEqual(report.maxError * 1000 + 0.001)
    expect(stats.millimetres).toBeGreaterThan(report.maxError * 900)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(faults).toEqual([])
    await page.close()
  })
})
