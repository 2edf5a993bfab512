import {
  Box3,
  DynamicDrawUsage,
  InstancedMesh,
  Sphere,
  type BufferGeometry,
  type Material,
  type TypedArray,
} from 'three'
import { LimberError, shown } from './error.js'

type Triple = readonly [x: number, y: number, z: number]

/** How far what a flock clip shows is from what was recorded: measured on the file, at every recorded frame. */
export interface FlockClipError {
  /** Largest distance of a boid from where it was recorded, around a torus the shorter way, in metres. */
  readonly maxDistance: number
  /** Mean distance over all boids and frames, in metres. */
  readonly meanDistance: number
  /** Largest angle of a boid from its recorded rotation, in radians. */
  readonly maxAngle: number
  /** Mean angle over all boids and frames, in radians. */
  readonly meanAngle: number
}

/**
 * What a `.flock` file holds. Of positions and of rotations the first recorded frame is there, every so many-th after it, and
 * the last; frames between two of these are on the straight line, the shorter way round a torus, and on the shorter arc.
 *
 * The file is little-endian: the letters FLCK; the version, 1, 32 bits; 17 doubles: boids, frames, frames a second, every
 * so many-th of positions, of rotations, bits of a coordinate (16 or 32), torus (1 or 0), `min`, `max`, and the four of
 * {@link FlockClipError} in their order; then `ids`, `species`, `rotations` and `positions` as they are here.
 */
export interface FlockFile {
  /** Frames a second, above 0. */
  readonly fps: number
  /** Recorded frames, 2 or more. */
  readonly frames: number
  /** Every so many-th frame has positions, from 1 to `frames` − 1. */
  readonly positionEvery: number
  /** Every so many-th frame has rotations, from 1 to `frames` − 1. */
  readonly rotationEvery: number
  /** Lowest corner of the torus, or of where boids were, in metres. */
  readonly min: Triple
  /** Highest corner, in metres. */
  readonly max: Triple
  /** Whether what leaves at one side comes in at the opposite one. */
  readonly torus: boolean
  readonly error: FlockClipError
  /** `[id] × boids`. */
  readonly ids: Uint32Array
  /** `[species] × boids`. */
  readonly species: Uint32Array
  /** `[packed] × boids × frames that are there`, as {@link packRotation} packs them. */
  readonly rotations: Uint32Array
  /** `[x, y, z] × boids × frames that are there`: 0 is at `min`, the largest number that 16 or 32 bits hold at `max`. */
  readonly positions: Uint16Array | Uint32Array
}

/** What {@link FlockClip.instancedMesh} may be told. */
export interface FlockMeshOptions {
  /** Show only this species; all unless set. */
  species?: number | undefined
}

/** A mesh and the boids that are its instances. */
interface Shown {
  readonly mesh: InstancedMesh
  readonly places: Uint32Array
}

/**
 * Plays a flock that `limber-node` has recorded, without a simulation: `recording.toFlockClip()` writes what it takes. How
 * true it is to the recording is in {@link error}: those are bounds at every recorded frame, for what is in the instance
 * matrices. Nothing is shown between two sides of a torus: boids go out at one and come in at the other.
 *
 * @example
 * const clip = FlockClip.parse(await (await fetch('fish.flock')).arrayBuffer())
 * scene.add(clip.instancedMesh(geometry, material)) // the geometry looks along +z
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   clip.update(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 */
export class FlockClip {
  /** How many boids there are. */
  readonly count: number
  /** Time of the last frame, in seconds: that of `frames` is (`frames` − 1) / `fps`. */
  readonly duration: number
  /** Frames a second that were recorded. */
  readonly fps: number
  /** `[id] × boids`, ascending. */
  readonly ids: Uint32Array
  /** `[species] × boids`, in the order of {@link ids}. */
  readonly species: Uint32Array
  /** How far it is from the recording, in metres and radians. */
  readonly error: FlockClipError
  /**
   * Whether it begins anew at its end, with a jump unless the flock ends as it began; else it stands still there. A round lasts
   * {@link duration}, as with `LoopRepeat` of three.js, and its last frame is shown at the very end of it.
   */
  loop = true

  readonly #shown = new Set<Shown>()
  #file: FlockFile | null
  #time = 0

  private constructor(file: FlockFile) {
    const { ids, species, fps, frames, error } = file
    this.count = ids.length
    this.duration = (frames - 1) / fps
    this.fps = fps
    this.ids = ids
    this.species = species
    this.error = error
    this.#file = file
  }

