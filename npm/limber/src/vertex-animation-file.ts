import { LimberError, shown } from './error.js'

type Triple = readonly [x: number, y: number, z: number]

/** How far what a vertex animation shows is from what was recorded: measured on the file, at every recorded frame. */
export interface VertexAnimationError {
  /** Largest distance of a vertex from where it was recorded, in metres. */
  readonly maxDistance: number
  /** Mean distance over all vertices and frames, in metres. */
  readonly meanDistance: number
  /** Largest angle of a normal from the recorded one, in radians. */
  readonly maxAngle: number
  /** Mean angle over all vertices and frames, in radians. */
  readonly meanAngle: number
}

/** A vertex attribute that stays as it is, such as `uv`. */
export interface VertexAnimationAttribute {
  /** `[itemSize numbers] × vertices`. */
  readonly array: VertexAnimationArray
  /** Numbers of a vertex, from 1 to 4. */
  readonly itemSize: number
  /** Whether integers stand for 0 to 1, or −1 to 1. */
  readonly normalized: boolean
}

/** What an attribute's numbers may lie in. */
export type VertexAnimationArray =
  Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array

/**
 * What a vertex animation's file holds. Of positions and normals the first recorded frame is there, every so many-th after it,
 * and the last; frames between two of these are on the straight line.
 *
 * The file is little-endian: the letters LVAT; the version, 1, 32 bits; the bytes of the text, 32 bits; a JSON text with the
 * counts, places and names of what is here, filled up with blanks to a multiple of four; the arrays of `attributes`, each
 * filled up likewise; then `index`, `steps` and `normals` as a stream of adaptive Rice codes, lowest bit first. Of a step the
 * stream holds what it differs from the straight way of the last two frames by, less the mean of what the vertices
 * before it on the same triangles differ by: neighbours swing together.
 */
export interface VertexAnimationFile {
  /** Frames a second, above 0. */
  readonly fps: number
  /** Recorded frames, 2 or more. */
  readonly frames: number
  /** Every so many-th frame is there, from 1 to `frames` − 1. */
  readonly every: number
  /** Vertices, 1 or more. With the frames that are there, at most 4096 × 4096. */
  readonly vertices: number
  /** Lowest corner of the box of motion, in metres. */
  readonly min: Triple
  /** Length of a step, in metres. */
  readonly unit: number
  /** Bits of each of a normal's two coordinates, 8 or 16. */
  readonly normalBits: 8 | 16
  /** Whether the last frame is the first. */
  readonly loop: boolean
  readonly error: VertexAnimationError
  /** Three vertices for each triangle, or `null` where they are in order. */
  readonly index: Uint32Array | null
  /** As `groups` of a `BufferGeometry`. */
  readonly groups: readonly VertexAnimationGroup[]
  /** As `drawRange` of a `BufferGeometry`; `count` is `null` where it is infinite. */
  readonly drawRange: { readonly start: number; readonly count: number | null }
  /** All but `position` and `normal`, by name. */
  readonly attributes: Readonly<Record<string, VertexAnimationAttribute>>
  /** `[x, y, z] × vertices × frames that are there`, in steps from `min`, below 2 ** 28. */
  readonly steps: Uint32Array
  /** `[a, b] × vertices × frames that are there`, as {@link packNormal} packs them. */
  readonly normals: Uint16Array
}

/** A part of a mesh with a material of its own. */
export interface VertexAnimationGroup {
  readonly start: number
  readonly count: number
  readonly materialIndex: number
}

/** Widest and highest texture that every device with WebGL 2 draws in practice, and every one with WebGPU. */
const WIDEST = 4096
/** Most vertices times frames that are there. */
export const MOST_TEXELS = WIDEST * WIDEST
/** Steps of a position are below. */
export const MOST_STEPS = 2 ** 28

const ARRAYS = { Float32Array, Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array }

/** Whether an attribute's numbers may be in a file: those of halves and of clamped bytes look like others, and are not. */
export function isVertexAnimationArray(array: object): array is VertexAnimationArray {
  return Object.hasOwn(ARRAYS, array.constructor.name)
}

/** The letters LVAT. */
const MAGIC = 0x5441564c
const VERSION = 1
const HEADER = 12

/** The JSON text of a file. */
interface Text extends Pick<
  VertexAnimationFile,
  'fps' | 'frames' | 'every' | 'vertices' | 'min' | 'unit' | 'normalBits' | 'loop' | 'error' | 'groups' | 'drawRange'
