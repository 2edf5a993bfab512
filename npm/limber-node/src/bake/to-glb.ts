import {
  Document,
  type Accessor,
  type Buffer,
  type Material,
  type Mesh,
  type Node,
  type Primitive,
} from '@gltf-transform/core'
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from 'three'
import { checkKeys, LimberError, shown } from 'limber/core'
import { AnimationWriter, PATHS } from './animation-writer.js'
import { checkCompression, markQuantized, packed, readDocument, writeDocument, type Compression } from './document.js'
import { stored, type FitOptions, type Stored, type StoredMesh } from './fit.js'
import { bare, readGLB, writeGLB } from './glb.js'
import { graft } from './graft.js'
import { normalize } from './loop.js'
import { measure } from './measure.js'
import type { RecordedNode } from './recorded-skeleton.js'
import type { RecordedMesh, Recording } from './recording.js'

/** How a GLB file is written. */
export interface GLBOptions extends FitOptions {
  /**
   * Name of the animation and of the scene; `bake` unless set, and `baked` with {@link onto}. Nodes of cloths have the names
   * that `bake` was given, bones their own.
   */
  name?: string | undefined
  /** With jiggle bones or a ragdoll: a GLB file that has these bones, which the animation is added to. */
  onto?: Uint8Array | undefined
  /**
   * How numbers are stored; `'quantize'` unless set. The tolerances hold for what a viewer decodes, whichever it is.
   *
   * - `'none'`: 32-bit floats, for viewers that know no extensions.
   * - `'quantize'`: meshes in 8 and 16 bits (`KHR_mesh_quantization`). Stock three.js plays it.
   * - `'meshopt'`: that, compressed (`EXT_meshopt_compression`). A viewer has to be given the decoder:
   *   `loader.setMeshoptDecoder(MeshoptDecoder)` of `three/addons/libs/meshopt_decoder.module.js`.
   */
  compression?: Compression | undefined
  /**
   * With boids: what each of them is shown as. It looks along +z with its back along +y, as in `Boids.instancedMesh`, and is in
   * the file once, with a plain material. Unless set, the nodes of boids are empty.
   */
  geometry?: BufferGeometry | undefined
}

/** Attributes that glTF knows, by their names in three.js. Texture coordinates are kept as they are, as GLTFExporter does. */
const SEMANTICS: Record<string, string> = {
  uv: 'TEXCOORD_0',
  uv1: 'TEXCOORD_1',
  uv2: 'TEXCOORD_2',
  uv3: 'TEXCOORD_3',
  color: 'COLOR_0',
}

const TYPES = ['SCALAR', 'SCALAR', 'VEC2', 'VEC3', 'VEC4'] as const

type Attribute = BufferAttribute | InterleavedBufferAttribute

