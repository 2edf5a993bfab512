// Written by `npm run gen` from the Rust structs: change those.

/** How strongly each kind of link holds its length, per iteration. */
export interface ClothStiffness {
  /**
   * Links between neighbours along rows and columns (or along the edges of a mesh). The default, the sheet's, closes
   * the whole error in every iteration.
   *
   * Range 0 to 1, default 1.
   */
  structural: number
  /**
   * Links across the diagonals of a cell; without them cells collapse into rhombs. The default is the sheet's: cloth
   * shears more easily than it stretches.
   *
   * Range 0 to 1, default 0.6.
   */
  shear: number
  /**
   * Links that skip one vertex and resist folding. The default is the sheet's: soft folds that still open.
   *
   * Range 0 to 1, default 0.25.
   */
  bend: number
}

/** The defaults of {@link ClothStiffness}. */
export const CLOTH_STIFFNESS_DEFAULTS = {
  structural: 1,
  shear: 0.6,
  bend: 0.25,
} as const satisfies ClothStiffness

/** Options of a cloth; all may be changed while it runs. */
export interface ClothOptions {
  /**
   * Passes over all links in every substep. The default, the sheet's, keeps a cape within 4 % of its length; 1 is
   * rubber, 20 is stiff.
   *
   * Range 1 to 1000, default 8.
   */
  iterations: number
  /**
   * Parts into which each fixed step is cut. Many substeps of one iteration stretch a tall cloth far less than one
   * substep of many iterations. The default is the sheet's.
   *
   * Range 1 to 64, default 1.
   */
  substeps: number
  /** How strongly links hold their length. */
  stiffness: ClothStiffness
  /**
   * Part of the velocity lost in each fixed step of 1/60 s. The default is the sheet's.
   *
   * Range 0 to 1, default 0.012.
   */
  damping: number
  /**
   * Acceleration by moving air whatever the cloth's direction, per m/s of relative wind. The default is the sheet's.
   *
   * Unit 1/s, range 0 to 10, default 0.08.
   */
  drag: number
  /**
   * Acceleration along the normal, per m/s of relative wind along it. The default is the sheet's.
   *
   * Unit 1/s, range 0 to 10, default 0.6.
   */
  windResponse: number
  /**
   * Part of the sideways velocity lost where the cloth touches the floor, in each iteration. The default is the
   * sheet's.
   *
   * Range 0 to 1, default 0.5.
   */
  friction: number
  /**
   * Height that no particle falls below, or `null` for no floor. The default of a grid is the sheet's, just above a
   * ground at 0; a cloth made of a geometry has none unless it is given.
   *
   * Unit m, range -100000 to 100000, default 0.02.
   */
  floor: number | null
  /**
   * Draw a blend of the last two fixed states, which is smooth at any frame rate and one step late, instead of the
   * newest.
   *
   * Default true.
   */
  interpolate: boolean
}

/** The defaults of {@link ClothOptions}. */
export const CLOTH_OPTIONS_DEFAULTS = {
  iterations: 8,
  substeps: 1,
  stiffness: {
    structural: 1,
    shear: 0.6,
    bend: 0.25,
  },
  damping: 0.012,
  drag: 0.08,
  windResponse: 0.6,
  friction: 0.5,
  floor: 0.02,
  interpolate: true,
} as const satisfies ClothOptions

/** The size of a cloth made of a grid; fixed once it is made. */
export interface ClothGrid {
  /**
   * Vertices in a row.
   *
   * Range 2 to 4096, default 12.
   */
  columns: number
  /**
   * Vertices in a column.
   *
   * Range 2 to 4096, default 17.
   */
  rows: number
  /**
   * Length of the top edge, where no `place` is given.
   *
   * Unit m, range 0.000001 to 100000, default 1.
   */
  width: number
  /**
   * Length of the side edge, where no `place` is given.
   *
   * Unit m, range 0.000001 to 100000, default 1.
   */
  height: number
}