> {
  /** Numbers in the index; `null` without one. */
  readonly index: number | null
  readonly attributes: readonly { name: string; array: keyof typeof ARRAYS; itemSize: number; normalized: boolean }[]
  /** Bytes of the stream. */
  readonly packed: number
}

const padded = (bytes: number) => Math.ceil(bytes / 4) * 4

/** Writes a file. */
export function writeVertexAnimationFile(file: VertexAnimationFile): Uint8Array<ArrayBuffer> {
  const { steps, normals, index, attributes, ...rest } = file
  const out = new Coder()
  codeAll(out, file, index, steps, normals)
  const packed = out.finish()
  const text: Text = {
    ...rest,
    index: index && index.length,
    attributes: Object.entries(attributes).map(([name, { array, itemSize, normalized }]) => {
      return { name, array: array.constructor.name as keyof typeof ARRAYS, itemSize, normalized }
    }),
    packed: packed.length,
  }
  const json = new TextEncoder().encode(JSON.stringify(text))
  const arrays = Object.values(attributes).map(({ array }) => {
    return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  })
  let at = HEADER + padded(json.length)
  const bytes = new Uint8Array(arrays.reduce((sum, { length }) => sum + padded(length), at) + packed.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint32(4, VERSION, true)
  view.setUint32(8, padded(json.length), true)
  bytes.fill(32, HEADER, at).set(json, HEADER)
  for (const array of arrays) {
    bytes.set(array, at)
    at += padded(array.length)
  }
  bytes.set(packed, at)
  return bytes
}

/** @throws LimberError `invalid-input` for what is none */
export function readVertexAnimationFile(given: Uint8Array | ArrayBuffer): VertexAnimationFile {
  const fault = (what: string) => new LimberError('invalid-input', `bytes must be a vertex animation, ${what}`)
  const whole = given instanceof ArrayBuffer ? new Uint8Array(given) : given
  if (!(whole instanceof Uint8Array)) throw fault(`a Uint8Array or an ArrayBuffer, got ${shown(given)}`)
  // A Buffer of Node is one too, and its slices are no copies.
  const bytes = new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 8 || view.getUint32(0, true) !== MAGIC) throw fault('and are another kind of file')
  const version = view.getUint32(4, true)
  if (version !== VERSION) throw fault(`and are one of version ${version}, where ${VERSION} can be read`)
  let at = HEADER + (bytes.length < HEADER ? 0 : view.getUint32(8, true))
  if (bytes.length < at) throw fault('and are cut off')
  const text = parseText(new TextDecoder().decode(bytes.subarray(HEADER, at)))
  if (!text) throw fault('and hold a text that none has')

  const { attributes, packed, index, ...rest } = text
  const { vertices, frames, every } = text
  const rows = rowsOf(frames, every)
  if (vertices * rows > MOST_TEXELS) {
    throw fault(`of ${vertices} vertices in ${rows} frames: more than the ${MOST_TEXELS} texels of the largest texture`)
  }
  const size = (one: Text['attributes'][number]) => vertices * one.itemSize * ARRAYS[one.array].BYTES_PER_ELEMENT
  const expected = attributes.reduce((sum, one) => sum + padded(size(one)), at) + packed
  if (bytes.length < expected) throw fault(`and are cut off: ${bytes.length} of ${expected}`)
  if (bytes.length > expected) throw fault(`and are ${bytes.length - expected} too many`)
  // A code has one bit at least.
  const codes = (index ?? 0) + vertices * rows * 5
  if (codes > packed * 8) throw fault(`and hold ${packed} bytes for ${codes} numbers`)

  const read: Record<string, VertexAnimationAttribute> = {}
  for (const one of attributes) {
    const { name, array, itemSize, normalized } = one
    read[name] = { array: new ARRAYS[array](bytes.slice(at, at + size(one)).buffer), itemSize, normalized }
    at += padded(size(one))
  }
  const file = {
    ...rest,
    attributes: read,
    index: index === null ? null : new Uint32Array(index),
    steps: new Uint32Array(vertices * rows * 3),
    normals: new Uint16Array(vertices * rows * 2),
  }
  const coder = new Coder(bytes.subarray(at))
  if (!codeAll(coder, file, file.index, file.steps, file.normals) || !coder.ended) {
    throw fault('and hold numbers that none has')
  }
  return file
}

