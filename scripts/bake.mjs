// `npm run bake`: writes the walk of the example's cape to a GLB file.

import { at, exitCode, run } from './lib.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

run(import.meta.url, async () => {
  await setup()
  await build()
  process.exitCode = await exitCode(process.execPath, [at('examples-three/bake/bake.mjs'), ...process.argv.slice(2)])
})
