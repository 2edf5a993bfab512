import { Ragdoll } from 'limber/core'
import { Group } from 'three'
import { humanoid } from '../ragdoll/humanoid.mjs'

/** Five skinned figures that sway, fall when they are hit, and get up; one lets only an arm hang, one seeks its pose. */
export const name = 'ragdoll-fall'

const BODIES = 5
/** Steps after which each begins anew. */
const ROUND = 960

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const figures = Array.from({ length: BODIES }, (_, b) => {
    const made = humanoid({ scale: 0.01 })
    made.group.position.set(2 * (b % 3), 0, 2 * Math.floor(b / 3))
    made.group.rotation.y = b
    const stage = new Group()
    stage.add(made.group)
    stage.updateMatrixWorld(true)
    return made
  })
  const ragdoll = Ragdoll.fromSkeleton(
    limber,
    figures.map(({ mesh }) => mesh),
    {
      colliders: [
        { kind: 'box', center: [1, 0.1, 1], halfExtents: [0.5, 0.1, 0.5] },
        { kind: 'capsule', a: [-1, 0.3, 0.5], b: [5, 0.3, 0.5], radius: 0.15 },
      ],
    },
  )
  all.set(
    ragdoll,
    figures.map(({ bones }) => ({
      bones,
      rests: Object.fromEntries(Object.entries(bones).map(([key, bone]) => [key, bone.quaternion.clone()])),
    })),
  )
  return ragdoll
}

/** @type {WeakMap<Ragdoll, {bones: Record<string, import('three').Bone>, rests: Record<string, import('three').Quaternion>}[]>} */
const all = new WeakMap()

/** @param {Ragdoll} ragdoll @param {number} t seconds */
export function drive(ragdoll, t) {
  const step = Math.round(t / ragdoll.fixedStep)
  all.get(ragdoll).forEach(({ bones, rests }, b) => {
    // As a mixer would: bones are given the pose of now, whatever they hold.
    const at = t + b
    for (const key of ['Spine', 'Head', 'LeftArm', 'RightArm', 'LeftForeArm', 'LeftUpLeg'])
      bones[key].quaternion.copy(rests[key])
    bones.Spine.rotateX(0.15 * Math.sin(2 * at))
    bones.Head.rotateY(0.4 * Math.sin(1.3 * at))
    bones.LeftArm.rotateZ(0.5 * Math.sin(3 * at))
    bones.RightArm.rotateX(0.5 * Math.sin(2.5 * at))
    bones.LeftForeArm.rotateX(0.3 + 0.3 * Math.sin(4 * at))
    bones.LeftUpLeg.rotateX(0.2 * Math.sin(2 * at))

    const body = ragdoll.bodies[b]
    const own = (step + b * 37) % ROUND
    body.strength = b === 3 ? 0.4 : 0
    if (own === 150 && b === 4) body.activate({ from: bones.LeftArm })
    else if (own === 150)
      body.activate({ hit: { point: [2 * (b % 3), 1.3, 2 * Math.floor(b / 3) - 0.2], impulse: [b - 2, 0.5, 4] } })
    if (own === 300) body.hit([2 * (b % 3), 0.2, 2 * Math.floor(b / 3)], [0, 2, 1], Infinity)
    if (own === 700) body.getUp({ duration: 0.9, heading: b % 2 ? 'body' : 'keep' })
  })
}
