import { Matrix4, Quaternion } from 'three'
import { LimberError, type Boids } from 'limber/core'
import type { RecordedNode, RecordedSkeleton } from './recorded-skeleton.js'

/** Most boids that are nodes of a file or of a clip. */
const MOST_NODES = 500

type Triple = readonly [x: number, y: number, z: number]

/** Lowest and highest corner, in metres. */
export interface Corners {
  readonly min: Triple
  readonly max: Triple
}

/** Boids as they were at each frame. */
export class RecordedFlock {
  /** `[id] × boids`, ascending. */
  readonly ids: Uint32Array<ArrayBuffer>
  /** `[species] × boids`. */
  readonly species: Uint32Array<ArrayBuffer>
  /** The torus that they went round, or `null`. */
  readonly torus: Corners | null
  /** `[x, y, z] × boids` at each frame, world, metres. */
  readonly positions: readonly Float32Array<ArrayBuffer>[]
  /** `[x, y, z, w] × boids` at each frame: what turns a model that looks along +z. */
  readonly quaternions: readonly Float32Array<ArrayBuffer>[]
  #skeleton: RecordedSkeleton | undefined

  constructor(
    /** The name that `bake` was given for the simulation. */
    readonly name: string,
    boids: Boids,
    frames: number,
    /** No other flock is in the recording. */
    readonly alone: boolean,
  ) {
    this.ids = boids.ids.slice()
    this.species = boids.species.slice()
    this.torus = torusOf(boids)
    this.positions = Array.from({ length: frames }, () => new Float32Array(this.ids.length * 3))
    this.quaternions = Array.from({ length: frames }, () => new Float32Array(this.ids.length * 4))
  }

  /** Takes what is now as frame `frame`. @throws LimberError `invalid-input` when the torus is another than at first */
  record(frame: number, boids: Boids): void {
    if (JSON.stringify(torusOf(boids)) !== JSON.stringify(this.torus)) {
      throw new LimberError(
        'invalid-input',
        `simulations.${this.name} had its torus changed while it was recorded, and a recording has one`,
      )
    }
    this.positions[frame]!.set(boids.positions)
    const { matrices } = boids
    const rotations = this.quaternions[frame]!
    for (let i = 0; i < this.ids.length; i++) {
      rotation.setFromRotationMatrix(matrix.fromArray(matrices, i * 16)).toArray(rotations, i * 4)
    }
  }

  /** The corners of the torus, or of where they were. */
  get world(): Corners {
    if (this.torus) return this.torus
    const [min, max] = [
      [Infinity, Infinity, Infinity],
      [-Infinity, -Infinity, -Infinity],
    ]
    for (const positions of this.positions) {
      for (let i = 0; i < positions.length; i++) {
        min[i % 3] = Math.min(min[i % 3]!, positions[i]!)
        max[i % 3] = Math.max(max[i % 3]!, positions[i]!)
      }
    }
    return { min, max } as unknown as Corners
  }

  /** How far it is around the torus along each axis, or `undefined`. */
  get around(): Triple | undefined {
    return this.torus ? sizeOf(this.torus) : undefined
  }

  /** How closely it is kept unless said, in metres and radians. */
  get closeness(): { distance: number; angle: number } {
    const size = Math.max(...sizeOf(this.world))
    return { distance: Math.min(Math.max(size * 0.001, 0.000001), 1), angle: 0.02 }
  }

  /** A root with a node for each boid, made once. @throws LimberError `invalid-input` when these are too many */
  toSkeleton(): RecordedSkeleton {
    return (this.#skeleton ??= this.#makeSkeleton())
  }

  #makeSkeleton(): RecordedSkeleton {
    const boids = this.ids.length
    if (boids > MOST_NODES) {
      throw new LimberError(
        'invalid-input',
        `${this.name} has ${boids} boids, and as nodes there may be ${MOST_NODES} at most: toFlockClip() takes any number`,
      )
    }
    const frames = this.positions.length
    // Players find what they move by its name, so that no two may share one.
    const prefix = this.alone ? '' : `${this.name}-`
    const still = { fileName: undefined, swings: false, metres: new Float64Array(frames).fill(1) }
    const none = new Float64Array(0)
    const root: RecordedNode = {
      ...still,
      name: this.name,
      parent: null,
      animated: false,
      rest: [0, 0, 0, 1, 0, 0, 0, 1, 1, 1],
      quaternions: none,
      positions: none,
      scales: none,
    }
    const nodes = Array.from(this.ids, (id, i): RecordedNode => {
      const quaternions = track(this.quaternions, i, 4)
      const positions = track(this.positions, i, 3)
      return {
        ...still,
        name: `${prefix}boid-${id}`,
        parent: root,
        animated: true,
        rest: [...quaternions.subarray(0, 4), ...positions.subarray(0, 3), 1, 1, 1],
        quaternions,
        positions,
        scales: none,
      }
    })
    return { name: this.name, nodes: [root, ...nodes], flock: this }
  }
}

const matrix = /* @__PURE__ */ new Matrix4()
const rotation = /* @__PURE__ */ new Quaternion()

/** The corners of a torus as the core has them, in 32 bits. */
function torusOf({ bounds }: Boids): Corners | null {
  if (bounds.kind !== 'torus') return null
  return { min: bounds.min.map(Math.fround), max: bounds.max.map(Math.fround) } as unknown as Corners
}

function sizeOf({ min, max }: Corners): Triple {
  return [max[0] - min[0], max[1] - min[1], max[2] - min[2]]
}

/** The numbers of one boid, frame by frame. */
function track(all: readonly Float32Array[], boid: number, size: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(all.length * size)
  all.forEach((frame, f) => out.set(frame.subarray(boid * size, (boid + 1) * size), f * size))
  return out
}
