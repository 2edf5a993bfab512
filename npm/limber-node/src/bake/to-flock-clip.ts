import { BufferGeometry, Material, Matrix4, Quaternion, type InstancedMesh } from 'three'
import {
  checkKeys,
  checkNumber,
  FlockClip,
  LimberError,
  packRotation,
  shown,
  writeFlockFile,
  type FlockClipError,
  type FlockFile,
} from 'limber/core'
import { FLOCK_KEYS } from './fit.js'
import type { RecordedFlock } from './recorded-flock.js'
import type { Recording } from './recording.js'
import { reported } from './report.js'

/** How a flock clip is written, and how closely. */
export interface FlockClipOptions {
  /** The flock that it is of; needed where several were recorded. */
  name?: string | undefined
  /**
   * Largest distance of a boid from where it was recorded, at any recorded frame, around a torus the shorter way; in metres, from
   * 0.000001 to 1. Unless set, a thousandth of the longest side of the torus, or of the box that the boids kept within.
   */
  distance?: number | undefined
  /**
   * Largest angle of a boid from its recorded rotation, at any recorded frame, in radians, from 0.00001 to 0.1; 0.02 (1.1°)
   * unless set. The 32 bits of a rotation alone take up to 0.0048.
   */
  angle?: number | undefined
  /** Whether frames are left out that are shown within both without; `true` unless set. */
  thin?: boolean | undefined
}

/** Largest errors, in metres and radians. */
interface Limits {
  distance: number
  angle: number
}

/** See `Recording.toFlockClip`. */
export function toFlockClip(recording: Recording, options: FlockClipOptions): Uint8Array<ArrayBuffer> {
  checkKeys('toFlockClip', options, ['name', ...FLOCK_KEYS, 'thin'])
  const flock = recording.flock(options.name)
  const usual = flock.closeness
  const { distance = usual.distance, angle = usual.angle, thin = true } = options
  checkNumber('distance', distance, 0.000001, 1, 'm')
  checkNumber('angle', angle, 0.00001, 0.1, 'rad')
  if (typeof thin !== 'boolean')
    throw new LimberError('invalid-option', `thin must be true or false, got ${shown(thin)}`)
  const writer = new Writer(flock, recording.fps, distance)
  const last = recording.frames - 1
  const most = thin ? last : 1
  const positionEvery = furthest(most, (every) => writer.measure(every, last, { distance, angle: Infinity }))
  const rotationEvery = furthest(most, (every) => writer.measure(last, every, { distance: Infinity, angle }))
  const error = writer.measure(positionEvery, rotationEvery)
  if (error.maxDistance > distance || error.maxAngle > angle) {
    throw new LimberError(
      'tolerance',
      `${flock.name} would be up to ${error.maxDistance} m and ${error.maxAngle} rad off with all its frames, ` +
        `and ${distance} m and ${angle} rad are allowed`,
    )
  }
  const bytes = writer.write(positionEvery, rotationEvery, error)
  const { name, ids } = flock
  recording.report = reported({
    bytes: bytes.byteLength,
    frames: recording.frames,
    maxAngle: error.maxAngle,
    meanAngle: error.meanAngle,
    flocks: [{ name, boids: ids.length, positionEvery, rotationEvery, ...error }],
  })
  return bytes
}

/** The largest number down from `most` that will do, or 1. */
function furthest(most: number, measure: (every: number) => unknown): number {
  let every = most
  while (every > 1 && measure(every) === undefined) every -= 1
  return every
}

type Positions = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** Writes a flock with some of its frames, and plays what it has written. */
class Writer {
  readonly #flock: RecordedFlock
  readonly #file: Omit<FlockFile, 'positionEvery' | 'rotationEvery' | 'error' | 'positions' | 'rotations'>
  /** Of each recorded frame. */
  readonly #positions: readonly Positions[]
  readonly #rotations: readonly Uint32Array<ArrayBuffer>[]