  /**
   * Reads a file. Its bytes are played as they are, without a copy: leave them alone.
   *
   * @throws LimberError `invalid-input` for what is no flock clip, is of another version, or is cut off
   */
  static parse(bytes: Uint8Array | ArrayBuffer): FlockClip {
    return new FlockClip(readFlockFile(bytes))
  }

  /** Time that is shown, in seconds. */
  get time(): number {
    return this.#time
  }

  /** Whether it was disposed. */
  get disposed(): boolean {
    return this.#file === null
  }

  /**
   * A mesh whose instances are the boids, as they are at {@link time}; its bounds are kept true. The geometry looks along +z
   * with its back along +y. It may be called more than once; dispose of a mesh as usual.
   *
   * @throws LimberError `invalid-option` for a species that there is not; `disposed`
   */
  instancedMesh<Geometry extends BufferGeometry, Look extends Material | Material[]>(
    geometry: Geometry,
    material: Look,
    { species }: FlockMeshOptions = {},
  ): InstancedMesh<Geometry, Look> {
    const file = this.#playing()
    const places = Uint32Array.from(this.ids.keys()).filter((i) => species === undefined || this.species[i] === species)
    if (places.length === 0) {
      const known = [...new Set(this.species)].join(', ')
      throw new LimberError('invalid-option', `species must be one of ${known}, got ${shown(species)}`)
    }
    const mesh = new InstancedMesh(geometry, material, places.length)
    mesh.instanceMatrix.setUsage(DynamicDrawUsage)
    mesh.boundingBox = new Box3()
    mesh.boundingSphere = new Sphere()
    const own = { mesh: mesh as unknown as InstancedMesh, places }
    this.#shown.add(own)
    mesh.addEventListener('dispose', () => this.#shown.delete(own))
    this.#show(file, own)
    return mesh
  }

  /**
   * Shows the flock at a time: before 0 and after {@link duration} by {@link loop}. Allocates nothing.
   *
   * @throws LimberError `invalid-input` for what is no finite number; `disposed`
   */
  setTime(seconds: number): void {
    const file = this.#playing()
    if (!Number.isFinite(seconds)) {
      throw new LimberError('invalid-input', `seconds must be a finite number (s), got ${shown(seconds)}`)
    }
    const { duration } = this
    let time = seconds
    if (this.loop) {
      // Where a round ends and the next begins it is still the last frame: else a clip that is shown frame by frame would lack
      // it. Sums of frame times may be a little beyond.
      const end = 1e-6 / this.fps
      const rounds =
        seconds > 0 ? Math.max(Math.ceil((seconds - end) / duration) - 1, 0) : Math.floor(seconds / duration)
      time = seconds - rounds * duration
    }
    this.#time = Math.min(Math.max(time, 0), duration)
    for (const own of this.#shown) this.#show(file, own)
  }

  /** Moves on by `dt` seconds, or back where that is below 0. Allocates nothing. @throws LimberError as {@link setTime} does */
  update(dt: number): void {
    this.setTime(this.#time + dt)
  }

  /** Lets go of the file. Meshes stay as they are; every later use throws `disposed`, and disposing twice does nothing. */
  dispose(): void {
    this.#file = null
    this.#shown.clear()
  }

  #playing(): FlockFile {
    if (this.#file) return this.#file
    throw new LimberError('disposed', 'this FlockClip was disposed: remove it from the loop that plays it')
  }

  /** Writes the matrices of a mesh, and its bounds. */
  #show(file: FlockFile, { mesh, places }: Shown): void {
    const frame = Math.min(this.#time * this.fps, file.frames - 1)
    const matrices = mesh.instanceMatrix.array
    writeRotations(file, frame, places, matrices)
    writePlaces(file, frame, places, matrices)
    mesh.instanceMatrix.needsUpdate = true
    const { geometry } = mesh
    if (geometry.boundingSphere === null) geometry.computeBoundingSphere()
    const { center, radius } = geometry.boundingSphere!
    const box = mesh.boundingBox!
    box.min.fromArray(low)
    box.max.fromArray(high)
    // However a boid is turned.
    box.expandByScalar(center.length() + radius)
    box.getBoundingSphere(mesh.boundingSphere!)
  }
}

/** How many of `frames` are there, if every so many-th is. */
function rowsOf(frames: number, every: number): number {
  return Math.ceil((frames - 1) / every) + 1
}

/** Which of the frames that are there comes before a frame. */
function rowOf(frame: number, frames: number, every: number): number {
  return Math.min(Math.floor(frame / every), rowsOf(frames, every) - 2)
}

/** The share of the way to the next one that is there. */
function shareOf(frame: number, frames: number, every: number, row: number): number {
  const start = row * every
  return (frame - start) / (Math.min(start + every, frames - 1) - start)
}

// Typed arrays, and functions that run over all boids: numbers that are set to the vectors and quaternions of three.js or passed
// to a function a boid would be boxed, which is 12 KB to 100 KB of garbage a frame of 5,000 boids.
const from = /* @__PURE__ */ new Float64Array(4)
const to = /* @__PURE__ */ new Float64Array(4)
const low = /* @__PURE__ */ new Float64Array(3)
const high = /* @__PURE__ */ new Float64Array(3)

/** Writes the first three columns of matrices: rotations on the straight line between two quaternions. */
function writeRotations(file: FlockFile, frame: number, places: Uint32Array, out: TypedArray): void {
  const { frames, rotations, rotationEvery, ids } = file
  const row = rowOf(frame, frames, rotationEvery)
  const share = shareOf(frame, frames, rotationEvery, row)
  for (let i = 0; i < places.length; i++) {
    const own = row * ids.length + places[i]!
    unpackRotation(rotations[own]!, from)
    unpackRotation(rotations[own + ids.length]!, to)
    const dot = from[0]! * to[0]! + from[1]! * to[1]! + from[2]! * to[2]! + from[3]! * to[3]!
    const part = dot < 0 ? -share : share
    const x = from[0]! * (1 - share) + to[0]! * part
    const y = from[1]! * (1 - share) + to[1]! * part
    const z = from[2]! * (1 - share) + to[2]! * part
    const w = from[3]! * (1 - share) + to[3]! * part
    const twice = 2 / (x * x + y * y + z * z + w * w)
    const at = i * 16
    out[at] = 1 - twice * (y * y + z * z)
    out[at + 1] = twice * (x * y + w * z)
    out[at + 2] = twice * (x * z - w * y)
    out[at + 4] = twice * (x * y - w * z)
    out[at + 5] = 1 - twice * (x * x + z * z)
    out[at + 6] = twice * (y * z + w * x)
    out[at + 8] = twice * (x * z + w * y)
    out[at + 9] = twice * (y * z - w * x)
    out[at + 10] = 1 - twice * (x * x + y * y)
  }
}

/** Writes the last column of matrices: places on the straight line between two, the shorter way round; and `low` and `high`. */
function writePlaces(file: FlockFile, frame: number, places: Uint32Array, out: TypedArray): void {
  const { frames, positions, positionEvery, ids, min, max, torus } = file
  const most = 2 ** (8 * positions.BYTES_PER_ELEMENT) - 1
  const around = torus ? most : Infinity
  const row = rowOf(frame, frames, positionEvery)
  const share = shareOf(frame, frames, positionEvery, row)
  for (let c = 0; c < 3; c++) {
    const unit = (max[c]! - min[c]!) / most
    low[c] = Infinity
    high[c] = -Infinity
    for (let i = 0; i < places.length; i++) {
      const own = (row * ids.length + places[i]!) * 3 + c
      let way = positions[own + ids.length * 3]! - positions[own]!
      if (way > around / 2) way -= around
      else if (way < -around / 2) way += around
      let steps = positions[own]! + way * share
      if (steps < 0) steps += around
      else if (steps >= around) steps -= around
      const place = min[c]! + steps * unit
      out[i * 16 + 12 + c] = place
      if (place < low[c]!) low[c] = place
      if (place > high[c]!) high[c] = place
    }
  }
}

/** Steps of a packed number from 0 to 1/√2, which the three smaller ones of a unit quaternion do not exceed. */
const STEPS = 511
const STEP = Math.SQRT1_2 / STEPS

/**
 * A rotation in 32 bits: which of `[x, y, z, w]` is largest (2 bits), and the three others, from −1/√2 to 1/√2, with 10 bits
 * each. It is off by up to 0.0048 rad (0.28°).
 */
export function packRotation(quaternions: ArrayLike<number>, at: number): number {
  let largest = 0
  for (let c = 1; c < 4; c++) {
    if (Math.abs(quaternions[at + c]!) > Math.abs(quaternions[at + largest]!)) largest = c
  }
  const unit = quaternions[at + largest]! < 0 ? -STEP : STEP
  let packed = largest
  for (let c = 0; c < 4; c++) {
    if (c === largest) continue
    const steps = Math.round(quaternions[at + c]! / unit)
    packed = (packed << 10) | (Math.min(Math.max(steps, -STEPS), STEPS) + STEPS)
  }
  return packed >>> 0
}

function unpackRotation(packed: number, out: Float64Array): void {
  const largest = packed >>> 30
  let bits = packed
  let rest = 1
  for (let c = 3; c >= 0; c--) {
    if (c === largest) continue
    const number = ((bits & 1023) - STEPS) * STEP
    out[c] = number
    rest -= number * number
    bits >>>= 10
  }
  out[largest] = Math.sqrt(Math.max(rest, 0))
}

/** The letters FLCK. */
const MAGIC = 0x4b434c46
const VERSION = 1
const NUMBERS = 17
const HEADER = 8 + NUMBERS * 8

/** Writes a file. */
export function writeFlockFile(file: FlockFile): Uint8Array<ArrayBuffer> {
  const { fps, frames, positionEvery, rotationEvery, min, max, torus, error } = file
  const { ids, species, rotations, positions } = file
  const { maxDistance, meanDistance, maxAngle, meanAngle } = error
  const size = positions.BYTES_PER_ELEMENT
  const arrays = [ids, species, rotations, positions]
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + byteLength, HEADER))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, VERSION, true)
  const counts = [ids.length, frames, fps, positionEvery, rotationEvery, size * 8, Number(torus)]
  const numbers = [...counts, ...min, ...max, maxDistance, meanDistance, maxAngle, meanAngle]
  numbers.forEach((number, i) => view.setFloat64(8 + i * 8, number, true))
  let at = HEADER
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

/** @throws LimberError `invalid-input` for what is none */
function readFlockFile(given: Uint8Array | ArrayBuffer): FlockFile {
  const fault = (what: string) => new LimberError('invalid-input', `bytes must be a flock clip, ${what}`)
  const whole = given instanceof ArrayBuffer ? new Uint8Array(given) : given
  if (!(whole instanceof Uint8Array)) throw fault(`a Uint8Array or an ArrayBuffer, got ${shown(given)}`)
  // Where 32-bit numbers may be read in place. A slice of a Buffer of Node would be no copy.
  const bytes = whole.byteOffset % 4 === 0 ? whole : new Uint8Array(whole)
  const { buffer, byteOffset, byteLength } = bytes
  const view = new DataView(buffer, byteOffset, byteLength)
  if (byteLength < 8 || view.getUint32(0, true) !== MAGIC) throw fault('and are another kind of file')
  const version = view.getUint32(4, true)
  if (version !== VERSION) throw fault(`and are one of version ${version}, where ${VERSION} can be read`)
  if (byteLength < HEADER) throw fault('and are cut off')

  const numbers = Array.from({ length: NUMBERS }, (_, i) => view.getFloat64(8 + i * 8, true))
  const [boids, frames, fps, positionEvery, rotationEvery, bits, torus] = numbers as Seven
  const [min, max] = [numbers.slice(7, 10), numbers.slice(10, 13)] as unknown as [Triple, Triple]
  const [maxDistance, meanDistance, maxAngle, meanAngle] = numbers.slice(13) as Four
  const counts = [boids, frames - 1, positionEvery, rotationEvery]
  const sound =
    numbers.every(Number.isFinite) &&
    counts.every((count) => Number.isInteger(count) && count >= 1) &&
    Math.max(positionEvery, rotationEvery) < frames &&
    fps > 0 &&
    (bits === 16 || bits === 32) &&
    (torus === 0 || torus === 1) &&
    min.every((low, c) => low <= max[c]! && Math.fround(max[c]! - low) < Infinity)
  if (!sound) throw fault('and hold numbers that no flock clip has')
  const lengths = [boids, boids, boids * rowsOf(frames, rotationEvery), boids * rowsOf(frames, positionEvery) * 3]
  const expected = HEADER + (lengths[0]! + lengths[1]! + lengths[2]!) * 4 + (lengths[3]! * bits) / 8
  if (byteLength < expected) throw fault(`and are cut off: ${byteLength} of ${expected}`)
  if (byteLength > expected) throw fault(`and are ${byteLength - expected} too many`)

  let at = byteOffset + HEADER
  const [ids, species, rotations] = lengths.slice(0, 3).map((length) => {
    const array = new Uint32Array(buffer, at, length)
    at += array.byteLength
    return array
  }) as [Uint32Array, Uint32Array, Uint32Array]
  const positions = bits === 16 ? new Uint16Array(buffer, at, lengths[3]) : new Uint32Array(buffer, at, lengths[3])
  return {
    fps,
    frames,
    positionEvery,
    rotationEvery,
    min,
    max,
    torus: torus === 1,
    error: { maxDistance, meanDistance, maxAngle, meanAngle },
    ids,
    species,
    rotations,
    positions,
  }
}

type Four = [number, number, number, number]
type Seven = [number, number, number, number, number, number, number]
