// `npm run bake`: bakes what the example plays, as its limber.config.json says.

import { at, command, run } from './lib.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

/** Bakes; `options` go to `limber bake`. */
export const bakeExample = (...options) =>
  command(process.execPath, [at('npm/limber-node/dist/cli/main.js'), 'bake', ...options], {
    cwd: at('examples-three/bake'),
  })

run(import.meta.url, async () => {
  await setup()
  await build()
  await bakeExample(...process.argv.slice(2))
})