/** The defaults of {@link ClothGrid}. */
export const CLOTH_GRID_DEFAULTS = {
  columns: 12,
  rows: 17,
  width: 1,
  height: 1,
} as const satisfies ClothGrid

/** How a cloth is made of a geometry; fixed once it is made. */
export interface ClothMesh {
  /**
   * Triangles of the index.
   *
   * Range 1 to 4000000, default 0.
   */
  triangles: number
  /**
   * Vertices closer than this are one particle, so that UV and normal seams do not tear.
   *
   * Unit m, range 0 to 1, default 0.00001.
   */
  weld: number
}

/** The defaults of {@link ClothMesh}. */
export const CLOTH_MESH_DEFAULTS = {
  triangles: 0,
  weld: 0.00001,
} as const satisfies ClothMesh

/** Options of jiggle bones; all may be changed while they run. */
export interface JiggleBonesOptions {
  /**
   * Part of the way back to where the tip should be that a step of 1/120 s takes, for chains that have no stiffness or
   * frequency of their own. Low is floppy, high trembles shortly. The default is that of a soft ear.
   *
   * Range 0 to 1, default 0.028.
   */
  stiffness: number
  /**
   * Part of the velocity lost in a step of 1/120 s, for chains that have no damping or damping ratio of their own. Low
   * swings for long, high stops soon. The default is for chains of one to three bones: each joint of a longer one adds
   * to the swing of the one before it, and whips at the end. Give such a chain a damping of 0.15 and more, or a
   * `dampingRatio` of 0.5.
   *
   * Range 0 to 1, default 0.04.
   */
  damping: number
  /**
   * How often it swings in a second, instead of `stiffness`; `null` for `stiffness`. The default stiffness is 3.2 Hz.
   *
   * Unit Hz, range 0.01 to 60, default null.
   */
  frequency: number | null
  /**
   * Damping as a share of what just stops swinging, instead of `damping`: 0 swings for ever, 1 returns without
   * swinging. `null` for `damping`.
   *
   * Range 0 to 10, default null.
   */
  dampingRatio: number | null
  /**
   * How far gusts change the wind, as a share of it. The default is a breeze outdoors.
   *
   * Range 0 to 2, default 0.4.
   */
  gusts: number
  /**
   * Which gusts: the same seed blows the same, on every platform.
   *
   * Range 0 to 1000000000, default 0.
   */
  seed: number
  /**
   * Most passes over the colliders in a step, until tips are out of all and lengths hold. VRM chains take one, as their
   * standard has it.
   *
   * Range 1 to 64, default 8.
   */
  iterations: number
  /**
   * A chain whose root moves farther in one frame has been put there: it is carried along and does not swing. `null`
   * for never. The default is faster than anything runs.
   *
   * Unit m, range 0 to 1000000, default 3.
   */
  teleportDistance: number | null
  /**
   * A chain whose root turns farther in one frame has been put there, likewise; `null` for never. The default is a
   * third of a turn.
   *
   * Unit rad, range 0 to 3.2, default 2.1.
   */
  teleportAngle: number | null
  /**
   * Take the driven pose on its way from the last frame to this one, and draw a blend of the last two swings: the same
   * motion at any frame rate, and smooth. `false` takes each frame's pose as it is and shows the newest swing.
   *
   * Default true.
   */
  interpolate: boolean
}

/** The defaults of {@link JiggleBonesOptions}. */
export const JIGGLE_BONES_OPTIONS_DEFAULTS = {
  stiffness: 0.028,
  damping: 0.04,
  frequency: null,
  dampingRatio: null,
  gusts: 0.4,
  seed: 0,
  iterations: 8,
  teleportDistance: 3,
  teleportAngle: 2.1,
  interpolate: true,
} as const satisfies JiggleBonesOptions

