import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, openExample, serveBuilt } from './browser.mjs'

/** The three sizes of a desktop and a phone. */
const SIZES = [
  [1280, 720],
  [844, 390],
  [390, 844],
] as const

/** `groups`: schools of four or more; `order`: how alike neighbours swim; `near`: fish within half the pointer's reach. */
type Stats = {
  tab: string
  phase: string
  milliseconds: number
  fish: number
  groups: number
  order: number
  near: number
}

describe('examples-three/boids', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    browser = await launch()
    server = await serveBuilt(new URL('../../examples-three/boids', import.meta.url))
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  const begin = async (query: string, size: readonly [number, number]) => {
    const { page, faults, simulate } = await openExample<Stats>(browser, server.url, query, size)
    const pill = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
    const pressed = (name: string) => pill(name).getAttribute('aria-pressed')
    return { page, faults, simulate, pill, pressed }
  }

  it.each(SIZES)('runs at %i×%i without a word on the console', async (width, height) => {
    const { page, faults, simulate } = await begin('t=0', [width, height])
    const first = await page.screenshot()
    const stats = await simulate(1)
    expect((await page.screenshot()).equals(first)).toBe(false)
    expect(stats).toMatchObject({ tab: 'sea', phase: 'school', fish: 110 })
    expect(stats.milliseconds).toBeGreaterThan(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    for (const button of await page.locator('.pills button').all()) {
      const box = (await button.boundingBox())!
      expect(box.height).toBeGreaterThanOrEqual(40)
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
    }
    expect(faults).toEqual([])
    await page.close()
  })

  it('fish school, scatter when the rules switch off by themselves, and school again', async () => {
    const { page, faults, simulate, pressed } = await begin('t=0', SIZES[0])
    const schooling = await simulate(8.9)
    expect(schooling.phase).toBe('school')
    expect(schooling.groups).toBeGreaterThan(1)
    expect(await pressed('Cohesion')).toBe('true')
    expect((await simulate(0.2)).phase).toBe('scatter')
    expect(await pressed('Separation')).toBe('true')
    expect(await pressed('Alignment')).toBe('false')
    expect(await pressed('Cohesion')).toBe('false')
    const scattered = await simulate(4.8)
    expect(scattered.phase).toBe('scatter')
    expect(scattered.order).toBeLessThan(schooling.order - 0.1)
    expect((await simulate(0.2)).phase).toBe('school')
    expect((await simulate(8)).order).toBeGreaterThan(scattered.order + 0.1)
    expect(faults).toEqual([])
    await page.close()
  })

  it('a pill switches its rule and ends the switching, until auto is switched on again', async () => {
    const { page, faults, simulate, pill, pressed } = await begin('t=0', SIZES[2])
    await pill('Alignment').click()
    expect((await simulate(10)).phase).toBe('gathering')
    expect([await pressed('Alignment'), await pressed('Cohesion'), await pressed('Auto')]).toEqual([
      'false',
      'true',
      'false',
    ])
    await page.getByRole('switch').click()
    expect((await simulate(0.1)).phase).toBe('scatter')
    await pill('Separation').click()
    await simulate(0.1)
    expect(await pressed('Separation')).toBe('false')
    await pill('Auto').click()
    expect((await simulate(0.1)).phase).toBe('school')
    expect(await pressed('Separation')).toBe('true')
    expect((await simulate(9)).phase).toBe('scatter')
    expect(faults).toEqual([])
    await page.close()
  })

  it('fish flee the pointer', async () => {
    const { page, faults, simulate } = await begin('t=0', [600, 400])
    // No time passes while it looks for where most of them are.
    const places = [80, 190, 300, 410, 520].flatMap((x) => [110, 170, 230, 290].map((y) => [x, y] as const))
    for (let round = 0; round < 3; round++) {
      let [most, at] = [0, places[0]!]
      for (const place of places) {
        await page.mouse.move(...place)
        const near = await page.evaluate(() => window.limberExample!.stats.near!)
        if (near > most) [most, at] = [near, place]
      }
      expect(most).toBeGreaterThan(3)
      await page.mouse.move(...at)
      await simulate(1)
      for (let look = 0; look < 10; look++) expect((await simulate(0.1)).near).toBeLessThanOrEqual(2)
    }
    expect(faults).toEqual([])
    await page.close()
  })

  it('the reef runs on its own tab, with its rules', async () => {
    const { page, faults, simulate, pill } = await begin('tab=reef&t=0', [390, 300])
    const first = await simulate(0.5)
    expect(first).toMatchObject({ tab: 'reef', fish: 3000 })
    expect(first.milliseconds).toBeGreaterThan(0)
    await pill('Alignment').click()
    expect((await simulate(0.1)).phase).toBe('gathering')
    await page.getByRole('tab', { name: '2D' }).click()
    expect(await simulate(0.1)).toMatchObject({ tab: 'sea', phase: 'school', fish: 110 })
    expect(faults).toEqual([])
    await page.close()
  })
})
