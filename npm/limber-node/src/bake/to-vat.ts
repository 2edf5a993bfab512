import {
  checkKeys,
  checkNumber,
  isVertexAnimationArray,
  LimberError,
  MOST_STEPS,
  MOST_TEXELS,
  packNormal,
  VertexAnimation,
  writeVertexAnimationFile,
  type VertexAnimationAttribute,
  type VertexAnimationError,
  type VertexAnimationFile,
} from 'limber/core'
import { BAKE_FIT_DEFAULTS } from './fit.js'
import type { RecordedMesh, Recording } from './recording.js'
import { reported } from './report.js'

/** How a vertex animation is written, and how closely. Both bounds hold at every recorded frame. */
export interface VATOptions {
  /** The cloth that it is of; needed where several were recorded. */
  name?: string | undefined
  /** Largest distance of a vertex from where it was recorded, in metres, from 0.00001 to 1; 0.001 unless set. */
  tolerance?: number | undefined
  /**
   * Largest angle of a normal from the recorded one, in radians, from 0.0001 to 3.15. Unless set there is no such bound:
   * normals have 8 bits a coordinate, which takes up to 0.011 (0.6°), and where frames are left out they turn evenly in between.
   */
  angle?: number | undefined
}

/** A part of the tolerance below which steps are not made to win frames. */
const LEAST_ROOM = 1 / 8

/** See `Recording.toVAT`. */
export function toVAT(recording: Recording, options: VATOptions): Uint8Array<ArrayBuffer> {
  checkKeys('toVAT', options, ['name', 'tolerance', 'angle'])
  const mesh = recording.mesh(options.name)
  const { tolerance = BAKE_FIT_DEFAULTS.tolerance, angle = Infinity } = options
  checkNumber('tolerance', tolerance, 0.00001, 1, 'm')
  if (options.angle !== undefined) checkNumber('angle', angle, 0.0001, 3.15, 'rad')

  let best: Written | undefined
  for (const normalBits of [8, 16] as const) {
    for (const [every, off] of spacings(recording, mesh, tolerance)) {
      const written = write(recording, mesh, every, tolerance - off, normalBits)
      const { maxDistance, maxAngle } = written.error
      if (!(maxDistance <= tolerance && maxAngle <= angle)) continue
      if (!best || written.size < best.size) best = written
    }
    if (best) break
  }
  if (!best) {
    const { error } = write(recording, mesh, 1, tolerance, 16)
    throw new LimberError(
      'tolerance',
      `${mesh.name} would be up to ${error.maxDistance} m and ${error.maxAngle} rad off with all its frames, ` +
        `and ${tolerance} m${angle < Infinity ? ` and ${angle} rad` : ''} are allowed`,
    )
  }
  const { file, error, textureBytes } = best
  const bytes = writeVertexAnimationFile({ ...file, error })
  const { vertices, every, unit, normalBits, loop } = file
  recording.report = reported({
    bytes: bytes.byteLength,
    frames: recording.frames,
    maxError: error.maxDistance,
    meanError: error.meanDistance,
    maxNormalError: error.maxAngle,
    meanNormalError: error.meanAngle,
    vats: [{ name: mesh.name, vertices, every, unit, normalBits, textureBytes, loop, ...error }],
  })
  return bytes
}

/**
 * Numbers of frames from one that is kept to the next, such that those between leave room for steps; and how far off they are,
 * in metres. The first, all frames, is always one; the texture has room for each.
 */
function spacings({ frames }: Recording, mesh: RecordedMesh, tolerance: number): [every: number, off: number][] {
  const found: [number, number][] = []
  // Twice as far is about four times as far off: after some that do not hold, hardly any does.
  let failed = 0
  for (let every = 1; every < frames && failed < 4; every++) {
    const off = every === 1 ? 0 : furthest(mesh.positions, every, tolerance * (1 - LEAST_ROOM))
    if (off === undefined) failed += 1
    else if (mesh.vertices * kept(mesh.positions, every).length <= MOST_TEXELS) found.push([every, off])
  }
  if (found.length > 0) return found
  throw new LimberError(
    'tolerance',
    `${mesh.name} has ${mesh.vertices} vertices in ${frames} frames, and a texture of 4096 × 4096 holds ${MOST_TEXELS}: ` +
      'a larger tolerance may do, or a shorter recording',
  )
}

/** How far vertices are off if every so many-th frame is there, in metres; `undefined` as soon as that is more than `most`. */
function furthest(positions: readonly Float32Array[], every: number, most: number): number | undefined {
  const last = positions.length - 1
  let far = 0
  for (let i = 1; i < last; i++) {
    // The middle between two that are there comes first: it is furthest off, most often.
    const frame = (i + (every >> 1)) % positions.length
    const start = frame - (frame % every)
    const end = Math.min(start + every, last)
    if (frame === start || frame === end) continue
    const share = (frame - start) / (end - start)
    const [from, to, there] = [positions[start]!, positions[end]!, positions[frame]!]
    for (let v = 0; v < there.length; v += 3) {
      let square = 0
      for (let c = v; c < v + 3; c++) square += (from[c]! * (1 - share) + to[c]! * share - there[c]!) ** 2
      if (square > far) far = square
    }
    if (far > most * most) return undefined
  }
  return Math.sqrt(far)
}

/** The first, every so many-th after it, and the last. */
function kept<T>(frames: readonly T[], every: number): T[] {
  return frames.filter((_, i) => i % every === 0 || i === frames.length - 1)
}

