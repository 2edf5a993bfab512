import { LimberError } from 'limber/core'

/** What is read of the JSON of a glTF file; all else in it is passed on. */
export interface GLTFJson {
  asset: object
  extensionsUsed?: string[]
  extensionsRequired?: string[]
  scene?: number
  scenes?: { nodes?: number[] }[]
  nodes?: GLTFNode[]
  meshes?: { primitives: { attributes: Indices; indices?: number; material?: number; targets?: Indices[] }[] }[]
  materials?: object[]
  animations?: GLTFAnimation[]
  accessors?: { bufferView?: number; byteOffset?: number; count: number; type: string }[]
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number }[]
  buffers?: { byteLength: number; uri?: string }[]
}

type Indices = Record<string, number>

export interface GLTFNode {
  name?: string
  mesh?: number
  children?: number[]
  matrix?: number[]
  translation?: number[]
  rotation?: number[]
  scale?: number[]
}

export interface GLTFAnimation {
  name?: string
  channels: { sampler: number; target: { node?: number; path: string } }[]
  samplers: { input: number; output: number; interpolation?: string }[]
}

/** A GLB file, taken apart. */
export interface GLB {
  json: GLTFJson
  /** Its buffer, or nothing. */
  binary: Uint8Array
  /** Chunks of other kinds, headers included. */
  others: Uint8Array[]
}

const MAGIC = 0x46546c67
const JSON_CHUNK = 0x4e4f534a
const BINARY_CHUNK = 0x004e4942

/** Takes a GLB file apart. @throws LimberError `invalid-input` for what is none */
export function readGLB(path: string, bytes: Uint8Array): GLB {
  const fault = (what: string) => new LimberError('invalid-input', `${path} must be a GLB file (glTF 2.0), ${what}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.byteLength < 20 || view.getUint32(0, true) !== MAGIC) throw fault('and is another kind of file')
  if (view.getUint32(4, true) !== 2) throw fault(`and is one of version ${view.getUint32(4, true)}`)
  let json: GLTFJson | undefined
  let binary: Uint8Array | undefined
  const others: Uint8Array[] = []
  const end = view.getUint32(8, true)
  for (let at = 12; at < end;) {
    const length = at + 8 <= bytes.byteLength ? view.getUint32(at, true) : Infinity
    if (at + 8 + length > Math.min(end, bytes.byteLength)) throw fault('and is cut off')
    const kind = view.getUint32(at + 4, true)
    const chunk = bytes.subarray(at + 8, at + 8 + length)
    if (kind === JSON_CHUNK && !json) {
      try {
        json = JSON.parse(new TextDecoder().decode(chunk)) as GLTFJson
      } catch (cause) {
        throw fault(`and its JSON cannot be read: ${String(cause)}`)
      }
    } else if (kind === BINARY_CHUNK && !binary) binary = chunk
    else others.push(bytes.subarray(at, at + 8 + length))
    at += 8 + length
  }
  if (typeof json !== 'object' || json === null) throw fault('and holds no JSON')
  return { json, binary: binary ?? new Uint8Array(0), others }
}

/** Puts a GLB file together. */
export function writeGLB({ json, binary, others }: GLB): Uint8Array<ArrayBuffer> {
  const chunks = [chunk(JSON_CHUNK, new TextEncoder().encode(JSON.stringify(json)), 0x20)]
  if (binary.length) chunks.push(chunk(BINARY_CHUNK, binary, 0))
  chunks.push(...others)
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 12)
  const out = new Uint8Array(length)
  const view = new DataView(out.buffer)
  ;[MAGIC, 2, length].forEach((word, i) => view.setUint32(i * 4, word, true))
  let at = 12
  for (const one of chunks) {
    out.set(one, at)
    at += one.byteLength
  }
  return out
}

/** Extensions that change what plays. */
const PLAYED = ['KHR_mesh_quantization', 'EXT_meshopt_compression']

/** The same file with nothing in it but what plays: scenes, nodes, meshes, animations and their numbers. */
export function bare({ json, binary }: GLB): GLB {
  const { asset, scene, scenes, nodes, meshes, animations, accessors, bufferViews, buffers } = json
  const known = (list: string[] = []) => list.filter((name) => PLAYED.includes(name))
  const own = {
    asset,
    ...(scene !== undefined && { scene }),
    extensionsUsed: known(json.extensionsUsed),
    extensionsRequired: known(json.extensionsRequired),
    ...(scenes && { scenes }),
    nodes: nodes?.map(({ name, mesh, children, matrix, translation, rotation, scale }) =>
      defined({ name, mesh, children, matrix, translation, rotation, scale }),
    ),
    meshes: meshes?.map(({ primitives, ...mesh }) => ({
      ...mesh,
      primitives: primitives.map(({ attributes, indices, targets }) => defined({ attributes, indices, targets })),
    })),
    ...defined({ animations, accessors, bufferViews, buffers }),
  }
  return { json: own as GLTFJson, binary, others: [] }
}

/** Without what is undefined. */
function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}

/** A chunk, filled up to a multiple of four bytes. */
function chunk(kind: number, content: Uint8Array, filler: number): Uint8Array {
  const length = aligned(content.byteLength)
  const out = new Uint8Array(8 + length).fill(filler)
  const view = new DataView(out.buffer)
  view.setUint32(0, length, true)
  view.setUint32(4, kind, true)
  out.set(content, 8)
  return out
}

/** The next multiple of four. */
export function aligned(length: number): number {
  return Math.ceil(length / 4) * 4
}
