/** Rigs of tests, and how far apart two results are. */
import { Bone, Group, Object3D, Quaternion, Vector3 } from 'three'

/**
 * A chain on a root.
 * @param {number[][]} tips `[x, y, z]` of each bone: its tip in its own space, where the next bone is
 * @param {number[][]} [rests] `[x, y, z, w]` of each bone
 */
export function makeChain(tips, rests) {
  const root = new Object3D()
  const bones = tips.map((_, b) => {
    const bone = new Bone()
    bone.name = `bone ${b}`
    if (b > 0) bone.position.fromArray(tips[b - 1])
    if (rests) bone.quaternion.fromArray(rests[b])
    return bone
  })
  bones.reduce((/** @type {Object3D} */ parent, bone) => (parent.add(bone), bone), root)
  return { root, bones, tip: new Vector3(...tips[tips.length - 1]) }
}

/**
 * What `GLTFLoader` makes of some nodes and extensions, as far as spring bones need it.
 * @param {{name?: string, translation?: number[], rotation?: number[], scale?: number[], children?: number[]}[]} nodes
 * @param {object} extension VRMC_springBone
 * @returns {any}
 */
export function makeGltf(nodes, extension) {
  const scene = new Group()
  const objects = nodes.map(({ name = '', translation, rotation, scale }) => {
    const object = new Object3D()
    object.name = name
    if (translation) object.position.fromArray(translation)
    if (rotation) object.quaternion.fromArray(rotation)
    if (scale) object.scale.fromArray(scale)
    return object
  })
  nodes.forEach(({ children = [] }, n) => children.forEach((child) => objects[n].add(objects[child])))
  scene.add(...objects.filter(({ parent }) => !parent))
  const json = {
    nodes,
    extensionsUsed: ['VRMC_springBone'],
    extensions: { VRMC_springBone: { specVersion: '1.0', ...extension } },
  }
  return { scene, parser: { json, associations: new Map(objects.map((object, n) => [object, { nodes: n }])) } }
}

/** Radians between two rotations. @param {Quaternion} a @param {Quaternion} b */
export function angleBetween(a, b) {
  const { x, y, z, w } = a.clone().normalize().invert().multiply(b.clone().normalize())
  return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w))
}

/** Tip `index` of an array of tips. @param {ArrayLike<number>} tips @param {number} [index] */
export function tipAt(tips, index = 0) {
  return new Vector3().fromArray(tips, index * 3)
}

/** World position of an object, with fresh matrices. @param {Object3D} object */
export function placeOf(object) {
  return object.getWorldPosition(new Vector3())
}

/** Every number of an object's pose. @param {Object3D} object */
export function poseOf({ position, quaternion, rotation, scale }) {
  return [...position.toArray(), ...quaternion.toArray(), rotation.x, rotation.y, rotation.z, ...scale.toArray()]
}
