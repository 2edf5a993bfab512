import {
  Document,
  VertexLayout,
  WebIO,
  type Accessor,
  type Buffer,
  type Material,
  type Primitive,
} from '@gltf-transform/core'
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from 'three'
import { LimberError, shown } from 'limber/core'
import type { FitOptions, MorphFit } from './fit.js'
import { measure } from './measure.js'
import type { RecordedMesh, Recording } from './recording.js'

/** How a GLB file is written. */
export interface GLBOptions extends FitOptions {
  /** Name of the animation; `bake` unless set. */
  name?: string | undefined
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

/** See `Recording.toGLB`. */
export async function toGLB(recording: Recording, options: GLBOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { name = 'bake', ...limits } = options
  if (typeof name !== 'string') throw new LimberError('invalid-option', `name must be a string, got ${shown(name)}`)
  const document = new Document()
  document.getRoot().getAsset().generator = 'Limber'
  const writer = new Writer(document)
  const scene = document.createScene(name)
  const animation = document.createAnimation(name)
  document.getRoot().setDefaultScene(scene)
  for (const recorded of recording.meshes) {
    const fit = recording.fit(recorded, limits)
    const node = document.createNode(recorded.name).setMesh(writer.mesh(recorded, fit))
    scene.addChild(node)
    const sampler = document
      .createAnimationSampler()
      .setInput(writer.accessor('SCALAR', fit.times))
      .setOutput(writer.accessor('SCALAR', fit.weights))
      .setInterpolation('LINEAR')
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('weights').setSampler(sampler)
    animation.addSampler(sampler).addChannel(channel)
  }
  const io = new WebIO().setVertexLayout(VertexLayout.SEPARATE)
  const bytes = (await io.writeBinary(document)) as Uint8Array<ArrayBuffer>
  recording.report = measure(recording, bytes.byteLength, await io.readBinary(bytes))
  return bytes
}

/** Writes meshes into one buffer of a document. */
class Writer {
  readonly #document: Document
  readonly #buffer: Buffer
  readonly #materials = new Map<number, Material>()

  constructor(document: Document) {
    this.#document = document
    this.#buffer = document.createBuffer()
  }

  accessor(
    type: (typeof TYPES)[number],
    array: Float32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  ): Accessor {
    return this.#document.createAccessor().setType(type).setArray(array).setBuffer(this.#buffer)
  }

  /** A mesh with a primitive for each group, all of the same vertices and targets. */
  mesh({ name, geometry, positions, normals, vertices }: RecordedMesh, fit: MorphFit) {
    const attributes: [string, Accessor][] = [
      ['POSITION', this.accessor('VEC3', positions[0]!)],
      ['NORMAL', this.accessor('VEC3', normals[0]!)],
    ]
    for (const [key, semantic] of Object.entries(SEMANTICS)) {
      const attribute = geometry.getAttribute(key) as BufferAttribute | undefined
      if (attribute)
        attributes.push([semantic, this.accessor(TYPES[attribute.itemSize]!, decoded(attribute, key === 'color'))])
    }
    const targets = fit.positions.map(
      (delta, i) => [this.accessor('VEC3', delta), this.accessor('VEC3', fit.normals[i]!)] as const,
    )
    const mesh = this.#document.createMesh(name).setWeights(targets.map(() => 0))
    for (const { indices, materialIndex } of parts(geometry, vertices)) {
      const primitive: Primitive = this.#document
        .createPrimitive()
        .setIndices(this.accessor('SCALAR', indices))
        .setMaterial(this.#material(materialIndex))
      for (const [semantic, accessor] of attributes) primitive.setAttribute(semantic, accessor)
      for (const [position, normal] of targets) {
        const target = this.#document.createPrimitiveTarget()
        primitive.addTarget(target.setAttribute('POSITION', position).setAttribute('NORMAL', normal))
      }
      mesh.addPrimitive(primitive)
    }
    return mesh
  }

  /** Plain cloth, seen from both sides: a place for the material of whoever loads the file. */
  #material(index: number): Material {
    let material = this.#materials.get(index)
    if (!material) {
      material = this.#document.createMaterial(index ? `cloth${index}` : 'cloth').setDoubleSided(true)
      this.#materials.set(index, material.setMetallicFactor(0).setRoughnessFactor(0.8))
    }
    return material
  }
}

/** The triangles of each group, or all. */
function parts(
  geometry: BufferGeometry,
  vertices: number,
): { indices: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>; materialIndex: number }[] {
  const { index } = geometry
  const all = Uint32Array.from({ length: index?.count ?? vertices }, (_, i) => index?.getX(i) ?? i)
  const groups = geometry.groups.length ? geometry.groups : [{ start: 0, count: all.length, materialIndex: 0 }]
  return groups
    .map(({ start, count, materialIndex = 0 }) => {
      const taken = all.subarray(start, Math.min(start + count, all.length))
      const whole = taken.subarray(0, taken.length - (taken.length % 3))
      // The highest 16-bit index would restart a strip.
      return { indices: vertices < 65535 ? Uint16Array.from(whole) : whole.slice(), materialIndex }
    })
    .filter(({ indices }) => indices.length > 0)
}

/** An attribute as floats, colours within 0 and 1. */
function decoded(attribute: BufferAttribute | InterleavedBufferAttribute, clamp: boolean): Float32Array<ArrayBuffer> {
  const { count, itemSize } = attribute
  return Float32Array.from({ length: count * itemSize }, (_, i) => {
    const value = attribute.getComponent(Math.floor(i / itemSize), i % itemSize)
    return clamp ? Math.min(Math.max(value, 0), 1) : value
  })
}
