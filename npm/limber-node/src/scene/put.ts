import type { Accessor, Animation, AnimationChannel, Buffer, Document, Mesh, Node } from '@gltf-transform/core'
import { Matrix4, Quaternion, Vector3 } from 'three'
import { LimberError, shown } from 'limber/core'
import { AnimationWriter, PATHS, type Path } from '../bake/animation-writer.js'
import { markQuantized, type Compression } from '../bake/document.js'
import { stored, type FitOptions, type MorphFit, type Stored, type StoredMesh } from '../bake/fit.js'
import type { Recording } from '../bake/recording.js'
import type { Timing } from './drive.js'
import type { SceneFile } from './file.js'
import type { Part, Span } from './part.js'
import { retimed } from './retime.js'

/** What was simulated, and on what. */
export interface Baked {
  file: SceneFile
  parts: readonly Part[]
  recording: Recording
  times: Timing
  /** The animation that drove it, by its place in the file, and its length in seconds. */
  clip: { index: number; length: number } | undefined
}

/**
 * Puts a recording into the document that it was made of: nodes are found by their places. The animation has channels of its
 * cloths first, and then of its bones, in the order of the recording.
 */
export async function putMotion(
  document: Document,
  baked: Baked,
  { compression, ...limits }: FitOptions & { compression: Compression },
  name: string,
): Promise<void> {
  const { file, parts, recording } = baked
  const root = document.getRoot()
  if (root.listAnimations().some((animation) => animation.getName() === name)) {
    throw new LimberError('invalid-input', `the file has an animation named ${shown(name)}: give another name`)
  }
  const nodes = root.listNodes()
  const clip = baked.clip && root.listAnimations()[baked.clip.index]!
  // Before anything changes, what may be refused.
  const moving = recording.moving()
  const tracks = moving.flatMap((skeleton) => recording.tracks(skeleton, limits))
  // Those of a flock are made below, whatever the file calls its own.
  const inFlock = new Set(moving.flatMap(({ flock, nodes }) => (flock ? nodes : [])))
  const inFile = tracks.filter(({ node }) => !inFlock.has(node))
  const bones = new Map(inFile.map(({ node }) => [node, file.placeOf(node.name)]))
  for (const [bone, place] of bones) {
    if (place !== undefined) continue
    throw new LimberError('invalid-input', `the file has no node named ${shown(bone.name)}, which moved`)
  }
  const fits = new Map<string, MorphFit>()
  for (const mesh of recording.meshes) fits.set(mesh.name, await recording.fitAsync(mesh, limits))
  const buffer = root.listBuffers()[0] ?? document.createBuffer()
  const writer = new AnimationWriter(document, buffer, document.createAnimation(name))

  const moved = new Set<Node>()
  for (const channel of root.listAnimations().flatMap((animation) => animation.listChannels())) {
    const node = channel.getTargetNode()
    if (node && channel.getTargetPath() !== 'weights') moved.add(node)
  }
  for (const place of bones.values()) if (place !== undefined) moved.add(nodes[place]!)

  for (const { name, cloth } of parts) {
    if (!cloth) continue
    const recorded = recording.mesh(name)
    const fit = fits.get(name)!
    const node = alone(document, nodes[cloth.node]!, moved)
    const mesh = stored(recorded, fit, compression)
    putFit(document, buffer, node.getMesh()!, cloth.spans, cloth.mark, mesh)
    if (compression !== 'none') {
      node.setScale([mesh.unit, mesh.unit, mesh.unit])
      markQuantized(document)
    }
    writer.animate(node, 'weights', writer.shared('SCALAR', fit.times), writer.shared('SCALAR', fit.weights))
  }
  for (const skeleton of moving) {
    const flock = skeleton.flock && putFlock(document, parts, nodes, skeleton.name, skeleton.nodes)
    for (const { node, path, times, values } of recording.tracks(skeleton, limits)) {
      const target = flock?.get(node.name) ?? nodes[bones.get(node)!]!
      const type = path === 'quaternion' ? 'VEC4' : 'VEC3'
      writer.animate(target, PATHS[path], writer.shared('SCALAR', times), writer.shared(type, values))
    }
  }
  // What holds nothing but swings is played over another clip.
  if (clip && !clip.isDisposed() && limits.only === undefined) putRest(writer, clip.listChannels(), baked)
}

