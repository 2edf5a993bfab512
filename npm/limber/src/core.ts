/**
 * The classes without the WebAssembly: for a backend of one's own.
 *
 * @module
 */
export {
  checkBackend,
  LiveSimulations,
  type Backend,
  type BackendTarget,
  type Channel,
  type ChannelInfo,
  type LiveSimulation,
} from './backend.js'
export { Boids, type BoidsMeshOptions, type BoidsRuleSet, type BoidsStats } from './boids.js'
export { type BoidsInfluence } from './boids-influences.js'
export { type BoidsRule } from './boids-rules.js'
export {
  type BoidsBounds,
  type BoidsBoundsSetup,
  type BoidsBox,
  type BoidsObstacle,
  type BoidsPoint,
  type BoidsSetup,
  type BoidsSpecies,
  type BoidsSphere,
  type BoidsStart,
  type BoidsTorus,
} from './boids-setup.js'
export {
  Cloth,
  type ClothGeometrySetup,
  type ClothGridSetup,
  type ClothReport,
  type ClothSetup,
  type ClothStats,
} from './cloth.js'
export {
  Colliders,
  type BoxCollider,
  type CapsuleCollider,
  type Collider,
  type ColliderOptions,
  type PlaneCollider,
  type SphereCollider,
  type TaperedCapsuleCollider,
  type VolumeColliderOptions,
} from './colliders.js'
export { checkFunction, checkKeys, checkNumber, LimberError, shown, type LimberErrorCode } from './error.js'
export {
  FlockClip,
  packRotation,
  writeFlockFile,
  type FlockClipError,
  type FlockFile,
  type FlockMeshOptions,
} from './flock-clip.js'
export * from './generated/options.js'
export { JiggleBones, JiggleChain, type JiggleBonesSetup, type JiggleBonesStats } from './jiggle-bones.js'
export { JiggleBonesHelper, type JiggleBonesHelperOptions } from './jiggle-bones-helper.js'
export { type JiggleChainLike, type JiggleChainSetup, type JiggleCurve, type JiggleLimit } from './jiggle-chains.js'
export { type GLTFLike, type VRMOptions } from './jiggle-vrm.js'
export { Pins } from './pins.js'
export {
  Ragdoll,
  RagdollBody,
  type RagdollActivation,
  type RagdollFacing,
  type RagdollHit,
  type RagdollReport,
  type RagdollRise,
  type RagdollSetup,
  type RagdollSkeletonSetup,
  type RagdollState,
  type RagdollStats,
} from './ragdoll.js'
export { RagdollHelper, type RagdollHelperOptions } from './ragdoll-helper.js'
export { type RagdollBodySetup, type RagdollParts } from './ragdoll-layout.js'
export {
  type HumanoidBone,
  type HumanoidMap,
  type RagdollBone,
  type RagdollCapsule,
  type RagdollLimit,
  type RagdollLink,
  type RagdollPoint,
} from './ragdoll-setup.js'
export { Simulation, type DivergeInfo, type PartialOptions, type SimulationStats } from './simulation.js'
export { type QuaternionLike, type VectorLike } from './vector.js'
export { packNormal, VertexAnimation } from './vertex-animation.js'
export {
  isVertexAnimationArray,
  MOST_STEPS,
  MOST_TEXELS,
  writeVertexAnimationFile,
  type VertexAnimationArray,
  type VertexAnimationAttribute,
  type VertexAnimationError,
  type VertexAnimationFile,
  type VertexAnimationGroup,
} from './vertex-animation-file.js'
export { type GridVertices, type MeshVertices } from './vertices.js'
