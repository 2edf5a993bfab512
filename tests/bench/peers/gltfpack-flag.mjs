/** A recorded mesh as web teams write it without Limber: a morph target for each frame, as floats, and what gltfpack makes of it. */
import { Document, WebIO } from '@gltf-transform/core'
import { readFile } from 'node:fs/promises'
import { pack } from 'gltfpack'

/**
 * A morph target of positions and normals for each frame but the first, one weighing 1 at a time.
 *
 * @param {{positions: Float32Array[], normals: Float32Array[], geometry: import('three').BufferGeometry}} mesh
 * @param {number} fps
 */
export async function rawTargets({ positions, normals, geometry }, fps) {
  const document = new Document()
  const buffer = document.createBuffer()
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer)
  const minus = (a, b) => a.map((number, i) => number - b[i])
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', positions[0]))
    .setAttribute('NORMAL', accessor('VEC3', normals[0]))
    .setAttribute('TEXCOORD_0', accessor('VEC2', Float32Array.from(geometry.getAttribute('uv').array)))
    .setIndices(accessor('SCALAR', Uint16Array.from(geometry.getIndex().array)))
  const targets = positions.length - 1
  for (let k = 1; k <= targets; k++) {
    const target = document.createPrimitiveTarget()
    target.setAttribute('POSITION', accessor('VEC3', minus(positions[k], positions[0])))
    primitive.addTarget(target.setAttribute('NORMAL', accessor('VEC3', minus(normals[k], normals[0]))))
  }
  const mesh = document.createMesh('flag').addPrimitive(primitive).setWeights(new Array(targets).fill(0))
  const node = document.createNode('flag').setMesh(mesh)
  const scene = document.createScene().addChild(node)
  document.getRoot().setDefaultScene(scene)
  const weights = new Float32Array(positions.length * targets)
  for (let k = 1; k <= targets; k++) weights[k * targets + k - 1] = 1
  const sampler = document
    .createAnimationSampler()
    .setInput(
      accessor(
        'SCALAR',
        Float32Array.from(positions, (_, k) => k / fps),
      ),
    )
    .setOutput(accessor('SCALAR', weights))
  const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('weights').setSampler(sampler)
  document.createAnimation('wave').addSampler(sampler).addChannel(channel)
  return new WebIO().writeBinary(document)
}

/** What gltfpack makes of a file, compressed as far as it goes. @param {Uint8Array} file */
export async function gltfpacked(file) {
  /** @type {Uint8Array | undefined} */
  let packed
  const read = () => file
  const write = (_, data) => (packed = data)
  // -cc: higher compression; -af 30: animations at the recorded rate, as by itself; -kn: named nodes are kept.
  await pack(['-i', 'in.glb', '-o', 'out.glb', '-cc', '-af', '30', '-kn'], { read, write })
  return packed
}