/** See `Recording.toGLB`. */
export async function toGLB(recording: Recording, options: GLBOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { meshes, skeletons, flocks, fitKeys } = recording
  const own = [...(skeletons.length ? ['onto'] : []), ...(flocks.length ? ['geometry'] : [])]
  checkKeys('toGLB', options, [...fitKeys, 'name', 'compression', ...own])
  const { onto, geometry, name = onto ? 'baked' : 'bake', compression = 'quantize', ...limits } = options
  checkCompression(compression)
  if (typeof name !== 'string') throw new LimberError('invalid-option', `name must be a string, got ${shown(name)}`)
  if (onto !== undefined && !(onto instanceof Uint8Array)) {
    throw new LimberError('invalid-option', `onto must be a Uint8Array, got ${shown(onto)}`)
  }
  if (geometry !== undefined && (geometry as BufferGeometry | null)?.isBufferGeometry !== true) {
    throw new LimberError('invalid-option', `geometry must be a BufferGeometry, got ${shown(geometry)}`)
  }
  const moving = recording.moving()
  const target = onto && readGLB('onto', onto)
  const document = new Document()
  document.getRoot().getAsset().generator = 'Limber'
  const writer = new Writer(document)
  const scene = document.createScene(name)
  const keys = new AnimationWriter(document, writer.buffer, document.createAnimation(name))
  document.getRoot().setDefaultScene(scene)
  for (const recorded of meshes) {
    const fit = await recording.fitAsync(recorded, limits)
    const mesh = stored(recorded, fit, compression)
    const node = document.createNode(recorded.name).setMesh(writer.cloth(recorded, mesh))
    if (compression !== 'none') {
      node.setScale([mesh.unit, mesh.unit, mesh.unit])
      markQuantized(document)
    }
    scene.addChild(node)
    keys.animate(node, 'weights', keys.shared('SCALAR', fit.times), keys.shared('SCALAR', fit.weights))
  }
  const bones = new Map<RecordedNode, Node>()
  const boid = geometry ? writer.boid(geometry) : null
  for (const skeleton of moving) {
    for (const bone of skeleton.nodes) {
      const [x, y, z, w, px, py, pz, sx, sy, sz] = bone.rest as Ten
      const length = Math.hypot(x, y, z, w)
      const node = document.createNode(bone.name)
      node.setRotation([x / length, y / length, z / length, w / length])
      node.setTranslation([px, py, pz]).setScale([sx, sy, sz])
      if (skeleton.flock && bone.animated) node.setMesh(boid)
      bones.set(bone, node)
      if (bone.parent) bones.get(bone.parent)!.addChild(node)
      else scene.addChild(node)
    }
    for (const { node, path, times, values } of recording.tracks(skeleton, limits)) {
      const type = path === 'quaternion' ? 'VEC4' : 'VEC3'
      keys.animate(bones.get(node)!, PATHS[path], keys.shared('SCALAR', times), keys.shared(type, values))
    }
  }
  let bytes = await writeDocument(document, compression === 'meshopt' && !target)
  if (target) {
    const order = document.getRoot().listNodes()
    const moved = new Set(keys.animation.listChannels().map((channel) => channel.getTargetNode()))
    const placed = new Map(
      [...bones].filter(([, node]) => moved.has(node)).map(([b, node]) => [order.indexOf(node), b]),
    )
    bytes = writeGLB(graft(target, readGLB('the file', bytes), placed))
    if (compression === 'meshopt') bytes = await packed(bytes)
  }
  const played = await readDocument(writeGLB(bare(readGLB('the file', bytes))))
  recording.report = measure(recording, limits, bytes, played, name)
  return bytes
}

type Ten = [number, number, number, number, number, number, number, number, number, number]

/** Writes meshes into one buffer of a document. */
class Writer {
  readonly #document: Document
  readonly buffer: Buffer
  readonly #materials = new Map<string, Material>()

  constructor(document: Document) {
    this.#document = document
    this.buffer = document.createBuffer()
  }

  accessor(
    type: (typeof TYPES)[number],
    array: Stored | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
    normalized = false,
  ): Accessor {
    const accessor = this.#document.createAccessor().setType(type).setArray(array)
    return accessor.setNormalized(normalized && !(array instanceof Float32Array)).setBuffer(this.buffer)
  }

  /** A recorded cloth, with its targets. */
  cloth({ name, geometry }: RecordedMesh, { position, normal, targets }: StoredMesh): Mesh {
    const mesh = this.#document.createMesh(name).setWeights(targets.map(() => 0))
    return this.#fill(mesh, `${name}.geometry`, 'cloth', geometry, position, normal, targets)
  }

  /** What boids are shown as. */
  boid(geometry: BufferGeometry): Mesh {
    const own = geometry.clone()
    if (!own.getAttribute('position')) throw new LimberError('invalid-input', 'geometry has no positions')
    const vertices = own.getAttribute('position').count
    if (!own.getAttribute('normal')) own.computeVertexNormals()
    const [positions, normals] = ['position', 'normal'].map((key) =>
      decoded(`geometry.attributes.${key}`, own.getAttribute(key), vertices, [3]),
    ) as [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>]
    normalize(normals)
    return this.#fill(this.#document.createMesh('boid'), 'geometry', 'boid', own, positions, normals)
  }

