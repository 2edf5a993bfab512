import type { FlockClipError, VertexAnimationError } from 'limber/core'

/** What a written file holds, and how true it is to the recording. */
export interface BakeReport {
  /** Size of the file. */
  bytes: number
  /** Recorded frames. */
  frames: number
  /** Morph targets of all meshes. */
  targets: number
  /** Largest distance of a vertex from where it was recorded, over all frames, in metres; 0 without meshes. */
  maxError: number
  /** Mean distance over all vertices and frames, in metres. */
  meanError: number
  /** Largest angle of a shown normal from the recorded one, in radians. No bound holds it; 0 without meshes. */
  maxNormalError: number
  /** Mean angle over all vertices and frames, in radians. */
  meanNormalError: number
  /** Keyframes of all meshes and bones, and of boids that are nodes. */
  keys: number
  /** Largest angle of a bone or boid from its recorded rotation, over all frames, in radians; 0 without any. */
  maxAngle: number
  /** Mean angle over all bones or boids and frames, in radians. */
  meanAngle: number
  /** How a loop's end meets its beginning; `null` of what was not recorded as a loop. */
  seam: Seam | null
  /** The same of each mesh. */
  meshes: MeshReport[]
  /** The same of each skeleton, and of each flock whose boids are nodes. */
  skeletons: SkeletonReport[]
  /** The same of the flock of a flock clip. */
  flocks: FlockReport[]
  /** The same of the mesh of a vertex animation. */
  vats: VATReport[]
}

/** Where a loop begins anew. */
export interface Seam {
  /** Largest distance of a vertex or a bone at the last frame from where it is at the first, in metres. */
  distance: number
  /** Largest angle of a bone at the last frame from how it is turned at the first, in radians. */
  angle: number
  /**
   * How much the recorded velocity of some vertex, or the turning of some bone, changes where the loop begins anew, as a multiple
   * of how much it changes from frame to frame elsewhere, in the median.
   */
  jump: number
}

/** One mesh of a {@link BakeReport}. */
export interface MeshReport {
  name: string
  targets: number
  /** Keyframes of the targets' weights. */
  keys: number
  /** Metres. */
  maxError: number
  /** Metres. */
  meanError: number
  /** Radians. */
  maxNormalError: number
  /** Radians. */
  meanNormalError: number
}

/** One skeleton of a {@link BakeReport}. */
export interface SkeletonReport {
  name: string
  /** Tracks: of rotation, position or scale of a bone. */
  tracks: number
  /** Keyframes of all tracks. */
  keys: number
  /** Bytes of the keyframes in the file; what is the same is there once. */
  bytes: number
  /** Radians. */
  maxAngle: number
  /** Radians. */
  meanAngle: number
  /** Largest distance of a bone from its recorded position, in metres at most. */
  maxDistance: number
  /** Largest part by which a bone's scale is off. */
  maxRatio: number
}

/** The flock of a flock clip. */
export interface FlockReport extends FlockClipError {
  name: string
  boids: number
  /** Every so many-th recorded frame has positions. */
  positionEvery: number
  /** Every so many-th recorded frame has rotations. */
  rotationEvery: number
}

/** The mesh of a vertex animation. */
export interface VATReport extends VertexAnimationError {
  name: string
  vertices: number
  /** Every so many-th recorded frame is in the file. */
  every: number
  /** Length of a step of positions, in metres. */
  unit: number
  /** Bits of each of a normal's two coordinates. */
  normalBits: 8 | 16
  /** Bytes of the texture on the GPU. */
  textureBytes: number
  /** Whether the last frame is the first. */
  loop: boolean
}

/** A report of what `parts` says, and of nothing else. */
export function reported(parts: Pick<BakeReport, 'bytes' | 'frames'> & Partial<BakeReport>): BakeReport {
  return {
    targets: 0,
    maxError: 0,
    meanError: 0,
    maxNormalError: 0,
    meanNormalError: 0,
    keys: 0,
    maxAngle: 0,
    meanAngle: 0,
    seam: null,
    meshes: [],
    skeletons: [],
    flocks: [],
    vats: [],
    ...parts,
  }
}
