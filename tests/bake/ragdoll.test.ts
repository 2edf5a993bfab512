import { bake, load, Ragdoll } from 'limber-node'
import { AnimationMixer, type Object3D } from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import validator from 'gltf-validator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { poseOf } from '../jiggle/chain.mjs'
import { readyPlayerMe } from '../ragdoll/rigs.mjs'

let limber: Awaited<ReturnType<typeof load>>
beforeAll(async () => void (limber = await load()))
afterAll(() => limber.dispose())

/** A figure that is struck after a quarter of a second. */
function fall() {
  const rig = readyPlayerMe()
  rig.root.updateMatrixWorld(true)
  const ragdoll = Ragdoll.fromSkeleton(limber, rig.mesh)
  let struck = false
  const drive = (t: number) => {
    if (t < 0.25 || struck) return
    struck = true
    ragdoll.activate({ hit: { point: [0, 1.2, 0.1], impulse: [1, 1, -5] } })
  }
  return { rig, ragdoll, drive }
}

it('records a fall to the bit, and a clip plays it within the tolerance', async () => {
  const one = fall()
  const recording = await bake(one.ragdoll, { fps: 30, duration: 2, drive: one.drive })
  const live = fall()
  live.drive(0)
  live.ragdoll.step(0)
  for (let frame = 1; frame <= 60; frame++) {
    live.drive(frame / 30)
    live.ragdoll.step(1 / 30)
  }
  const bones = (each: typeof one) => each.ragdoll.bones.map(poseOf)
  expect(bones(one)).toEqual(bones(live))

  const clip = recording.toAnimationClip()
  expect(clip.validate()).toBe(true)
  const shown = readyPlayerMe()
  const mixer = new AnimationMixer(shown.root)
  mixer.clipAction(clip).play()
  mixer.setTime(2 - 1e-6)
  const byName = new Map<string, Object3D>()
  shown.root.traverse((object) => void byName.set(object.name, object))
  for (const bone of one.ragdoll.bones) {
    const angle = byName.get(bone.name)!.quaternion.angleTo(bone.quaternion)
    expect(angle, bone.name).toBeLessThan(0.02)
  }
})

it('writes a file that the validator finds nothing in, and that three.js reads', async () => {
  const { ragdoll, drive } = fall()
  const recording = await bake(ragdoll, { fps: 30, duration: 2, drive })
  const glb = await recording.toGLB()
  const { issues } = await validator.validateBytes(glb)
  expect([issues.numErrors, issues.numWarnings]).toEqual([0, 0])
  const buffer = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength) as ArrayBuffer
  const { animations } = await new GLTFLoader().parseAsync(buffer, '')
  expect(animations[0]!.duration).toBeCloseTo(2, 3)
})

it('refuses what cannot be recorded, and says why', async () => {
  const points = new Ragdoll(limber, { points: [{ position: [0, 1, 0] }, { position: [0, 2, 0] }], links: [[0, 1]] })
  await expect(bake(points, { duration: 1 })).rejects.toThrow('simulations.ragdoll is a ragdoll without bones')
  await expect(bake(fall().ragdoll, { duration: 1, loop: true })).rejects.toThrow('loop is not for a ragdoll')
})
