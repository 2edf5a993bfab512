import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  BOIDS_OPTIONS_DEFAULTS,
  CLOTH_OPTIONS_DEFAULTS,
  JIGGLE_BONES_OPTIONS_DEFAULTS,
  JIGGLE_CHAIN_OPTIONS_DEFAULTS,
  RAGDOLL_OPTIONS_DEFAULTS,
} from 'limber/core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serve } from '../browser/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The code of every block of `language` in a page. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, l]) => l === language).map(([, , code]) => code!)
}

/** Code without comments, which each language has its own of; but what a program prints is the same. */
const bare = (code: string) => code.replace(/^(?!.*console\.log)(.*?) *(\/\/|#).*$/gm, '$1')

/** `{ stiffness: { bend: 0.25 } }` as `['stiffness.bend', '0.25']`. */
function flat(options: object, path = ''): [string, string][] {
  return Object.entries(options).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? flat(value as object, `${path}${name}.`)
      : [[path + name, String(value)] as [string, string]],
  )
}

/** In the repository, so that the packages are found as in an app that installed them. */
const temporary = (() => {
  mkdirSync(join(root, 'target'), { recursive: true })
  return mkdtempSync(join(root, 'target/readme-'))
})()

let browser: Browser
beforeAll(async () => void (browser = await launch()))
afterAll(async () => {
  await browser.close()
  rmSync(temporary, { recursive: true })
})

describe.each(['README.md', 'README.ko.md', 'npm/limber/README.md', 'npm/limber-node/README.md'])('%s', (file) => {
  const page = read(file)
  const module = blocks(page, 'ts').join('\n')
  const programs = blocks(page, 'js')
  const folder = join(temporary, file.replaceAll('/', '-'))
  mkdirSync(folder)

  // The `ts` blocks of a page follow on from each other: together they are one module of a browser app.
  if (module)
    it('its three.js code passes a strict type check, and runs in a browser', async () => {
      const { compilerOptions } = JSON.parse(read('tests/package/app/tsconfig.json')) as { compilerOptions: object }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.ts'] }))
      writeFileSync(join(folder, 'main.ts'), module)
      writeFileSync(
        join(folder, 'index.html'),
        '<!doctype html><link rel="icon" href="data:," /><script type="module" src="main.ts"></script>',
      )
      const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
      expect(status, stdout).toBe(0)

      // Dependencies as they are: bundling them first would reload the page under the test.
      const config = { server: { fs: { allow: [root] } }, optimizeDeps: { noDiscovery: true } }
      const server = await serve(folder, config)
      const { page: tab, faults } = await open(browser, server.url)
      while (faults.length === 0 && !(await tab.$('canvas')))
        await tab.evaluate(() => new Promise(requestAnimationFrame))
      await tab.evaluate(async () => {
        for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame)
      })
      expect(faults).toEqual([])
      await tab.close()
      await server.close()
    })

  // Each `js` block is a program for Node, which prints what its comments say.
  if (programs.length)
    it('its programs for Node print what they say', () => {
      programs.forEach((program, i) => {
        const name = join(folder, `${i}.mjs`)
        writeFileSync(name, program)
        const { stdout, stderr } = spawnSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })
        const said = [...program.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text!)
        expect(said.length, program).toBeGreaterThan(0)
        expect(stdout.trim().split('\n'), stderr).toEqual(said)
      })
    })
})

describe('README.md and README.ko.md', () => {
  it('hold the same code', () => {
    for (const language of ['ts', 'js', 'sh']) {
      const [one, other] = ['README.md', 'README.ko.md'].map((file) => blocks(read(file), language).map(bare))
      expect(one!.length).toBeGreaterThan(0)
      expect(other).toEqual(one)
    }
  })

  it.each(['README.md', 'README.ko.md'])('%s lists every option with its default', (file) => {
    const rows = [...read(file).matchAll(/^\| `([\w.]+)` \| (\S+) \|.*\|.*\|$/gm)].map(([, name, value]) => [
      name,
      value,
    ])
    const all = [
      CLOTH_OPTIONS_DEFAULTS,
      JIGGLE_BONES_OPTIONS_DEFAULTS,
      JIGGLE_CHAIN_OPTIONS_DEFAULTS,
      RAGDOLL_OPTIONS_DEFAULTS,
      BOIDS_OPTIONS_DEFAULTS,
    ]
    expect(rows).toEqual(all.flatMap((defaults) => flat(defaults)))
  })
})
