/** A skinned figure made by code, standing with its arms out, looking along +z; its left is at +x. Metres in the world. */
import {
  Bone,
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Uint16BufferAttribute,
  Vector3,
} from 'three'

/**
 * `name: [parent, x, y, z]`: where each bone's head is. `*` stands for a side.
 * @type {Record<string, [parent: string, x: number, y: number, z: number]>}
 */
const BONES = {
  Hips: ['', 0, 0.95, 0],
  Spine: ['Hips', 0, 1.05, 0.005],
  Spine1: ['Spine', 0, 1.22, -0.01],
  Neck: ['Spine1', 0, 1.46, -0.02],
  Head: ['Neck', 0, 1.55, 0],
  HeadTop_End: ['Head', 0, 1.76, 0.01],
  '*Shoulder': ['Spine1', 0.05, 1.41, -0.01],
  '*Arm': ['*Shoulder', 0.18, 1.41, -0.02],
  '*ForeArm': ['*Arm', 0.45, 1.41, -0.03],
  '*Hand': ['*ForeArm', 0.7, 1.41, -0.02],
  '*HandMiddle1': ['*Hand', 0.78, 1.41, -0.01],
  '*UpLeg': ['Hips', 0.1, 0.9, 0],
  '*Leg': ['*UpLeg', 0.1, 0.5, 0.01],
  '*Foot': ['*Leg', 0.1, 0.09, -0.02],
  '*ToeBase': ['*Foot', 0.11, 0.03, 0.1],
  '*Toe_End': ['*ToeBase', 0.115, 0.03, 0.17],
}

/** @returns {{name: string, parent: string, at: Vector3}[]} */
function everyBone() {
  return Object.entries(BONES).flatMap(([name, [parent, x, y, z]]) => {
    const side = (/** @type {string} */ word, /** @type {number} */ sign) => ({
      name: name.replace('*', word),
      parent: parent.replace('*', word),
      at: new Vector3(x * sign, y, z),
    })
    return name.startsWith('*') ? [side('Left', 1), side('Right', -1)] : [side('', 1)]
  })
}

/**
 * @param {object} [options]
 * @param {number} [options.scale] of the armature: bones inside are so many times larger
 * @param {number} [options.size] of the figure
 * @param {string} [options.prefix] of names
 * @param {boolean} [options.turned] bones look along their own length, as files of many tools have them; else none is turned
 */
export function humanoid({ scale = 1, size = 1, prefix = 'mixamorig', turned = true } = {}) {
  const group = new Group()
  const armature = new Group()
  armature.scale.setScalar(scale)
  group.add(armature)
  const all = everyBone()
  const heads = new Map(all.map(({ name, at }) => [name, at.multiplyScalar(size)]))
  /** @type {Record<string, Bone>} */
  const bones = {}
  /** @type {Map<string, Quaternion>} */
  const worlds = new Map([['', new Quaternion()]])
  for (const { name, parent, at } of all) {
    const bone = (bones[name] = new Bone())
    bone.name = prefix + name
    const child = all.find((each) => each.parent === name)
    const along = child ? child.at.clone().sub(at) : at.clone().sub(/** @type {Vector3} */ (heads.get(parent)))
    const world = turned ? new Quaternion().setFromUnitVectors(UP, along.normalize()) : new Quaternion()
    worlds.set(name, world)
    const back = /** @type {Quaternion} */ (worlds.get(parent)).clone().invert()
    const from = heads.get(parent) ?? new Vector3()
    bone.position
      .copy(at)
      .sub(from)
      .multiplyScalar(1 / scale)
      .applyQuaternion(back)
    bone.quaternion.multiplyQuaternions(back, world)
    ;(bones[parent] ?? armature).add(bone)
  }
  group.updateMatrixWorld(true)
  // Without a skin: all that is known of the body is its bones.
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new Float32BufferAttribute([], 3))
  geometry.setAttribute('skinIndex', new Uint16BufferAttribute([], 4))
  geometry.setAttribute('skinWeight', new Float32BufferAttribute([], 4))
  const mesh = new SkinnedMesh(geometry)
  armature.add(mesh)
  group.updateMatrixWorld(true)
  mesh.bind(new Skeleton(Object.values(bones)))
  return { group, mesh, bones }
}

const UP = new Vector3(0, 1, 0)
