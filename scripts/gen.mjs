// `npm run gen`: writes what TypeScript shares with Rust.

import { command, run } from './lib.mjs'

run(import.meta.url, () => command('cargo', ['run', '--quiet', '--package', 'xtask', '--', 'gen']))
