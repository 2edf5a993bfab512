import { Matrix4, PropertyBinding, Quaternion, Vector3 } from 'three'
import { LimberError, shown } from 'limber/core'
import { aligned, type GLB, type GLTFNode } from './glb.js'
import type { RecordedNode } from './recorded-skeleton.js'

/**
 * Adds the animation of one GLB to another, with what it moves: nodes of `bones` are those of these names in the other
 * file; nodes of the scene that are not come along with their meshes. Nothing in the other file is read but names, and
 * nothing but lists grow: extensions of any kind stay.
 *
 * @throws LimberError `invalid-input` where the file has not those bones, or keeps its numbers elsewhere
 */
export function graft(onto: GLB, added: GLB, bones: ReadonlyMap<number, RecordedNode>): GLB {
  const json = structuredClone(onto.json)
  const more = structuredClone(added.json)
  const buffer = (json.buffers ??= [])[0]
  if (buffer?.uri !== undefined) {
    throw new LimberError(
      'invalid-input',
      `onto must hold its buffer itself, and has it in ${shown(buffer.uri.slice(0, 40))}`,
    )
  }
  const before = buffer ? buffer.byteLength : 0
  const start = aligned(before)
  const binary = new Uint8Array(start + added.binary.length)
  binary.set(onto.binary.subarray(0, before))
  binary.set(added.binary, start)
  if (buffer) buffer.byteLength = binary.length
  else json.buffers[0] = { byteLength: binary.length }

  const nodes = (json.nodes ??= [])
  const place = new Map<number, number>()
  for (const [index, bone] of bones) {
    const found = find(nodes, bone)
    if ([...place.values()].includes(found)) {
      throw new LimberError(
        'invalid-input',
        `onto has one node ${shown(bone.name)}, and two bones of that name were recorded`,
      )
    }
    place.set(index, found)
  }

  for (const list of ['extensionsUsed', 'extensionsRequired'] as const) {
    if (more[list]) json[list] = [...new Set([...(json[list] ?? []), ...more[list]])]
  }

  const views = (json.bufferViews ??= [])
  const accessors = (json.accessors ??= [])
  const [firstView, firstAccessor] = [views.length, accessors.length]
  for (const view of more.bufferViews ?? []) views.push({ ...view, byteOffset: (view.byteOffset ?? 0) + start })
  for (const accessor of more.accessors ?? []) {
    accessors.push({ ...accessor, bufferView: accessor.bufferView! + firstView })
  }

  const scene = more.scenes![more.scene ?? 0]!
  const meshes = (scene.nodes ?? []).filter((index) => more.nodes![index]!.mesh !== undefined)
  if (meshes.length) {
    const at = (indices: Record<string, number>) =>
      Object.fromEntries(Object.entries(indices).map(([name, index]) => [name, index + firstAccessor]))
    const [firstMesh, firstMaterial] = [(json.meshes ??= []).length, (json.materials ??= []).length]
    for (const mesh of more.meshes!) {
      for (const primitive of mesh.primitives) {
        primitive.attributes = at(primitive.attributes)
        primitive.indices! += firstAccessor
        primitive.material! += firstMaterial
        if (primitive.targets) primitive.targets = primitive.targets.map(at)
      }
      json.meshes.push(mesh)
    }
    json.materials.push(...more.materials!)
    const shownScene = ((json.scenes ??= [{}])[json.scene ?? 0] ??= {})
    for (const index of meshes) {
      const node = more.nodes![index]!
      place.set(index, nodes.push({ ...node, mesh: node.mesh! + firstMesh }) - 1)
      ;(shownScene.nodes ??= []).push(place.get(index)!)
    }
  }

  const animations = (json.animations ??= [])
  for (const { name, channels, samplers } of more.animations!) {
    if (animations.some((known) => known.name === name)) {
      throw new LimberError('invalid-input', `onto has an animation named ${shown(name)}: give another name`)
    }
    animations.push({
      ...(name !== undefined && { name }),
      samplers: samplers.map((s) => ({ ...s, input: s.input + firstAccessor, output: s.output + firstAccessor })),
      channels: channels.map(({ sampler, target }) => {
        const node = place.get(target.node!)!
        if (target.path !== 'weights') takeApart(nodes[node]!)
        return { sampler, target: { ...target, node } }
      }),
    })
  }
  return { json, binary, others: onto.others }
}

/** The node of a file that `GLTFLoader` makes `bone` of. */
function find(nodes: readonly GLTFNode[], { name, fileName }: RecordedNode): number {
  for (const isIt of [
    // First the name that the bone has: what it says of its name in the file may be of the file's extras.
    (node: string) => node === name,
    (node: string) => PropertyBinding.sanitizeNodeName(node) === name,
    (node: string) => node === fileName,
  ]) {
    const found = nodes.flatMap((node, i) => (node.name !== undefined && isIt(node.name) ? [i] : []))
    if (found.length === 1) return found[0]!
    if (found.length > 1) {
      throw new LimberError(
        'invalid-input',
        `onto has ${found.length} nodes named ${shown(nodes[found[0]!]!.name)}: names must tell bones apart`,
      )
    }
  }
  throw new LimberError('invalid-input', `onto has no node named ${shown(fileName ?? name)}`)
}

/** A node that an animation moves must not have a matrix. */
function takeApart(node: GLTFNode): void {
  if (!node.matrix) return
  const [position, quaternion, scale] = [new Vector3(), new Quaternion(), new Vector3()]
  new Matrix4().fromArray(node.matrix).decompose(position, quaternion, scale)
  delete node.matrix
  node.translation = position.toArray()
  node.rotation = quaternion.toArray()
  node.scale = scale.toArray()
}