/** Options of one chain; all but `rate` may be changed while it runs. */
export interface JiggleChainOptions {
  /**
   * Its own stiffness, per 1/120 s; `null` for that of all.
   *
   * Range 0 to 1, default null.
   */
  stiffness: number | null
  /**
   * Its own damping, per 1/120 s; `null` for that of all.
   *
   * Range 0 to 1, default null.
   */
  damping: number | null
  /**
   * Its own frequency, instead of a stiffness; `null` for that of all.
   *
   * Unit Hz, range 0.01 to 60, default null.
   */
  frequency: number | null
  /**
   * Its own damping ratio, instead of a damping; `null` for that of all.
   *
   * Range 0 to 10, default null.
   */
  dampingRatio: number | null
  /**
   * Multiplies the stiffness (and so the square of a frequency). Try 1.6 for a tail and 1.3 for hair.
   *
   * Range 0 to 100, default 1.
   */
  multiplier: number
  /**
   * Radius of its tips, which meets colliders; the same in the world whatever the scale of the rig.
   *
   * Unit m, range 0 to 1000, default 0.
   */
  radius: number
  /**
   * Multiplies gravity.
   *
   * Range -100 to 100, default 1.
   */
  gravityScale: number
  /**
   * Acceleration by the wind, per m/s of it. With the default a wind of 4.3 m/s pushes as hard as gravity.
   *
   * Unit 1/s, range 0 to 100, default 1.
   */
  windResponse: number
  /**
   * How much of the motion of `center` (of what the root hangs on, where there is none) it feels: 1 all, 0 none.
   *
   * Range 0 to 1, default 1.
   */
  inertia: number
  /**
   * Steps a second; 60 for VRM chains. Fixed once it is made.
   *
   * Unit 1/s, range 30 to 1000, default 120.
   */
  rate: number
}

/** The defaults of {@link JiggleChainOptions}. */
export const JIGGLE_CHAIN_OPTIONS_DEFAULTS = {
  stiffness: null,
  damping: null,
  frequency: null,
  dampingRatio: null,
  multiplier: 1,
  radius: 0,
  gravityScale: 1,
  windResponse: 1,
  inertia: 1,
  rate: 120,
} as const satisfies JiggleChainOptions

/** Options of a ragdoll; all may be changed while it runs. */
export interface RagdollOptions {
  /**
   * Passes over the links in a step of 1/120 s. Few are rubbery, many stiff; the time that a step takes grows with
   * them.
   *
   * Range 1 to 64, default 10.
   */
  iterations: number
  /**
   * The plain arithmetic of position-based points: all passes follow one integration, and the friction of the floor
   * acts in each of them. `false` makes each pass a small step of its own, so that lengths hold many times better,
   * joints stop where their limits are, and friction does not depend on the passes; `fromSkeleton` sets that.
   *
   * Default true.
   */
  classic: boolean
  /**
   * Part of the velocity that a step of 1/120 s leaves: the air.
   *
   * Range 0 to 1, default 0.995.
   */
  velocityKeep: number
  /**
   * Part of the motion within a body, as against that of the body as a whole, lost in a step of 1/120 s: stiff joints.
   * None by default, as a doll of sticks has; `fromSkeleton` sets 0.05, as flesh has.
   *
   * Range 0 to 1, default 0.
   */
  damping: number
  /**
   * Height of the floor; `null` for none.
   *
   * Unit m, range -1000000 to 1000000, default 0.
   */
  floor: number | null
  /**
   * Part of the sideways velocity that a point on the floor loses: in a step of 1/120 s, or with `classic` in each of
   * its passes. The default lets a body slide a hand's breadth; 0.1 is a smooth floor.
   *
   * Range 0 to 1, default 0.4.
   */
  floorFriction: number
  /**
   * Limbs of a body keep out of one another, but for neighbours.
   *
   * Default true.
   */
  selfCollision: boolean
  /**
   * A body whose points have all moved less than this within `sleepTime` falls asleep: it stands still and costs next
   * to nothing until it is hit, or something it touches moves.
   *
   * Unit m, range 0 to 1000, default 0.01.
   */
  sleepDistance: number
  /**
   * See `sleepDistance`; `null` for never.
   *
   * Unit s, range 0.05 to 1000, default 0.5.
   */
  sleepTime: number | null
  /**
   * Draw a blend of the last two steps, so that it is smooth at any frame rate, up to 1/120 s late. `false` shows the
   * newest.
   *
   * Default true.
   */
  interpolate: boolean
}