/** The text, if a file may have it. */
function parseText(json: string): Text | undefined {
  const count = (n: unknown, low: number, high = 2 ** 32 - 1) =>
    Number.isInteger(n) && Number(n) >= low && Number(n) <= high
  try {
    const text = JSON.parse(json) as Text
    const { fps, frames, every, vertices, min, unit, normalBits, loop, error, groups, drawRange } = text
    const { index, attributes, packed } = text
    const { maxDistance, meanDistance, maxAngle, meanAngle } = error
    const names = new Set(['position', 'normal', 'timeOffset', ...attributes.map(({ name }) => name)])
    const sound =
      [fps, unit].every((n) => Number.isFinite(n) && n > 0) &&
      [...min, maxDistance, meanDistance, maxAngle, meanAngle].every(Number.isFinite) &&
      min.length === 3 &&
      count(frames, 2) &&
      count(every, 1, frames - 1) &&
      count(vertices, 1) &&
      (normalBits === 8 || normalBits === 16) &&
      typeof loop === 'boolean' &&
      (index === null || count(index, 0)) &&
      groups.every((one) => [one.start, one.count, one.materialIndex].every((n) => count(n, 0))) &&
      count(drawRange.start, 0) &&
      (drawRange.count === null || count(drawRange.count, 0)) &&
      names.size === attributes.length + 3 &&
      attributes.every(
        ({ name, array, itemSize, normalized }) =>
          typeof name === 'string' &&
          Object.hasOwn(ARRAYS, array) &&
          count(itemSize, 1, 4) &&
          typeof normalized === 'boolean',
      ) &&
      count(packed, 0)
    return sound ? text : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes or reads all that is in the stream, by one code for both. Whether what was read is what may be there.
 */
function codeAll(
  coder: Coder,
  { vertices, frames, every, normalBits }: Pick<VertexAnimationFile, 'vertices' | 'frames' | 'every' | 'normalBits'>,
  index: Uint32Array | null,
  steps: Uint32Array,
  normals: Uint16Array,
): boolean {
  const rows = rowsOf(frames, every)
  if (index) {
    const model = new Model()
    for (let i = 0; i < index.length; i++) {
      // The triangle before last is, in most meshes, the one beside.
      const before = i < 6 ? 0 : index[i - 6]!
      const value = coder.code(index[i]!, before, model, 0)
      if (!(value >= 0 && value < vertices)) return false
      index[i] = value
    }
  }
  const near = neighbours(vertices, index)
  return (
    codeRows(coder, steps, 3, vertices, rows, near, MOST_STEPS - 1) &&
    codeRows(coder, normals, 2, vertices, rows, near, normalUnitOf(normalBits) * 2)
  )
}

function codeRows(
  coder: Coder,
  array: Uint32Array | Uint16Array,
  size: number,
  vertices: number,
  rows: number,
  { starts, list }: Neighbours,
  most: number,
): boolean {
  const models = Array.from({ length: size }, () => new Model())
  const length = vertices * size
  // How far each is from the straight way of the last two frames, and how far from what its neighbours say of that.
  const off = new Int32Array(length)
  const rest = new Float64Array(length)
  for (let row = 0; row < rows; row++) {
    for (let v = 0; v < vertices; v++) {
      const [first, end] = [starts[v]!, starts[v + 1]!]
      for (let c = 0; c < size; c++) {
        const own = v * size + c
        const at = row * length + own
        const straight =
          row === 0 ? 0 : row === 1 ? array[at - length]! : 2 * array[at - length]! - array[at - length * 2]!
        let sum = 0
        for (let n = first; n < end; n++) sum += off[list[n]! * size + c]!
        const mean = end > first ? Math.round(sum / (end - first)) : 0
        const beside = end > first ? rest[list[first]! * size + c]! : 0
        const context = Math.min(32 - Math.clz32(rest[own]! + beside), 15)
        const guess = straight + mean
        const value = coder.code(array[at]!, guess, models[c]!, context)
        if (!(value >= 0 && value <= most)) return false
        array[at] = value
        off[own] = value - straight
        rest[own] = Math.abs(value - guess)
      }
    }
  }
  return true
}

/** Vertices that come before one on the same triangles: of vertex v those from `starts[v]` to `starts[v + 1]` in `list`. */
interface Neighbours {
  starts: Uint32Array
  list: Uint32Array
}

function neighbours(vertices: number, index: Uint32Array | null): Neighbours {
  const sets = Array.from({ length: vertices }, () => new Set<number>())
  const corner = (i: number) => (index ? index[i]! : i)
  const corners = index ? index.length : vertices
  for (let i = 0; i + 2 < corners; i += 3) {
    for (let side = 0; side < 3; side++) {
      const [a, b] = [corner(i + side), corner(i + ((side + 1) % 3))]
      if (a !== b) sets[Math.max(a, b)]!.add(Math.min(a, b))
    }
  }
  const starts = new Uint32Array(vertices + 1)
  sets.forEach((set, v) => (starts[v + 1] = starts[v]! + set.size))
  return { starts, list: Uint32Array.from(sets.flatMap((set) => [...set])) }
}

/** How large numbers of a kind have been lately, by context. */
class Model {
  readonly sums = new Float64Array(16).fill(4)
  readonly counts = new Float64Array(16).fill(1)

  /** Low bits that are worth writing as they are (as in JPEG-LS, ITU-T T.87, A.5.1). */
  bits(context: number): number {
    const mean = Math.ceil(this.sums[context]! / this.counts[context]!)
    return Math.min(mean > 1 ? 32 - Math.clz32(mean - 1) : 0, 24)
  }

  learn(context: number, size: number): void {
    this.sums[context]! += size
    if (++this.counts[context]! < 64) return
    this.sums[context]! /= 2
    this.counts[context]! /= 2
  }
}

/** Ones after which a number follows in 32 bits. */
const ESCAPE = 24

/** Writes a stream of Rice codes, or reads the one that it is given. */
class Coder {
  readonly #reads: boolean
  #bytes: Uint8Array
  /** Bits done. */
  #at = 0

  constructor(bytes?: Uint8Array) {
    this.#reads = bytes !== undefined
    this.#bytes = bytes ?? new Uint8Array(65536)
  }

  /** Whether all bytes are done. */
  get ended(): boolean {
    return Math.ceil(this.#at / 8) === this.#bytes.length
  }

  /** What was written. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, Math.ceil(this.#at / 8))
  }

  /** Writes a value as its distance from a guess, or reads one instead of it; NaN beyond the end. */
  code(value: number, guess: number, model: Model, context: number): number {
    const bits = model.bits(context)
    let folded: number
    if (this.#reads) {
      folded = this.#read(bits)
      value = guess + (folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2)
    } else {
      folded = value < guess ? 2 * (guess - value) - 1 : 2 * (value - guess)
      this.#write(folded, bits)
    }
    model.learn(context, folded)
    return value
  }

  #write(folded: number, bits: number): void {
    const ones = Math.floor(folded / 2 ** bits)
    if (ones < ESCAPE) {
      this.#put(2 ** ones - 1, ones + 1)
      this.#put(folded % 2 ** bits, bits)
    } else {
      this.#put(2 ** ESCAPE - 1, ESCAPE)
      this.#put(folded % 65536, 16)
      this.#put(Math.floor(folded / 65536), 16)
    }
  }

  #read(bits: number): number {
    const zeros = ~this.#peek() | (1 << ESCAPE)
    const ones = 31 - Math.clz32(zeros & -zeros)
    let folded: number
    if (ones < ESCAPE) {
      this.#at += ones + 1
      folded = ones * 2 ** bits + (this.#peek() & (2 ** bits - 1))
      this.#at += bits
    } else {
      this.#at += ESCAPE
      folded = this.#peek() & 65535
      this.#at += 16
      folded += (this.#peek() & 65535) * 65536
      this.#at += 16
    }
    return this.#at <= this.#bytes.length * 8 ? folded : NaN
  }

  /** The next 25 bits, and some more; zeros beyond the end. */
  #peek(): number {
    const bytes = this.#bytes
    const at = this.#at >>> 3
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> (this.#at & 7)
  }

  #put(value: number, bits: number): void {
    const bytes = this.#bytes
    if (this.#at + 32 > bytes.length * 8) {
      this.#bytes = new Uint8Array(bytes.length * 2)
      this.#bytes.set(bytes)
    }
    for (let left = bits, rest = value; left > 0;) {
      const used = this.#at & 7
      const taken = Math.min(8 - used, left)
      this.#bytes[this.#at >> 3]! |= (rest & (2 ** taken - 1)) << used
      rest >>>= taken
      left -= taken
      this.#at += taken
    }
  }
}

/** How many of `frames` are there, if every so many-th is. */
export function rowsOf(frames: number, every: number): number {
  return Math.ceil((frames - 1) / every) + 1
}

/** What stands for 1 in a coordinate of so many bits, above what stands for 0: of 255 or 65535 numbers, the middle one is 0. */
export function normalUnitOf(bits: 8 | 16): number {
  return 2 ** (bits - 1) - 1
}
