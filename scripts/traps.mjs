// Makes a panic a trap at once. JavaScript learns of a trap and marks the backend lost; nobody reads the message, and
// writing it takes 2 KB of the gzipped WebAssembly.

import { readFileSync, writeFileSync } from 'node:fs'
import binaryen from 'binaryen'
import { Stop } from './lib.mjs'

/** Functions that only a panic calls, by what Rust names them. */
const PANICS =
  /::panicking::|::rust_begin_unwind|_fail(ed)?$|::raw_vec::(capacity_overflow|handle_error)|alloc_error|::throw_(str|null)::/

/** Replaces what panics by `unreachable` in the WebAssembly of `file`, which still has its names. */
export function trapOnPanic(file) {
  const module = binaryen.readBinary(readFileSync(file))
  let count = 0
  for (let i = 0; i < module.getNumFunctions(); i++) {
    const reference = module.getFunctionByIndex(i)
    const { name, base } = binaryen.getFunctionInfo(reference)
    // An import has a base, and no body to replace.
    if (base || !PANICS.test(name)) continue
    binaryen.Function(reference).body = module.unreachable()
    count++
  }
  if (count === 0) throw new Stop(`${file} has no function that is known to panic: its names were stripped`)
  writeFileSync(file, module.emitBinary())
  module.dispose()
}