/** The defaults of {@link RagdollOptions}. */
export const RAGDOLL_OPTIONS_DEFAULTS = {
  iterations: 10,
  classic: true,
  velocityKeep: 0.995,
  damping: 0,
  floor: 0,
  floorFriction: 0.4,
  selfCollision: true,
  sleepDistance: 0.01,
  sleepTime: 0.5,
  interpolate: true,
} as const satisfies RagdollOptions

/** Keeping apart from those that are very near: the push of each is by its distance over the square of it. */
export interface BoidsSeparation {
  /**
   * Whether it acts.
   *
   * Default true.
   */
  enabled: boolean
  /**
   * Who is nearer than this pushes away. The default is the sheet's, the root of 0.0012.
   *
   * Unit m, range 0 to 100000, default 0.034641016.
   */
  radius: number
  /**
   * Velocity gained a step is `weight` × `radius`² × the sum over those near of d / (|d|² + `radius`²/12), with d from
   * them; nearer than `radius`/√12, where that is strongest, each pushes as strongly as there. The default, 5/24, is
   * the sheet's 0.00025 m²/s at its radius.
   *
   * Unit 1/s, range 0 to 1000, default 0.20833333.
   */
  weight: number
  /**
   * Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the
   * sheet.
   *
   * Unit rad, range 0 to 6.2831855, default 6.2831855.
   */
  angle: number
}

/** The defaults of {@link BoidsSeparation}. */
export const BOIDS_SEPARATION_DEFAULTS = {
  enabled: true,
  radius: 0.034641016,
  weight: 0.20833333,
  angle: 6.2831855,
} as const satisfies BoidsSeparation

/** Swimming as the others do. */
export interface BoidsAlignment {
  /**
   * Whether it acts.
   *
   * Default true.
   */
  enabled: boolean
  /**
   * Who is nearer than this counts. The default is the sheet's, the root of 0.012.
   *
   * Unit m, range 0 to 100000, default 0.10954451.
   */
  radius: number
  /**
   * Part of the way to the mean velocity of those that count that a step takes. The default is the sheet's.
   *
   * Range 0 to 1, default 0.06.
   */
  weight: number
  /**
   * Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the
   * sheet.
   *
   * Unit rad, range 0 to 6.2831855, default 6.2831855.
   */
  angle: number
}

/** The defaults of {@link BoidsAlignment}. */
export const BOIDS_ALIGNMENT_DEFAULTS = {
  enabled: true,
  radius: 0.10954451,
  weight: 0.06,
  angle: 6.2831855,
} as const satisfies BoidsAlignment

/** Drawing near to the middle of the others. */
export interface BoidsCohesion {
  /**
   * Whether it acts.
   *
   * Default true.
   */
  enabled: boolean
  /**
   * Who is nearer than this counts. The default is the sheet's, the root of 0.012.
   *
   * Unit m, range 0 to 100000, default 0.10954451.
   */
  radius: number
  /**
   * Velocity gained a step, for each metre to the mean place of those that count. The default is the sheet's.
   *
   * Unit 1/s, range 0 to 1000, default 0.05.
   */
  weight: number
  /**
   * Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the
   * sheet.
   *
   * Unit rad, range 0 to 6.2831855, default 6.2831855.
   */
  angle: number
}

/** The defaults of {@link BoidsCohesion}. */
export const BOIDS_COHESION_DEFAULTS = {
  enabled: true,
  radius: 0.10954451,
  weight: 0.05,
  angle: 6.2831855,
} as const satisfies BoidsCohesion

