import { AnimationMixer, Group, Quaternion, Vector3, type AnimationClip, type Object3D, type SkinnedMesh } from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import validator from 'gltf-validator'
import { bake, Ragdoll, type Backend, type BakeOptions } from 'limber-node'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { angleBetween } from '../jiggle/chain.mjs'
import { loadModel } from '../jiggle/load-model.mjs'
import { readyPlayerMe } from '../ragdoll/rigs.mjs'

const [FPS, DURATION] = [30, 2]
const FRAMES = FPS * DURATION + 1
/** 0.05°. */
const ANGLE = 0.00087
const DISTANCE = 0.0001

const robot = await loadModel('RobotExpressive.glb')
const robotFile = new Uint8Array(await readFile(new URL('../models/RobotExpressive.glb', import.meta.url)))

/** Strikes a character after a quarter of a second. */
function blow(ragdoll: Ragdoll, then: (t: number) => void = () => {}) {
  let struck = false
  return (t: number) => {
    then(t)
    if (t < 0.25 || struck) return
    struck = true
    ragdoll.activate({ hit: { point: [0, 1.2, 0.1], impulse: [1, 1, -5] } })
  }
}

function bonesBelow(top: Object3D) {
  const bones: Object3D[] = []
  top.traverse((object) => void ('isBone' in object && bones.push(object)))
  return bones
}

/** A rig made by code, that stands still until it is struck. */
function figure(limber: Backend) {
  const { root: group, mesh } = readyPlayerMe()
  const root: Object3D = group
  root.updateMatrixWorld(true)
  const ragdoll = Ragdoll.fromSkeleton(limber, mesh)
  return { ragdoll, root, bones: bonesBelow(root), drive: blow(ragdoll) }
}

/** A robot of its own that runs until it is struck. */
function runner(limber: Backend) {
  const root = SkeletonUtils.clone(robot.scene)
  let mesh: SkinnedMesh | undefined
  root.traverse((object) => void ('isSkinnedMesh' in object && (mesh ??= object as SkinnedMesh)))
  const mixer = new AnimationMixer(root)
  mixer.clipAction(robot.animations.find(({ name }) => name === 'Running')!).play()
  mixer.setTime(0)
  const ragdoll = Ragdoll.fromSkeleton(limber, mesh!)
  return { ragdoll, root, bones: bonesBelow(root), drive: blow(ragdoll, (t) => mixer.setTime(t)) }
}
type Actor = ReturnType<typeof figure>

const poseOf = ({ quaternion, position, scale }: Object3D) => [...quaternion, ...position, ...scale]

/** The poses of all bones at each frame of a live loop. */
function watch({ ragdoll, bones, drive }: Actor, each: (frame: number) => void = () => {}) {
  return Array.from({ length: FRAMES }, (_, frame) => {
    drive(frame / FPS)
    ragdoll.step(frame === 0 ? 0 : 1 / FPS)
    each(frame)
    return bones.map(poseOf)
  })
}

/** Plays a clip, and holds it against the poses. */
function expectPlayed(root: Object3D, clip: AnimationClip, bones: readonly Object3D[], poses: number[][][], unit = 1) {
  const shown = bones.map(({ name }) => root.getObjectByName(name)!)
  const mixer = new AnimationMixer(root)
  mixer.clipAction(clip).play()
  let [turn, way] = [0, 0]
  poses.forEach((pose, frame) => {
    // A breath short of the end, where the action would begin anew.
    mixer.setTime(Math.min(frame / FPS, clip.duration * (1 - 1e-7)))
    shown.forEach((bone, b) => {
      const [x, y, z, w, ...place] = pose[b]!
      turn = Math.max(turn, angleBetween(bone.quaternion, new Quaternion(x, y, z, w)))
      way = Math.max(way, unit * bone.position.distanceTo(new Vector3().fromArray(place)))
    })
  })
  expect(turn).toBeLessThanOrEqual(ANGLE)
  expect(way).toBeLessThanOrEqual(DISTANCE)
}

async function expectValid(bytes: Uint8Array) {
  const { issues } = await validator.validateBytes(bytes)
  expect([issues.numErrors, issues.numWarnings], JSON.stringify(issues.messages)).toEqual([0, 0])
}

/** A file as stock three.js loads it. */
function parse(bytes: Uint8Array<ArrayBuffer>) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new GLTFLoader().parseAsync(buffer, '')
}

