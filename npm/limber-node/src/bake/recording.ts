import { BufferGeometry, type AnimationClip } from 'three'
import { LimberError, shown, type Cloth } from 'limber/core'
import {
  fit,
  fitAsync,
  FLOCK_KEYS,
  MESH_KEYS,
  SKELETON_KEYS,
  SWING_KEYS,
  type FitOptions,
  type MorphFit,
} from './fit.js'
import { fitSkeleton, type KeyTrack } from './fit-skeleton.js'
import { RecordedFlock } from './recorded-flock.js'
import type { RecordedSkeleton } from './recorded-skeleton.js'
import { toAnimationClip, type ClipOptions } from './to-animation-clip.js'
import { toFlockClip, type FlockClipOptions } from './to-flock-clip.js'
import { toGeometry } from './to-geometry.js'
import type { BakeReport } from './report.js'
import { toGLB, type GLBOptions } from './to-glb.js'
import { toVAT, type VATOptions } from './to-vat.js'

/** A mesh as it was at each frame. */
export class RecordedMesh {
  /** Index, groups, draw range, texture coordinates and colours: all but positions and normals. */
  readonly geometry: BufferGeometry
  /** `[x, y, z] × vertices` at each frame, metres. */
  readonly positions: Float32Array<ArrayBuffer>[] = []
  /** `[x, y, z] × vertices` at each frame, of unit length. */
  readonly normals: Float32Array<ArrayBuffer>[] = []

  constructor(
    readonly name: string,
    source: BufferGeometry,
  ) {
    this.geometry = new BufferGeometry()
    for (const [name, attribute] of Object.entries(source.attributes)) {
      if (name !== 'position' && name !== 'normal') this.geometry.setAttribute(name, attribute.clone())
    }
    this.geometry.setIndex(source.index?.clone() ?? null)
    for (const group of source.groups) this.geometry.addGroup(group.start, group.count, group.materialIndex)
    this.geometry.setDrawRange(source.drawRange.start, source.drawRange.count)
  }

  /** Vertices. */
  get vertices(): number {
    return this.positions[0]!.length / 3
  }

  /** Adds a frame. */
  record({ positions, normals }: Pick<Cloth, 'positions' | 'normals'>): void {
    this.positions.push(positions.slice())
    this.normals.push(unit(normals.slice()))
  }
}

/** What `bake` recorded. Each of its formats is a file of its own beside this one. */
export class Recording {
  /** What the last file that was written holds, or `null` before one was. */
  report: BakeReport | null = null
  readonly #fits = new Map<string, MorphFit>()
  readonly #tracks = new Map<string, KeyTrack[]>()

  constructor(
    /** Frames a second; of a loop, such that a whole number of frames is as long as was asked for. */
    readonly fps: number,
    /** Frames; the first is at 0 seconds. */
    readonly frames: number,
    /** One for each cloth. */
    readonly meshes: readonly RecordedMesh[],
    /** One for each character with jiggle bones or a ragdoll. */
    readonly skeletons: readonly RecordedSkeleton[] = [],
    /** One for each flock of boids. */
    readonly flocks: readonly RecordedFlock[] = [],
    /** Whether it was recorded as a loop: its last frame is its first. */
    readonly loops = false,
  ) {}

  /** Time of the last frame, in seconds. */
  get duration(): number {
    return (this.frames - 1) / this.fps
  }

  /**
   * A three.js clip, called `bake`.
   *
   * Of jiggle bones and ragdolls it is the whole motion, pose and swing or fall, and plays alone on the same character or a
   * clone, by the names of its bones: rotation, position and scale of each. Rotations never take the longer way round. With `only: 'jiggle'` it turns
   * nothing but the bones that swing: for those that no other clip moves, as a mixer takes the mean of clips that move the
   * same bone. The root of the mixer is any object above the bones.
   *
   * Of up to 500 boids it moves objects named `boid-0`, `boid-1`, …, by their ids; of several flocks `prey-boid-0`, `birds-boid-0`,
   * …, by the names that they were given. One that goes round a torus swims on out of the world for half a frame, and in at the
   * other side for the other half: nothing is shown in between.
   *
   * Of cloth it is a clip on `morphTargetInfluences`, for a mesh with the geometry of {@link toGeometry} and the same options.
   * With one simulation its root is that mesh; with several, an object that holds meshes of their names.
   *
   * @throws LimberError `tolerance` when it takes more targets than are allowed, or 32-bit floats are too coarse;
   *   `invalid-input` for names of bones that the tracks of clips cannot have, or that two characters share: `name` then
   *   chooses one; and for more than 500 boids
   */
  toAnimationClip(options: ClipOptions = {}): AnimationClip {
    return toAnimationClip(this, options)
  }

  /** The geometry of simulation `name` (or of the only one) with its morph targets, for {@link toAnimationClip}. */
  toGeometry(options: FitOptions & { name?: string | undefined } = {}): BufferGeometry {
    return toGeometry(this, options)
  }

  /**
   * A flock of any size as a compact file, which `FlockClip` of `limber` plays as an `InstancedMesh`: positions of 16 bits a
   * coordinate (32 where that is too coarse), rotations of 32 bits, and of both every so many-th frame, as long as all recorded
   * frames are shown within the tolerances. Sets {@link report}; the file says the same of itself.
   *
   * @throws LimberError `tolerance` where it is finer than such a file is; `invalid-option`
   */
  toFlockClip(options: FlockClipOptions = {}): Uint8Array<ArrayBuffer> {
    return toFlockClip(this, options)
  }