/** The three rules. */
export interface BoidsRules {
  /** Keeping apart. */
  separation: BoidsSeparation
  /** Swimming as the others do. */
  alignment: BoidsAlignment
  /** Drawing near to the middle of the others. */
  cohesion: BoidsCohesion
}

/** The defaults of {@link BoidsRules}. */
export const BOIDS_RULES_DEFAULTS = {
  separation: {
    enabled: true,
    radius: 0.034641016,
    weight: 0.20833333,
    angle: 6.2831855,
  },
  alignment: {
    enabled: true,
    radius: 0.10954451,
    weight: 0.06,
    angle: 6.2831855,
  },
  cohesion: {
    enabled: true,
    radius: 0.10954451,
    weight: 0.05,
    angle: 6.2831855,
  },
} as const satisfies BoidsRules

/** How fast boids are. Both are scaled by the `speed` of a species. */
export interface BoidsSpeed {
  /**
   * Nobody is slower. The default is the sheet's.
   *
   * Unit m/s, range 0 to 100000, default 0.12.
   */
  min: number
  /**
   * Nobody is faster. The default is the sheet's.
   *
   * Unit m/s, range 0.000001 to 100000, default 0.28.
   */
  max: number
}

/** The defaults of {@link BoidsSpeed}. */
export const BOIDS_SPEED_DEFAULTS = {
  min: 0.12,
  max: 0.28,
} as const satisfies BoidsSpeed

/** Turning back at the walls of a box or a sphere; a torus has none. */
export interface BoidsWalls {
  /**
   * How far from the wall turning back begins, as a share of half the world's smallest side.
   *
   * Range 0 to 1, default 0.25.
   */
  margin: number
  /**
   * Velocity gained a step at the wall, as a share of the largest speed; none at the margin.
   *
   * Range 0 to 10, default 0.15.
   */
  weight: number
}

/** The defaults of {@link BoidsWalls}. */
export const BOIDS_WALLS_DEFAULTS = {
  margin: 0.25,
  weight: 0.15,
} as const satisfies BoidsWalls

/** Steering clear of obstacles. */
export interface BoidsAvoidance {
  /**
   * Steering begins as far ahead as the largest speed goes in this time.
   *
   * Unit s, range 0 to 60, default 0.5.
   */
  time: number
  /**
   * Velocity gained a step at the surface, as a share of the largest speed; none where steering begins.
   *
   * Range 0 to 10, default 0.2.
   */
  weight: number
}

/** The defaults of {@link BoidsAvoidance}. */
export const BOIDS_AVOIDANCE_DEFAULTS = {
  time: 0.5,
  weight: 0.2,
} as const satisfies BoidsAvoidance

/** Fleeing from those that a species `flees`. */
export interface BoidsFlight {
  /**
   * Who is nearer than this is fled from. The default is that of the sheet's pointer.
   *
   * Unit m, range 0 to 100000, default 0.2.
   */
  radius: number
  /**
   * Velocity gained a step is `weight` × `radius`² × d / (|d|² + `radius`²/20), with d from it. The default is that of
   * the sheet's pointer.
   *
   * Unit 1/s, range 0 to 1000, default 0.1.
   */
  weight: number
}

/** The defaults of {@link BoidsFlight}. */
export const BOIDS_FLIGHT_DEFAULTS = {
  radius: 0.2,
  weight: 0.1,
} as const satisfies BoidsFlight

/** Hunting those that a species `hunts`. */
export interface BoidsHunt {
  /**
   * The nearest of those within this is hunted.
   *
   * Unit m, range 0 to 100000, default 0.4.
   */
  radius: number
  /**
   * Velocity gained a step towards it, as a share of the largest speed, and less when it is near.
   *
   * Range 0 to 10, default 0.05.
   */
  weight: number
}

/** The defaults of {@link BoidsHunt}. */
export const BOIDS_HUNT_DEFAULTS = {
  radius: 0.4,
  weight: 0.05,
} as const satisfies BoidsHunt