  /** Gives a mesh a primitive for each group, all of the same vertices and targets. */
  #fill(
    mesh: Mesh,
    path: string,
    look: string,
    geometry: BufferGeometry,
    position: Stored,
    normal: Stored,
    targets: StoredMesh['targets'] = [],
  ): Mesh {
    const vertices = position.length / 3
    const quantized = targets.some(({ position }) => !(position instanceof Float32Array))
    const shape = (of: { position: Stored; normal: Stored }) =>
      [
        ['POSITION', this.accessor('VEC3', of.position, quantized)],
        ['NORMAL', this.accessor('VEC3', of.normal, quantized)],
      ] as [string, Accessor][]
    const attributes = shape({ position, normal })
    const morphs = targets.map(shape)
    for (const [key, semantic] of Object.entries(SEMANTICS)) {
      const attribute = geometry.getAttribute(key) as Attribute | undefined
      if (!attribute) continue
      const values = decoded(`${path}.attributes.${key}`, attribute, vertices, key === 'color' ? [3, 4] : [2])
      if (key === 'color') values.forEach((value, i) => (values[i] = Math.min(Math.max(value, 0), 1)))
      const fits = quantized && values.every((value) => value >= 0 && value <= 1)
      const stored = fits ? Uint16Array.from(values, (value) => Math.round(value * 65535)) : values
      attributes.push([semantic, this.accessor(TYPES[attribute.itemSize]!, stored, true)])
    }
    for (const { indices, materialIndex } of parts(path, geometry, vertices)) {
      const primitive: Primitive = this.#document
        .createPrimitive()
        .setIndices(this.accessor('SCALAR', indices))
        .setMaterial(this.#material(look, materialIndex))
      for (const [semantic, accessor] of attributes) primitive.setAttribute(semantic, accessor)
      for (const attributes of morphs) {
        const target = this.#document.createPrimitiveTarget()
        for (const [semantic, accessor] of attributes) target.setAttribute(semantic, accessor)
        primitive.addTarget(target)
      }
      mesh.addPrimitive(primitive)
    }
    return mesh
  }

  /** A plain one, seen from both sides: a place for the material of whoever loads the file. */
  #material(look: string, index: number): Material {
    const name = index ? `${look}${index}` : look
    let material = this.#materials.get(name)
    if (!material) {
      material = this.#document.createMaterial(name).setDoubleSided(true)
      this.#materials.set(name, material.setMetallicFactor(0).setRoughnessFactor(0.8))
    }
    return material
  }
}

/** Triangles of one material. */
interface Part {
  indices: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>
  materialIndex: number
}

/** The triangles of each group within the draw range, as three.js draws them; all where that leaves none. */
function parts(path: string, geometry: BufferGeometry, vertices: number): Part[] {
  const { index, groups, drawRange } = geometry
  const all = Uint32Array.from({ length: index?.count ?? vertices }, (_, i) => index?.getX(i) ?? i)
  const part = (start: number, end: number, materialIndex = 0): Part => {
    const taken = all.subarray(Math.max(start, 0), Math.max(end, 0))
    const whole = taken.subarray(0, taken.length - (taken.length % 3))
    // The highest 16-bit index would restart a strip.
    return { indices: vertices < 65535 ? Uint16Array.from(whole) : whole.slice(), materialIndex }
  }
  const [from, to] = [drawRange.start, drawRange.start + drawRange.count]
  const drawn = groups.length
    ? groups.map((g) => part(Math.max(g.start, from), Math.min(g.start + g.count, to), g.materialIndex))
    : [part(from, to)]
  const full = drawn.filter(({ indices }) => indices.length > 0)
  if (full.length > 0) return full
  if (all.length < 3) throw new LimberError('invalid-input', `${path} has no triangles`)
  return [part(0, all.length)]
}

/** An attribute as floats, of one of some sizes. @throws LimberError `invalid-input` when glTF cannot hold it */
function decoded(path: string, attribute: Attribute, vertices: number, sizes: number[]): Float32Array<ArrayBuffer> {
  const { count, itemSize } = attribute
  if (count !== vertices || !sizes.includes(itemSize)) {
    throw new LimberError(
      'invalid-input',
      `${path} must have ${sizes.join(' or ')} numbers for each of ${vertices} vertices, got ${itemSize} for ${count}`,
    )
  }
  return Float32Array.from({ length: count * itemSize }, (_, i) => {
    const value = attribute.getComponent(Math.floor(i / itemSize), i % itemSize)
    if (!Number.isFinite(value))
      throw new LimberError('invalid-input', `${path} must hold finite numbers, got ${value}`)
    return value
  })
}
