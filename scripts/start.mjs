// `npm start`: installs and builds what is missing or stale, then serves the examples. `--open` opens the browser.

import { at, run } from './lib.mjs'
import { build } from './build.mjs'
import { setup } from './setup.mjs'

run(import.meta.url, async () => {
  await setup()
  await build()
  const { createServer } = await import('vite')
  const root = at('examples-three')
  const server = await createServer({ root, configFile: at('examples-three/vite.config.ts') })
  await server.listen()
  server.printUrls()
  if (process.argv.includes('--open')) server.openBrowser()
})