/** Options of boids; all may be changed while they run. */
export interface BoidsOptions {
  /** The three rules. */
  rules: BoidsRules
  /** How fast boids are. */
  speed: BoidsSpeed
  /**
   * Fastest turn, or `null` for none: then a boid may turn about in a step, as in the sheet. In 3D unless set it is 2π.
   *
   * Unit rad/s, range 0 to 1000, default null.
   */
  turnLimit: number | null
  /**
   * Largest velocity gained a step along each axis by chance, as a share of the largest speed. The default, 1/56, is
   * the sheet's 0.005 m/s.
   *
   * Range 0 to 10, default 0.017857144.
   */
  wander: number
  /**
   * Only the `nearest` of those within the radii count for alignment and cohesion, instead of all.
   *
   * Starlings do that: Ballerini et al., "Interaction ruling animal collective behavior depends on topological rather
   * than metric distance" (2008).
   *
   * Default false.
   */
  topological: boolean
  /**
   * How many count where `topological` is on. The default is that of starlings.
   *
   * Range 1 to 32, default 7.
   */
  nearest: number
  /** Turning back at the walls of a box or a sphere. */
  walls: BoidsWalls
  /** Steering clear of obstacles. */
  avoidance: BoidsAvoidance
  /** Fleeing from those that a species flees. */
  flight: BoidsFlight
  /** Hunting those that a species hunts. */
  hunt: BoidsHunt
  /**
   * How far 3D boids bank into a turn: 1 as a glider would under a gravity that suits its speed, 0 not at all.
   *
   * Range 0 to 10, default 1.
   */
  banking: number
  /**
   * Threads that look for neighbours. Only the addon has more than one; the bits are the same.
   *
   * Range 1 to 64, default 1.
   */
  threads: number
  /**
   * Draw a blend of the last two fixed states, which is smooth at any frame rate and one step late, instead of the
   * newest.
   *
   * Default true.
   */
  interpolate: boolean
}

/** The defaults of {@link BoidsOptions}. */
export const BOIDS_OPTIONS_DEFAULTS = {
  rules: {
    separation: {
      enabled: true,
      radius: 0.034641016,
      weight: 0.20833333,
      angle: 6.2831855,
    },
    alignment: {
      enabled: true,
      radius: 0.10954451,
      weight: 0.06,
      angle: 6.2831855,
    },
    cohesion: {
      enabled: true,
      radius: 0.10954451,
      weight: 0.05,
      angle: 6.2831855,
    },
  },
  speed: {
    min: 0.12,
    max: 0.28,
  },
  turnLimit: null,
  wander: 0.017857144,
  topological: false,
  nearest: 7,
  walls: {
    margin: 0.25,
    weight: 0.15,
  },
  avoidance: {
    time: 0.5,
    weight: 0.2,
  },
  flight: {
    radius: 0.2,
    weight: 0.1,
  },
  hunt: {
    radius: 0.4,
    weight: 0.05,
  },
  banking: 1,
  threads: 1,
  interpolate: true,
} as const satisfies BoidsOptions

/** How boids are made; fixed once they are made. */
export interface BoidsMake {
  /**
   * How many.
   *
   * Range 1 to 1000000, default 110.
   */
  count: number
  /**
   * 2 for a plane, whose z is 0; 3 for space.
   *
   * Range 2 to 3, default 3.
   */
  dimensions: number
  /**
   * Which start, and which wandering: the same seed gives the same, on every platform.
   *
   * Range 0 to 1000000000, default 0.
   */
  seed: number
  /**
   * Whether `matrices` are written, 64 bytes a boid.
   *
   * Default true.
   */
  matrices: boolean
}

/** The defaults of {@link BoidsMake}. */
export const BOIDS_MAKE_DEFAULTS = {
  count: 110,
  dimensions: 3,
  seed: 0,
  matrices: true,
} as const satisfies BoidsMake