  constructor(flock: RecordedFlock, fps: number, distance: number) {
    const { ids, species, torus, world } = flock
    this.#flock = flock
    this.#file = { fps, frames: flock.positions.length, ids, species, ...world, torus: torus !== null }
    const sizes = world.max.map((high, c) => high - world.min[c]!)
    // Most of the distance is for the frames that are left out.
    const bits = Math.hypot(...sizes) / 2 / (2 ** 16 - 1) <= distance / 4 ? 16 : 32
    const most = 2 ** bits - 1
    const step = (place: number, c: number) => {
      const share = sizes[c]! > 0 ? (place - world.min[c]!) / sizes[c]! : 0
      return Math.min(Math.max(Math.round(share * most), 0), most)
    }
    this.#positions = flock.positions.map((positions) => {
      const steps = bits === 16 ? new Uint16Array(positions.length) : new Uint32Array(positions.length)
      for (let i = 0; i < steps.length; i++) steps[i] = step(positions[i]!, i % 3)
      return steps
    })
    this.#rotations = flock.quaternions.map((quaternions) => ids.map((_, i) => packRotation(quaternions, i * 4)))
  }

  write(positionEvery: number, rotationEvery: number, error: FlockClipError): Uint8Array<ArrayBuffer> {
    const positions = together(kept(this.#positions, positionEvery))
    const rotations = together(kept(this.#rotations, rotationEvery)) as Uint32Array
    return writeFlockFile({ ...this.#file, positionEvery, rotationEvery, error, positions, rotations })
  }

  /** How far off a file with so many frames is; `undefined` as soon as that is more than is allowed. */
  measure(positionEvery: number, rotationEvery: number): FlockClipError
  measure(positionEvery: number, rotationEvery: number, limits: Limits): FlockClipError | undefined
  measure(positionEvery: number, rotationEvery: number, limits?: Limits): FlockClipError | undefined {
    const { fps, frames } = this.#file
    const clip = FlockClip.parse(this.write(positionEvery, rotationEvery, NONE))
    clip.loop = false
    const mesh = clip.instancedMesh(new BufferGeometry(), new Material())
    const off = new Off(this.#flock, mesh)
    for (let i = 0; i < frames; i++) {
      // The middle between two that are there comes first: it is furthest off, most often.
      const frame = (i + (Math.min(positionEvery, rotationEvery) >> 1)) % frames
      clip.setTime(frame / fps)
      off.look(frame)
      if (limits && (off.maxDistance > limits.distance || off.maxAngle > limits.angle)) return undefined
    }
    return off.error(frames)
  }
}

const NONE: FlockClipError = { maxDistance: 0, meanDistance: 0, maxAngle: 0, meanAngle: 0 }

/** How far instances are from a recorded flock. */
class Off {
  maxDistance = 0
  maxAngle = 0
  #distances = 0
  #angles = 0
  readonly #flock: RecordedFlock
  readonly #mesh: InstancedMesh
  /** Metres around the torus; infinite without one. */
  readonly #around: readonly number[]

  constructor(flock: RecordedFlock, mesh: InstancedMesh) {
    this.#flock = flock
    this.#mesh = mesh
    this.#around = (flock.around ?? [0, 0, 0]).map((size) => size || Infinity)
  }

  look(frame: number): void {
    const positions = this.#flock.positions[frame]!
    const quaternions = this.#flock.quaternions[frame]!
    const { array, count } = this.#mesh.instanceMatrix
    for (let i = 0; i < count; i++) {
      let square = 0
      for (let c = 0; c < 3; c++) {
        const way = Math.abs(array[i * 16 + 12 + c]! - positions[i * 3 + c]!)
        square += Math.min(way, Math.abs(this.#around[c]! - way)) ** 2
      }
      const distance = Math.sqrt(square)
      const angle = angleTo(shownNow.setFromRotationMatrix(matrix.fromArray(array, i * 16)), quaternions, i * 4)
      this.maxDistance = Math.max(this.maxDistance, distance)
      this.maxAngle = Math.max(this.maxAngle, angle)
      this.#distances += distance
      this.#angles += angle
    }
  }

  error(frames: number): FlockClipError {
    const all = frames * this.#mesh.count
    return {
      maxDistance: this.maxDistance,
      meanDistance: this.#distances / all,
      maxAngle: this.maxAngle,
      meanAngle: this.#angles / all,
    }
  }
}

const matrix = /* @__PURE__ */ new Matrix4()
const shownNow = /* @__PURE__ */ new Quaternion()
const recordedNow = /* @__PURE__ */ new Quaternion()

/** The angle between two rotations, also where it is tiny: by how far they and their opposites are apart. */
function angleTo({ x, y, z, w }: Quaternion, quaternions: Float32Array, at: number): number {
  const { x: a, y: b, z: c, w: d } = recordedNow.fromArray(quaternions as never, at)
  const near = (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 + (w - d) ** 2
  const far = (x + a) ** 2 + (y + b) ** 2 + (z + c) ** 2 + (w + d) ** 2
  return 4 * Math.atan2(Math.sqrt(Math.min(near, far)), Math.sqrt(Math.max(near, far)))
}

/** The first, every so many-th after it, and the last. */
function kept<T>(frames: readonly T[], every: number): T[] {
  return frames.filter((_, i) => i % every === 0 || i === frames.length - 1)
}

/** One after the other. */
function together(list: readonly Positions[]): Positions {
  const [first] = list as [Positions]
  const out = new (first.constructor as Uint32ArrayConstructor)(list.length * first.length)
  list.forEach((one, i) => out.set(one, i * first.length))
  return out
}