  /**
   * A GLB file with one animation: a node for each cloth, whose mesh has morph targets of positions and normals; the bones of
   * each skeleton, as they lay before the recording; and for each flock of up to 500 boids a node that holds theirs, named
   * `boid-0`, `boid-1`, … by their ids, with the name of the flock before it where there are several (`prey-boid-0`). Bones and
   * boids have the keyframes of {@link toAnimationClip}. Sets {@link report}.
   *
   * With `onto`, a GLB file of yours, it is that file with the animation added, moving the nodes that have the names of the
   * bones. All else in it stays as it is.
   *
   * Of a cloth it holds the triangles that three.js would draw: those of the groups, within the draw range; or all where these
   * are none, as a file cannot hold a mesh of nothing.
   *
   * Material, textures and looping are left to whoever loads it: the material is a plain one, seen from both sides, for each
   * group of the geometry (`cloth`, `cloth1`, …), and the animation runs once from the first frame to the last, which an
   * `AnimationAction` repeats with a jump unless the motion itself ends as it began, or was recorded with `loop`.
   *
   * @throws LimberError `tolerance` when it takes more targets than are allowed, or 32-bit floats are too coarse;
   *   `invalid-input` for texture coordinates or colours that a file cannot hold, for a file that has not the bones, and for
   *   more than 500 boids
   */
  toGLB(options: GLBOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return toGLB(this, options)
  }

  /**
   * A cloth as a compact file, which `VertexAnimation` of `limber` plays from a texture on the GPU, alone or as a crowd out of
   * step: positions of 16 bits a coordinate (32-bit floats where that is too coarse), octahedral normals of 2 × 8 bits (2 × 16
   * where that is too coarse), index, groups and all other attributes. Every so many-th frame is kept, as long as all recorded
   * frames are shown within the tolerances. Sets {@link report}; the file says the same of itself.
   *
   * @throws LimberError `tolerance` where it is finer than such a file is, and for more vertices and frames than a texture of
   *   4096 × 4096 holds; `invalid-input` for attributes that a file cannot hold; `invalid-option`
   */
  toVAT(options: VATOptions = {}): Uint8Array<ArrayBuffer> {
    return toVAT(this, options)
  }

  /** The mesh of simulation `name`, or of the only one. */
  mesh(name?: string): RecordedMesh {
    return chosen(this.meshes, name, 'mesh: no cloth was recorded')
  }

  /** The morph targets of `mesh`; found once for the same options. */
  fit(mesh: RecordedMesh, options: FitOptions): MorphFit {
    return this.#fitted(mesh, options) ?? this.#fitted(mesh, options, fit(mesh, this.fps, options))!
  }

  /** The same, on a thread of the addon's pool where there is one. */
  async fitAsync(mesh: RecordedMesh, options: FitOptions): Promise<MorphFit> {
    return this.#fitted(mesh, options) ?? this.#fitted(mesh, options, await fitAsync(mesh, this.fps, options))!
  }

  #fitted(mesh: RecordedMesh, { tolerance, maxTargets }: FitOptions, fit?: MorphFit): MorphFit | undefined {
    const key = `${this.meshes.indexOf(mesh)} ${tolerance} ${maxTargets}`
    if (fit) this.#fits.set(key, fit)
    return this.#fits.get(key)
  }

  /** The keyframes of `skeleton`; found once for the same options. */
  tracks(skeleton: RecordedSkeleton, options: FitOptions): KeyTrack[] {
    const { angle, distance, ratio, only } = options
    const place = [...this.skeletons, ...this.flocks].indexOf(skeleton.flock ?? skeleton)
    const key = [place, angle, distance, ratio, only].join(' ')
    let found = this.#tracks.get(key)
    if (!found) this.#tracks.set(key, (found = fitSkeleton(skeleton, this.fps, options)))
    return found
  }

  /** The flock of simulation `name`, or of the only one. */
  flock(name?: string): RecordedFlock {
    return chosen(this.flocks, name, 'flock: no boids were recorded')
  }

  /**
   * What has nodes of its own in a file or a clip, or of these what has the name `name`: skeletons, and flocks as such.
   *
   * @throws LimberError `invalid-input` for more than 500 boids
   */
  moving(name?: string): RecordedSkeleton[] {
    return [...this.skeletons, ...this.flocks]
      .filter((one) => name === undefined || one.name === name)
      .map((one) => (one instanceof RecordedFlock ? one.toSkeleton() : one))
  }

  /** Names of the options that have a meaning for what was recorded. */
  get fitKeys(): string[] {
    const swings = this.skeletons.some(({ nodes }) => nodes.some((node) => node.swings))
    const moved = this.skeletons.length ? SKELETON_KEYS : this.flocks.length ? FLOCK_KEYS : []
    return [...(this.meshes.length ? MESH_KEYS : []), ...moved, ...(swings ? SWING_KEYS : [])]
  }
}

/** What has the name `name`, or the only one. */
function chosen<T extends { readonly name: string }>(all: readonly T[], name: string | undefined, none: string): T {
  const found = name === undefined && all.length === 1 ? all[0] : all.find((one) => one.name === name)
  if (found) return found
  if (all.length === 0) throw new LimberError('invalid-option', `there is no ${none}`)
  const known = all.map((one) => one.name).join(', ')
  throw new LimberError('invalid-option', `name must be one of ${known}, got ${shown(name)}`)
}

/** A vertex without a triangle has no normal; files must have one. */
function unit(normals: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  for (let i = 0; i < normals.length; i += 3) {
    if (normals[i] === 0 && normals[i + 1] === 0 && normals[i + 2] === 0) normals[i + 1] = 1
  }
  return normals
}