describe.each(Object.entries(backends))('baking a fall on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it.each([
    ['a rig made by code', figure, 1],
    // Its armature is a hundred times as large.
    ['a robot out of its run', runner, 100],
  ] as const)('%s: recorded as it falls live, played from a clip and from files', async (_, make, unit) => {
    const one = make(limber)
    const recording = await bake(one.ragdoll, { fps: FPS, duration: DURATION, drive: one.drive })
    const live = make(limber)
    let drop = 0
    const hips = () => live.ragdoll.bones[0]!.getWorldPosition(new Vector3()).y
    const before = hips()
    const poses = watch(live, () => (drop = Math.max(drop, before - hips())))
    expect(drop).toBeGreaterThan(0.4 * before)

    const [skeleton] = recording.skeletons
    expect(skeleton!.name).toBe('ragdoll')
    const nodes = live.bones.map(({ name }) => skeleton!.nodes.find((node) => node.name === name)!)
    poses.forEach((pose, frame) => {
      nodes.forEach(({ quaternions, positions, scales }, b) => {
        const [from, of] = [frame * 3, frame * 4]
        const recorded = [quaternions.subarray(of, of + 4), positions.subarray(from, from + 3)]
        expect([...recorded[0]!, ...recorded[1]!, ...scales.subarray(from, from + 3)]).toEqual(pose[b])
      })
    })

    const clip = recording.toAnimationClip()
    expect(clip.validate()).toBe(true)
    expect(clip.duration).toBe(DURATION)
    // What getUp would move stood still, and has no tracks.
    expect(clip.tracks.length).toBe(live.bones.length * 3)
    expectPlayed(make(limber).root, clip, live.bones, poses, unit)
    const bytes = await recording.toGLB()
    const { report } = recording
    await expectValid(bytes)
    const file = await parse(bytes)
    expectPlayed(file.scene, file.animations[0]!, live.bones, poses, unit)
    expect(report).toMatchObject({ bytes: bytes.byteLength, frames: FRAMES, targets: 0 })
    expect(report!.maxAngle).toBeLessThanOrEqual(ANGLE)
    expect(report!.skeletons[0]!.maxDistance).toBeLessThanOrEqual(DISTANCE)

    if (make === runner) {
      const onto = await recording.toGLB({ onto: robotFile, name: 'fall' })
      const full = await parse(onto)
      expect(full.animations.length).toBe(robot.animations.length + 1)
      expectPlayed(
        full.scene,
        full.animations.find(({ name }) => name === 'fall')!,
        live.bones,
        poses,
        unit,
      )
    }
  })

  /** A figure that falls where it does not begin, and gets up there, below a scene of its own. */
  function riser() {
    const actor = figure(limber)
    const place = Object.assign(new Group(), { name: 'place' })
    place.add(actor.root)
    actor.root.name = 'figure'
    let up = false
    const drive = (t: number) => {
      actor.drive(t)
      if (t < 1.2 || up) return
      up = true
      actor.ragdoll.getUp({ duration: 0.5 })
    }
    return { ...actor, place, drive }
  }

  it('records what getUp moves, and says so where that is above what is recorded', async () => {
    const one = riser()
    expect(one.ragdoll.bodies[0]!.root).toBe(one.root)
    const recording = await bake(one.ragdoll, { fps: FPS, duration: DURATION, drive: one.drive })
    expect(one.ragdoll.state).toBe('animated')
    const moved = one.root.position.clone()
    expect(Math.hypot(moved.x, moved.z)).toBeGreaterThan(0.1)
    const clip = recording.toAnimationClip()
    const shown = figure(limber).root
    shown.name = 'figure'
    const mixer = new AnimationMixer(shown)
    mixer.clipAction(clip).play()
    mixer.setTime(DURATION - 1e-6)
    expect(shown.position.distanceTo(moved)).toBeLessThanOrEqual(DISTANCE)

    const two = riser()
    const options: BakeOptions = { fps: FPS, duration: DURATION, root: two.bones[0]! }
    await expect(bake(two.ragdoll, { ...options, drive: two.drive })).rejects.toThrow(
      'simulations.ragdoll moved "figure" while it fell or got up, and that is above what is recorded',
    )
    // What is animated may be moved by anyone.
    const three = riser()
    const walking = (t: number) => void three.root.position.setX(t)
    await bake(three.ragdoll, { ...options, duration: 0.5, root: three.bones[0]!, drive: walking })
  })

  it('each body of several is a skeleton by itself', async () => {
    const rigs = [readyPlayerMe(), readyPlayerMe()]
    rigs.forEach(({ root }, i) => {
      root.position.x = i
      root.updateMatrixWorld(true)
    })
    const ragdoll = Ragdoll.fromSkeleton(
      limber,
      rigs.map(({ mesh }) => mesh),
    )
    for (const [i, body] of ragdoll.bodies.entries()) {
      expect(body.bones.length * 2).toBe(ragdoll.bones.length)
      for (const bone of body.bones) expect(bonesBelow(rigs[i]!.root)).toContain(bone)
    }
    const drive = (t: number) => void (t === 0.5 && ragdoll.bodies[1]!.activate())
    const recording = await bake({ crowd: ragdoll }, { duration: 1, drive })
    expect(recording.skeletons.map(({ name }) => name)).toEqual(['crowd-0', 'crowd-1'])
    expect(() => recording.toAnimationClip()).toThrow('crowd-0 and crowd-1 both have a bone named')
    // One stands still, and each track takes two keyframes.
    const most = ['crowd-0', 'crowd-1'].map((name) =>
      Math.max(...recording.toAnimationClip({ name }).tracks.map(({ times }) => times.length)),
    )
    expect(most[0]).toBe(2)
    expect(most[1]).toBeGreaterThan(10)
    await expectValid(await recording.toGLB())
    expect(recording.report!.maxAngle).toBeLessThanOrEqual(ANGLE)
  })

  it('refuses what cannot be recorded, and says why', async () => {
    const points = new Ragdoll(limber, { points: [{ position: [0, 1, 0] }, { position: [0, 2, 0] }], links: [[0, 1]] })
    await expect(bake(points, { duration: 1 })).rejects.toThrow('simulations.ragdoll is a ragdoll without bones')
    const { ragdoll } = figure(limber)
    await expect(bake(ragdoll, { duration: 1, loop: true })).rejects.toThrow('loop is not for a ragdoll')
    const recording = await bake(ragdoll, { duration: 0.1 })
    expect(() => recording.toAnimationClip({ only: 'jiggle' })).toThrow('only is no option of toAnimationClip')
  })
})
