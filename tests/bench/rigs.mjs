/** Chains of bones on moving roots, in a form that every solver of jiggle bones can be built from. */
import { readFileSync } from 'node:fs'
import { Bone, Object3D, Quaternion, Vector3 } from 'three'

/** Seconds a frame. */
export const FRAME = 1 / 60

export const golden = JSON.parse(readFileSync(new URL('../golden/jiggle.json', import.meta.url), 'utf8'))

/** Metres of a bone. */
const LENGTH = 0.1
/** Bones a chain. */
const BONES = 4

/**
 * @typedef {object} Chain root first
 * @property {Bone[]} bones
 * @property {Vector3} tip end of the last bone, in its own space, metres; an `Object3D` is there too
 *
 * @typedef {object} Rig
 * @property {Object3D[]} roots they move; every chain hangs on one
 * @property {Chain[]} chains
 */

/**
 * Chains of four bones of 0.1 m on roots; each chain is at another place and looks elsewhere, and each bone has a rotation at
 * rest and an axis of its own.
 * @param {number} roots
 * @param {number} chains on each root
 * @returns {Rig}
 */
export function rig(roots, chains) {
  const random = randoms(462)
  const turned = (/** @type {Quaternion} */ q) => q.set(random(), random(), random(), random()).normalize()
  /** @type {Rig} */
  const made = { roots: [], chains: [] }
  for (let r = 0; r < roots; r++) {
    const root = new Object3D()
    made.roots.push(root)
    for (let c = 0; c < chains; c++) {
      /** @type {Bone[]} */
      const bones = []
      const tip = new Vector3()
      let parent = root
      for (let b = 0; b <= BONES; b++) {
        const bone = b < BONES ? new Bone() : new Object3D()
        if (b === 0) {
          bone.position.set(random(), random(), random())
          turned(bone.quaternion)
        } else {
          bone.position.set(random(), random() + 2, random()).setLength(LENGTH)
          bone.quaternion.set(random(), random(), random(), 3).normalize()
          tip.copy(bone.position)
        }
        if (b < BONES) bones.push(/** @type {Bone} */ (bone))
        parent.add(bone)
        parent = bone
      }
      made.chains.push({ bones, tip })
    }
  }
  move(made, 0)
  made.roots.forEach((root) => root.updateMatrixWorld(true))
  return made
}

/**
 * Moves and turns the roots: each at a walk, and each a little later than the one before.
 * @param {Rig} rig @param {number} t seconds
 */
export function move({ roots }, t) {
  for (let r = 0; r < roots.length; r++) {
    const at = t + r * 0.1
    roots[r].position.set(0.3 * Math.sin(4 * at), 1 + 0.2 * Math.abs(Math.sin(5 * at)), r + 0.2 * Math.cos(3 * at))
    roots[r].rotation.set(0.3 * Math.sin(3 * at), 0.5 * Math.sin(2 * at), 0)
  }
}

/**
 * World positions of all tips.
 * @param {Rig} rig @param {Float64Array} out `[x, y, z] × bones`
 */
export function readTips({ roots, chains }, out) {
  roots.forEach((root) => root.updateMatrixWorld(true))
  let o = 0
  for (const { bones, tip } of chains)
    for (const [b, bone] of bones.entries()) {
      place.copy(bones[b + 1]?.position ?? tip).applyMatrix4(bone.matrixWorld)
      place.toArray(out, o)
      o += 3
    }
  return out
}

const place = new Vector3()

/** Numbers from -1 to 1, the same for a seed on every machine. @param {number} seed */
function randoms(seed) {
  let state = seed
  return () => ((state = (state * 16807) % 2147483647) / 2147483647) * 2 - 1
}
