import type { Backend } from 'limber/core'
import { load as loadWasm, type LoadOptions } from 'limber'
import { findAddon } from './addon.js'
import { NativeBackend } from './native-backend.js'

/**
 * Loads the core: the native addon for this platform, or the WebAssembly build, with a one-line warning, where there is
 * none. The WebAssembly build runs without a warning when `wasm` is given, or when the environment variable
 * `LIMBER_NODE_FORCE_WASM` is 1. Results are the same bits either way.
 */
export async function load(options: LoadOptions = {}): Promise<Backend> {
  if (options.wasm !== undefined || process.env['LIMBER_NODE_FORCE_WASM'] === '1') return loadWasm(options)
  const found = findAddon()
  if ('addon' in found) return new NativeBackend(found.addon)
  console.warn(
    `limber-node: ${found.missing} is not installed, so the WebAssembly build runs instead (${found.reason})`,
  )
  return loadWasm(options)
}
