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

/** `reach`: how far the pelvis is from home, in metres; of the crowd, how many bodies are limp. */
type Stats = { milliseconds: number; points: number; links: number; phase: string; reach: number }

describe('examples-three/ragdoll', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    browser = await launch()
    server = await serveBuilt(new URL('../../examples-three/ragdoll', import.meta.url))
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  const begin = async (query: string, size: readonly [number, number]) => {
    const { page, faults, simulate } = await openExample<Stats>(browser, server.url, query, size)
    /** Runs until `holds`, for half a minute of the scene at most, and looks every `each` seconds; gives what it saw. */
    const until = async (holds: (stats: Stats) => boolean, each = 0.1) => {
      const passed: Stats[] = []
      do passed.push(await simulate(each))
      while (!holds(passed.at(-1)!) && passed.length * each < 30)
      expect(holds(passed.at(-1)!), passed.map(({ phase }) => phase).join(' ')).toBe(true)
      return passed
    }
    return { page, faults, simulate, until }
  }

  it.each(SIZES)('runs at %i×%i without a word on the console', async (width, height) => {
    const { page, faults, simulate } = await begin('t=0', [width, height])
    const first = await page.screenshot()
    const stats = await simulate(1)
    expect((await page.screenshot()).equals(first)).toBe(false)
    expect(stats).toMatchObject({ points: 27, links: 131 })
    expect(stats.milliseconds).toBeGreaterThan(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(faults).toEqual([])
    await page.close()
  })

  it('the bunny is hit, falls, gets up and comes home; switched off, it tips over like a board', async () => {
    const { page, faults, until } = await begin('t=0', SIZES[0])
    await until(({ phase }) => phase === 'limp')
    const fallen = await until(({ phase }) => phase === 'gettingUp')
    expect(fallen.map(({ phase }) => phase)).toContain('dizzy')
    expect(Math.max(...fallen.map(({ reach }) => reach))).toBeGreaterThan(0.3)
    await until(({ phase }) => phase === 'home')
    const home = await until(({ phase }) => phase === 'calm')
    expect(home.at(-1)!.reach).toBeLessThan(0.1)
    await page.getByRole('switch').click()
    const off = await until(({ phase }) => phase === 'board')
    expect(off.map(({ phase }) => phase)).not.toContain('limp')
    expect(faults).toEqual([])
    await page.close()
  })

  it('a crowd tumbles down the steps and gets up', async () => {
    const { page, faults, until } = await begin('tab=crowd&t=0', [390, 300])
    const [first] = await until(({ reach }) => reach > 15, 0.5)
    expect(first).toMatchObject({ points: 27 * 30, links: 131 * 30 })
    const passed = await until(({ reach }) => reach === 0, 0.5)
    expect(passed.map(({ phase }) => phase)).toContain('rising')
    expect(faults).toEqual([])
    await page.close()
  })

  it('drops a character from a file, and answers a broken one, and one that is no human, in words', async () => {
    const { page, faults, until } = await begin('tab=crowd&t=0', SIZES[2])
    const model = (name: string) => fileURLToPath(new URL(`../models/${name}`, import.meta.url))
    const input = page.locator('input[type=file]')
    const note = page.locator('.model-note')
    const points = () => page.evaluate(() => window.limberExample!.stats.points!)
    const before = await points()
    /** Waits for what a file brings, for a thousand frames at most. */
    const seen = async (there: () => Promise<boolean>) => {
      for (let frame = 0; frame < 1000 && !(await there()); frame++)
        await page.evaluate(() => new Promise(requestAnimationFrame))
      expect(await there()).toBe(true)
    }
    await input.setInputFiles(model('CesiumMan.glb'))
    await seen(async () => (await points()) !== before)
    await until(({ phase }) => phase === 'resting', 0.5)
    await until(({ phase }) => phase === 'standing', 0.5)
    const man = await points()
    await input.setInputFiles({ name: 'broken.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('no model') })
    await seen(() => note.isVisible())
    const words = await note.innerText()
    await input.setInputFiles(model('RiggedSimple.glb'))
    await seen(async () => /No humanoid was found/.test(await note.innerText()))
    expect(await note.innerText()).not.toBe(words)
    expect(await points()).toBe(man)
    expect(faults).toEqual([])
    await page.close()
  })
})
