// `npm test`: installs and builds what is missing or stale, then runs every check. `npm test -- rust types` runs some.

import { existsSync } from 'node:fs'
import { at, bin, exitCode, run, say, Stop, workspaces } from './lib.mjs'
import { build } from './build.mjs'
import { chromium } from './chromium.mjs'
import { setup } from './setup.mjs'

const cargo = (...args) => ['cargo', args]

/** Name, what it shows, and the command; the slowest last. */
const checks = () => [
  ['rust-format', 'Rust is formatted', cargo('fmt', '--all', '--check')],
  ['format', 'everything else is formatted', [bin('prettier'), ['--check', '--log-level', 'warn', '.']]],
  [
    'generated',
    'generated TypeScript is current',
    cargo('run', '--quiet', '--package', 'xtask', '--', 'gen', '--check'),
  ],
  ...['examples-three', ...workspaces()]
    .filter((folder) => existsSync(at(folder, 'tsconfig.json')))
    .map((folder) => ['types', `types of ${folder}`, [bin('tsc'), ['--noEmit', '--project', at(folder)]]]),
  [
    'lint',
    'Rust has no warnings',
    cargo('clippy', '--workspace', '--all-targets', '--quiet', '--', '--deny', 'warnings'),
  ],
  ['rust', 'Rust tests', cargo('test', '--workspace', '--quiet')],
  [
    'js',
    'tests of packages, parity, browser and baking',
    [bin('vitest'), ['run', '--config', at('tests/vitest.config.ts')]],
  ],
]

run(import.meta.url, async () => {
  const wanted = process.argv.slice(2)
  const all = checks()
  const chosen = all.filter(([name]) => wanted.length === 0 || wanted.includes(name))
  if (chosen.length === 0)
    throw new Stop(`no such check; there are: ${[...new Set(all.map(([name]) => name))].join(', ')}`)

  await setup()
  const env = chosen.some(([name]) => name === 'js') ? { LIMBER_CHROMIUM: await chromium() } : {}
  await build()
  const failed = []
  for (const [, what, [name, args]] of chosen) {
    say(what)
    if ((await exitCode(name, args, { env })) !== 0) failed.push(what)
  }
  for (const what of failed) say(`\x1b[31mfailed: ${what}\x1b[0m`)
  console.log(`checks: ${chosen.length - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0) process.exitCode = 1
})