/** Gives the primitives of a mesh the positions, normals and morph targets of a recording; uvs and looks stay. */
function putFit(
  document: Document,
  buffer: Buffer,
  mesh: Mesh,
  spans: readonly Span[],
  mark: string | undefined,
  { position, normal, targets }: StoredMesh,
): void {
  mesh.listPrimitives().forEach((primitive, p) => {
    const { start, count, indices } = spans[p]!
    const part = (all: Stored) =>
      document
        .createAccessor()
        .setType('VEC3')
        .setArray(all.slice(start * 3, (start + count) * 3))
        .setNormalized(!(all instanceof Float32Array))
        .setBuffer(buffer)
    for (const target of primitive.listTargets()) {
      const old = target.listAttributes()
      primitive.removeTarget(target)
      target.dispose()
      old.forEach(drop)
    }
    const old = primitive.listAttributes()
    for (const semantic of primitive.listSemantics()) {
      if (/^(TANGENT|JOINTS_\d+|WEIGHTS_\d+)$/.test(semantic) || semantic === mark)
        primitive.setAttribute(semantic, null)
    }
    primitive.setAttribute('POSITION', part(position)).setAttribute('NORMAL', part(normal))
    old.forEach(drop)
    for (const { position, normal } of targets) {
      const target = document.createPrimitiveTarget()
      primitive.addTarget(target.setAttribute('POSITION', part(position)).setAttribute('NORMAL', part(normal)))
    }
    if (indices) {
      const before = primitive.getIndices()
      const array = count < 65535 ? Uint16Array.from(indices) : indices
      primitive.setMode(4).setIndices(document.createAccessor().setType('SCALAR').setArray(array).setBuffer(buffer))
      if (before) drop(before)
    }
  })
  const { targetNames: _, ...extras } = mesh.getExtras()
  mesh.setExtras(extras).setWeights(targets.map(() => 0))
}

/** Disposes of what nothing uses any more. */
function drop(accessor: Accessor): void {
  if (accessor.listParents().every((parent) => parent.propertyType === 'Root')) accessor.dispose()
}

/**
 * A node at the root of the scene with the mesh of `node`, which shows it no more: `node` itself, unless something hangs on it
 * or moves it. The mesh is its own.
 */
function alone(document: Document, node: Node, moved: ReadonlySet<Node>): Node {
  const root = document.getRoot()
  for (const animation of root.listAnimations()) {
    for (const channel of animation.listChannels()) {
      if (channel.getTargetNode() === node && channel.getTargetPath() === 'weights') remove(animation, channel)
    }
  }
  const mesh = node.getMesh()!
  const skin = node.getSkin()
  const isShared = root.listNodes().some((other) => other !== node && other.getMesh() === mesh)
  const own = isShared ? copyOf(document, mesh) : mesh
  const scene = root.getDefaultScene() ?? root.listScenes()[0]!
  const isUsed =
    node.listChildren().length > 0 || moved.has(node) || root.listSkins().some((s) => s.listJoints().includes(node))
  node.setSkin(null).setWeights([])
  if (skin && !root.listNodes().some((other) => other.getSkin() === skin)) {
    const inverses = skin.getInverseBindMatrices()
    skin.dispose()
    if (inverses) drop(inverses)
  }
  if (isUsed) {
    node.setMesh(null)
    const stands = document.createNode(node.getName() && `${node.getName()}_cloth`).setMesh(own)
    scene.addChild(stands)
    return stands
  }
  node.getParentNode()?.removeChild(node)
  for (const other of root.listScenes()) other.removeChild(node)
  scene.addChild(node)
  return node.setMesh(own).setTranslation([0, 0, 0]).setRotation([0, 0, 0, 1]).setScale([1, 1, 1])
}

function remove(animation: Animation, channel: AnimationChannel): void {
  const sampler = channel.getSampler()
  channel.dispose()
  if (sampler && !animation.listChannels().some((other) => other.getSampler() === sampler)) sampler.dispose()
  if (animation.listChannels().length === 0) animation.dispose()
}

