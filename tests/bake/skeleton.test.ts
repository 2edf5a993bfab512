import {
  AnimationMixer,
  Bone,
  Group,
  Mesh,
  Object3D,
  Quaternion,
  Vector3,
  type AnimationClip,
  type KeyframeTrack,
} from 'three'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import validator from 'gltf-validator'
import { bake, Cloth, JiggleBones, LimberError, type Backend, type BakeOptions, type Recording } from 'limber-node'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { refusal } from '../helpers.mjs'
import { loadModel } from '../jiggle/load-model.mjs'

const DEGREE = Math.PI / 180
const BOUND = 0.05 * DEGREE

type Numbers = ArrayLike<number>

/** The angle between two rotations: what is left of one after the other, whatever the lengths. */
function angle(a: Quaternion, b: Quaternion): number {
  const rest = a.clone().conjugate().multiply(b)
  return 2 * Math.atan2(Math.hypot(rest.x, rest.y, rest.z), Math.abs(rest.w))
}

const dot = (q: Numbers, i: number, j: number) =>
  [0, 1, 2, 3].reduce((sum, c) => sum + q[i * 4 + c]! * q[j * 4 + c]!, 0)

const quaternionAt = (list: Numbers, i: number) =>
  new Quaternion(list[i * 4], list[i * 4 + 1], list[i * 4 + 2], list[i * 4 + 3])

const about = (axis: Vector3, radians: number) => new Quaternion().setFromAxisAngle(axis, radians)

const X = new Vector3(1, 0, 0)
const Y = new Vector3(0, 1, 0)

/** A file as stock three.js loads it. */
function parse(bytes: Uint8Array<ArrayBuffer>): Promise<GLTF> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new Promise((resolve, reject) => new GLTFLoader().parse(buffer, '', resolve, reject))
}

async function issues(bytes: Uint8Array): Promise<{ errors: number; warnings: number; messages: string }> {
  const { issues } = await validator.validateBytes(bytes)
  return { errors: issues.numErrors, warnings: issues.numWarnings, messages: JSON.stringify(issues.messages) }
}

async function expectValid(bytes: Uint8Array): Promise<void> {
  const { errors, warnings, messages } = await issues(bytes)
  expect([errors, warnings], messages).toEqual([0, 0])
}

async function fault(run: Promise<unknown>): Promise<LimberError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(LimberError)
  return error as LimberError
}

/** A chain of bones of the given names, 20 cm each, below a group. */
function character(...names: string[]) {
  const group = new Group()
  const bones = names.map((name) => Object.assign(new Bone(), { name }))
  bones.reduce<Object3D>((above, bone) => (above.add(bone), bone.position.set(0, 0.2, 0), bone), group)
  return { group, bones }
}

const trackOf = (clip: AnimationClip, name: string): KeyframeTrack => clip.tracks.find((track) => track.name === name)!

/** Calls `look` at each frame of a clip that is played on `root` by a mixer of its own. */
function play(root: Object3D, clip: AnimationClip, fps: number, frames: number, look: (frame: number) => void): void {
  const mixer = new AnimationMixer(root)
  mixer.clipAction(clip).play()
  for (let frame = 0; frame < frames; frame++) {
    // A breath short of the end, where the action would begin anew.
    mixer.setTime(Math.min(frame / fps, clip.duration * (1 - 1e-7)))
    look(frame)
  }
}

/** The two parts of a GLB file. */
function taken(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(12, true)
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)))
  const binary = bytes.subarray(28 + length, 28 + length + view.getUint32(20 + length, true))
  return { json, binary, rest: bytes.subarray(28 + length + binary.length) }
}

/** A GLB file with its JSON changed, and more behind it. */
function patched(bytes: Uint8Array, change: (json: any) => void, tail = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const { json, binary } = taken(bytes)
  change(json)
  const text = new TextEncoder().encode(JSON.stringify(json))
  const padded = Math.ceil(text.length / 4) * 4
  const out = new Uint8Array(28 + padded + binary.length + tail.length).fill(0x20)
  const view = new DataView(out.buffer)
  ;[0x46546c67, 2, out.length, padded, 0x4e4f534a].forEach((word, i) => view.setUint32(i * 4, word, true))
  out.set(text, 20)
  view.setUint32(20 + padded, binary.length, true)
  view.setUint32(24 + padded, 0x004e4942, true)
  out.set(binary, 28 + padded)
  out.set(tail, 28 + padded + binary.length)
  return out
}

const robot = await loadModel('RobotExpressive.glb')
const robotFile = new Uint8Array(await readFile(new URL('../models/RobotExpressive.glb', import.meta.url)))

