import type {
  BoidsSetup,
  ClothOptions,
  Collider,
  HumanoidBone,
  JiggleBonesOptions,
  JiggleChainOptions,
  JiggleChainSetup,
  JiggleLimit,
  PartialOptions,
  RagdollOptions,
  VectorLike,
} from 'limber/core'
import type { BakeOptions } from '../bake/bake.js'

/** What is simulated on a file. */
export interface SceneOptions {
  /** Name of the file's animation that moves everything. Unless set, all stands as the file has it. */
  clip?: string | undefined
  /** Frames a second, from 1 to 240; 30 unless set. */
  fps?: number | undefined
  /** Length, in seconds, from one frame to 3600; that of the clip unless set, and needed without a clip. */
  duration?: number | undefined
  /**
   * Seconds simulated before t = 0, from 0 to 3600; 0 unless set. The clip repeats itself then where {@link loop} is set, and
   * else stands at its beginning.
   */
  warmup?: number | undefined
  /** A whole number from 0 to 1000000000, which chooses gusts, and how boids begin and wander; 0 unless set. */
  seed?: number | undefined
  /**
   * Makes a loop, as {@link BakeOptions.loop} does. The clip repeats itself: `duration` must then be that of the clip, or a
   * whole number of times that. Gusts are fitted to it. Unless set, the clip runs once, and stands at its end after that.
   */
  loop?: BakeOptions['loop']
  /** What is simulated, by names without spaces or any of `[ ] . : /`. */
  simulations: Readonly<Record<string, SimulationConfig>>
}

/** One simulation of a scene. Nodes, bones and meshes are named as in the file, or as `GLTFLoader` names them. */
export type SimulationConfig = ClothConfig | JiggleConfig | RagdollConfig | BoidsConfig

/** Air that moves. */
export type WindConfig =
  | VectorLike
  | {
      /** Its mean velocity, world, m/s; none unless set. */
      base?: VectorLike | undefined
      /** How much that changes at most: m/s along `base`, or `[x, y, z]` along each axis, m/s. */
      gust?: number | VectorLike | undefined
      /** Seconds from one gust to the next, about, from 0.1 to 60; 2 unless set. */
      period?: number | undefined
    }

type WithName<C> = C extends Collider ? Omit<C, 'follow' | 'chains'> & { follow?: string | undefined } : never

/** A solid, as in {@link Collider}; `follow` is the name of a node, in whose space the shape is then. */
export type ColliderConfig = WithName<Collider>

/** Vertices of a cloth that do not move by themselves. */
export type PinnedConfig =
  /** Numbers of vertices; those of a mesh's second primitive follow those of its first. */
  | readonly number[]
  /**
   * Where an attribute, as painted in Blender, is more than `above`: its first number (red) unless `component` (0 to 3) says
   * otherwise. It is a mark and no look: the baked mesh is without it.
   */
  | { attribute: string; above?: number | undefined; component?: number | undefined }
  /** Those within a box, world, metres, at rest. */
  | { box: { min: VectorLike; max: VectorLike } }
  /** Those within this share of the height from the top, at rest; above 0 and up to 1. */
  | { top: number }
  /** Of a skinned mesh, those that a bone holds with at least this weight, above 0 and up to 1; 0.5 unless set. */
  | { bone: string; weight?: number | undefined }

/** A mesh that becomes a cloth: see `Cloth.fromGeometry`. */
export interface ClothConfig {
  technique: 'cloth'
  /**
   * The mesh: name of its node, or its own. All its primitives are one cloth. Of a skinned mesh the rest is its bind pose, put
   * where the bone that holds most of the pinned vertices is.
   */
  mesh: string
  /** Vertices that do not move by themselves; none unless set. */
  pinned?: PinnedConfig | undefined
  /**
   * Node that pinned vertices follow. Unless set, those of a skinned mesh follow its bones, each by its weights, and others
   * their own node.
   */
  attach?: string | undefined
  /** Air that moves; still unless set. */
  wind?: WindConfig | undefined
  /** Acceleration of gravity, world, m/s²; (0, −9.8, 0) unless set. */
  gravity?: VectorLike | undefined
  /** Solids that it stays out of. */
  colliders?: readonly ColliderConfig[] | undefined
  /** Height that it does not fall below, m; no floor unless set. */
  floor?: number | null | undefined
  /** Options of the cloth, and `weld`. */
  options?: (PartialOptions<Omit<ClothOptions, 'floor'>> & { weld?: number | undefined }) | undefined
}

