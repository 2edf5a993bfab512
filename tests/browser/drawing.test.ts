import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serve } from './browser.mjs'

describe('in a browser', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    browser = await launch()
    server = await serve(new URL('page', import.meta.url))
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  async function run<T>(act: (tests: NonNullable<Window['tests']>) => Promise<T>): Promise<T> {
    const { page, faults } = await open(browser, server.url)
    await page.waitForFunction(() => window.tests !== undefined)
    const result = (await page.evaluate(`(${act})(window.tests)`)) as T
    expect(faults).toEqual([])
    await page.close()
    return result
  }

  it("the attribute's array is the simulation's own memory, before and after that grows", async () => {
    const { target, start, stepped, grown } = await run((tests) => tests.identity())
    const own = { position: true, normal: true, memory: true, dynamic: true, length: 24 * 24 * 3 }
    expect(target).toBe('wasm')
    expect(start).toEqual(own)
    expect(stepped).toEqual({ ...own, same: true })
    expect(grown).toEqual({ ...own, more: true })
  })

  it.each(['webgl', 'webgpu'] as const)('%s draws it moving, after memory grew, and after dispose', async (kind) => {
    const life = await run(kind === 'webgl' ? (tests) => tests.life('webgl') : (tests) => tests.life('webgpu'))
    expect(life.grew).toBe(true)
    // The sheet covers about a third of the picture.
    for (const count of life.covered) expect(count).toBeGreaterThan(8000)
    expect(life.wrong).toEqual([0, 0, 0, 0, 0])
    expect(life.changed.start).toBeGreaterThan(500)
    expect(life.changed.growth).toBe(0)
    expect(life.changed.moving).toBeGreaterThan(500)
    expect(life.changed.disposing).toBe(0)
  })

  // So few that WebGPURenderer puts them into a uniform buffer, and so many that it does not.
  it.each([
    ['webgl', 'few', (tests: NonNullable<Window['tests']>) => tests.flock('webgl', 50)],
    ['webgl', 'many', (tests: NonNullable<Window['tests']>) => tests.flock('webgl', 5000)],
    ['webgpu', 'few', (tests: NonNullable<Window['tests']>) => tests.flock('webgpu', 50)],
    ['webgpu', 'many', (tests: NonNullable<Window['tests']>) => tests.flock('webgpu', 5000)],
  ] as const)('%s draws %s boids moving, after memory grew, and after dispose', async (_, __, act) => {
    const life = await run(act)
    expect(life).toMatchObject({ grew: true, own: true, wrong: [0, 0, 0, 0, 0] })
    for (const count of life.covered) expect(count).toBeGreaterThan(500)
    expect(life.changed.start).toBeGreaterThan(100)
    expect(life.changed.growth).toBe(0)
    expect(life.changed.moving).toBeGreaterThan(100)
    expect(life.changed.disposing).toBe(0)
  })
})