/** A mesh of its own, of the same accessors and looks. */
function copyOf(document: Document, mesh: Mesh): Mesh {
  const copy = document.createMesh().copy(mesh)
  for (const primitive of mesh.listPrimitives()) {
    const own = document.createPrimitive().copy(primitive)
    copy.removePrimitive(primitive).addPrimitive(own)
    for (const target of primitive.listTargets()) {
      own.removeTarget(target).addTarget(document.createPrimitiveTarget().copy(target))
    }
  }
  return copy
}

/** A node that holds boids; gives theirs by their names. */
function putFlock(
  document: Document,
  parts: readonly Part[],
  nodes: readonly Node[],
  name: string,
  boids: Recording['skeletons'][number]['nodes'],
): Map<string, Node> {
  const root = document.getRoot()
  const scene = root.getDefaultScene() ?? root.listScenes()[0] ?? document.createScene()
  const shape = parts.find((part) => part.name === name)?.shape
  const template = shape && nodes[shape.node]!
  const mesh = template?.getMesh() ?? null
  const holder = document.createNode(name)
  scene.addChild(holder)
  const look = template ? lookOf(template) : undefined
  template?.setMesh(null)
  const made = new Map<string, Node>()
  // Players find what they move by its name, so that no two may share one.
  const known = new Set(nodes.map((node) => node.getName()))
  const prefix = boids.some((boid) => known.has(boid.name)) ? `${name}-` : ''
  for (const { name: own, parent, rest } of boids) {
    if (!parent) continue
    const name = prefix + own
    const [x, y, z, w, px, py, pz] = rest as [number, number, number, number, number, number, number]
    const node = document.createNode(name).setRotation([x, y, z, w]).setTranslation([px, py, pz])
    if (look) {
      const { rotation, scale } = look
      node.addChild(document.createNode(`${name}-shape`).setMesh(mesh).setRotation(rotation).setScale(scale))
    } else node.setMesh(mesh)
    holder.addChild(node)
    made.set(own, node)
  }
  return made
}

/** How a node turns and scales its mesh in the world, unless it leaves it as it is. */
function lookOf(
  node: Node,
): { rotation: [number, number, number, number]; scale: [number, number, number] } | undefined {
  const [place, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()]
  new Matrix4().fromArray(node.getWorldMatrix()).decompose(place, turn, scale)
  const plain = Math.abs(turn.w) > 1 - 1e-9 && scale.toArray().every((n) => Math.abs(n - 1) < 1e-6)
  return plain ? undefined : { rotation: turn.normalize().toArray() as never, scale: scale.toArray() }
}

/** What else the clip moves, such as faces and props, so that the animation plays alone. */
function putRest(writer: AnimationWriter, channels: readonly AnimationChannel[], { clip, times }: Baked): void {
  for (const channel of channels) {
    const [node, path, sampler] = [
      channel.getTargetNode(),
      channel.getTargetPath() as Path | null,
      channel.getSampler(),
    ]
    const [input, output] = [sampler?.getInput(), sampler?.getOutput()]
    if (!node || !path || !input || !output || writer.moves(node, path)) continue
    const interpolation = sampler!.getInterpolation() as 'LINEAR' | 'STEP' | 'CUBICSPLINE'
    if (isWhole(times, clip!.length)) {
      writer.animate(node, path, input, output, interpolation)
      continue
    }
    const size = Math.round((output.getCount() * output.getElementSize()) / input.getCount())
    const keys = retimed(numbers(input), numbers(output), size, path === 'rotation', interpolation, clip!.length, times)
    const type = path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3'
    const way = interpolation === 'STEP' ? 'STEP' : 'LINEAR'
    writer.animate(node, path, writer.shared('SCALAR', keys.times), writer.shared(type, keys.values), way)
  }
}

/** Whether a recording is its clip from end to end, once. */
export function isWhole({ duration, loop, rounds }: Timing, length: number): boolean {
  if (loop === undefined) return duration >= length * (1 - 1e-6)
  return rounds === 1 && Math.abs(duration - length) <= length * 1e-6
}

/** The numbers of an accessor, whatever it holds them as. */
function numbers(accessor: Accessor): Float64Array {
  const size = accessor.getElementSize()
  const out = new Float64Array(accessor.getCount() * size)
  for (let i = 0; i < accessor.getCount(); i++) out.set(accessor.getElement(i, []), i * size)
  return out
}
