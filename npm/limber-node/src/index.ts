/**
 * Limber in Node: the classes of `limber`, run by a native addon, and baking.
 *
 * @module
 */
export * from 'limber/core'
export type { LoadOptions } from 'limber'
export { bake, type BakeOptions, type BakeSubjects } from './bake/bake.js'
export { BAKE_FIT_DEFAULTS, type FitOptions } from './bake/fit.js'
export { type GLBOptions } from './bake/to-glb.js'
export { Recording, type BakeReport, type MeshReport, type RecordedMesh } from './bake/recording.js'
export { load } from './load.js'
