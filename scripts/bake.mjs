// `npm run bake`: writes the walk of the example's cape to a GLB file.

import { at, command, run } from './lib.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

/** Bakes; `options` go to the example's own script. */
export const bakeExample = (...options) => command(process.execPath, [at('examples-three/bake/bake.mjs'), ...options])

run(import.meta.url, async () => {
  await setup()
  await build()
  await bakeExample(...process.argv.slice(2))
})
