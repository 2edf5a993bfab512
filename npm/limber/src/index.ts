/**
 * Cloth and jiggle bones for three.js, simulated in WebAssembly.
 *
 * @module
 */
export * from './core.js'
export { load, type LoadOptions } from './load.js'
