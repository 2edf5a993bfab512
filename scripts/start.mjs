// `npm start`: installs and builds what is missing or stale, then serves the examples. `--open` opens the browser.

import { at, fresh, run } from './lib.mjs'
import { bakeExample } from './bake.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

run(import.meta.url, async () => {
  await setup()
  await build()
  await fresh(
    {
      name: 'bake',
      title: "The bake example's files: baking, a few seconds",
      inputs: [
        'npm/limber/dist',
        'npm/limber-node/dist',
        'examples-three/bake/limber.config.json',
        'examples-three/bake/models',
        'examples-three/bake/scenes',
        'examples-three/bake/src/walk.ts',
        'examples-three/cloth/src',
      ],
      outputs: ['examples-three/bake/baked/manifest.json'],
    },
    // The packages may have changed, which the names of files do not show.
    () => bakeExample('--force', '--jobs', '2'),
  )
  const { createServer } = await import('vite')
  const root = at('examples-three')
  const server = await createServer({ root, configFile: at('examples-three/vite.config.ts') })
  await server.listen()
  server.printUrls()
  if (process.argv.includes('--open')) server.openBrowser()
})
