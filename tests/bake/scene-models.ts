import { Document, WebIO, type Accessor, type Node } from '@gltf-transform/core'
import { Matrix4, Quaternion, Vector3, type AnimationClip } from 'three'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import validator from 'gltf-validator'
import { LimberError } from 'limber-node'
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

/** A 1 × 1 PNG. */
export const PNG = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)

/** The cape of {@link hero}: columns and rows of vertices. */
export const [COLUMNS, ROWS] = [7, 9]
export const WALK = 1.2

export interface HeroOptions {
  textured?: boolean
  /** The cape is of two primitives, left and right. */
  halves?: boolean
  /** The cape's node is a child of the spine instead of skinned. */
  rigid?: boolean
  /** Positions of the cape are 16-bit numbers, halved. */
  quantized?: boolean
  /** Scales the armature, whose bones are that much larger within. */
  scale?: number
}

/**
 * A character 1.7 m high with a body, a cape that is skinned and painted, a chain of hair, and a face that a morph target
 * moves; and the clips Walk and Nod.
 */
export function heroDocument({
  textured = false,
  halves = false,
  rigid = false,
  quantized = false,
  scale = 1,
}: HeroOptions = {}): Document {
  const document = new Document()
  const buffer = document.createBuffer()
  const accessor = (type: Parameters<Accessor['setType']>[0], array: any) =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer)
  const scene = document.createScene('scene')
  document.getRoot().setDefaultScene(scene)
  const unit = 1 / scale
  const armature = document.createNode('Armature').setScale([scale, scale, scale])
  scene.addChild(armature)
  const bones: Node[] = []
  const places: [number, number, number][] = []
  const bone = (name: string, parent: Node, x: number, y: number, z: number) => {
    const node = document.createNode(name).setTranslation([x * unit, y * unit, z * unit])
    parent.addChild(node)
    const above = bones.indexOf(parent)
    const [px, py, pz] = above < 0 ? [0, 0, 0] : places[above]!
    bones.push(node)
    places.push([px + x, py + y, pz + z])
    return node
  }
  const hips = bone('Hips', armature, 0, 0.9, 0)
  const spine = bone('Spine', hips, 0, 0.4, 0)
  const neck = bone('Neck', spine, 0, 0.2, 0)
  const head = bone('Head', neck, 0, 0.1, 0)
  const hair1 = bone('Hair.1', head, 0, 0.05, -0.1)
  const hair2 = bone('Hair.2', hair1, 0, -0.1, -0.02)
  bone('Hair.3', hair2, 0, -0.1, 0)
  const skinOf = () =>
    document.createSkin('skin').setInverseBindMatrices(
      accessor(
        'MAT4',
        Float32Array.from(
          places.flatMap(([x, y, z]) =>
            new Matrix4()
              .makeScale(unit, unit, unit)
              .setPosition(-x * unit, -y * unit, -z * unit)
              .toArray(),
          ),
        ),
      ),
    )
  const skin = skinOf()
  for (const node of bones) skin.addJoint(node)

  const cloth = document.createMaterial('Velvet').setDoubleSided(true).setRoughnessFactor(0.7)
  if (textured) {
    const texture = document.createTexture('weave').setImage(PNG.slice()).setMimeType('image/png')
    cloth.setBaseColorTexture(texture)
  }
  const mesh = document.createMesh('CapeMesh')
  const half = (from: number, to: number) => {
    const [positions, normals, uvs, colors, joints, weights, indices] = [
      [],
      [],
      [],
      [],
      [],
      [],
      [],
    ] as number[][][] as unknown as number[][]
    const columns = to - from + 1
    for (let j = 0; j < ROWS; j++) {
      for (let i = from; i <= to; i++) {
        const [x, y, z] = [(i / (COLUMNS - 1) - 0.5) * 0.5, 1.45 - (j / (ROWS - 1)) * 0.9, -0.16 - j * 0.01]
        positions!.push(...(rigid ? [x, y - 1.3, z] : [x, y, z]))
        normals!.push(0, 0, -1)
        uvs!.push(i / (COLUMNS - 1), j / (ROWS - 1))
        colors!.push(j === 0 ? 255 : 0, 0, 0, 255)
        // Spine and neck hold the top row; further down it is the hips.
        joints!.push(1, j < 4 ? 2 : 0, 0, 0)
        weights!.push(j < 4 ? 0.7 : 0.4, j < 4 ? 0.3 : 0.6, 0, 0)
      }
    }
    for (let j = 0; j + 1 < ROWS; j++) {
      for (let i = 0; i + 1 < columns; i++) {
        const a = j * columns + i
        indices!.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns)
      }
    }
    const primitive = document
      .createPrimitive()
      .setMaterial(cloth)
      .setIndices(accessor('SCALAR', Uint16Array.from(indices!)))
      .setAttribute(
        'POSITION',
        quantized
          ? accessor(
              'VEC3',
              Int16Array.from(positions!, (n) => Math.round((n / 2) * 32767)),
            ).setNormalized(true)
          : accessor('VEC3', Float32Array.from(positions!)),
      )
      .setAttribute('NORMAL', accessor('VEC3', Float32Array.from(normals!)))
      .setAttribute('TEXCOORD_0', accessor('VEC2', Float32Array.from(uvs!)))
      .setAttribute('COLOR_0', accessor('VEC4', Uint8Array.from(colors!)).setNormalized(true))
    if (!rigid) {
      primitive
        .setAttribute('JOINTS_0', accessor('VEC4', Uint8Array.from(joints!)))
        .setAttribute('WEIGHTS_0', accessor('VEC4', Float32Array.from(weights!)))
    }
    mesh.addPrimitive(primitive)
  }
  if (halves) [[0, 3] as const, [3, COLUMNS - 1] as const].forEach(([from, to]) => half(from, to))
  else half(0, COLUMNS - 1)
  const cape = document.createNode('Cape').setMesh(mesh)
  if (rigid) spine.addChild(cape)
  else {
    cape.setSkin(skin)
    scene.addChild(cape)
  }

  // A body of two triangles, with a face that smiles.
  const triangle = (name: string, at: number[], joint: number) => {
    const count = 3
    return document
      .createPrimitive()
      .setMaterial(document.createMaterial(name))
      .setAttribute('POSITION', accessor('VEC3', Float32Array.from(at)))
      .setAttribute(
        'NORMAL',
        accessor(
          'VEC3',
          Float32Array.from({ length: count * 3 }, (_, i) => (i % 3 === 2 ? 1 : 0)),
        ),
      )
      .setAttribute(
        'JOINTS_0',
        accessor(
          'VEC4',
          Uint8Array.from({ length: count * 4 }, (_, i) => (i % 4 ? 0 : joint)),
        ),
      )
      .setAttribute(
        'WEIGHTS_0',
        accessor(
          'VEC4',
          Float32Array.from({ length: count * 4 }, (_, i) => (i % 4 ? 0 : 1)),
        ),
      )
  }
  const body = document.createMesh('BodyMesh').addPrimitive(triangle('Skin', [-0.2, 0.9, 0, 0.2, 0.9, 0, 0, 1.5, 0], 1))
  scene.addChild(document.createNode('Body').setMesh(body).setSkin(skin))
  const faceShape = triangle('Face', [-0.1, 1.6, 0.1, 0.1, 1.6, 0.1, 0, 1.75, 0.1], 3)
  const smile = document.createPrimitiveTarget('smile')
  faceShape.addTarget(
    smile.setAttribute('POSITION', accessor('VEC3', Float32Array.from([0, 0.02, 0, 0, 0.02, 0, 0, 0, 0]))),
  )
  const face = document.createMesh('FaceMesh').addPrimitive(faceShape).setWeights([0])
  const faceNode = document.createNode('Face').setMesh(face).setSkin(skin)
  scene.addChild(faceNode)

  const animate = (
    name: string,
    length: number,
    tracks: [Node, 'translation' | 'rotation' | 'weights', (t: number) => number[]][],
  ) => {
    const animation = document.createAnimation(name)
    const times = accessor(
      'SCALAR',
      Float32Array.from({ length: 13 }, (_, i) => (i / 12) * length),
    )
    for (const [node, path, at] of tracks) {
      const values = Array.from({ length: 13 }, (_, i) => at(i / 12)).flat()
      const type = path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3'
      const sampler = document
        .createAnimationSampler()
        .setInput(times)
        .setOutput(accessor(type, Float32Array.from(values)))
      const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler)
      animation.addSampler(sampler).addChannel(channel)
    }
  }
  const turn = (axis: Vector3, radians: number) => new Quaternion().setFromAxisAngle(axis, radians).toArray()
  const [X, Y] = [new Vector3(1, 0, 0), new Vector3(0, 1, 0)]
  const wave = (t: number, k = 1) => Math.sin(2 * Math.PI * k * t)
  animate('Walk', WALK, [
    [hips, 'translation', (t) => [0.03 * wave(t) * unit, (0.9 + 0.03 * wave(t, 2)) * unit, 0.05 * wave(t, 2) * unit]],
    [hips, 'rotation', (t) => turn(Y, 0.15 * wave(t))],
    [spine, 'rotation', (t) => turn(X, 0.1 + 0.1 * wave(t, 2))],
    [head, 'rotation', (t) => turn(Y, 0.4 * wave(t))],
    [faceNode, 'weights', (t) => [0.5 + 0.5 * wave(t)]],
  ])
  animate('Nod', 0.5, [[head, 'rotation', (t) => turn(X, 0.5 * wave(t))]])
  return document
}

