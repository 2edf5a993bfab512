// As heap.mjs, of ragdolls: what 10,000 steps leave on the JavaScript heap, and what one makes, in bytes.

import { Ragdoll } from 'limber/core'
import { AnimationClip, AnimationMixer, QuaternionKeyframeTrack } from 'three'
import { backends } from './backends.mjs'
import { figure } from './bench/bodies.mjs'
import { humanoid } from './ragdoll/humanoid.mjs'
import { report } from './heap-measure.mjs'

const limber = await backends[process.argv[2]]()
const figures = [0, 1, 2, 3, 4].map((x) => {
  const made = humanoid()
  made.group.position.x = 2 * x
  made.group.updateMatrixWorld(true)
  return made
})
const ball = { kind: 'sphere', center: [0, 0.3, 0], radius: 0.1 }
const ragdoll = Ragdoll.fromSkeleton(
  limber,
  figures.map(({ mesh }) => mesh),
  { colliders: [ball], sleepTime: null },
)
ragdoll.onDiverge = () => {}
const { positions, radius, links } = figure()
const sticks = new Ragdoll(limber, {
  points: radius.map((own, i) => ({ position: positions.slice(i * 3, i * 3 + 3), radius: own })),
  links,
  bodies: 3,
  sleepTime: null,
})

// Of the bodies one is animated, two are limp, one lets an arm hang, and one seeks the pose of a clip.
const mixers = figures.map(({ group, bones }) => {
  const mixer = new AnimationMixer(group)
  const tracks = ['LeftArm', 'Spine'].map(
    (name) =>
      new QuaternionKeyframeTrack(
        `${bones[name].name}.quaternion`,
        [0, 0.5, 1],
        [0, 0, 0, 1, 0.6, 0, 0, 0.8, 0, 0, 0, 1],
      ),
  )
  mixer.clipAction(new AnimationClip('nod', -1, tracks)).play()
  return mixer
})
ragdoll.step(1 / 60)
ragdoll.bodies[1].activate()
ragdoll.bodies[2].activate()
ragdoll.bodies[3].activate({ from: figures[3].bones.LeftArm })
ragdoll.bodies[4].activate({ strength: 0.5 })

let frame = 0
function drive() {
  frame = (frame + 1) % 600
  for (let m = 0; m < mixers.length; m++) mixers[m].update(1 / 60)
  ragdoll.colliders.set(0, ball)
}
const stepped = () => {
  ragdoll.step(1 / 60)
  sticks.step(1 / 60)
}

report(drive, stepped)
limber.dispose()
