import type { Browser } from 'playwright-core'
import { bake, Cloth, load, type Backend, type Recording } from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serve, WEBGPU } from './browser.mjs'
import type { Kind, Scene, Shot } from './page/vertex-animation.js'

const FPS = 30

describe('a vertex animation in a browser', () => {
  let browser: Browser
  let server: { url: string; close(): Promise<void> }
  let limber: Backend
  let recording: Recording
  beforeAll(async () => {
    browser = await launch(...WEBGPU)
    server = await serve(new URL('page', import.meta.url))
    limber = await load()
    const flag = Cloth.grid(limber, {
      columns: 24,
      rows: 16,
      pinned: 'left',
      place: (i, j, out) => out.set((i / 23) * 1.2, 2.6 - (j / 15) * 0.75, 0),
    })
    const drive = (t: number) => flag.wind.set(5 + 2 * Math.sin(2 * t), 0, 3 * Math.sin(1.3 * t))
    recording = await bake({ flag }, { fps: FPS, duration: 2, warmup: 1, drive })
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
    limber.dispose()
  })

  /** What was recorded, also on the straight way between two frames. */
  function shotAt(frame: number): Shot {
    const [mesh] = recording.meshes
    const first = Math.min(Math.floor(frame), recording.frames - 2)
    const share = frame - first
    const between = (rows: Float32Array[]) =>
      Array.from(rows[first]!, (n, i) => n * (1 - share) + rows[first + 1]![i]! * share)
    return { time: frame / FPS, positions: between(mesh!.positions), normals: between(mesh!.normals) }
  }

  async function compare(kind: Kind, scene: Scene, bytes: Uint8Array, frames: number[]) {
    const { page, faults } = await open(browser, `${server.url}vertex-animation.html`)
    await page.waitForFunction(() => window.compareVAT !== undefined)
    const shots = frames.map(shotAt)
    const result = await page.evaluate(
      ({ kind, scene, bytes, shots }) => window.compareVAT!(kind, scene, bytes, shots),
      { kind, scene, bytes: [...bytes], shots },
    )
    expect(faults).toEqual([])
    await page.close()
    return result
  }

  const kinds: Kind[] = ['webgl', 'webgpu-webgl', 'webgpu']
  it.each(kinds)('%s draws it as it was recorded, between frames too', async (kind) => {
    for (const options of [{ tolerance: 0.0005 }, { tolerance: 0.00001, angle: 0.001 }]) {
      const { drawn, compact, webgpu } = await compare(kind, 'normals', recording.toVAT(options), [0, 17, 31.4, 60])
      expect(compact).toBe(options.angle === undefined)
      expect(webgpu).toBe(kind === 'webgpu')
      expect(drawn.length).toBe(4)
      for (const { covered, wrong, unlike } of drawn) {
        expect(covered).toBeGreaterThan(1500)
        expect(wrong).toBeLessThan(covered / 200)
        expect(unlike).toBeGreaterThan(covered / 10)
      }
    }
  })

  it.each(kinds)('%s lights it, and it throws its shadow', async (kind) => {
    for (const scene of ['shadows', 'point'] as const) {
      const { drawn } = await compare(kind, scene, recording.toVAT({ tolerance: 0.0005 }), [5, 44])
      for (const { wrong, unlike } of drawn) {
        expect(wrong, scene).toBeLessThan(300)
        expect(unlike, scene).toBeGreaterThan(1500)
      }
    }
  })

  it.each(kinds)('%s draws crowds out of step', async (kind) => {
    for (const scene of ['crowd', 'many'] as const) {
      const { drawn } = await compare(kind, scene, recording.toVAT({ tolerance: 0.0005 }), [3, 22, 41])
      expect(drawn[0]!.covered, scene).toBeGreaterThan(8000)
      expect(drawn[0]!.wrong, scene).toBeLessThan(100)
      expect(drawn[0]!.unlike, scene).toBeGreaterThan(1000)
    }
  })
})