export async function hero(options?: HeroOptions): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = (await new WebIO().writeBinary(heroDocument(options))) as Uint8Array<ArrayBuffer>
  if (!options?.quantized) return bytes
  const { json, binary } = taken(bytes)
  json.extensionsUsed = json.extensionsRequired = ['KHR_mesh_quantization']
  return packed(json, binary)
}

/** A file as stock three.js loads it. */
export function parse(bytes: Uint8Array<ArrayBuffer>): Promise<GLTF> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new Promise((resolve, reject) => new GLTFLoader().parse(buffer, '', resolve, reject))
}

/** No errors and no warnings, but for those that the file had before. */
export async function expectValid(bytes: Uint8Array, before?: Uint8Array): Promise<void> {
  const faults = async (file: Uint8Array) => {
    const { issues } = await validator.validateBytes(file)
    const all = issues.messages as unknown as { code: string; severity: number }[]
    return all.filter(({ severity }) => severity < 2).map(({ code }) => code)
  }
  const known = before ? await faults(before) : []
  expect(await faults(bytes)).toEqual(known)
}

export async function fault(run: Promise<unknown>): Promise<LimberError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(LimberError)
  return error as LimberError
}

export const model = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../models/${name}`, import.meta.url)))

/** A glTF of `tests/models` as a GLB without meshes, whose bytes are in other files. */
export async function bareVRM(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const json = JSON.parse(new TextDecoder().decode(await model(name)))
  for (const key of ['meshes', 'accessors', 'bufferViews', 'buffers', 'materials']) delete json[key]
  for (const node of json.nodes) delete node.mesh
  return packed(json, new Uint8Array(0))
}

/** The two parts of a GLB file. */
export function taken(bytes: Uint8Array): { json: any; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(12, true)
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)))
  const has = bytes.byteLength > 20 + length
  return {
    json,
    binary: has ? bytes.subarray(28 + length, 28 + length + view.getUint32(20 + length, true)) : new Uint8Array(0),
  }
}

/** A GLB file. */
export function packed(json: object, binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(json))
  const length = Math.ceil(text.length / 4) * 4
  const out = new Uint8Array(20 + length + (binary.length && 8 + binary.length)).fill(0x20)
  const view = new DataView(out.buffer)
  ;[0x46546c67, 2, out.length, length, 0x4e4f534a].forEach((word, i) => view.setUint32(i * 4, word, true))
  out.set(text, 20)
  if (binary.length) {
    view.setUint32(20 + length, binary.length, true)
    view.setUint32(24 + length, 0x004e4942, true)
    out.set(binary, 28 + length)
  }
  return out
}

/** The image bytes of a file. */
export function images(bytes: Uint8Array): Uint8Array[] {
  const { json, binary } = taken(bytes)
  return (json.images ?? []).map(({ bufferView }: { bufferView: number }) => {
    const { byteOffset = 0, byteLength } = json.bufferViews[bufferView]
    return binary.slice(byteOffset, byteOffset + byteLength)
  })
}

/** All numbers of an animation's tracks. */
export const numbersOf = (clip: AnimationClip) =>
  clip.tracks.map(({ name, times, values }) => [name, Array.from(times), Array.from(values)])
