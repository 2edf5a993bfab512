import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import validator from 'gltf-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMBER } from '../cli/helpers.js'
import { launch, openExample, serveBuilt } from './browser.mjs'

const example = new URL('../../examples-three/bake/', import.meta.url)
const SIZES = [
  [1280, 720],
  [844, 390],
  [390, 844],
] as const

interface Job {
  id: string
  file: string
  bytes: number
  report: {
    bytes: number
    targets: number
    maxError: number
    seam: { distance: number; jump: number } | null
    skeletons: { maxAngle: number }[]
  }
}

/** What the page says of itself; which of them there are depends on the tab. */
interface Stats extends Record<string, number> {
  tab: number
  millimetres: number
}

describe('examples-three/bake', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  let jobs: Job[]
  const job = (id: string) => jobs.find((one) => one.id === id)!
  const bytesOf = (path: string) => readFileSync(new URL(path, example))
  beforeAll(async () => {
    execFileSync(process.execPath, [LIMBER, 'bake', '--force', '--jobs', '2'], { cwd: example, stdio: 'pipe' })
    jobs = (JSON.parse(bytesOf('baked/manifest.json').toString()) as { jobs: Job[] }).jobs
    browser = await launch()
    server = await serveBuilt(example)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  /** Opens a tab; at the end nothing may have gone wrong, and nothing may be cut off. */
  async function visit(
    tab: string,
    size: readonly [width: number, height: number],
    look: (page: Awaited<ReturnType<typeof openExample<Stats>>>) => Promise<void>,
  ): Promise<void> {
    const opened = await openExample<Stats>(browser, server.url, `tab=${tab}`, size)
    await look(opened)
    const [width, height] = size
    const cut = await opened.page.evaluate(
      ([width, height]) => {
        const seen = [...document.querySelectorAll('.chip, .tabs button, .caption h1, .caption p, .controls button')]
        const boxes = seen.map((element) => ({ text: element.textContent, box: element.getBoundingClientRect() }))
        const shown = boxes.filter(({ box }) => box.width > 0)
        const out = shown.filter(({ box }) => box.left < 0 || box.top < 0 || box.right > width! || box.bottom > height!)
        return { shown: shown.length, out: out.map(({ text }) => text) }
      },
      [width, height],
    )
    expect(cut.out).toEqual([])
    expect(cut.shown).toBeGreaterThan(9)
    const overlap = await opened.page.evaluate(() => {
      const [top, foot] = ['.top', '.caption'].map((name) => document.querySelector(name)!.getBoundingClientRect())
      return top!.bottom - foot!.top
    })
    expect(overlap).toBeLessThanOrEqual(0)
    expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(opened.faults).toEqual([])
    await opened.page.close()
  }

  it('makes the same character, and bakes valid files within 2 mm', async () => {
    const before = bytesOf('models/hero.glb')
    execFileSync(process.execPath, ['models/make-hero.mjs'], { cwd: example, stdio: 'pipe' })
    expect(bytesOf('models/hero.glb').equals(before)).toBe(true)
    expect(jobs.map(({ id }) => id)).toEqual(['cape', 'hero.Walk.calm', 'hero.Walk.storm', 'flag'])
    for (const file of ['models/hero.glb', ...jobs.map(({ file }) => `baked/${file}`)]) {
      if (!file.endsWith('.glb')) continue
      const { issues } = await validator.validateBytes(bytesOf(file))
      expect([issues.numErrors, issues.numWarnings], `${file} ${JSON.stringify(issues.messages)}`).toEqual([0, 0])
    }
    for (const { id, file, bytes, report } of jobs) {
      expect(bytesOf(`baked/${file}`).byteLength, id).toBe(bytes)
      expect(report.maxError, id).toBeLessThanOrEqual(0.002)
      expect(report.maxError, id).toBeGreaterThan(0.001)
    }
    expect(job('cape').bytes).toBeLessThan(350 * 1024)
    expect(job('flag').bytes).toBeLessThan(80 * 1024)
    for (const id of ['hero.Walk.calm', 'hero.Walk.storm']) {
      expect(job(id).bytes, id).toBeLessThan(600 * 1024)
      expect(job(id).report.skeletons, id).toHaveLength(1)
      const seam = job(id).report.seam!
      expect(seam.distance, id).toBeLessThan(0.002)
      expect(seam.jump, id).toBeLessThanOrEqual(1.5)
    }
  })

  it.each(SIZES)('plays the cape at %i×%i beside the same simulation, no further apart than it says', (...size) => {
    const { report } = job('cape')
    return visit('cape', size, async ({ page, simulate }) => {
      const first = await page.screenshot()
      // Once round, and back to the first frame.
      const stats = await simulate(9)
      expect((await page.screenshot()).equals(first)).toBe(false)
      expect(stats.targets).toBe(report.targets)
      expect(stats.millimetres).toBeLessThanOrEqual(report.maxError * 1000 + 0.001)
      expect(stats.millimetres).toBeGreaterThan(report.maxError * 900)
      expect(await page.locator('.chips').innerText()).toContain(String(report.targets))
      expect(await page.locator('.caption p').innerText()).toContain(`${(report.maxError * 1000).toFixed(1)} mm`)
    })
  })

  it.each(SIZES)('plays the character at %i×%i, before baking, in calm and in storm', (...size) => {
    return visit('hero', size, async ({ page, simulate }) => {
      const pill = (index: number) => page.locator('.pills button').nth(index).click()
      const seen: Buffer[] = []
      for (const [index, id] of [
        [1, 'hero.Walk.calm'],
        [2, 'hero.Walk.storm'],
      ] as const) {
        await pill(index)
        const stats = await simulate(0.7)
        seen.push(await page.screenshot())
        expect(stats.tab).toBe(1)
        expect(stats.chosen).toBe(index)
        expect(stats.targets).toBe(job(id).report.targets)
        // The cape waves, and stays a cape behind the one who wears it.
        expect(stats.moved).toBeGreaterThan(100)
        expect(stats.high).toBeGreaterThan(0.6)
        expect(stats.low).toBeGreaterThan(0)
        // Its end is its beginning, and meets it no faster than it moves there.
        expect(stats.seam).toBeLessThan(2)
        expect(stats.step).toBeLessThan(80)
        expect(await page.locator('.pills button[aria-checked=true]').count()).toBe(1)
      }
      await pill(0)
      const raw = await simulate(0.7)
      seen.push(await page.screenshot())
      expect(raw.targets).toBe(0)
      expect(seen[0]!.equals(seen[1]!) || seen[1]!.equals(seen[2]!)).toBe(false)
      expect(await page.locator('.switch').isVisible()).toBe(false)
    })
  })

  it.each(SIZES)('waves two hundred flags at %i×%i from one texture', (...size) => {
    return visit('crowd', size, async ({ page, simulate }) => {
      const first = await page.screenshot()
      const stats = await simulate(0.5)
      expect((await page.screenshot()).equals(first)).toBe(false)
      expect(stats).toMatchObject({ tab: 2, flags: 200 })
      expect(stats.millimetres).toBeLessThanOrEqual(2)
      expect(stats.moved).toBeGreaterThan(50)
      expect(stats.seam).toBeLessThan(0.01)
      expect(stats.milliseconds).toBeGreaterThan(0)
      expect(await page.locator('.chips').innerText()).toContain('ms / frame')
    })
  })

  it('goes from tab to tab and from language to language', async () => {
    await visit('cape', [1280, 720], async ({ page, simulate }) => {
      const title = () => page.locator('.caption h1').innerText()
      const titles: string[] = []
      for (const [tab, name] of ['cape', 'hero', 'crowd'].entries()) {
        await page.locator('.tabs button').nth(tab).click()
        await page.waitForFunction((tab) => document.body.dataset.act === String(tab), tab)
        expect((await simulate(0.05)).tab, name).toBe(tab)
        const english = await title()
        await page.locator('.language').click()
        const korean = await title()
        expect(korean).toMatch(/[가-힣]/)
        expect(await page.locator('.chips').innerText()).toMatch(/[가-힣]/)
        expect(await page.locator('.caption p').innerText()).toMatch(/[가-힣]/)
        await page.locator('.language').click()
        expect(await title()).toBe(english)
        titles.push(english)
      }
      expect(new Set(titles).size).toBe(3)
      // And back: the capes are where they were.
      await page.locator('.tabs button').nth(0).click()
      await page.waitForFunction(() => document.body.dataset.act === '0')
      expect((await simulate(0.1)).millimetres).toBeLessThanOrEqual(job('cape').report.maxError * 1000 + 0.001)
    })
  })
})
