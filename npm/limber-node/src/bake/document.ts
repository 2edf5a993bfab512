import { Logger, VertexLayout, WebIO, type Document } from '@gltf-transform/core'
import { ALL_EXTENSIONS, EXTMeshoptCompression, KHRMeshQuantization } from '@gltf-transform/extensions'
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer'
import { LimberError, shown } from 'limber/core'
import { aligned, readGLB, writeGLB, type GLB } from './glb.js'
import type { SceneJson } from '../scene/file.js'

/** How bytes are packed, and no part of what a file says. */
const PACKED = ['EXT_meshopt_compression', 'KHR_draco_mesh_compression']

type Kind = (typeof ALL_EXTENSIONS)[number]

/** Reads and writes files with all that glTF-Transform knows, and these extensions besides. */
function newIO(kinds: readonly Kind[]): WebIO {
  return new WebIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .setVertexLayout(VertexLayout.SEPARATE)
    .registerExtensions([...kinds])
}

/** A file as a document, unpacked. @throws LimberError `invalid-input` for a broken one */
export async function readDocument(file: Uint8Array): Promise<Document> {
  await MeshoptDecoder.ready
  const io = newIO(ALL_EXTENSIONS).registerDependencies({ 'meshopt.decoder': MeshoptDecoder })
  try {
    const document = await io.readBinary(file)
    for (const extension of document.getRoot().listExtensionsUsed()) {
      if (PACKED.includes(extension.extensionName)) extension.dispose()
    }
    return document
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new LimberError('invalid-input', `file is broken and cannot be loaded: ${why}`, { cause })
  }
}

/** How numbers are stored in a file: see `GLBOptions.compression`. */
export const COMPRESSIONS = ['none', 'quantize', 'meshopt'] as const
export type Compression = (typeof COMPRESSIONS)[number]

/** @throws LimberError `invalid-option` */
export function checkCompression(
  value: unknown,
  all: readonly Compression[] = COMPRESSIONS,
): asserts value is Compression {
  if ((all as readonly unknown[]).includes(value)) return
  throw new LimberError('invalid-option', `compression must be ${all.join(' or ')}, got ${shown(value)}`)
}

/** Has a document say that its meshes hold whole numbers. */
export function markQuantized(document: Document): void {
  document.createExtension(KHRMeshQuantization).setRequired(true)
}

/** A document as a file, whatever its number of buffers; unpacked, or packed by meshopt, which changes no number. */
export async function writeDocument(document: Document, isPacked = false): Promise<Uint8Array<ArrayBuffer>> {
  const own = document.getRoot().listExtensionsUsed()
  const kinds = [...ALL_EXTENSIONS, ...own.map((extension) => extension.constructor as Kind)]
  const io = newIO(kinds.filter(({ EXTENSION_NAME }) => !PACKED.includes(EXTENSION_NAME)))
  if (isPacked) {
    await MeshoptEncoder.ready
    io.registerExtensions([EXTMeshoptCompression]).registerDependencies({ 'meshopt.encoder': MeshoptEncoder })
    const method = EXTMeshoptCompression.EncoderMethod.QUANTIZE
    document.createExtension(EXTMeshoptCompression).setRequired(true).setEncoderOptions({ method })
  }
  if (document.getRoot().listBuffers().length <= 1) return io.writeBinary(document) as Promise<Uint8Array<ArrayBuffer>>
  const { json, resources } = await io.writeJSON(document)
  return writeGLB(joined(json as unknown as SceneJson & Joined, resources))
}

/** A file as it was, packed by meshopt. @throws LimberError `invalid-input` for a broken one */
export async function packed(file: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return withUnknown(file, await writeDocument(await readDocument(file), true))
}

/** What is joined when a file has several buffers. */
interface Joined {
  images?: { uri?: string; mimeType?: string; bufferView?: number }[]
}

/** A file of several parts as one. */
function joined(json: SceneJson & Joined, resources: Record<string, Uint8Array>): GLB {
  const chunks: Uint8Array[] = []
  let length = 0
  const append = (bytes: Uint8Array): number => {
    const start = length
    chunks.push(bytes)
    length += aligned(bytes.byteLength)
    return start
  }
  const starts = (json.buffers ?? []).map(({ uri, byteLength }) => append(resources[uri!]!.subarray(0, byteLength)))
  const views = (json.bufferViews ??= [])
  for (const view of views) {
    view.byteOffset = (view.byteOffset ?? 0) + starts[view.buffer]!
    view.buffer = 0
  }
  for (const image of json.images ?? []) {
    if (image.uri === undefined || !resources[image.uri]) continue
    const bytes = resources[image.uri]!
    image.bufferView = views.push({ buffer: 0, byteOffset: append(bytes), byteLength: bytes.byteLength }) - 1
    delete image.uri
  }
  const binary = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    binary.set(chunk, at)
    at += aligned(chunk.byteLength)
  }
  json.buffers = [{ byteLength: length }]
  return { json, binary, others: [] }
}

/** Lists whose entries keep their places when glTF-Transform reads and writes a file, and may have extensions. */
const KEPT = ['nodes', 'meshes', 'scenes', 'cameras', 'images'] as const

type Loose = Record<string, unknown> & { extensions?: Record<string, unknown> }

/**
 * Puts back what glTF-Transform does not know: `written` is `original`, read, added to at the ends of its lists, and written.
 * Nodes, meshes, images and materials then keep their places, by which extensions call them. Textures do not, so they and the
 * materials, which name them, are put back as they were.
 */
export function withUnknown(original: Uint8Array, written: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const before = readGLB('file', original).json as unknown as Loose & SceneJson
  const known = new Set(ALL_EXTENSIONS.map(({ EXTENSION_NAME }) => EXTENSION_NAME))
  const unknown = (before.extensionsUsed ?? []).filter((name) => !known.has(name))
  if (unknown.length === 0) return written
  const glb = readGLB('the file', written)
  const json = glb.json as unknown as Loose & SceneJson
  for (const key of ['materials', 'textures', 'samplers']) {
    if (before[key] !== undefined) json[key] = before[key]
  }
  const putBack = (from: Loose | undefined, to: Loose | undefined) => {
    for (const name of unknown) {
      const value = from?.extensions?.[name]
      if (value !== undefined && to) to.extensions = { ...to.extensions, [name]: value }
    }
  }
  putBack(before, json)
  for (const key of KEPT) {
    const [from, to] = [before[key] as Loose[] | undefined, json[key] as Loose[] | undefined]
    from?.forEach((one, i) => putBack(one, to?.[i]))
  }
  // What a channel changes, where that is no node.
  before.animations?.forEach(({ channels }, a) => {
    channels.forEach(({ target }, c) => putBack(target as Loose, json.animations?.[a]?.channels[c]?.target as Loose))
  })
  const together = (key: 'extensionsUsed' | 'extensionsRequired', more: readonly string[]) => {
    const all = [...new Set([...(json[key] ?? []), ...more])]
    if (all.length) json[key] = all
  }
  // Those of materials stay in use.
  together(
    'extensionsUsed',
    before.extensionsUsed!.filter((name) => !PACKED.includes(name)),
  )
  together(
    'extensionsRequired',
    (before.extensionsRequired ?? []).filter((name) => unknown.includes(name)),
  )
  return writeGLB(glb)
}
