import { JiggleBones } from 'limber/core'
import { Object3D } from 'three'

/** A strand by the arithmetic of VRM that swings into a ball, within a hinge; its centre is felt in part. */
export const name = 'jiggle-bones-vrm'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const root = new Object3D()
  const bones = []
  for (let i = 0; i < 5; i++) {
    const bone = new Object3D()
    bone.position.y = i ? -0.2 : 1
    ;(bones[i - 1] ?? root).add(bone)
    bones.push(bone)
  }
  const nodes = [root, ...bones]
  const joint = (i) => ({
    node: i + 1,
    hitRadius: 0.03,
    stiffness: 1.2 - 0.2 * i,
    dragForce: 0.3,
    gravityPower: 0.2,
    ...(i === 2 && { extensions: { VRMC_springBone_limit: { limit: { hinge: { angle: 0.7 } } } } }),
  })
  const json = {
    extensions: {
      VRMC_springBone: {
        colliders: [{ node: 0, shape: { sphere: { offset: [0.15, 0.5, 0], radius: 0.12 } } }],
        colliderGroups: [{ colliders: [0] }],
        springs: [{ joints: [0, 1, 2, 3, 4].map(joint), colliderGroups: [0], center: 0 }],
      },
    },
  }
  const parser = { json, associations: new Map(nodes.map((node, i) => [node, { nodes: i }])) }
  const jiggle = JiggleBones.fromGLTF(limber, { scene: root, parser })
  jiggle.chains[0].configure({ inertia: 0.4 })
  roots.set(jiggle, root)
  return jiggle
}

/** @type {WeakMap<JiggleBones, Object3D>} */
const roots = new WeakMap()

/** @param {JiggleBones} jiggle @param {number} t seconds */
export function drive(jiggle, t) {
  const root = roots.get(jiggle)
  root.position.set(0.3 * Math.sin(2 * t), 0, 0.1 * Math.sin(3.1 * t))
  root.rotation.z = 0.4 * Math.sin(1.7 * t)
}