/** A robot of its own with a clip playing and loose head and arms. */
function walker(limber: Backend, clipName = 'Walking') {
  const scene = SkeletonUtils.clone(robot.scene)
  const clip = robot.animations.find(({ name }) => name === clipName)!
  const mixer = new AnimationMixer(scene)
  mixer.clipAction(clip).play()
  const bone = (name: string) => scene.getObjectByName(name) as Bone
  const jiggle = new JiggleBones(limber, [
    { bones: bone('Head'), multiplier: 1.3 },
    { bones: [bone('UpperArmL'), bone('LowerArmL')], multiplier: 1.6 },
    { bones: [bone('ShoulderR'), bone('UpperArmR')] },
  ])
  const bones: Bone[] = []
  scene.traverse((object) => void ('isBone' in object && bones.push(object as Bone)))
  return { scene, clip, mixer, jiggle, bones, drive: (t: number) => mixer.setTime(t) }
}

describe.each(Object.entries(backends))('baking jiggle bones on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('K6: a bone turning through 400° keeps neighbouring signs, in few keyframes', async () => {
    const { group, bones } = character('spin', 'tail', 'tip')
    const jiggle = new JiggleBones(limber, [bones[1]!])
    const turned = (t: number) => about(Y, 400 * DEGREE * (t / 2))
    let odd = 1
    const recording = await bake(jiggle, {
      fps: 60,
      duration: 2,
      drive(t) {
        // The same rotation in both its forms in turn.
        const { x, y, z, w } = turned(t)
        odd = -odd
        bones[0]!.quaternion.set(x * odd, y * odd, z * odd, w * odd)
      },
    })
    const bytes = await recording.toGLB()
    await expectValid(bytes)
    const gltf = await parse(bytes)
    const live = [recording.toAnimationClip(), gltf.animations[0]!]
    for (const clip of live) {
      for (const track of clip.tracks.filter(({ name }) => name.endsWith('.quaternion'))) {
        for (let k = 1; k < track.times.length; k++) {
          expect(dot(track.values, k - 1, k), track.name).toBeGreaterThanOrEqual(0)
          const [from, to] = [quaternionAt(track.values, k - 1), quaternionAt(track.values, k)]
          expect(angle(from, to), track.name).toBeLessThan(Math.PI)
        }
      }
      // Evenly turned, a piece may be up to half a turn: three for 400°.
      expect(trackOf(clip, 'spin.quaternion').times.length).toBe(4)
      const copy = group.clone()
      const spin = copy.getObjectByName('spin')!
      let most = 0
      play(copy, clip, 60, 121, (frame) => (most = Math.max(most, angle(spin.quaternion, turned(frame / 60)))))
      expect(most).toBeLessThanOrEqual(BOUND)
    }
    jiggle.dispose()
  })

  it('keeps no more keyframes than are needed, and each frame within the tolerance', async () => {
    const { group, bones } = character('wild', 'tail')
    const jiggle = new JiggleBones(limber, [bones[1]!])
    const fps = 30
    // Slow and fast, smooth and with jolts.
    const turned = (t: number) =>
      about(X, Math.sin(3 * t) + 0.02 * Math.sin(41 * t)).multiply(about(Y, 0.4 * t * t * t + (t > 1 ? 1 : 0)))
    const moved = (t: number) => new Vector3(Math.sin(2 * t), t > 0.8 ? 0.5 : 0, 0.01 * Math.cos(60 * t))
    const recording = await bake(jiggle, {
      fps,
      duration: 2,
      drive(t) {
        bones[0]!.quaternion.copy(turned(t))
        bones[0]!.position.copy(moved(t))
      },
    })
    const rounded = (q: Quaternion) => quaternionAt(Float32Array.of(q.x, q.y, q.z, q.w), 0)
    const frames = Array.from({ length: 61 }, (_, i) => i / fps)
    /** The fewest keyframes, over all pairs of frames: how many it takes to each. */
    const fewest = (holds: (from: number, to: number) => boolean) => {
      const keys = [1]
      for (let to = 1; to < frames.length; to++) {
        keys[to] = Infinity
        for (let from = 0; from < to; from++)
          if (keys[from]! + 1 < keys[to]! && holds(from, to)) keys[to] = keys[from]! + 1
      }
      return keys.at(-1)!
    }
    const share = (from: number, frame: number, to: number) => (frame - from) / (to - from)
    for (const tolerance of [0.0002, 0.001, 0.01, 0.1]) {
      const within = (most: number) =>
        fewest((from, to) => {
          const [a, b] = [from, to].map((frame) => rounded(turned(frames[frame]!))) as [Quaternion, Quaternion]
          for (let frame = from; frame <= to; frame++) {
            const shown = a.clone().slerp(b, share(from, frame, to))
            if (angle(shown, turned(frames[frame]!)) > most) return false
          }
          return true
        })
      const clip = recording.toAnimationClip({ angle: tolerance, distance: tolerance })
      const keys = trackOf(clip, 'wild.quaternion').times.length
      expect(keys).toBeGreaterThanOrEqual(within(tolerance))
      expect(keys).toBeLessThanOrEqual(within(tolerance - 3e-6))
      const steps = fewest((from, to) => {
        const [a, b] = [moved(frames[from]!), moved(frames[to]!)]
        for (let frame = from; frame <= to; frame++) {
          const shown = a.clone().lerp(b, share(from, frame, to))
          if (shown.distanceTo(moved(frames[frame]!)) > tolerance) return false
        }
        return true
      })
      expect(trackOf(clip, 'wild.position').times.length).toBe(steps)
      const copy = group.clone()
      const wild = copy.getObjectByName('wild')!
      let [turn, way] = [0, 0]
      play(copy, clip, fps, 61, (frame) => {
        turn = Math.max(turn, angle(wild.quaternion, turned(frames[frame]!)))
        way = Math.max(way, wild.position.distanceTo(moved(frames[frame]!)))
      })
      expect(turn).toBeLessThanOrEqual(tolerance)
      if (keys < 61) expect(turn).toBeGreaterThan(tolerance / 10)
      expect(way).toBeLessThanOrEqual(tolerance)
    }
    // What stands still takes two.
    const still = recording.toAnimationClip()
    for (const name of ['tail.position', 'tail.scale', 'wild.scale']) expect(trackOf(still, name).times.length).toBe(2)
    jiggle.dispose()
  })

  it('a robot that walks and swings: baked against live, played on a fresh clone, and the file', async () => {
    const [fps, duration] = [30, 2]
    const baked = walker(limber)
    const recording = await bake(baked.jiggle, { fps, duration, drive: baked.drive })
    const live = walker(limber)
    const plain = walker(limber)
    plain.jiggle.dispose()
    const [skeleton] = recording.skeletons
    expect(skeleton!.name).toBe('jiggle')
    expect(skeleton!.nodes.filter(({ animated }) => animated).map(({ name }) => name)).toEqual(
      live.bones.map(({ name }) => name),
    )
    const poses: { quaternions: Quaternion[]; positions: Vector3[] }[] = []
    let swing = 0
    for (let frame = 0; frame <= fps * duration; frame++) {
      live.drive(frame / fps)
      plain.drive(frame / fps)
      live.jiggle.step(frame === 0 ? 0 : 1 / fps)
      poses.push({
        quaternions: live.bones.map(({ quaternion }) => quaternion.clone()),
        positions: live.bones.map(({ position }) => position.clone()),
      })
      live.bones.forEach((bone, b) => {
        swing = Math.max(swing, angle(bone.quaternion, plain.bones[b]!.quaternion))
        const node = skeleton!.nodes.find(({ name }) => name === bone.name)!
        expect(bone.quaternion.toArray()).toEqual([...node.quaternions.subarray(frame * 4, frame * 4 + 4)])
        expect(bone.position.toArray()).toEqual([...node.positions.subarray(frame * 3, frame * 3 + 3)])
        expect(bone.scale.toArray()).toEqual([...node.scales.subarray(frame * 3, frame * 3 + 3)])
      })
    }
    expect(swing).toBeGreaterThan(5 * DEGREE)

    const clip = recording.toAnimationClip()
    expect(clip.validate()).toBe(true)
    expect(clip.duration).toBe(2)
    const bytes = await recording.toGLB()
    const { report } = recording
    await expectValid(bytes)
    const onto = await recording.toGLB({ onto: robotFile })
    const [own, full] = [await parse(bytes), await parse(onto)]
    for (const [root, played] of [
      [SkeletonUtils.clone(robot.scene), clip],
      [SkeletonUtils.clone(robot.scene), own.animations[0]!],
      [own.scene, own.animations[0]!],
      [full.scene, full.animations.find(({ name }) => name === 'baked')!],
    ] as const) {
      const bones = live.bones.map(({ name }) => root.getObjectByName(name)!)
      let [turn, way] = [0, 0]
      play(root, played, fps, poses.length, (frame) => {
        bones.forEach((bone, b) => {
          turn = Math.max(turn, angle(bone.quaternion, poses[frame]!.quaternions[b]!))
          // The armature is a hundred times as large.
          way = Math.max(way, 100 * bone.position.distanceTo(poses[frame]!.positions[b]!))
        })
      })
      expect(turn).toBeLessThanOrEqual(BOUND)
      expect(turn).toBeCloseTo(report!.maxAngle, 5)
      expect(way).toBeLessThanOrEqual(0.0001)
    }
    const keys = own.animations[0]!.tracks.reduce((sum, { times }) => sum + times.length, 0)
    expect(report).toMatchObject({ bytes: bytes.byteLength, frames: 61, keys, targets: 0, maxError: 0, meanError: 0 })
    expect(report!.skeletons[0]).toMatchObject({ name: 'jiggle', tracks: live.bones.length * 3, keys })
    expect(report!.skeletons[0]!.bytes).toBeLessThan(bytes.byteLength)
    expect(report!.meanAngle).toBeLessThan(report!.maxAngle)
    expect(keys).toBeLessThan((live.bones.length * 3 * 61) / 2)

    // Looser: fewer keyframes, and that is not just said.
    await recording.toGLB({ angle: 0.01, distance: 0.01 })
    expect(recording.report!.keys).toBeLessThan(keys)
    expect(recording.report!.maxAngle).toBeGreaterThan(BOUND)
    expect(recording.report!.maxAngle).toBeLessThanOrEqual(0.01)
    for (const { jiggle } of [baked, live]) jiggle.dispose()
  })

  it('only what swings', async () => {
    const { jiggle, drive } = walker(limber)
    const recording = await bake(jiggle, { duration: 0.5, drive })
    const swinging = jiggle.bones.map(({ name }) => `${name}.quaternion`)
    const { tracks } = recording.toAnimationClip({ only: 'jiggle' })
    expect(tracks.map(({ name }) => name).sort()).toEqual(swinging.sort())
    const bytes = await recording.toGLB({ only: 'jiggle', onto: robotFile, name: 'swing' })
    expect(recording.report!.skeletons[0]!.tracks).toBe(swinging.length)
    const { animations } = await parse(bytes)
    expect(animations.find(({ name }) => name === 'swing')!.tracks.length).toBe(swinging.length)
    jiggle.dispose()
  })

  describe('K7: a looped clip', () => {
    /** How far the pose is from itself at two frames: the largest angle of a bone. */
    const motion = ({ skeletons }: Recording, i: number, j: number) =>
      Math.max(...skeletons[0]!.nodes.map((n) => angle(quaternionAt(n.quaternions, i), quaternionAt(n.quaternions, j))))
    /** How unevenly a bone turns from frame to frame over three of them: the largest change of its rotation in a frame. */
    const kink = ({ skeletons }: Recording, i: number, j: number, k: number) =>
      Math.max(
        ...skeletons[0]!.nodes.map(({ quaternions }) => {
          const [a, b, c] = [i, j, k].map((frame) => quaternionAt(quaternions, frame)) as [
            Quaternion,
            Quaternion,
            Quaternion,
          ]
          return angle(a.conjugate().multiply(b), b.clone().conjugate().multiply(c))
        }),
      )
    const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1]!

    const walk = robot.animations.find(({ name }) => name === 'Walking')!.duration
    it.each([
      ['of a clip as long, settled', 'Walking', { duration: walk, warmup: 3 }, true],
      ['out of the middle of a motion', 'Dance', { duration: 1.3, warmup: 0 }, false],
    ])('%s', async (_, clipName, lengths, settled) => {
      const { jiggle, drive } = walker(limber, clipName)
      const recording = await bake(jiggle, { ...lengths, loop: true, drive })
      const last = recording.frames - 1
      expect(recording.duration).toBeCloseTo(lengths.duration, 12)
      expect(Math.abs(recording.fps - 30)).toBeLessThan(1)
      const clip = recording.toAnimationClip()
      const bytes = await recording.toGLB()
      await expectValid(bytes)
      for (const { tracks, duration } of [clip, (await parse(bytes)).animations[0]!]) {
        expect(duration).toBe(Math.fround(lengths.duration))
        for (const { name, times, values } of tracks) {
          const size = values.length / times.length
          expect([times[0], times.at(-1)], name).toEqual([0, Math.fround(duration)])
          expect([...values.slice(-size)], name).toEqual([...values.slice(0, size)])
        }
      }
      const frames = Array.from({ length: last }, (_, i) => i)
      const middle = median(frames.map((i) => motion(recording, i, i + 1)))
      expect(motion(recording, last, 0)).toBe(0)
      // It goes on as it came: no kink there that is not elsewhere.
      const kinks = frames.slice(1).map((i) => kink(recording, i - 1, i, i + 1))
      const seam = kink(recording, last - 1, 0, 1)
      expect(seam).toBeLessThanOrEqual(Math.max(...kinks))
      const again = walker(limber, clipName)
      const plain = await bake(again.jiggle, { ...lengths, fps: recording.fps, drive: again.drive })
      const gap = motion(plain, last, 0)
      if (settled) {
        // Nothing was left to fade.
        expect(gap).toBeLessThan(BOUND)
        recording.skeletons[0]!.nodes.forEach(({ quaternions }, n) => {
          const unlooped = plain.skeletons[0]!.nodes[n]!.quaternions
          for (const i of frames)
            expect(angle(quaternionAt(quaternions, i), quaternionAt(unlooped, i))).toBeLessThan(BOUND)
        })
      } else {
        expect(gap).toBeGreaterThan(middle)
        // Rotations are half a turn apart at most, and 15 frames fade them: a tenth of that a frame where it goes fastest.
        const fastest = (of: Recording) => Math.max(...frames.map((i) => motion(of, i, i + 1)))
        expect(fastest(recording)).toBeLessThan(fastest(plain) + Math.PI / 10)
      }
      again.jiggle.dispose()
      jiggle.dispose()
    })

    it('fades in the end, and leaves the rest as it is', async () => {
      const options: BakeOptions = { duration: 1, warmup: 1 }
      const [plain, looped] = [walker(limber, 'Dance'), walker(limber, 'Dance')]
      const before = await bake(plain.jiggle, { ...options, drive: plain.drive })
      const after = await bake(looped.jiggle, { ...options, loop: 0.2, drive: looped.drive })
      expect([after.frames, after.fps]).toEqual([31, 30])
      const of = ({ skeletons }: Recording, frame: number) =>
        skeletons[0]!.nodes.flatMap((n) => [
          ...n.quaternions.subarray(frame * 4, frame * 4 + 4),
          ...n.positions.subarray(frame * 3, frame * 3 + 3),
        ])
      for (let frame = 0; frame <= 24; frame++) expect(of(after, frame)).toEqual(of(before, frame))
      for (let frame = 25; frame <= 30; frame++) expect(of(after, frame)).not.toEqual(of(before, frame))
      for (const { jiggle } of [plain, looped]) jiggle.dispose()
    })

    it('of a bone that turns round once ends on the same rotation, with neighbouring signs', async () => {
      const { bones } = character('spin', 'tail')
      const jiggle = new JiggleBones(limber, [bones[1]!])
      const drive = (t: number) => bones[0]!.quaternion.copy(about(Y, 2 * Math.PI * t))
      const recording = await bake(jiggle, { duration: 1, loop: true, drive })
      const { times, values } = trackOf(recording.toAnimationClip(), 'spin.quaternion')
      for (let k = 1; k < times.length; k++) expect(dot(values, k - 1, k)).toBeGreaterThanOrEqual(0)
      // A whole turn is minus one.
      expect(
        quaternionAt(values, times.length - 1)
          .toArray()
          .map((n) => 0 - n),
      ).toEqual(quaternionAt(values, 0).toArray())
      jiggle.dispose()
    })

    it('with a cloth', async () => {
      const { jiggle, drive } = walker(limber)
      const flag = Cloth.grid(limber, { columns: 6, rows: 6, pinned: 'left', floor: null })
      const recording = await bake(
        { flag, jiggle },
        { duration: 0.8, loop: 0.3, drive: (t) => (drive(t), flag.wind.set(5 * Math.sin(3 * t), 0, 4)) },
      )
      const { positions, normals } = recording.meshes[0]!
      expect([positions.length, normals.length]).toEqual([25, 25])
      expect(positions[24]).toEqual(positions[0])
      expect(normals[24]).toEqual(normals[0])
      for (const normal of normals) {
        for (let i = 0; i < normal.length; i += 3) {
          expect(Math.hypot(normal[i]!, normal[i + 1]!, normal[i + 2]!)).toBeCloseTo(1, 5)
        }
      }
      await expectValid(await recording.toGLB())
      for (const simulation of [flag, jiggle]) simulation.dispose()
    })
  })

  it('issue: the motion of a root without a name was lost', async () => {
    const [root, bone] = [new Object3D(), Object.assign(new Bone(), { name: 'bone' })]
    bone.position.y = 0.2
    root.add(bone)
    const jiggle = new JiggleBones(limber, [bone])
    const options = { duration: 0.2, root, drive: (t: number) => void (root.position.y = t) }
    await expect(bake(jiggle, options)).rejects.toThrow(/moved and has no name of its own \(""\)/)
    root.name = 'body'
    const clip = (await bake(jiggle, options)).toAnimationClip()
    expect(clip.tracks.map((track) => track.name)).toContain('body.position')
    jiggle.dispose()
  })

  it('issue: onto a file whose extras have other names, it moved a mesh', async () => {
    const { jiggle, drive } = walker(limber)
    const recording = await bake(jiggle, { duration: 0.5, drive })
    const { json } = taken(await recording.toGLB({ onto: robotFile }))
    const channels = json.animations.at(-1).channels as { target: { node: number } }[]
    const joints = new Set(json.skins.flatMap((skin: { joints: number[] }) => skin.joints))
    const others = new Set(channels.map(({ target }) => target.node).filter((node) => !joints.has(node)))
    // What else moves stands above the joints, and has no mesh.
    for (const node of others) expect(json.nodes[node].mesh, json.nodes[node].name).toBe(undefined)
  })

  it('K8: onto a file, which stays as it is', async () => {
    const { jiggle, drive } = walker(limber)
    const recording = await bake(jiggle, { duration: 1, drive })
    const before = await issues(robotFile)
    const plain = await recording.toGLB({ onto: robotFile })
    const after = await issues(plain)
    expect([after.errors, after.warnings], after.messages).toEqual([before.errors, before.warnings])

    // With an extension that nobody knows, a chunk that nobody knows, and a moved node that has a matrix.
    const tail = Uint8Array.of(4, 0, 0, 0, 0x58, 0x58, 0x58, 0x58, 1, 2, 3, 4)
    const file = patched(
      robotFile,
      (json) => {
        json.extensionsUsed = ['ACME_tails']
        json.extensions = { ACME_tails: { long: [1, 2, 3] } }
        const head = json.nodes.find(({ name }: { name: string }) => name === 'Head')
        for (const key of ['translation', 'rotation', 'scale']) delete head[key]
        head.matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.5, 2, 0, 1]
      },
      tail,
    )
    const bytes = await recording.toGLB({ onto: file, name: 'walk' })
    expect(recording.report!.bytes).toBe(bytes.byteLength)
    const [old, now] = [taken(file), taken(bytes)]
    expect(now.rest).toEqual(tail)
    expect(now.binary.slice(0, old.binary.length)).toEqual(old.binary)
    expect(now.json.animations.at(-1).name).toBe('walk')
    const head = now.json.nodes.find(({ name }: { name: string }) => name === 'Head')
    expect([head.matrix, head.translation, head.scale]).toEqual([undefined, [0.5, 2, 0], [1, 1, 1]])
    expect(angle(new Quaternion(...head.rotation), about(new Vector3(0, 0, 1), Math.PI / 2))).toBeLessThan(1e-7)
    for (const list of ['accessors', 'bufferViews', 'animations']) now.json[list].length = old.json[list].length
    now.json.buffers[0].byteLength = old.json.buffers[0].byteLength
    for (const { json } of [old, now]) {
      for (const key of ['matrix', 'translation', 'rotation', 'scale']) {
        delete json.nodes.find(({ name }: { name: string }) => name === 'Head')[key]
      }
    }
    expect(now.json).toEqual(old.json)

    for (const [onto, message] of [
      [plain, /^onto has an animation named "baked": give another name$/],
      [
        patched(robotFile, (json) => (json.nodes.find((n: { name: string }) => n.name === 'Neck').name = 'Nape')),
        /^onto has no node named "Neck"$/,
      ],
      [
        patched(robotFile, (json) => (json.nodes.find((n: { name: string }) => n.name === 'Neck').name = 'Head')),
        /^onto has (2 nodes named "Head": names must tell bones apart|no node named "Neck")$/,
      ],
      [
        patched(robotFile, (json) => (json.buffers[0].uri = 'robot.bin')),
        /^onto must hold its buffer itself, .*"robot\.bin"$/,
      ],
      [robotFile.slice(0, 1000), /^onto must be a GLB file \(glTF 2\.0\), and is cut off$/],
      [new Uint8Array(100), /^onto must be a GLB file \(glTF 2\.0\), and is another kind of file$/],
    ] as const) {
      const error = await fault(recording.toGLB({ onto }))
      expect([error.code, error.message]).toEqual(['invalid-input', expect.stringMatching(message)])
    }
    jiggle.dispose()
  })

  it('onto a file that has nothing but bones', async () => {
    const { bones } = character('hips', 'tail', 'tip')
    const jiggle = new JiggleBones(limber, [bones[1]!])
    const turned = (t: number) => about(X, 2 * t)
    const recording = await bake(jiggle, { duration: 1, drive: (t) => bones[0]!.quaternion.copy(turned(t)) })
    const nodes = [{ name: 'hips', children: [1] }, { name: 'tail', children: [2] }, { name: 'tip' }]
    const text = JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes })
    const json = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4))
    const file = new Uint8Array(20 + json.length)
    const view = new DataView(file.buffer)
    ;[0x46546c67, 2, file.length, json.length, 0x4e4f534a].forEach((word, i) => view.setUint32(i * 4, word, true))
    file.set(json, 20)
    const bytes = await recording.toGLB({ onto: file })
    await expectValid(bytes)
    const gltf = await parse(bytes)
    const hips = gltf.scene.getObjectByName('hips')!
    play(gltf.scene, gltf.animations[0]!, 30, 31, (frame) =>
      expect(angle(hips.quaternion, turned(frame / 30))).toBeLessThanOrEqual(BOUND),
    )
    jiggle.dispose()
  })

  it('cloth and bones in one file, onto another too', async () => {
    const { jiggle, drive, scene } = walker(limber)
    const cape = Cloth.grid(limber, { columns: 5, rows: 5, pinned: 'top', floor: null })
    const both = (t: number) => (drive(t), cape.wind.set(0, 0, 6 * Math.sin(4 * t)))
    const recording = await bake({ cape, loose: jiggle }, { duration: 1, drive: both })
    const bytes = await recording.toGLB()
    await expectValid(bytes)
    const onto = await recording.toGLB({ onto: robotFile })
    const [before, after] = [await issues(robotFile), await issues(onto)]
    expect([after.errors, after.warnings], after.messages).toEqual([before.errors, before.warnings])
    expect(recording.report).toMatchObject({ meshes: [{ name: 'cape' }], skeletons: [{ name: 'loose' }] })
    for (const gltf of [await parse(bytes), await parse(onto)]) {
      const clip = gltf.animations.at(-1)!
      const mesh = gltf.scene.getObjectByName('cape') as Mesh
      const neck = gltf.scene.getObjectByName('Neck')!
      const node = recording.skeletons[0]!.nodes.find(({ name }) => name === 'Neck')!
      const place = new Vector3()
      play(gltf.scene, clip, 30, 31, (frame) => {
        expect(angle(neck.quaternion, quaternionAt(node.quaternions, frame))).toBeLessThanOrEqual(BOUND)
        for (let v = 0; v < 25; v++) {
          const recorded = new Vector3().fromArray(recording.meshes[0]!.positions[frame]!, v * 3)
          const shown = mesh.localToWorld(mesh.getVertexPosition(v, place))
          expect(shown.distanceTo(recorded)).toBeLessThanOrEqual(0.001 + 1e-6)
        }
      })
    }
    const clip = recording.toAnimationClip()
    expect(trackOf(clip, 'cape.morphTargetInfluences').times.length).toBeGreaterThan(1)
    expect(trackOf(clip, 'Neck.quaternion').times.length).toBeGreaterThan(1)
    expect(recording.toAnimationClip({ name: 'cape' }).tracks.length).toBe(1)
    expect(recording.toGeometry().morphAttributes.position!.length).toBeGreaterThan(0)
    // A list has names by kind and place; what is refused is named by them.
    cape.paused = true
    expect((await fault(bake([jiggle, cape], { duration: 1 }))).message).toMatch(/^simulations\.cloth1 is paused/)
    cape.paused = false
    jiggle.paused = true
    expect((await fault(bake([cape, jiggle], { duration: 1 }))).message).toMatch(/^simulations\.jiggle1 is paused/)
    jiggle.paused = false
    expect(scene.getObjectByName('cape')).toBeUndefined()
    for (const simulation of [cape, jiggle]) simulation.dispose()
  })

  it('several on one character are one skeleton, and two characters are two', async () => {
    const one = walker(limber)
    one.jiggle.dispose()
    const bone = (name: string) => one.scene.getObjectByName(name)!
    const [left, right] = ['UpperArmL', 'UpperArmR'].map((name) => new JiggleBones(limber, [bone(name)]))
    const two = walker(limber)
    const drive = (t: number) => (one.drive(t), two.drive(t))
    const recording = await bake({ left: left!, right: right!, other: two.jiggle }, { duration: 0.5, drive })
    expect(recording.skeletons.map(({ name }) => name)).toEqual(['left', 'other'])
    expect(recording.skeletons[0]!.nodes.filter(({ swings }) => swings).length).toBe(
      left!.bones.length + right!.bones.length,
    )
    const error = refusal(() => recording.toAnimationClip())
    expect([error.code, error.message]).toEqual([
      'invalid-input',
      'left and other both have a bone named "Bone": give the name of one of them',
    ])
    const [first, second] = ['left', 'other'].map((name) => recording.toAnimationClip({ name }))
    expect(first!.tracks.map(({ name }) => name)).toEqual(second!.tracks.map(({ name }) => name))
    expect(trackOf(first!, 'Head.quaternion').values).not.toEqual(trackOf(second!, 'Head.quaternion').values)
    expect(refusal(() => recording.toAnimationClip({ name: 'right' })).message).toBe(
      'name must be one of left, other, got "right"',
    )
    await expectValid(await recording.toGLB())
    expect((await fault(recording.toGLB({ onto: robotFile }))).message).toMatch(/^onto has one node "Bone", and two/)
    for (const jiggle of [left!, right!, two.jiggle]) jiggle.dispose()
  })

  it('from a root down: plain nodes, and what hangs on bones and moves', async () => {
    const { group, bones } = character('hips', 'chest', 'antenna')
    group.name = 'actor'
    const named = (name: string, parent: Object3D) => {
      const object = Object.assign(new Object3D(), { name })
      parent.add(object)
      return object
    }
    const [fan, rock, nameless] = [named('fan', bones[1]!), named('rock', bones[1]!), named('', bones[1]!)]
    const jiggle = new JiggleBones(limber, [bones[2]!])
    const drive = (t: number) => {
      group.position.x = t
      fan.quaternion.copy(about(X, t))
      nameless.position.y = t
    }
    const names = ({ skeletons }: Recording) =>
      skeletons[0]!.nodes.filter(({ animated }) => animated).map(({ name }) => name)
    const recording = await bake(jiggle, { duration: 0.5, drive })
    expect(names(recording)).toEqual(['hips', 'chest', 'antenna', 'fan'])
    const whole = await bake(jiggle, { duration: 0.5, root: group, drive })
    expect(names(whole)).toEqual(['actor', 'hips', 'chest', 'antenna', 'fan'])
    expect(trackOf(whole.toAnimationClip(), 'actor.position').values.at(-3)).toBeCloseTo(0.5, 6)
    await expectValid(await whole.toGLB())
    for (const [root, message] of [
      [rock, 'root must be above all bones of simulations.jiggle, and is not above "antenna"'],
      [{}, 'root must be an Object3D, got an object'],
      [null, 'root must be an Object3D, got null'],
    ] as const) {
      const error = await fault(bake(jiggle, { duration: 0.5, root: root as never }))
      expect([error.code, error.message]).toEqual(['invalid-option', message])
    }
    jiggle.dispose()

    // Files without a skin have no bones.
    const stalk = named('stalk', new Group())
    const leaf = named('leaf', stalk)
    leaf.position.y = 0.3
    const plain = new JiggleBones(limber, [stalk])
    const swung = await bake(plain, {
      duration: 0.5,
      warmup: 0,
      drive: (t) => (stalk.parent!.position.x = Math.sin(9 * t)),
    })
    expect(names(swung)).toEqual(['stalk', 'leaf'])
    plain.dispose()
  })

  it('slow frames and slow chains drop no time', async () => {
    for (const [fps, rate] of [
      [7, 120],
      [12, 30],
      [24, 1000],
    ] as const) {
      const { group, bones } = character('hips', 'tail', 'tip')
      const jiggle = new JiggleBones(limber, [{ bones: bones[1]!, rate }])
      await bake(jiggle, { fps, duration: 2, drive: (t) => (group.position.x = Math.sin(5 * t)) })
      expect(jiggle.time).toBeCloseTo(Math.floor((Math.round(2 * fps) / fps) * rate + 1e-6) / rate, 9)
      jiggle.dispose()
    }
  })

  it('names what it refuses', async () => {
    const { group, bones } = character('hips', 'tail', 'tip')
    const jiggle = new JiggleBones(limber, [bones[1]!])
    const short = { duration: 0.1 }
    for (const [options, message] of [
      [{ duration: 1, loop: 'fade' }, /^loop must be 'crossfade', 'periodic', .*, got "fade"$/],
      [{ duration: 1, loop: 2 }, /^loop must be .* got 2$/],
      [{ duration: 1, loop: 0 }, /^loop must be .* got 0$/],
      [{ duration: 1, lop: true }, /^lop is no option of bake; known: fps, .*, signal, root$/],
    ] as const) {
      const error = await fault(bake(jiggle, options as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
    }
    expect((await fault(bake([jiggle, jiggle], short))).message).toBe('simulations.jiggle0 is given more than once')
    jiggle.enabled = false
    expect((await fault(bake(jiggle, short))).message).toBe(
      'simulations.jiggle is not enabled, and would not swing: set enabled = true',
    )
    jiggle.enabled = true

    const recording = await bake(jiggle, short)
    for (const [options, message] of [
      [{ angle: 0 }, /^angle must be a number from 0.00001 to 0.1 \(rad\), got 0$/],
      [{ distance: NaN }, /^distance must be a number from 0.000001 to 1 \(m\), got NaN$/],
      [{ ratio: 1 }, /^ratio must be a number from 0.000001 to 0.1, got 1$/],
      [{ only: 'clip' }, /^only must be 'jiggle' or left out, got "clip"$/],
      [
        { tolerance: 0.1 },
        /^tolerance is no option of (toGLB|toAnimationClip); known: angle, distance, ratio, only, name/,
      ],
    ] as const) {
      for (const error of [
        await fault(recording.toGLB(options as never)),
        refusal(() => recording.toAnimationClip(options as never)),
      ]) {
        expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      }
    }
    expect((await fault(recording.toGLB({ onto: 'robot.glb' as never }))).message).toBe(
      'onto must be a Uint8Array, got "robot.glb"',
    )
    expect(refusal(() => recording.toGeometry()).message).toBe('there is no mesh: no cloth was recorded')

    const wrong = async (names: [string, string, string], message: string) => {
      names.forEach((name, i) => (bones[i]!.name = name))
      const error = await fault(bake({ tails: jiggle }, short))
      expect([error.code, error.message]).toEqual(['invalid-input', message])
    }
    const why = ': clips and files find bones by their names'
    await wrong(['hips', '', 'tip'], `simulations.tails has a bone without a name below "hips"${why}`)
    await wrong(['hips', 'tail', 'tail'], `simulations.tails has two objects named "tail" below "hips"${why}`)
    // Another object would be found first.
    bones[0]!.children.unshift(Object.assign(new Object3D(), { name: 'tip', parent: bones[0] }))
    await wrong(['hips', 'tail', 'tip'], `simulations.tails has two objects named "tip" below "hips"${why}`)
    bones[0]!.children.shift()
    // It may be recorded after that, and names that only tracks cannot have go into a file.
    bones[1]!.name = 'rig:tail'
    const odd = await bake(jiggle, short)
    const error = refusal(() => odd.toAnimationClip())
    expect([error.code, error.message]).toEqual([
      'invalid-input',
      'the bone "rig:tail" has a name that tracks of clips cannot have ("rigtail" is one): rename it, or write a GLB',
    ])
    await expectValid(await odd.toGLB())

    const broken = await fault(bake(jiggle, { duration: 1, drive: (t) => t > 0.5 && bones[0]!.position.setX(NaN) }))
    expect(broken.code).toBe('invalid-input')
    bones[0]!.position.setX(0)
    expect(group.children.length).toBe(1)
    jiggle.dispose()
  })
})

describe('the same bits', () => {
  it('of bones, from the addon, its pool, and the WebAssembly', async () => {
    const files: Uint8Array[] = []
    for (const load of Object.values(backends)) {
      const limber = await load()
      const { jiggle, drive } = walker(limber, 'Running')
      const recording = await bake(jiggle, { duration: 1, warmup: 1, loop: true, drive })
      files.push(await recording.toGLB({ onto: robotFile }))
      limber.dispose()
    }
    expect(files[1]).toEqual(files[0])
    expect(files[2]).toEqual(files[0])
  })
})
