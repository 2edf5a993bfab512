// `npm run bench`: Limber against a plain-JS solver and Jolt, in one process. `-- --json` prints for machines.

import { at, exitCode, run } from './lib.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

run(import.meta.url, async () => {
  await setup()
  await build()
  const args = ['--expose-gc', at('tests/bench/bench.mjs'), ...process.argv.slice(2)]
  process.exitCode = await exitCode(process.execPath, args)
})