/** Bones that come late: see `JiggleBones`. */
export interface JiggleConfig
  extends
    PartialOptions<Omit<JiggleBonesOptions, 'stiffness' | 'damping' | 'frequency' | 'dampingRatio'>>,
    PartialOptions<JiggleChainOptions> {
  technique: 'jiggle'
  /**
   * Names of root bones, each a chain with all bones below it; in a list, a list of names is a chain of these bones alone.
   * `'vrm'`: the springs of a VRM file.
   */
  bones: string | readonly (string | readonly string[])[]
  /** See `JiggleChainSetup.tip`. */
  tip?: VectorLike | undefined
  /** See `JiggleChainSetup.curves`. */
  curves?: JiggleChainSetup['curves']
  /** See `JiggleChainSetup.limit`. */
  limit?: JiggleLimit | undefined
  /** See `JiggleChainSetup.rest`: `'bind'` is the pose of the file without a clip. */
  rest?: 'clip' | 'bind' | undefined
  /** Name of the node that carries the chains: see `JiggleChainSetup.center`. */
  center?: string | undefined
  /** Acceleration of gravity, world, m/s²; (0, −4.32, 0) unless set. */
  gravity?: VectorLike | undefined
  /** Air that moves; still unless set. */
  wind?: WindConfig | undefined
  /** Solids that all chains stay out of. */
  colliders?: readonly ColliderConfig[] | undefined
}

/** A blow in a scene. */
export interface HitConfig {
  /** When, in seconds, from 0 to `duration`. */
  at: number
  /** World, metres. */
  point: VectorLike
  /** Velocity that a point right there gains, m/s. */
  impulse: VectorLike
  /** A point at the distance d gains exp(−d²/falloff) of it; m², 0.3 unless set. */
  falloff?: number | undefined
}

/** A character that falls: see `Ragdoll.fromSkeleton`. It needs `hit` or `limpAt`. */
export interface RagdollConfig extends PartialOptions<RagdollOptions> {
  technique: 'ragdoll'
  /** Its skinned mesh: name of its node, or its own. Unless set, that of the one character in the file. */
  mesh?: string | undefined
  /** Which bone is which, by name. What it does not name is found by the names of the bones. */
  map?: 'auto' | { [bone in HumanoidBone]?: string | undefined } | undefined
  /** Blows; the first makes it go limp, unless it is. */
  hit?: HitConfig | readonly HitConfig[] | undefined
  /** When it goes limp, in seconds, from 0 to `duration`; with the first blow unless set. */
  limpAt?: number | undefined
  /** Only these bones, by name, and those below them, go limp; all unless set. */
  from?: string | readonly string[] | undefined
  /** How strongly limbs seek their pose, from 0 to 1; 0 unless set. */
  strength?: number | undefined
  /** When it gets up, in seconds, from 0 to `duration`; or with the options of `getUp`. It lies unless set. */
  getUpAt?:
    | number
    | {
        at: number
        duration?: number | undefined
        pose?: 'animated' | 'rest' | undefined
        heading?: 'keep' | 'body' | undefined
      }
    | undefined
  /** Name of the node that `getUp` moves under the hips; the whole character unless set. */
  root?: string | undefined
  /** Mass of the body, kg; 70 unless set. */
  mass?: number | undefined
  /** Acceleration of gravity, world, m/s²; (0, −9.8, 0) unless set. */
  gravity?: VectorLike | undefined
  /** Solids that it stays out of. */
  colliders?: readonly ColliderConfig[] | undefined
}

/**
 * A flock: see `Boids`. In the file it is a node that holds `boid-0`, `boid-1`, … (of several flocks `<name>-boid-0`, …): 500 at
 * most.
 */
export interface BoidsConfig extends Omit<BoidsSetup, 'matrices' | 'obstacles'> {
  technique: 'boids'
  /**
   * The mesh that each boid shows: name of its node, or its own. It looks along +z, with its back along +y, as its node turns
   * it. That node shows it no more. Boids are empty nodes unless set.
   */
  geometry?: string | undefined
  /** Solids that boids steer clear of. */
  obstacles?: readonly ColliderConfig[] | undefined
}
