// As heap.mjs, of jiggle bones: what 10,000 steps leave on the JavaScript heap, and what one makes, in bytes.

import { JiggleBones } from 'limber/core'
import { AnimationClip, AnimationMixer, Bone, Object3D, QuaternionKeyframeTrack } from 'three'
import { backends } from './backends.mjs'
import { report } from './heap-measure.mjs'

const limber = await backends[process.argv[2]]()
const body = new Object3D()
const chains = Array.from({ length: 6 }, (_, c) => {
  const bones = Array.from({ length: 5 }, (_, b) => {
    const bone = new Bone()
    bone.name = `bone_${c}_${b}`
    bone.position.y = 0.1
    if (b === 2) bone.rotation.order = 'YZX'
    return bone
  })
  bones.reduce((parent, bone) => (parent.add(bone), bone), body)
  // The fourth bone of each lies between two that swing; half of the chains feel part of the body's motion.
  return { bones: bones.toSpliced(3, 1), radius: 0.02, inertia: c % 2 ? 0.5 : 1 }
})
const follow = new Object3D()
const ball = { kind: 'sphere', center: [0, 0.3, 0], radius: 0.1 }
const box = { kind: 'box', center: [0, -2, 0], halfExtents: [0.4, 0.1, 0.4], rotation: [0, 0.1, 0, 1], follow }
const jiggle = new JiggleBones(limber, chains, { colliders: [ball, box], wind: [1, 0, 0] })
jiggle.onDiverge = () => {}

// A clip moves two of the chains; one bone is set by hand.
const mixer = new AnimationMixer(body)
const tracks = [0, 1].map(
  (c) => new QuaternionKeyframeTrack(`bone_${c}_1.quaternion`, [0, 0.5, 1], [0, 0, 0, 1, 0.6, 0, 0, 0.8, 0, 0, 0, 1]),
)
mixer.clipAction(new AnimationClip('nod', -1, tracks)).play()

let frame = 0
function drive() {
  frame = (frame + 1) % 600
  body.position.x = (frame % 100) / 100
  follow.position.z = (frame % 50) / 100
  mixer.update(1 / 60)
  chains[4].bones[0].quaternion.set(0.6, 0, 0, frame % 2 ? 0.8 : -0.8)
  jiggle.wind.x = frame % 10
  jiggle.colliders.set(0, ball)
}
const stepped = () => jiggle.step(1 / 60)

report(drive, stepped)
limber.dispose()
