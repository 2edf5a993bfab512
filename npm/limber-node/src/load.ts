import { checkKeys, checkNumber, type Backend } from 'limber/core'
import { load as loadWasm, type LoadOptions } from 'limber'
import { findAddon } from './addon.js'
import { NativeBackend } from './native-backend.js'

/**
 * Loads the core: the native addon for this platform, or the WebAssembly build, with a one-line warning, where there is
 * none. The WebAssembly build runs without a warning when `wasm` is given, or when the environment variable
 * `LIMBER_NODE_FORCE_WASM` is 1. `reserve` is for the WebAssembly; the addon asks for memory as it needs it. Results are the same bits either way.
 */
export async function load(options: LoadOptions = {}): Promise<Backend> {
  checkKeys('load', options, ['wasm', 'reserve'])
  const { reserve = 0 } = options
  checkNumber('reserve', reserve, 0, 2 ** 30, 'bytes')
  if (options.wasm !== undefined || process.env['LIMBER_NODE_FORCE_WASM'] === '1') return loadWasm(options)
  const found = findAddon()
  if ('addon' in found) return new NativeBackend(found.addon)
  console.warn(
    `limber-node: ${found.missing} is not installed, so the WebAssembly build runs instead (${found.reason}). ` +
      `To get the addon, npm install ${found.missing} where there is one for this platform, or build it: npm run build in Limber's repository`,
  )
  return loadWasm(options)
}
