// `npm run format`: formats everything.

import { bin, command, run } from './lib.mjs'
import { setup } from './setup.mjs'

run(import.meta.url, async () => {
  await setup()
  await command('cargo', ['fmt', '--all'])
  await command(bin('prettier'), ['--write', '--log-level', 'warn', '.'])
})