/** A file, and how true it is. */
interface Written {
  /** All but its error is as it will be written. */
  file: VertexAnimationFile
  error: VertexAnimationError
  /** Bytes, but for some digits of the error. */
  size: number
  textureBytes: number
}

const NONE: VertexAnimationError = { maxDistance: 0, meanDistance: 0, maxAngle: 0, meanAngle: 0 }

/** Writes every so many-th frame with steps as long as `room` metres allow, and plays what it has written. */
function write(recording: Recording, mesh: RecordedMesh, every: number, room: number, normalBits: 8 | 16): Written {
  const file = quantised(recording, mesh, every, room, normalBits)
  const bytes = writeVertexAnimationFile(file)
  const animation = VertexAnimation.parse(bytes)
  const error = compare(recording, mesh, animation)
  const textureBytes = animation.texture.image.data!.byteLength
  animation.dispose()
  return { file, error, size: bytes.length, textureBytes }
}

function quantised(
  { fps, frames }: Recording,
  mesh: RecordedMesh,
  every: number,
  room: number,
  normalBits: 8 | 16,
): VertexAnimationFile {
  const { geometry, vertices, positions } = mesh
  const [min, max] = box(positions)
  const longest = Math.max(...max.map((high, c) => high - min[c]!))
  // A step is off by half its length in each direction at most; what players round is left some room.
  const unit = (2 / Math.sqrt(3)) * room * 0.999
  if (longest / unit > MOST_STEPS - 2) {
    throw new LimberError(
      'tolerance',
      `${mesh.name} moves in a box of ${longest} m, and a file holds ${MOST_STEPS} steps of ${unit} m: a larger tolerance would do`,
    )
  }
  const rows = kept(positions, every)
  const steps = new Uint32Array(rows.length * vertices * 3)
  rows.forEach((row, r) => {
    for (let i = 0; i < row.length; i++) steps[r * row.length + i] = Math.round((row[i]! - min[i % 3]!) / unit)
  })
  const normals = new Uint16Array(rows.length * vertices * 2)
  kept(mesh.normals, every).forEach((row, r) => {
    for (let v = 0; v < vertices; v++) packNormal(row, v * 3, normalBits, normals, (r * vertices + v) * 2)
  })
  const { start, count } = geometry.drawRange
  return {
    fps,
    frames,
    every,
    vertices,
    min,
    unit,
    normalBits,
    loop: positions[0]!.every((place, i) => place === positions.at(-1)![i]),
    error: NONE,
    index: geometry.index && Uint32Array.from(geometry.index.array),
    groups: geometry.groups.map(({ start, count, materialIndex = 0 }) => ({ start, count, materialIndex })),
    drawRange: { start, count: Number.isFinite(count) ? count : null },
    attributes: attributesOf(mesh),
    steps,
    normals,
  }
}

/** The box in which all vertices are at all frames, in metres. */
function box(positions: readonly Float32Array[]): [min: [number, number, number], max: [number, number, number]] {
  const min: [number, number, number] = [Infinity, Infinity, Infinity]
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity]
  for (const row of positions) {
    for (let i = 0; i < row.length; i++) {
      const c = i % 3
      if (row[i]! < min[c]!) min[c] = row[i]!
      if (row[i]! > max[c]!) max[c] = row[i]!
    }
  }
  return [min, max]
}

function attributesOf({ name: owner, geometry }: RecordedMesh): Record<string, VertexAnimationAttribute> {
  return Object.fromEntries(
    Object.entries(geometry.attributes).map(([name, attribute]) => {
      const { array, itemSize, normalized } = attribute
      if (isVertexAnimationArray(array) && itemSize <= 4 && !('isFloat16BufferAttribute' in attribute)) {
        return [name, { array, itemSize, normalized }]
      }
      throw new LimberError(
        'invalid-input',
        `${name} of ${owner} must be an attribute of 1 to 4 32-bit floats or integers of 8 to 32 bits for each vertex, ` +
          `got ${itemSize} of ${array.constructor.name}`,
      )
    }),
  )
}

/** How far an animation is from a recorded mesh, at every frame. */
function compare({ frames, fps }: Recording, mesh: RecordedMesh, animation: VertexAnimation): VertexAnimationError {
  const [positions, normals] = [new Float32Array(mesh.vertices * 3), new Float32Array(mesh.vertices * 3)]
  let [maxDistance, meanDistance, maxAngle, meanAngle] = [0, 0, 0, 0]
  animation.loop = false
  for (let frame = 0; frame < frames; frame++) {
    animation.sample(frame / fps, positions, normals)
    const [places, directions] = [mesh.positions[frame]!, mesh.normals[frame]!]
    for (let i = 0; i < places.length; i += 3) {
      const distance = Math.sqrt(apart(positions, places, i, -1))
      const angle =
        2 * Math.atan2(Math.sqrt(apart(normals, directions, i, -1)), Math.sqrt(apart(normals, directions, i, 1)))
      maxDistance = Math.max(maxDistance, distance)
      maxAngle = Math.max(maxAngle, angle)
      meanDistance += distance
      meanAngle += angle
    }
  }
  const all = frames * mesh.vertices
  return { maxDistance, meanDistance: meanDistance / all, maxAngle, meanAngle: meanAngle / all }
}

/** The square of `a − b` or of `a + b`, by the sign. */
function apart(a: Float32Array, b: Float32Array, at: number, sign: number): number {
  const [x, y, z] = [a[at]! + sign * b[at]!, a[at + 1]! + sign * b[at + 1]!, a[at + 2]! + sign * b[at + 2]!]
  return x * x + y * y + z * z
}
