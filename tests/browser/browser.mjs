import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build, createServer, preview } from 'vite'

/** What makes Chromium have WebGPU, in software too. */
export const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']

/** A headless Chromium that draws in software. @param {string[]} more further arguments */
export function launch(...more) {
  return chromium.launch({
    executablePath: process.env.LIMBER_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      ...more,
    ],
    timeout: 0,
  })
}

/** Serves `root` as `vite` does, on a free port. @param {string | URL} root */
export async function serve(root, config = {}) {
  const server = await createServer({
    root: path(root),
    logLevel: 'error',
    ...config,
    server: { port: 0, host: '127.0.0.1', ...config.server },
  })
  await server.listen()
  return { url: server.resolvedUrls.local[0], close: () => server.close() }
}

/** Builds the app at `root` as `vite build` does, and serves that on a free port. @param {string | URL} root */
export async function serveBuilt(root) {
  const outDir = await mkdtemp(join(tmpdir(), 'limber-built-'))
  const config = { root: path(root), logLevel: /** @type {const} */ ('error'), build: { outDir, emptyOutDir: true } }
  await build(config)
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } })
  return {
    url: server.resolvedUrls.local[0],
    async close() {
      await server.close()
      await rm(outDir, { recursive: true })
    },
  }
}

const path = (root) => (root instanceof URL ? fileURLToPath(root) : root)

/**
 * Opens `url` and gathers what goes wrong there: errors on the console, uncaught ones, failed requests.
 *
 * @param {import('playwright-core').Browser} browser
 */
export async function open(browser, url, viewport = { width: 640, height: 480 }) {
  const page = await browser.newPage({ viewport })
  page.setDefaultTimeout(0)
  page.setDefaultNavigationTimeout(0)
  /** @type {string[]} */
  const faults = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('requestfailed', (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('response', (response) => response.status() >= 400 && faults.push(`${response.url()}: ${response.status()}`))
  await page.goto(url)
  return { page, faults }
}

/**
 * Opens an example with its test hook, held still; `simulate` moves it on and gives its stats.
 *
 * @template Stats
 * @param {import('playwright-core').Browser} browser @param {string} url @param {string} query
 * @param {readonly [width: number, height: number]} size
 */
export async function openExample(browser, url, query, [width, height]) {
  const { page, faults } = await open(browser, `${url}?ratio=0.5&lang=en&${query}`, { width, height })
  await page.waitForFunction(() => window.limberExample !== undefined)
  await page.evaluate(() => window.limberExample.ready)
  /** @param {number} seconds @returns {Promise<Stats>} */
  const simulate = (seconds) =>
    page.evaluate((s) => {
      window.limberExample.simulate(s)
      return /** @type {any} */ (window.limberExample.stats)
    }, seconds)
  return { page, faults, simulate }
}
