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
