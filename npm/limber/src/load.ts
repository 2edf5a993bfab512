import type { Backend } from './backend.js'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import { WasmBackend } from './wasm-backend.js'

/** Where the WebAssembly comes from, and how much memory it starts with. */
export interface LoadOptions {
  /**
   * The compiled core, for tools that do not find it by themselves: an address, a response, bytes or a compiled module.
   * Left out, the file beside this one is taken, with SIMD where WebAssembly has it.
   */
  wasm?: URL | string | Response | BufferSource | WebAssembly.Module | undefined
  /**
   * Memory set aside at once, in bytes, from 0 to 1 GiB; 32 MiB unless said. While simulations fit in it, memory does not
   * grow, and arrays stay what they are.
   */
  reserve?: number | undefined
}

/** 32 MiB hold about twenty cloths of 64×64, or one of 256×256. */
const RESERVE = 32 * 1024 * 1024

/**
 * Loads the core. Every call gives a backend of its own: a fresh instance of the WebAssembly, with its own memory.
 *
 * Works in browsers, workers and Node.
 *
 * @throws LimberError `load-failed` when the WebAssembly cannot be found, read or compiled; `invalid-option` for `reserve`
 *   outside its range; `out-of-memory` when it cannot be had.
 */
export async function load(options: LoadOptions = {}): Promise<Backend> {
  checkKeys('load', options, ['wasm', 'reserve'])
  const { wasm, reserve = RESERVE } = options
  checkNumber('reserve', reserve, 0, 2 ** 30, 'bytes')
  const module = await compile(wasm ?? bundled())
  return WasmBackend.instantiate(module, reserve)
}

/** The file that this package holds. Written as bundlers look for it. */
function bundled(): URL {
  return hasSimd()
    ? new URL('../pkg/limber_bg.wasm', import.meta.url)
    : new URL('../pkg/limber_scalar_bg.wasm', import.meta.url)
}

/** Whether this engine runs 128-bit vectors: asks it about the smallest module that has one. */
function hasSimd(): boolean {
  // (module (func (result v128) (i8x16.splat (i32.const 0))))
  const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11]
  return WebAssembly.validate(new Uint8Array(bytes))
}

async function compile(wasm: NonNullable<LoadOptions['wasm']>): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm
  const name = wasm instanceof URL || typeof wasm === 'string' ? String(wasm) : 'the given WebAssembly'
  try {
    if (wasm instanceof URL || typeof wasm === 'string') return await compileAt(wasm)
    if (typeof Response !== 'undefined' && wasm instanceof Response) return await compileResponse(wasm)
    if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return await WebAssembly.compile(wasm)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new LimberError('load-failed', `${name} could not be loaded: ${reason}`, { cause })
  }
  throw new LimberError(
    'invalid-option',
    `wasm must be a URL, Response, BufferSource or WebAssembly.Module, got ${shown(wasm)}`,
  )
}

async function compileAt(address: URL | string): Promise<WebAssembly.Module> {
  // Asked of the process itself: an import of node:fs would stop bundlers that build for browsers.
  const fs = (globalThis as NodeGlobals).process?.getBuiltinModule?.('node:fs')
  const href = String(address)
  if (fs && href.startsWith('file:')) return WebAssembly.compile(await fs.promises.readFile(new URL(href)))
  return compileResponse(await fetch(address))
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`HTTP status ${response.status}`)
  const type = response.headers.get('content-type') ?? ''
  // Streaming refuses every other type, and servers that do not know WebAssembly send one.
  if (type.startsWith('application/wasm')) return WebAssembly.compileStreaming(response)
  const bytes = await response.arrayBuffer()
  try {
    return await WebAssembly.compile(bytes)
  } catch (cause) {
    throw new Error(`what came is not WebAssembly but ${type || 'of no stated type'}`, { cause })
  }
}

/** The part of Node's `process` that is used where there is one. */
interface NodeGlobals {
  process?: {
    getBuiltinModule?(name: 'node:fs'): { promises: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> } }
  }
}
