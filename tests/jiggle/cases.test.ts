import { JiggleBones, type Backend } from 'limber'
import {
  AnimationClip,
  AnimationMixer,
  Euler,
  Group,
  Matrix4,
  Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Vector3,
  VectorKeyframeTrack,
} from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { angleBetween, makeChain, placeOf, poseOf, tipAt } from './chain.mjs'
import { JiggleReference, type Frame, type ReferenceOptions } from './jiggle-reference.mjs'
import { loadModel } from './load-model.mjs'

const FRAME = 1 / 60
const LENGTH = 0.1
const DEGREE = Math.PI / 180
const RATES = [30, 60, 120, 144, 240]
/** Rests and axes that look along no axis. */
const SKEWED = {
  tips: [
    [0.1, 0, 0],
    [0.03, -0.05, 0.08],
    [0, 0, -0.1],
  ],
  rests: [
    [0.2, -0.3, 0.1],
    [1.2, 0.4, -0.7],
    [-0.5, 2, 0.3],
  ].map(([x, y, z]) => new Quaternion().setFromEuler(new Euler(x, y, z)).toArray()),
}

/** Numbers from 0 to 1. */
function randoms(seed: number) {
  let state = seed
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

/** Times at which frames end, over whole seconds. */
const steady = (rate: number, seconds: number) => Array.from({ length: rate * seconds }, (_, f) => (f + 1) / rate)

/** Frames of 1/60 s ± 50 %. With `onGrid`, every other one ends on a multiple of 1/30 s; else only whole seconds are met. */
function jittered(seconds: number, onGrid: boolean) {
  const random = randoms(7)
  const times: number[] = []
  if (onGrid) {
    for (let k = 0; k < seconds * 30; k++) times.push((k + 0.25 + 0.5 * random()) / 30, (k + 1) / 30)
    return times
  }
  for (let s = 0; s < seconds; s++) {
    for (let t = (0.5 + random()) / 60; t < 1 - 0.5 / 60; t += (0.5 + random()) / 60) times.push(s + t)
    times.push(s + 1)
  }
  return times
}

/** Frames that end at `times`, with the root at `x(t)`. */
const framesOf = (times: number[], x: (t: number) => number): (Frame & { end: number })[] =>
  times.map((end, f) => ({ end, dt: end - (times[f - 1] ?? 0), position: [x(end), 1, 0] }))

/** Still for a second, then 0.1 m to and fro, twice a second. */
const smooth = (t: number) => (t < 1 ? 0 : 0.1 * Math.sin(4 * Math.PI * (t - 1)))
/** The same, straight between multiples of 1/30 s. */
const straight = (t: number) => {
  const k = Math.floor(t * 30 + 1e-6)
  return smooth(k / 30) + (smooth((k + 1) / 30) - smooth(k / 30)) * (t * 30 - k)
}

/** Zero crossings a second and the first peak after `after` seconds, of samples around 0. */
function oscillation(times: number[], values: number[], after: number) {
  const crossings: number[] = []
  let peak = NaN
  for (let i = 1; i < values.length; i++) {
    const [before, at] = [values[i - 1]!, values[i]!]
    if (before * at < 0) crossings.push(times[i - 1]! + ((times[i]! - times[i - 1]!) * before) / (before - at))
    const next = values[i + 1]
    if (!Number.isNaN(peak) || times[i]! < after || next === undefined) continue
    if (Math.abs(at) < Math.abs(before) || Math.abs(at) < Math.abs(next)) continue
    // The top of the parabola through three samples.
    const bend = before - 2 * at + next
    peak = Math.abs(at - (next - before) ** 2 / (8 * bend))
  }
  return { frequency: (crossings.length - 1) / 2 / (crossings.at(-1)! - crossings[0]!), peak }
}

describe.each(Object.entries(backends))('jiggle bones on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const swing = (made: ReturnType<typeof makeChain>, options = {}, gravity?: Vector3) => {
    const jiggle = new JiggleBones(limber, [{ bones: made.bones, tip: made.tip }], options)
    if (gravity) jiggle.gravity.copy(gravity)
    return jiggle
  }

  /** Runs Limber and the reference through the same frames: Limber's tips at whole seconds, and how far the two are apart. */
  function follow(tips: number[][], frames: (Frame & { end: number })[], options: ReferenceOptions = {}) {
    const made = makeChain(tips)
    const jiggle = swing(made, options)
    const reference = new JiggleReference({ tips }, options)
    const seconds: Vector3[][] = []
    let apart = 0
    for (const frame of frames) {
      made.root.position.fromArray(frame.position)
      jiggle.step(frame.dt)
      reference.frame(frame)
      const found = tips.map((_, b) => tipAt(jiggle.tips, b))
      found.forEach((tip, b) => (apart = Math.max(apart, tip.distanceTo(reference.tips[b]!))))
      if (Number.isInteger(frame.end) && frame.end > 1) seconds.push(found)
    }
    jiggle.dispose()
    return { seconds, apart }
  }

  it('J1: frequency and amplitude do not depend on the frame rate', () => {
    const tilt = 0.2
    // It is held tilted for a second, and let go in 1/30 s, which all rates can tell.
    const angle = (t: number) => tilt * Math.min(1, Math.max(0, 1 - (t - 1) * 30))
    const options = { damping: 0.005, gravity: [0, 0, 0] }
    const turn = (t: number) => new Quaternion().setFromEuler(new Euler(0, 0, angle(t)))
    const measure = (rate: number, tipAfter: (end: number, dt: number) => Vector3) => {
      const times = steady(rate, 4)
      const values = times.map((t) => {
        const { x, y } = tipAfter(t, 1 / rate)
        return Math.atan2(-x, y) - angle(t)
      })
      const from = times.findIndex((t) => t > 1.1)
      return oscillation(times.slice(from), values.slice(from), 2)
    }
    const reference = new JiggleReference({ tips: [[0, LENGTH, 0]] }, options)
    const wanted = measure(120, (t, dt) => {
      reference.frame({ dt, position: [0, 0, 0], quaternion: turn(t).toArray() })
      return reference.tips[0]!
    })
    expect(wanted.frequency).toBeGreaterThan(2.5)
    expect(wanted.peak).toBeGreaterThan(0.01)
    for (const rate of [30, 60, 120, 240]) {
      const made = makeChain([[0, LENGTH, 0]])
      const jiggle = swing(made, { damping: 0.005 }, new Vector3())
      const found = measure(rate, (t, dt) => {
        made.root.quaternion.copy(turn(t))
        jiggle.step(dt)
        return tipAt(jiggle.tips)
      })
      expect(Math.abs(found.frequency / wanted.frequency - 1), `frequency at ${rate} Hz`).toBeLessThan(0.005)
      expect(Math.abs(found.peak / wanted.peak - 1), `amplitude at ${rate} Hz`).toBeLessThan(0.02)
      jiggle.dispose()
    }
  })

  it.each([240, 1000])('J2: a still root at %i Hz', (rate) => {
    const made = makeChain([[0, LENGTH, 0]])
    made.root.position.set(0.3, 1, 0.2)
    const jiggle = swing(made)
    for (let f = 0; f < rate * 5; f++) jiggle.step(1 / rate)
    const [low, high] = [tipAt(jiggle.tips), tipAt(jiggle.tips)]
    for (let f = 0; f < rate * 10; f++) {
      jiggle.step(1 / rate)
      low.min(tipAt(jiggle.tips))
      high.max(tipAt(jiggle.tips))
    }
    expect(high.distanceTo(low) / LENGTH).toBeLessThan(1e-5)
    jiggle.dispose()
  })

  it('J5: the scale of the armature changes no angle', () => {
    const rigs = [0.01, 1, 10].map((scale) => {
      const made = makeChain(
        SKEWED.tips.map((tip) => tip.map((v) => v / scale)),
        SKEWED.rests,
      )
      const outside = new Object3D()
      const armature = new Group()
      armature.scale.setScalar(scale)
      outside.add(armature.add(made.root))
      return { ...made, outside, jiggle: swing(made) }
    })
    let most = 0
    for (let f = 0; f < 180; f++) {
      for (const { outside, jiggle } of rigs) {
        outside.position.set(0.3 * Math.sin(f * 0.1), 1, 0.2 * Math.cos(f * 0.07))
        outside.rotation.set(0, 0.5 * Math.sin(f * 0.05), 0.3 * Math.sin(f * 0.08))
        jiggle.step(FRAME)
      }
      for (const { bones } of [rigs[0]!, rigs[2]!])
        bones.forEach((bone, b) => {
          const apart = angleBetween(bone.quaternion, rigs[1]!.bones[b]!.quaternion)
          expect(apart, `bone ${b}, frame ${f}`).toBeLessThan(1e-4)
        })
      most = Math.max(most, angleBetween(rigs[1]!.bones[0]!.quaternion, new Quaternion().fromArray(SKEWED.rests[0]!)))
    }
    expect(most).toBeGreaterThan(0.05)
    for (const { jiggle } of rigs) jiggle.dispose()
  })

  it.each(['announced', 'announced without a matrix', 'unannounced'])('J7: a jump of 100 m, %s', (how) => {
    const made = makeChain([
      [0, LENGTH, 0],
      [0, LENGTH, 0],
    ])
    const jiggle = swing(made, {}, new Vector3())
    for (let f = 0; f < 30; f++) jiggle.step(FRAME)
    made.root.position.x += 100
    if (how === 'announced') jiggle.teleport(new Matrix4().makeTranslation(100, 0, 0))
    if (how === 'announced without a matrix') jiggle.teleport()
    for (let f = 0; f < 60; f++) {
      jiggle.step(FRAME)
      for (const bone of made.bones) expect(angleBetween(bone.quaternion, new Quaternion())).toBeLessThan(0.02 * DEGREE)
    }
    jiggle.dispose()
  })

  it('J8: one frame of 60 s', () => {
    const made = makeChain([[0, LENGTH, 0]])
    const jiggle = swing(made, {}, new Vector3())
    jiggle.step(FRAME)
    made.root.rotation.z = 0.3
    for (let f = 0; f < 3; f++) jiggle.step(FRAME)
    // Half a swing, all of whose energy is in the largest angle.
    let before = 0
    for (let f = 0; f < 20; f++) {
      jiggle.step(FRAME)
      before = Math.max(before, angleBetween(made.bones[0]!.quaternion, new Quaternion()))
    }
    expect(before).toBeGreaterThan(0.02)
    expect(jiggle.step(60)).toBeLessThanOrEqual(jiggle.maxSteps)
    for (let f = 0; f < 120; f++) {
      const angle = angleBetween(made.bones[0]!.quaternion, new Quaternion())
      expect(angle).toBeLessThanOrEqual(before)
      jiggle.step(FRAME)
    }
    jiggle.dispose()
  })

  describe('J10', () => {
    /** Runs for two seconds; every bone keeps its length, and all is finite. */
    const hold = (made: ReturnType<typeof makeChain>, jiggle: JiggleBones) => {
      for (let f = 0; f < 120; f++) {
        jiggle.step(FRAME)
        expect(jiggle.tips.every(Number.isFinite), `frame ${f}`).toBe(true)
        made.root.updateMatrixWorld(true)
        made.bones.forEach((bone, b) => {
          expect(poseOf(bone).every(Number.isFinite), `bone ${b}, frame ${f}`).toBe(true)
          const long = (made.bones[b + 1]?.position ?? made.tip).length()
          const length = tipAt(jiggle.tips, b).distanceTo(placeOf(bone))
          expect(Math.abs(length - long), `bone ${b}, frame ${f}`).toBeLessThan(1e-5 * LENGTH + 3e-7)
        })
      }
      jiggle.dispose()
    }

    it.each([0, 1, 2])('bone %i has no length', (dead) => {
      const tips = [0, 1, 2].map((b) => (b === dead ? [0, 0, 0] : [0, LENGTH, 0]))
      const made = makeChain(tips)
      made.root.rotation.z = 0.5
      hold(made, swing(made))
    })

    it('a tip is exactly opposite to its rest', () => {
      const made = makeChain([[0, LENGTH, 0]])
      const jiggle = swing(made, { interpolate: false, teleportAngle: null }, new Vector3())
      jiggle.step(FRAME)
      made.root.quaternion.set(0, 0, 1, 0)
      jiggle.step(1 / 120)
      expect(tipAt(jiggle.tips).distanceTo(new Vector3(0, LENGTH, 0))).toBeLessThan(2 * LENGTH)
      hold(made, jiggle)
    })

    it('a collider is centred on a tip', () => {
      const made = makeChain([
        [0, LENGTH, 0],
        [0, LENGTH, 0],
      ])
      const center = [0, 2 * LENGTH, 0] as const
      const jiggle = new JiggleBones(limber, [{ bones: made.bones, tip: made.tip, radius: 0.01 }], {
        colliders: [{ kind: 'sphere', center, radius: 0.05 }],
      })
      jiggle.gravity.set(0, 0, 0)
      hold(made, jiggle)
    })
  })

  it('J11: only the clone moves', async () => {
    const { scene } = await loadModel('RobotExpressive.glb')
    scene.updateMatrixWorld(true)
    const objects: Object3D[] = []
    scene.traverse((object) => void objects.push(object))
    const numbers = () =>
      objects.flatMap((object) => [...poseOf(object), ...object.matrix.elements, ...object.matrixWorld.elements])
    const before = numbers()
    const copy = SkeletonUtils.clone(scene)
    const bone = copy.getObjectByName('Head')!
    const jiggle = new JiggleBones(limber, [bone, copy.getObjectByName('Middle1L')!])
    for (let f = 0; f < 60; f++) {
      copy.position.x = 0.3 * Math.sin(f * 0.2)
      jiggle.step(FRAME)
    }
    expect(poseOf(bone)).not.toEqual(poseOf(scene.getObjectByName('Head')!))
    expect(numbers()).toEqual(before)
    jiggle.dispose()
  })

  /** A chain that looks elsewhere, under a clip. */
  function animated(clip: AnimationClip) {
    const made = makeChain(SKEWED.tips, SKEWED.rests)
    const scene = new Group()
    made.root.name = 'root'
    scene.add(made.root)
    const mixer = new AnimationMixer(scene)
    return { ...made, mixer, action: mixer.clipAction(clip).play() }
  }

  /** Two copies of a chain under the same clip, the second of them simulated. */
  function twins(tracks: (QuaternionKeyframeTrack | VectorKeyframeTrack)[]) {
    const clip = new AnimationClip('clip', -1, tracks)
    const [plain, swung] = [animated(clip), animated(clip)]
    const jiggle = swing(swung, {}, new Vector3())
    const frame = () => {
      for (const { mixer } of [plain, swung]) mixer.update(FRAME)
      jiggle.step(FRAME)
    }
    /** Bit for bit. */
    const same = () => expect(swung.bones.map(poseOf)).toEqual(plain.bones.map(poseOf))
    return { plain, swung, jiggle, frame, same }
  }

  /** The root walks to and fro for two seconds. */
  const walk = () =>
    new VectorKeyframeTrack('root.position', [0, 0.5, 1, 1.5, 2], [0, 0, 0, 0.2, 0, 0, 0, 0, 0, -0.2, 0, 0, 0, 0, 0])

  it('J13: a clip on bones that look elsewhere', () => {
    const tracks = SKEWED.rests.map((rest, b) => {
      const turned = new Quaternion()
        .fromArray(rest)
        .multiply(new Quaternion().setFromEuler(new Euler(0.3, 0.2 * b, -0.4)))
      return new QuaternionKeyframeTrack(`bone ${b}.quaternion`, [0, 1, 2], [...rest, ...turned.toArray(), ...rest])
    })
    const { plain, swung, jiggle, frame, same } = twins([walk(), ...tracks])
    let most = 0
    for (let f = 0; f < 3600; f++) {
      frame()
      most = Math.max(most, angleBetween(swung.bones[0]!.quaternion, plain.bones[0]!.quaternion))
    }
    expect(most).toBeGreaterThan(0.02)
    jiggle.enabled = false
    for (let f = 0; f < 130; f++) {
      frame()
      same()
    }
    // Where the clip stands still, the bones come to rest on it.
    jiggle.enabled = true
    for (const { action } of [plain, swung]) action.paused = true
    for (let f = 0; f < 600; f++) frame()
    swung.bones.forEach((bone, b) => {
      expect(angleBetween(bone.quaternion, plain.bones[b]!.quaternion), `bone ${b}`).toBeLessThan(1e-5)
    })
    jiggle.dispose()
  })

  it('J19: no stutter at a steady 3 m/s', () => {
    for (const rate of [144, 240]) {
      const made = makeChain([[0, LENGTH, 0]])
      const jiggle = swing(made)
      const reference = new JiggleReference({ tips: [[0, LENGTH, 0]] })
      let last: Quaternion | undefined
      for (let f = 1; f <= rate * 7; f++) {
        made.root.position.x = (3 * f) / rate
        jiggle.step(1 / rate)
        reference.frame({ dt: 1 / rate, position: made.root.position.toArray() })
        if (f < rate * 5) continue
        const now = made.bones[0]!.quaternion
        if (last) expect(angleBetween(now, last), `${rate} Hz, frame ${f}`).toBeLessThan(1e-3)
        last = now.clone()
      }
      expect(angleBetween(last!, reference.quaternions[0]!), `${rate} Hz`).toBeLessThan(1e-3)
      expect(angleBetween(last!, new Quaternion())).toBeGreaterThan(0.1)
      jiggle.dispose()
    }
  })

  it.each(['leaves the bones alone', 'holds them'])('J20: a minute under a clip that %s', (how) => {
    const held = SKEWED.rests.map(
      (rest, b) => new QuaternionKeyframeTrack(`bone ${b}.quaternion`, [0, 2], [...rest, ...rest]),
    )
    const { plain, swung, jiggle, frame, same } = twins(how === 'holds them' ? [walk(), ...held] : [walk()])
    for (let f = 0; f < 3600; f++) frame()
    jiggle.enabled = false
    frame()
    same()
    jiggle.enabled = true
    for (const { action } of [plain, swung]) action.paused = true
    for (let f = 0; f < 600; f++) frame()
    swung.bones.forEach((bone, b) => {
      expect(angleBetween(bone.quaternion, plain.bones[b]!.quaternion), `bone ${b}`).toBeLessThan(1e-5)
    })
    jiggle.dispose()
  })

  // The truth is a driver that every step can ask: frames of a step each, without rounding.
  const truth = (tips: number[][], x: (t: number) => number) => {
    const reference = new JiggleReference({ tips })
    return framesOf(steady(120, 4), x).flatMap((frame) => {
      reference.frame(frame)
      return Number.isInteger(frame.end) && frame.end > 1 ? [reference.tips] : []
    })
  }
  /** The largest distance at equal times, as a share of the length. */
  const off = (found: Vector3[][], wanted: Vector3[][], length: number) => {
    expect(found.length).toBe(wanted.length)
    return Math.max(...found.flatMap((tips, i) => tips.map((tip, b) => tip.distanceTo(wanted[i]![b]!) / length)))
  }

  describe.each([0.1, 0.2])('frame rates, a bone of %d m', (length) => {
    const tips = [[0, length, 0]]
    const timings = [
      ...RATES.map((rate) => [`${rate} Hz`, steady(rate, 4)] as const),
      ['jitter', jittered(4, true)] as const,
    ]

    it.each(timings)('%s, a driver that is straight between frames', (_, times) => {
      expect(off(follow(tips, framesOf(times, straight)).seconds, truth(tips, straight), length)).toBeLessThan(1e-3)
    })

    it.each(timings)('%s, a smooth driver', (name, times) => {
      const limit = ['144 Hz', '240 Hz'].includes(name) ? 1e-3 : 2.5e-2
      expect(off(follow(tips, framesOf(times, smooth)).seconds, truth(tips, smooth), length)).toBeLessThan(limit)
    })
  })

  it.each([...RATES.map((rate) => [`${rate} Hz`, steady(rate, 4)] as const), ['jitter', jittered(4, false)] as const])(
    'every frame at %s is the reference’s',
    (_, times) => {
      const tips = Array.from({ length: 3 }, () => [0, LENGTH, 0])
      expect(follow(tips, framesOf(times, smooth)).apart).toBeLessThan(1e-4)
    },
  )
})
