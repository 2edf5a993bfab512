/**
 * Limber in Node: the classes of `limber`, run by a native addon, and baking.
 *
 * @module
 */
export * from 'limber/core'
export type { LoadOptions } from 'limber'
export { bake, type BakeOptions, type BakeSubject, type BakeSubjects } from './bake/bake.js'
export { BAKE_FIT_DEFAULTS, type FitOptions, type MorphFit } from './bake/fit.js'
export { type Compression } from './bake/document.js'
export { type GLBOptions } from './bake/to-glb.js'
export { type Corners, type RecordedFlock } from './bake/recorded-flock.js'
export { type RecordedNode, type RecordedSkeleton } from './bake/recorded-skeleton.js'
export { Recording, type RecordedMesh } from './bake/recording.js'
export type { BakeReport, FlockReport, MeshReport, Seam, SkeletonReport, VATReport } from './bake/report.js'
export { type ClipOptions } from './bake/to-animation-clip.js'
export { type FlockClipOptions } from './bake/to-flock-clip.js'
export { type VATOptions } from './bake/to-vat.js'
export {
  type BakeConfig,
  type BuiltScene,
  type ConfigExport,
  type JobConfig,
  type JobFormat,
  type SceneContext,
  type SceneFunction,
  type VariantConfig,
} from './config/config.js'
export { load } from './load.js'
export {
  type BoidsConfig,
  type ClothConfig,
  type ColliderConfig,
  type HitConfig,
  type JiggleConfig,
  type PinnedConfig,
  type RagdollConfig,
  type SceneOptions,
  type SimulationConfig,
  type WindConfig,
} from './scene/config.js'
export { limberBake, type LimberBakeOptions } from './scene/limber-bake.js'
export { bakeScene, type BakedScene } from './scene/scene.js'
export { type SceneHooks } from './scene/stage.js'
