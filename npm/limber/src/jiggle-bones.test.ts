import { JiggleBones, load, type Collider, type JiggleBonesSetup, type JiggleChainSetup } from 'limber'
import {
  AnimationClip,
  AnimationMixer,
  Bone,
  Euler,
  Group,
  Matrix4,
  Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Vector3,
  VectorKeyframeTrack,
  type EulerOrder,
} from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { heap, allFinite, farthest, refusal } from '../../../tests/helpers.mjs'
import { angleBetween, makeChain, placeOf, poseOf, tipAt } from '../../../tests/jiggle/chain.mjs'

const FRAME = 1 / 60
/** Seconds of a step, unless a chain has another rate. */
const STEP = 1 / 120
const LENGTH = 0.1
/** Rests that look along no axis. */
const RESTS = [
  [0.2, 0.1, 0.3],
  [0.1, -0.2, 0.4],
  [0.5, 0.3, 0.1],
].map(([x, y, z]) => new Quaternion().setFromEuler(new Euler(x, y, z)))

/** A chain of bones along y. */
const upright = (count: number) => makeChain(Array.from({ length: count }, () => [0, LENGTH, 0]))
/** A chain whose bones look elsewhere. */
function skewed() {
  const made = upright(RESTS.length)
  made.bones.forEach((bone, b) => bone.quaternion.copy(RESTS[b]!))
  return { ...made, own: made.bones.map(poseOf) }
}
const sway = (object: Object3D, frame: number) => void (object.position.x = 0.2 * Math.sin(frame / 3))
const poses = (bones: readonly Object3D[]) => bones.map(poseOf)

/**
 * The sheet's spring, in f64: directions of a bone at the origin after each of some steps, whose rest is `rest` and on which
 * `force` acts, in m/s². It starts at `from`.
 */
function spring(
  steps: number,
  { rest, from = rest, stiffness = 0.028, damping = 0.04, force = [0, 0, 0], step = STEP }: Spring,
) {
  const arm = new Vector3(...rest)
  const at = new Vector3(...from)
  const was = at.clone()
  return Array.from({ length: steps }, () => {
    const velocity = at
      .clone()
      .sub(was)
      .multiplyScalar(1 - damping)
    was.copy(at)
    at.add(velocity)
      .lerp(arm, stiffness)
      .addScaledVector(new Vector3(...force), step * step)
    return at.setLength(arm.length()).clone()
  })
}
interface Spring {
  rest: [number, number, number]
  from?: [number, number, number]
  stiffness?: number
  damping?: number
  force?: [number, number, number]
  step?: number
}

describe.each(Object.entries(backends))('jiggle bones on %s', (_, loadBackend) => {
  let limber: Awaited<ReturnType<typeof loadBackend>>
  beforeAll(async () => void (limber = await loadBackend()))
  afterAll(() => limber.dispose())

  const make = (
    made: { bones: Object3D[]; tip: Vector3 },
    chain: Partial<JiggleChainSetup> = {},
    setup: JiggleBonesSetup = {},
  ) => new JiggleBones(limber, [{ bones: made.bones, tip: made.tip, ...chain }], setup)
  const still = { gravity: [0, 0, 0] } as const
  const run = (jiggle: JiggleBones, root: Object3D, frames: number, from = 0) => {
    for (let f = from; f < from + frames; f++) {
      sway(root, f)
      jiggle.step(FRAME)
    }
  }

  describe('forces and springs', () => {
    it.each([
      ['gravity', [1.5, -2, 0.5], {}, { gravity: [1.5, -2, 0.5] }],
      ['gravity of the chain', [1.5, -2, 0.5], { gravity: [1.5, -2, 0.5] }, {}],
      ['gravity of each bone', [0, 3, 1], { gravity: (i: number) => [i, 3, 1] as const }, {}],
      ['gravity, scaled', [3, 0, 0], { gravityScale: -2 }, { gravity: [-1.5, 0, 0] }],
      ['gravity along a curve', [3, 0, 0], { curves: { gravity: [2, 9] } }, { gravity: [1.5, 0, 0] }],
      ['wind', [2, 0, 1], {}, { ...still, wind: [2, 0, 1], gusts: 0 }],
      ['wind to which it answers', [6, 0, 3], { windResponse: 3 }, { ...still, wind: [2, 0, 1], gusts: 0 }],
      ['wind by a function', [8, 0, 4], { curves: { wind: () => 4 } }, { ...still, wind: [2, 0, 1], gusts: 0 }],
    ] as const)('%s', (_, force, chain, setup) => {
      const made = upright(1)
      const jiggle = make(made, chain, setup)
      for (const wanted of spring(20, { rest: [0, LENGTH, 0], force: [...force] })) {
        jiggle.step()
        expect(tipAt(jiggle.tips).distanceTo(wanted)).toBeLessThan(1e-6)
      }
      jiggle.dispose()
    })

    it.each([
      ['defaults', {}, {}, { stiffness: 0.028, damping: 0.04 }],
      ['of all', {}, { stiffness: 0.1, damping: 0.2 }, { stiffness: 0.1, damping: 0.2 }],
      ['of the chain', { stiffness: 0.1, damping: 0.2 }, { stiffness: 0.5 }, { stiffness: 0.1, damping: 0.2 }],
      ['multiplied', { multiplier: 3 }, {}, { stiffness: 0.084, damping: 0.04 }],
      ['along curves', { curves: { stiffness: [2], damping: () => 3 } }, {}, { stiffness: 0.056, damping: 0.12 }],
      ['null for that of all', { stiffness: null }, { stiffness: 0.3 }, { stiffness: 0.3, damping: 0.04 }],
    ] as const)('stiffness and damping: %s', (_, chain, setup, wanted) => {
      const made = upright(1)
      const jiggle = make(made, chain, { ...still, ...setup, interpolate: false })
      jiggle.step()
      // The pose turns by half a radian at once; the tip comes after it.
      made.root.rotation.z = 0.5
      const rest: [number, number, number] = [-LENGTH * Math.sin(0.5), LENGTH * Math.cos(0.5), 0]
      for (const tip of spring(30, { rest, from: [0, LENGTH, 0], ...wanted })) {
        jiggle.step()
        expect(tipAt(jiggle.tips).distanceTo(tip)).toBeLessThan(1e-6)
      }
      jiggle.dispose()
    })

    it('curves run from the first bone to the last, evenly', () => {
      const made = upright(5)
      const given: [number, number][] = []
      // Each bone's stiffness, told by how far it comes in a step when its parents stand still: nothing does but the last one's.
      const jiggle = make(made, {
        radius: 0.01,
        curves: { radius: [1, 3, 2], stiffness: (place, index) => (given.push([place, index]), 1) },
      })
      expect(given).toEqual([
        [0, 0],
        [0.25, 1],
        [0.5, 2],
        [0.75, 3],
        [1, 4],
      ])
      const radii = [0, 1, 2, 3, 4].map((b) => (jiggle as never as { readTips(): Float32Array }).readTips()[b * 7 + 6]!)
      expect(farthest(radii, [0.01, 0.02, 0.03, 0.025, 0.02])).toBeLessThan(1e-8)
      jiggle.dispose()
    })

    it('wind and gravity are copied, and read at each step', () => {
      const made = upright(1)
      const jiggle = make(made, {}, still)
      const gravity = new Vector3(2, 0, 0)
      jiggle.gravity = gravity
      gravity.set(0, 0, 5)
      expect(jiggle.gravity.toArray()).toEqual([2, 0, 0])
      jiggle.wind = [1, 2, 3]
      expect(jiggle.wind.toArray()).toEqual([1, 2, 3])
      jiggle.wind.set(0, 0, 0)
      jiggle.step()
      expect(tipAt(jiggle.tips).x).toBeCloseTo(spring(1, { rest: [0, LENGTH, 0], force: [2, 0, 0] })[0]!.x, 8)
      for (const name of ['wind', 'gravity'] as const)
        for (const wrong of [5, null, [1, 2], [NaN, 0, 0], [1e7, 0, 0], 'x'] as never[]) {
          const error = refusal(() => (jiggle[name] = wrong))
          expect([error.code, error.message]).toEqual([
            'invalid-option',
            expect.stringMatching(
              new RegExp(`^${name} must be \\[x, y, z\\] of numbers from -1000000 to 1000000 \\(m/s`),
            ),
          ])
        }
      expect(jiggle.gravity.toArray()).toEqual([2, 0, 0])
      jiggle.dispose()
    })

    it.each([
      ['cone', { kind: 'cone', angle: 0.3 }, (d: Vector3) => Math.acos(d.y)],
      ['hinge', { kind: 'hinge', angle: 0.3 }, (d: Vector3) => Math.atan2(Math.hypot(d.x * 1e3, d.z), d.y)],
      [
        'spherical',
        { kind: 'spherical', phi: 0.2, theta: 0.3 },
        (d: Vector3) => Math.max(Math.abs(Math.asin(d.x)), 1.5 * Math.abs(Math.atan2(d.z, d.y))),
      ],
    ] as const)('a %s holds', (_, limit, angle) => {
      const made = upright(1)
      const jiggle = make(made, { limit, stiffness: 0 }, { gravity: [9, 0, 9] })
      let most = 0
      for (let f = 0; f < 60; f++) {
        jiggle.step(FRAME)
        most = Math.max(most, angle(tipAt(jiggle.tips).divideScalar(LENGTH)))
      }
      expect(most).toBeGreaterThan(0.29)
      expect(most).toBeLessThan(0.3 + 1e-3)
      jiggle.dispose()
    })

    it('limits may be of single bones', () => {
      const made = upright(3)
      const limit = (i: number) => (i === 1 ? { kind: 'cone' as const, angle: 0 } : undefined)
      const jiggle = make(made, { limit }, { gravity: [9, 0, 0] })
      for (let f = 0; f < 30; f++) jiggle.step(FRAME)
      const turned = made.bones.map((bone) => angleBetween(bone.quaternion, new Quaternion()))
      expect(turned[0]).toBeGreaterThan(0.1)
      expect(turned[1]).toBeLessThan(1e-3)
      jiggle.dispose()
    })

    it('rests in the clip, or where it was made', () => {
      for (const rest of ['clip', 'bind', undefined] as const) {
        const made = upright(1)
        const jiggle = make(made, { rest, stiffness: 1, damping: 1 }, still)
        made.bones[0]!.rotation.z = 0.7
        for (let f = 0; f < 10; f++) jiggle.step(FRAME)
        expect(angleBetween(made.bones[0]!.quaternion, new Quaternion())).toBeCloseTo(rest === 'bind' ? 0 : 0.7, 5)
        jiggle.enabled = false
        expect(made.bones[0]!.rotation.z).toBe(0.7)
        jiggle.dispose()
      }
    })

    it('feels only part of the motion of what carries it', () => {
      const most = (chain: Partial<JiggleChainSetup>, body = new Group()) => {
        const made = upright(1)
        body.add(made.root)
        const jiggle = make(made, chain, still)
        let turned = 0
        for (let f = 0; f < 60; f++) {
          // Little enough for the answer to be a share of the question.
          body.position.x = 0.005 * Math.sin(f / 3)
          jiggle.step(FRAME)
          turned = Math.max(turned, angleBetween(made.bones[0]!.quaternion, new Quaternion()))
        }
        jiggle.dispose()
        return turned
      }
      const body = new Group()
      const all = most({})
      expect(all).toBeGreaterThan(0.02)
      expect(most({ inertia: 0 })).toBeLessThan(1e-5)
      expect(most({ center: body }, body)).toBeLessThan(1e-5)
      expect(most({ center: new Group() })).toBeCloseTo(all, 6)
      expect(most({ center: body, inertia: 1 }, body)).toBeCloseTo(all, 6)
      expect(most({ inertia: 0.5 }) / all).toBeCloseTo(0.5, 2)
    })
  })

  describe('options', () => {
    it('are read, changed in part, and frozen', () => {
      const jiggle = make(upright(2), { multiplier: 1.6 }, { damping: 0.25 })
      expect(jiggle.options).toMatchObject({ stiffness: 0.028, damping: 0.25, frequency: null })
      expect(jiggle.chains[0]!.options).toMatchObject({ multiplier: 1.6, stiffness: null, rate: 120 })
      jiggle.configure({ frequency: 3, iterations: 2, damping: undefined })
      expect(jiggle.options).toMatchObject({ frequency: 3, iterations: 2, damping: 0.25 })
      jiggle.chains[0]!.configure({ radius: 0.5, stiffness: 0.5 })
      expect(jiggle.chains[0]!.options).toMatchObject({ radius: 0.5, stiffness: 0.5, multiplier: 1.6 })
      jiggle.configure({})
      jiggle.chains[0]!.configure({})
      for (const frozen of [
        jiggle.options,
        jiggle.chains,
        jiggle.chains[0]!.options,
        jiggle.bones,
        jiggle.chains[0]!.bones,
      ])
        expect(Object.isFrozen(frozen)).toBe(true)
      jiggle.dispose()
    })

    it('take effect while it runs', () => {
      const made = upright(1)
      const jiggle = make(made, {}, { gravity: [4, 0, 0] })
      for (let f = 0; f < 300; f++) jiggle.step(FRAME)
      const loose = angleBetween(made.bones[0]!.quaternion, new Quaternion())
      // Where it hangs, the spring is as strong as gravity: k · (rest − tip) = g · h², across the bone.
      const hanging = (k: number) => Math.atan((4 * STEP * STEP) / k / LENGTH)
      expect(loose).toBeCloseTo(hanging(0.028 / (1 - 0.028)), 2)
      jiggle.chains[0]!.configure({ multiplier: 5 })
      for (let f = 0; f < 300; f++) jiggle.step(FRAME)
      expect(angleBetween(made.bones[0]!.quaternion, new Quaternion())).toBeCloseTo(hanging(0.14 / (1 - 0.14)), 2)
      jiggle.dispose()
    })

    it.each([
      [{ stiffness: 2 }, /^stiffness must be a number from 0 to 1, got 2$/],
      [{ stifness: 1 }, /^stifness is no option .* known: stiffness, damping, /],
      [{ frequency: 0 }, /^frequency must be null or a number from 0\.01 to 60 \(Hz\), got 0$/],
      [{ iterations: 0.5 }, /^iterations must be a whole number from 1 to 64, got 0\.5$/],
      [{ seed: -1 }, /^seed must be a whole number from 0 to 1000000000, got -1$/],
      [{ interpolate: 1 }, /^interpolate must be true or false, got 1$/],
      [{ wind: [1, 0, 0] }, /^wind is no option that configure changes: set jiggle\.wind$/],
      [{ enabled: false }, /^enabled is no option that configure changes: set jiggle\.enabled$/],
      [{ colliders: [] }, /^colliders is no option that configure changes: use jiggle\.colliders$/],
      [{ chains: [] }, /^chains is no option that configure changes: use jiggle\.chains\[i\]\.configure\(\)$/],
      [{ radius: 1 }, /^radius is no option .* it is an option of a chain: jiggle\.chains\[i\]\.configure\(\)$/],
      [null, /^options must be an object, got null$/],
      [[], /^options must be an object, got an array of 0$/],
      ['x', /^options must be an object, got "x"$/],
    ])('configure refuses %j by name, and changes nothing', (wrong, message) => {
      const jiggle = make(upright(1))
      const before = jiggle.options
      const error = refusal(() => jiggle.configure(wrong as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      expect(jiggle.options).toEqual(before)
      jiggle.dispose()
    })

    it.each([
      [{ rate: 60 }, /^rate is given when a chain is made, and cannot be changed$/],
      [{ radius: -1 }, /radius must be a number from 0 to 1000 \(m\), got -1$/],
      [{ multiplier: null }, /multiplier must be a number from 0 to 100, got null$/],
      [{ inertia: NaN }, /inertia must be a number from 0 to 1, got NaN$/],
      [{ wind: 1 }, /^wind is no option of a chain; known: stiffness, damping, /],
      [null, /^options must be an object, got null$/],
      [5, /^options must be an object, got 5$/],
    ])('chain.configure refuses %j by name, and changes nothing', (wrong, message) => {
      const jiggle = make(upright(1))
      const before = jiggle.options
      const error = refusal(() => jiggle.chains[0]!.configure(wrong as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      expect(jiggle.options).toEqual(before)
      jiggle.dispose()
    })

    it.each([
      [5, /^setup must be an object, got 5$/],
      [null, /^setup must be an object, got null$/],
      [{ stifness: 1 }, /^stifness is no option of JiggleBones; known: colliders, wind, gravity, stiffness, /],
      [{ stiffness: '1' }, /^stiffness must be a number from 0 to 1, got "1"$/],
      [{ wind: null }, /^wind must be \[x, y, z\] of numbers .* got null$/],
      [{ gravity: [0, 1] }, /^gravity must be \[x, y, z\] of numbers .* got \[0, 1\]$/],
      [{ colliders: 5 }, /^colliders must be a list of colliders, got 5$/],
      [{ colliders: null }, /^colliders must be a list of colliders, got null$/],
      [{ colliders: {} }, /^colliders must be a list of colliders, got an object$/],
      [{ colliders: 'ball' }, /^colliders must be a list of colliders, got "ball"$/],
      [{ colliders: [null] }, /^colliders\[0\]\.kind must be 'sphere', /],
      [
        { colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: -1 }] },
        /^colliders\[0\]\.radius must be a number from 0 /,
      ],
    ])('a new one refuses %j by name, and leaves the bones as they are', (wrong, message) => {
      const made = skewed()
      const error = refusal(() => make(made, {}, wrong as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('issue: colliders that are no list were a TypeError', () => {
      for (const colliders of [5, {}, true] as never[])
        expect(refusal(() => make(upright(1), {}, { colliders })).code).toBe('invalid-option')
    })
  })

  describe('time', () => {
    it.each([
      [0, 0],
      [-1, 0],
      [-0, 0],
      [1 / 240, 0],
      [1 / 120, 1],
      [1 / 60, 2],
      [0.0251, 3],
      [60, 8],
      [1e300, 8],
    ])('a call of %d s runs %i steps', (dt, steps) => {
      const made = upright(2)
      const jiggle = make(made)
      expect([jiggle.fixedStep, jiggle.maxSteps]).toEqual([1 / 120, 8])
      expect(jiggle.step(dt)).toBe(steps)
      expect(jiggle.time).toBeCloseTo(steps / 120, 12)
      jiggle.dispose()
    })

    it.each([NaN, Infinity, -Infinity, null, '1', {}])('refuses a call of %j s', (dt) => {
      const made = upright(2)
      const jiggle = make(made)
      run(jiggle, made.root, 5)
      const [hash, before] = [jiggle.hash(), poses(made.bones)]
      const error = refusal(() => jiggle.step(dt as number))
      expect([error.code, error.message]).toEqual([
        'invalid-input',
        expect.stringMatching(/^dt must be a finite number/),
      ])
      expect([jiggle.hash(), poses(made.bones)]).toEqual([hash, before])
      jiggle.dispose()
    })

    it('passes slower or not at all', () => {
      const jiggle = make(upright(2))
      jiggle.timeScale = 0.5
      expect(jiggle.step(1 / 60)).toBe(1)
      jiggle.timeScale = 4
      expect(jiggle.step(1 / 120)).toBe(4)
      jiggle.paused = true
      expect(jiggle.step(1)).toBe(0)
      expect(jiggle.step()).toBe(1)
      expect(jiggle.time).toBeCloseTo(6 / 120)
      expect(refusal(() => (jiggle.timeScale = -1)).message).toMatch(/^timeScale must be a number from 0 to 100/)
      jiggle.dispose()
    })

    it('is that of the fastest chain, and each chain runs at its rate', () => {
      const rates = [30, 60, 120, 1000]
      const alone = rates.map((rate) => ({ rate, ...upright(2) }))
      const together = rates.map((rate) => ({ rate, ...upright(2) }))
      const own = alone.map(({ bones, tip, rate }) => make({ bones, tip }, { rate }))
      const jiggle = new JiggleBones(
        limber,
        together.map(({ bones, tip, rate }) => ({ bones, tip, rate })),
      )
      expect([jiggle.fixedStep, jiggle.maxSteps]).toEqual([1 / 1000, 66])
      let steps = 0
      for (let f = 0; f < 60; f++) {
        for (const { root } of [...alone, ...together]) sway(root, f)
        for (const one of own) one.step(FRAME)
        steps += jiggle.step(FRAME)
      }
      expect(steps).toBe(1000)
      expect(jiggle.time).toBeCloseTo(1)
      own.forEach((one, i) => expect(one.time).toBeCloseTo(1, 9 - i))
      together.forEach(({ bones }, i) => expect(poses(bones), `${rates[i]} Hz`).toEqual(poses(alone[i]!.bones)))
      for (const one of [...own, jiggle]) one.dispose()
    })

    it('onFixedStep is called before each step with the time at its end', () => {
      const made = upright(2)
      const jiggle = make(made)
      const times: number[] = []
      jiggle.onFixedStep = (time) => times.push(time)
      for (let f = 0; f < 10; f++) jiggle.step(FRAME)
      expect(times).toEqual(Array.from({ length: 20 }, (_, i) => (i + 1) * (1 / 120)))
      // What it moves is taken as it is; what it throws comes through, and time goes on.
      jiggle.onFixedStep = (time) => sway(made.root, time * 60)
      run(jiggle, new Object3D(), 30)
      expect(angleBetween(made.bones[0]!.quaternion, new Quaternion())).toBeGreaterThan(0.01)
      jiggle.onFixedStep = () => {
        throw new Error('mine')
      }
      expect(() => jiggle.step(FRAME)).toThrow('mine')
      jiggle.onFixedStep = () => void jiggle.step(FRAME)
      expect(refusal(() => jiggle.step(FRAME)).message).toMatch(/onFixedStep must not step it$/)
      jiggle.onFixedStep = () => void (jiggle.enabled = false)
      jiggle.step(FRAME)
      expect(poses(made.bones)).toEqual(poses(upright(2).bones))
      jiggle.dispose()
    })

    it('is as long away from the tab as it likes: what follows is sound', () => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 20)
      made.root.position.set(2, 0, 0)
      made.root.rotation.y = 2
      expect(jiggle.step(3600)).toBe(8)
      for (let f = 0; f < 600; f++) jiggle.step(FRAME)
      const rest = skewed()
      const at = make(rest)
      rest.root.position.copy(made.root.position)
      rest.root.quaternion.copy(made.root.quaternion)
      for (let f = 0; f < 1200; f++) at.step(FRAME)
      made.bones.forEach((bone, b) =>
        expect(angleBetween(bone.quaternion, rest.bones[b]!.quaternion)).toBeLessThan(1e-3),
      )
      jiggle.dispose()
      at.dispose()
    })
  })

  describe('enabled', () => {
    it('false gives the poses back exactly, and time stands still', () => {
      const made = skewed()
      const jiggle = make(made)
      for (let round = 0; round < 3; round++) {
        run(jiggle, made.root, 20)
        expect(poses(made.bones)).not.toEqual(made.own)
        const { time } = jiggle
        jiggle.enabled = false
        expect(jiggle.enabled).toBe(false)
        expect(poses(made.bones)).toEqual(made.own)
        expect([jiggle.step(FRAME), jiggle.step(), jiggle.step(60)]).toEqual([0, 0, 0])
        expect(poses(made.bones)).toEqual(made.own)
        expect(jiggle.time).toBe(time)
        jiggle.enabled = true
        expect(poses(made.bones)).toEqual(made.own)
      }
      jiggle.dispose()
    })

    it('toggled in each frame, it is never off by a bit', () => {
      const made = skewed()
      const jiggle = make(made)
      for (let f = 0; f < 100; f++) {
        sway(made.root, f)
        jiggle.enabled = f % 2 === 0
        jiggle.step(FRAME)
        if (f % 2) expect(poses(made.bones)).toEqual(made.own)
      }
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('a pose that was set meanwhile is the new one', () => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 10)
      jiggle.enabled = false
      made.bones[1]!.rotation.set(1, 0.5, 0.25)
      jiggle.step(FRAME)
      const own = poses(made.bones)
      expect(made.bones[1]!.rotation.x).toBe(1)
      jiggle.enabled = true
      run(jiggle, made.root, 30)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(own)
      jiggle.dispose()
    })

    it('issue: enabled again, it swung from where it had been when it was disabled', () => {
      for (const steps of [0, 10]) {
        const made = upright(2)
        const jiggle = make(made, {}, still)
        for (let f = 0; f < 5; f++) jiggle.step(FRAME)
        jiggle.enabled = false
        for (let f = 0; f < steps; f++) jiggle.step(FRAME)
        made.root.position.x = 2
        jiggle.enabled = true
        for (let f = 0; f < 20; f++) {
          jiggle.step(FRAME)
          expect(angleBetween(made.bones[0]!.quaternion, new Quaternion())).toBeLessThan(1e-5)
        }
        jiggle.dispose()
      }
    })

    it('issue: a matrix that was not finite stopped what was disabled', () => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 10)
      jiggle.enabled = false
      made.root.position.x = NaN
      expect(jiggle.step(FRAME)).toBe(0)
      jiggle.enabled = true
      expect(refusal(() => jiggle.step(FRAME)).code).toBe('invalid-input')
      made.root.position.x = 0
      expect(jiggle.step(FRAME)).toBe(2)
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it.each([1, null, 'x', undefined])('refuses %j', (wrong) => {
      const jiggle = make(upright(1))
      const error = refusal(() => (jiggle.enabled = wrong as never))
      expect([error.code, error.message]).toEqual([
        'invalid-option',
        expect.stringMatching(/^enabled must be true or false, got /),
      ])
      expect(jiggle.enabled).toBe(true)
      jiggle.dispose()
    })
  })

  describe('a mixer', () => {
    /** A chain, and the same one without jiggle bones, under the same clips. */
    function twins(chain: Partial<JiggleChainSetup> = {}) {
      const [made, plain] = [skewed(), skewed()]
      const mixers = [made, plain].map(({ root }) => new AnimationMixer(root))
      const jiggle = make(made, chain)
      let f = 0
      const frames = (count: number) => {
        for (let i = 0; i < count; i++) {
          for (const { root } of [made, plain]) sway(root, f)
          for (const mixer of mixers) mixer.update(FRAME)
          jiggle.step(FRAME)
          f += 1
        }
      }
      const actions = (clip: AnimationClip) => mixers.map((mixer) => mixer.clipAction(clip))
      return { made, plain, jiggle, frames, actions }
    }
    const q = (x: number, y = 0, z = 0) => new Quaternion().setFromEuler(new Euler(x, y, z)).toArray()
    const clip = (name: string, ...turns: number[][]) =>
      new AnimationClip(
        name,
        -1,
        [0, 1, 2].map(
          (b) =>
            new QuaternionKeyframeTrack(
              `bone ${b}.quaternion`,
              turns.map((_, t) => t * 0.4),
              turns.flat(),
            ),
        ),
      )
    const nod = clip('nod', q(0), q(1, 0.4), q(0))
    const held = clip('held', q(0.5, 0.2), q(0.5, 0.2))
    const step = clip('step', q(0.1), q(0.1), q(0.8), q(0.8), q(-0.3), q(-0.3))

    it.each([nod, held, step])('issue: an action that stopped left its last pose behind ($name)', (played) => {
      const { made, plain, jiggle, frames, actions } = twins()
      frames(20)
      for (let round = 0; round < 3; round++) {
        for (const action of actions(played)) action.play()
        frames(150)
        jiggle.enabled = false
        expect(poses(made.bones)).toEqual(poses(plain.bones))
        jiggle.enabled = true
        frames(20)
        for (const action of actions(played)) action.stop()
        frames(5)
        jiggle.enabled = false
        // As they were made, and as the mixer leaves those that no one simulates.
        expect(poses(plain.bones)).toEqual(plain.own)
        expect(poses(made.bones)).toEqual(made.own)
        jiggle.enabled = true
        frames(30)
      }
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('an action that stopped gives back a pose that was set while it ran', () => {
      const { made, jiggle, frames, actions } = twins()
      frames(10)
      made.bones[1]!.rotation.set(0.9, 0.8, 0.7)
      const own = [made.own[0], poseOf(made.bones[1]!), made.own[2]]
      frames(10)
      const [action] = actions(nod)
      action!.play()
      frames(50)
      action!.stop()
      frames(5)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(own)
      jiggle.dispose()
    })

    it('crossfades between clips are followed, to the last bit', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      const [from, to] = [actions(nod), actions(step)]
      for (const action of from) action.play()
      frames(30)
      from.forEach((action, i) => action.crossFadeTo(to[i]!.play(), 0.5, false))
      for (let f = 0; f < 40; f++) {
        frames(1)
        jiggle.enabled = false
        expect(poses(made.bones)).toEqual(poses(plain.bones))
        jiggle.enabled = true
      }
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(poses(plain.bones))
    })

    it('weights below 1 blend with the pose that the bones had, where the action begins before they swing', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      for (const action of actions(held)) action.play().setEffectiveWeight(0.5)
      frames(60)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(poses(plain.bones))
      jiggle.dispose()
    })

    it('and where it begins while they are not enabled', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      frames(20)
      jiggle.enabled = false
      for (const action of actions(held)) action.play().setEffectiveWeight(0.5)
      jiggle.enabled = true
      frames(60)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(poses(plain.bones))
      expect(poses(made.bones)).not.toEqual(made.own)
      jiggle.dispose()
    })

    it('an additive action is followed', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      const additive = clip('additive', q(0), q(0.2), q(0))
      for (const action of actions(held)) action.play()
      for (const action of actions(additive)) {
        action.blendMode = 2501 as never
        action.play()
      }
      frames(50)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(poses(plain.bones))
      expect(poses(made.bones)).not.toEqual(made.own)
      jiggle.dispose()
    })

    it('may move and scale the bones', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      const grows = new AnimationClip('grows', -1, [
        new VectorKeyframeTrack('bone 1.position', [0, 1], [0, 0.1, 0, 0, 0.3, 0.1]),
        new VectorKeyframeTrack('bone 0.scale', [0, 1], [1, 1, 1, 2, 2, 2]),
      ])
      for (const action of actions(grows)) {
        action.play()
      }
      frames(45)
      const own = poses(plain.bones)
      made.root.updateMatrixWorld()
      // The tip that it simulates is where three.js has it.
      expect(tipAt(jiggle.tips, 2).distanceTo(made.bones[2]!.localToWorld(made.tip.clone()))).toBeLessThan(1e-6)
      for (const action of actions(grows)) action.stop()
      frames(2)
      jiggle.enabled = false
      expect(poses(made.bones)).toEqual(poses(plain.bones))
      expect(own).not.toEqual(plain.own)
      jiggle.dispose()
    })

    it('goes on where it is disposed', () => {
      const { made, plain, jiggle, frames, actions } = twins()
      for (const action of actions(nod)) action.play()
      frames(40)
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(poses(plain.bones))
    })
  })

  describe('what is set by hand', () => {
    it.each(['XYZ', 'YZX', 'ZXY', 'XZY', 'YXZ', 'ZYX'] as EulerOrder[])(
      'rotation agrees with quaternion in order %s',
      (order) => {
        const made = upright(3)
        for (const bone of made.bones) {
          bone.rotation.order = order
          bone.rotation.set(0.3, 0.5, -0.2)
        }
        const own = poses(made.bones)
        const jiggle = make(made)
        for (let f = 0; f < 60; f++) {
          sway(made.root, f)
          jiggle.step(FRAME)
          for (const { rotation, quaternion } of made.bones) {
            expect(rotation.order).toBe(order)
            expect(Math.abs(quaternion.length() - 1)).toBeLessThan(1e-6)
            const turned = new Quaternion().setFromEuler(rotation)
            const side = Math.sign(turned.dot(quaternion))
            expect(
              farthest(
                turned.toArray().map((v) => v * side),
                quaternion.toArray(),
              ),
            ).toBeLessThan(1e-6)
          }
        }
        jiggle.dispose()
        expect(poses(made.bones)).toEqual(own)
      },
    )

    it('bones whose matrices are not made by themselves are posed all the same', () => {
      const [made, other] = [upright(2), upright(2)]
      for (const bone of made.bones) bone.matrixAutoUpdate = false
      const [jiggle, twin] = [make(made), make(other)]
      for (let f = 0; f < 20; f++) {
        for (const { root } of [made, other]) sway(root, f)
        jiggle.step(FRAME)
        twin.step(FRAME)
      }
      expect(poses(made.bones)).toEqual(poses(other.bones))
      expect(made.bones[0]!.matrix.elements).toEqual(new Matrix4().elements)
      jiggle.dispose()
      twin.dispose()
    })

    it('updateWorldMatrices = false takes the matrices as they are', () => {
      const made = upright(1)
      const jiggle = make(made, {}, still)
      jiggle.updateWorldMatrices = false
      made.root.position.set(1, 2, 3)
      jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).toArray()).toEqual([0, Math.fround(LENGTH), 0])
      made.root.updateMatrixWorld()
      jiggle.teleport()
      jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).distanceTo(new Vector3(1, 2 + LENGTH, 3))).toBeLessThan(1e-6)
      jiggle.dispose()
    })

    it.each([
      ['the root', (made: ReturnType<typeof skewed>, v: number) => void (made.root.position.x = v)],
      ['a bone', (made: ReturnType<typeof skewed>, v: number) => void (made.bones[1]!.position.x = v)],
      ['a scale', (made: ReturnType<typeof skewed>, v: number) => void (made.bones[1]!.scale.y = v === 0 ? 1 : v)],
    ])('what is not finite in %s is refused, and once mended it goes on as if nothing had been', (_, set) => {
      for (const wrong of [NaN, Infinity, -1e30]) {
        const [made, other] = [skewed(), skewed()]
        const [jiggle, twin] = [make(made), make(other)]
        for (let f = 0; f < 60; f++) {
          for (const { root } of [made, other]) root.position.y = Math.sin(f / 3)
          if (f === 30) {
            const before = poses(made.bones).flatMap((pose) => pose.slice(3, 10))
            set(made, wrong)
            for (const act of [() => jiggle.step(FRAME), () => jiggle.step(), () => jiggle.step(0)]) {
              const error = refusal(act)
              expect(error.code).toBe('invalid-input')
              expect(error.message).toMatch(
                /^the (world matrices above the bones|position, rotation and scale of each bone) must be/,
              )
            }
            expect(poses(made.bones).flatMap((pose) => pose.slice(3, 10))).toEqual(before)
            set(made, 0)
          }
          jiggle.step(FRAME)
          twin.step(FRAME)
        }
        expect(poses(made.bones)).toEqual(poses(other.bones))
        expect(jiggle.hash()).toBe(twin.hash())
        jiggle.dispose()
        twin.dispose()
      }
    })

    it('a rotation that is not finite is refused, and a new one heals it', () => {
      for (const wrong of [NaN, Infinity]) {
        const made = skewed()
        const jiggle = make(made)
        run(jiggle, made.root, 10)
        made.bones[1]!.quaternion.set(wrong, 0, 0, 0)
        expect(refusal(() => jiggle.step(FRAME)).code).toBe('invalid-input')
        expect(allFinite(made.bones[0]!.quaternion.toArray())).toBe(true)
        made.bones[1]!.quaternion.copy(RESTS[1]!)
        run(jiggle, made.root, 10)
        expect(poses(made.bones).flat().every(Number.isFinite)).toBe(true)
        jiggle.dispose()
        expect(poses(made.bones)).toEqual(made.own)
      }
    })

    it('a state that leaves the world is put back, and said', () => {
      const made = upright(2)
      made.root.scale.setScalar(1000)
      const jiggle = make(made)
      const told: number[] = []
      jiggle.onDiverge = ({ count }) => void told.push(count)
      jiggle.step(FRAME)
      expect(told).toEqual([])
      made.bones[1]!.position.x = 1e5
      jiggle.step(FRAME)
      expect(told.length).toBe(1)
      made.bones[1]!.position.x = 0
      run(jiggle, new Object3D(), 20)
      for (const { quaternion } of made.bones) expect(quaternion.length()).toBeCloseTo(1, 6)
      jiggle.dispose()
    })
  })

  describe('the scene graph', () => {
    it('issue: a parent that was added, or left, later was not noticed', () => {
      const made = upright(2)
      const jiggle = make(made, {}, still)
      jiggle.step(FRAME)
      // The model is put into the scene after it was given springs.
      const player = new Group()
      player.add(made.root)
      player.position.set(1, 0.5, 0)
      jiggle.teleport()
      jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).distanceTo(new Vector3(1, 0.5 + LENGTH, 0))).toBeLessThan(1e-6)
      // The first bone hangs on something else from now on.
      const other = new Group()
      other.position.set(0, 2, 0)
      other.add(made.bones[0]!)
      jiggle.teleport()
      jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).distanceTo(new Vector3(0, 2 + LENGTH, 0))).toBeLessThan(1e-6)
      made.bones[0]!.removeFromParent()
      jiggle.teleport()
      jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).distanceTo(new Vector3(0, LENGTH, 0))).toBeLessThan(1e-6)
      jiggle.dispose()
    })

    it('what lies between keeps its pose, and carries what is below it', () => {
      const made = upright(4)
      const [a, between, c] = made.bones as [Bone, Bone, Bone]
      const jiggle = new JiggleBones(limber, [{ bones: [a, c], tip: [0, LENGTH, 0] }])
      expect(jiggle.bones).toEqual([a, c])
      expect(jiggle.stats).toMatchObject({ bones: 2, chains: 1 })
      for (let f = 0; f < 30; f++) {
        sway(made.root, f)
        between.rotation.z = f / 100
        const pose = poseOf(between)
        jiggle.step(FRAME)
        expect(poseOf(between)).toEqual(pose)
      }
      made.root.updateMatrixWorld()
      expect(tipAt(jiggle.tips, 1).distanceTo(c.localToWorld(new Vector3(0, LENGTH, 0)))).toBeLessThan(1e-6)
      expect(tipAt(jiggle.tips, 0).distanceTo(placeOf(a))).toBeCloseTo(placeOf(c).distanceTo(placeOf(a)), 1)
      jiggle.dispose()
    })

    it('issue: of two on one skeleton, one took the other’s swing away', () => {
      const made = upright(4)
      const own = poses(made.bones)
      const outer = new JiggleBones(limber, [{ bones: [made.bones[0]!, made.bones[2]!] }])
      const inner = new JiggleBones(limber, [[made.bones[1]!], [made.bones[3]!]])
      for (let f = 0; f < 40; f++) {
        sway(made.root, f)
        inner.step(FRAME)
        const swung = poseOf(made.bones[1]!)
        outer.step(FRAME)
        expect(poseOf(made.bones[1]!)).toEqual(swung)
      }
      expect(angleBetween(made.bones[1]!.quaternion, new Quaternion())).toBeGreaterThan(0.01)
      // The outer one sees what the inner one does to what lies between.
      made.root.updateMatrixWorld()
      const tip = made.bones[2]!.localToWorld(new Vector3(0, LENGTH, 0))
      expect(tipAt(outer.tips, 1).distanceTo(tip)).toBeLessThan(1e-6)
      outer.dispose()
      inner.dispose()
      expect(poses(made.bones)).toEqual(own)
    })

    it('clones share nothing', () => {
      const made = skewed()
      const scene = new Group().add(made.root)
      const copy = SkeletonUtils.clone(scene)
      const bones: Object3D[] = []
      copy.traverse((object) => void ((object as Bone).isBone && bones.push(object)))
      const [jiggle, other] = [make(made), new JiggleBones(limber, [{ bones, tip: made.tip }])]
      for (let f = 0; f < 20; f++) {
        sway(copy, f)
        other.step(FRAME)
      }
      expect(poses(made.bones)).toEqual(made.own)
      jiggle.step(FRAME)
      other.dispose()
      expect(poses(bones)).toEqual(made.own)
      run(jiggle, made.root, 10)
      expect(poses(bones)).toEqual(made.own)
      jiggle.dispose()
    })

    it.each([1e-6, 1e-3, 1e3, 1e6])('a rig scaled by %d swings as one of metres', (scale) => {
      const rigs = [1, scale].map((s) => {
        const made = makeChain([0, 1, 2].map(() => [0, LENGTH / s, 0]))
        const body = new Group().add(made.root)
        made.root.scale.setScalar(s)
        return { ...made, body, jiggle: make(made) }
      })
      for (let f = 0; f < 60; f++)
        for (const { body, jiggle } of rigs) {
          sway(body, f)
          jiggle.step(FRAME)
        }
      rigs[0]!.bones.forEach((bone, b) => {
        expect(angleBetween(bone.quaternion, rigs[1]!.bones[b]!.quaternion)).toBeLessThan(2e-3)
        expect(angleBetween(bone.quaternion, new Quaternion())).toBeGreaterThan(5e-3)
      })
      for (const { jiggle } of rigs) jiggle.dispose()
    })

    it.each([[[-1, 1, 1]], [[1, 1, -1]], [[-1, -1, -1]], [[1, 2, 3]], [[-2, 3, 0.5]]])(
      'under a scale of %j tips are where they are drawn',
      (scale) => {
        const made = upright(3)
        made.root.scale.fromArray(scale)
        made.root.rotation.set(0.3, 0.4, 0.5)
        const jiggle = make(made)
        run(jiggle, made.root, 40)
        made.root.updateMatrixWorld()
        made.bones.forEach((bone, b) => {
          const tip = bone.localToWorld(new Vector3(0, LENGTH, 0))
          expect(tipAt(jiggle.tips, b).distanceTo(tip)).toBeLessThan(1e-5)
        })
        expect(angleBetween(made.bones[1]!.quaternion, new Quaternion())).toBeGreaterThan(0.005)
        jiggle.dispose()
      },
    )

    it('mirrored, it swings as in a mirror', () => {
      const rigs = [1, -1].map((side) => {
        const made = upright(3)
        const body = new Group().add(made.root)
        made.root.scale.x = side
        return { ...made, body, side, jiggle: make(made, {}, { gravity: [0.5 * side, -4, 0.3] }) }
      })
      for (let f = 0; f < 60; f++)
        for (const { body, side, jiggle } of rigs) {
          body.position.set(side * 0.2 * Math.sin(f / 5), 0, 0.1 * Math.cos(f / 4))
          jiggle.step(FRAME)
        }
      for (let b = 0; b < 3; b++) {
        const [tip, mirrored] = rigs.map(({ jiggle }) => tipAt(jiggle.tips, b)) as [Vector3, Vector3]
        expect(tip.distanceTo(mirrored.setX(-mirrored.x))).toBeLessThan(1e-6)
      }
      for (const { jiggle } of rigs) jiggle.dispose()
    })

    it.each([[[0, 0, 0]], [[1, 0, 1]], [[0, 1, 1]]])('a scale of %j does no harm, and passes', (scale) => {
      const made = upright(3)
      const jiggle = make(made)
      run(jiggle, made.root, 20)
      made.root.scale.fromArray(scale)
      run(jiggle, made.root, 20)
      expect(poses(made.bones).flat().every(Number.isFinite)).toBe(true)
      made.root.scale.setScalar(1)
      run(jiggle, made.root, 20)
      for (const { quaternion } of made.bones) expect(quaternion.length()).toBeCloseTo(1, 6)
      jiggle.dispose()
    })
  })

  describe('colliders', () => {
    const ball = (x: number): Collider => ({ kind: 'sphere', center: [x, LENGTH, 0], radius: 0.03 })
    /** Two bones at the same place, and which of them were pushed. */
    const pushed = (colliders: Collider[], own: Collider[][] = [[], []]) => {
      const pair = [upright(1), upright(1)]
      const jiggle = new JiggleBones(
        limber,
        pair.map(({ bones, tip }, i) => ({ bones, tip, radius: 0.02, colliders: own[i]! })),
        { colliders, ...still },
      )
      for (let f = 0; f < 10; f++) jiggle.step(FRAME)
      const far = pair.map(({ bones }) => angleBetween(bones[0]!.quaternion, new Quaternion()) > 0.01)
      const list = [...jiggle.colliders]
      jiggle.dispose()
      return { far, list }
    }

    it.each([
      ['all', undefined, [true, true]],
      ['the first', [0], [true, false]],
      ['the second', [1], [false, true]],
      ['both', [1, 0, 1], [true, true]],
    ])('are for %s', (_, chains, far) => {
      expect(pushed([{ ...ball(0.01), chains }]).far).toEqual(far)
    })

    it('of a chain are for it; the same one may be several’s', () => {
      const shared = ball(0.01)
      expect(pushed([], [[shared], []])).toMatchObject({ far: [true, false], list: [{ chains: [0] }] })
      expect(pushed([], [[], [shared]])).toMatchObject({ far: [false, true], list: [{ chains: [1] }] })
      expect(pushed([], [[shared, shared], [shared]])).toMatchObject({ far: [true, true], list: [{ chains: [0, 1] }] })
      // One that all meet is so already.
      const { far, list } = pushed([shared], [[shared], []])
      expect([far, list.length, list[0]!.chains]).toEqual([[true, true], 1, undefined])
    })

    it('push tips out by their radius, wherever they are', () => {
      const made = upright(1)
      const jiggle = make(made, { radius: 0.02 }, still)
      jiggle.colliders.add(ball(0.01))
      for (let f = 0; f < 60; f++) {
        jiggle.colliders.set(0, ball(0.05 - f / 1000))
        jiggle.step(FRAME)
        const center = new Vector3(0.05 - f / 1000, LENGTH, 0)
        // Of what is drawn; between two steps it may be a little inside.
        expect(tipAt(jiggle.tips).distanceTo(center)).toBeGreaterThan(0.048)
      }
      jiggle.colliders = []
      expect(jiggle.colliders.length).toBe(0)
      jiggle.dispose()
    })

    it.each<[string, Collider]>([
      ['sphere', { kind: 'sphere', center: [0.01, 0.1, 0], radius: 0.05 }],
      ['capsule', { kind: 'capsule', a: [0.01, 0, 0.05], b: [0.01, 0.2, 0.05], radius: 0.08 }],
      [
        'tapered capsule',
        { kind: 'taperedCapsule', a: [0.01, 0.1, 0.2], b: [0.01, 0.1, -0.2], radiusA: 0.06, radiusB: 0.03 },
      ],
      ['box', { kind: 'box', center: [0.03, 0.1, 0], halfExtents: [0.04, 0.1, 0.1] }],
      ['plane', { kind: 'plane', normal: [-1, 0, 0], offset: 0.02 }],
      ['sphere to stay inside', { kind: 'sphere', center: [-0.03, 0.1, 0], radius: 0.025, inside: true }],
      ['box to stay inside', { kind: 'box', center: [-0.05, 0.1, 0], halfExtents: [0.04, 0.2, 0.2], inside: true }],
    ])('a %s keeps the tip off', (_, collider) => {
      const made = upright(1)
      const jiggle = make(made, {}, { ...still, colliders: [collider] })
      for (let f = 0; f < 60; f++) jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).x).toBeLessThan(-0.0049)
      jiggle.dispose()
    })

    it.each([
      [{ chains: 5 }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0, not empty, got 5$/],
      [{ chains: [1] }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0/],
      [{ chains: [-1] }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0/],
      [{ chains: ['0'] }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0/],
      [{ chains: null }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0, not empty, got null$/],
      [{ chains: [] }, /^colliders\[0\]\.chains must be a list of chains from 0 to 0, not empty, got an array of 0$/],
    ])('refuse %j', (more, message) => {
      const jiggle = make(upright(1), {}, { colliders: [ball(5)] })
      const before = [...jiggle.colliders]
      for (const act of [
        () => jiggle.colliders.set(0, { ...ball(0), ...(more as object) }),
        () => (jiggle.colliders = [{ ...ball(0), ...(more as object) }]),
      ]) {
        const error = refusal(act)
        expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
      }
      expect([...jiggle.colliders]).toEqual(before)
      jiggle.dispose()
    })

    it('issue: a collider for no chain was for all', () => {
      expect(refusal(() => pushed([{ ...ball(0.01), chains: [] }])).code).toBe('invalid-option')
    })

    it('issue: what was wrong with a chain’s collider was said of another', () => {
      const wrong = [{ ...ball(0), radius: -1 } as Collider]
      expect(refusal(() => pushed([ball(0)], [[ball(1)], [ball(2), ...wrong]])).message).toMatch(
        /^chains\[1\]\.colliders\[1\]\.radius must be a number from 0 /,
      )
      expect(refusal(() => pushed([], [[{ ...ball(0), chains: [1] }], []])).message).toMatch(
        /^chains\[0\]\.colliders\[0\]\.chains must be left out/,
      )
    })

    it('follow objects; one whose matrix is broken meets nothing new', () => {
      const [made, follow] = [upright(1), new Object3D()]
      const jiggle = make(made, { radius: 0.02 }, { ...still, colliders: [{ ...ball(0), follow }] })
      follow.position.x = 3
      for (let f = 0; f < 5; f++) jiggle.step(FRAME)
      const far = poseOf(made.bones[0]!)
      follow.position.x = NaN
      expect(jiggle.step(FRAME)).toBe(2)
      expect(poseOf(made.bones[0]!)).toEqual(far)
      follow.position.x = 0.01
      for (let f = 0; f < 20; f++) jiggle.step(FRAME)
      expect(tipAt(jiggle.tips).x).toBeLessThan(-0.02)
      jiggle.dispose()
    })
  })

  describe('state', () => {
    it('issue: a teleport before the first step lost the poses until it', () => {
      const made = skewed()
      const jiggle = make(made)
      for (const act of [
        () => jiggle.teleport(new Matrix4().makeTranslation(1, 0, 0)),
        () => jiggle.restore(jiggle.snapshot()),
      ]) {
        act()
        made.bones.forEach((bone, b) => expect(angleBetween(bone.quaternion, RESTS[b]!)).toBeLessThan(1e-5))
      }
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it.each(['with a matrix', 'without'])('teleport %s leaves no swing, and keeps what there is', (how) => {
      const [made, other] = [skewed(), skewed()]
      const [jiggle, twin] = [make(made), make(other)]
      run(jiggle, made.root, 20)
      run(twin, other.root, 20)
      const place = new Matrix4().makeRotationY(1).setPosition(50, 3, -20)
      // Gravity looks down in both places.
      made.root.applyMatrix4(place)
      if (how === 'without') jiggle.teleport()
      else jiggle.teleport(place)
      for (let f = 0; f < 20; f++) {
        jiggle.step(FRAME)
        twin.step(FRAME)
        made.bones.forEach((bone, b) =>
          expect(angleBetween(bone.quaternion, other.bones[b]!.quaternion)).toBeLessThan(1e-3),
        )
      }
      jiggle.dispose()
      twin.dispose()
    })

    it.each([
      [null, 'invalid-option', /^matrix must be a Matrix4, got null$/],
      [5, 'invalid-option', /^matrix must be a Matrix4, got 5$/],
      [new Matrix4().makeScale(0, 1, 1), 'invalid-input', /affine matrix that can be inverted$/],
      [new Matrix4().makeTranslation(NaN, 0, 0), 'invalid-input', /^a number of the matrix must be from /],
      [new Matrix4().makePerspective(-1, 1, 1, -1, 1, 2), 'invalid-input', /affine matrix that can be inverted$/],
    ])('teleport refuses %o', (wrong, code, message) => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 5)
      const hash = jiggle.hash()
      const error = refusal(() => jiggle.teleport(wrong as never))
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)])
      expect(jiggle.hash()).toBe(hash)
      jiggle.dispose()
    })

    it('comes back exactly, in whatever order', () => {
      const made = skewed()
      const jiggle = make(made, {}, { wind: [1, 0, 0] })
      const start = jiggle.snapshot()
      run(jiggle, made.root, 20)
      const [saved, hash, time] = [jiggle.snapshot(), jiggle.hash(), jiggle.time]
      run(jiggle, made.root, 20, 20)
      const later = [jiggle.hash(), ...poses(made.bones)]
      const acts = {
        reset: () => jiggle.reset(),
        teleport: () => jiggle.teleport(),
        turn: () => jiggle.teleport(new Matrix4().makeRotationX(1)),
        off: () => void (jiggle.enabled = false),
        on: () => void (jiggle.enabled = true),
        start: () => jiggle.restore(start),
        steps: () => run(jiggle, made.root, 7),
      }
      for (const order of [
        '',
        'reset',
        'turn',
        'teleport reset',
        'start',
        'steps reset',
        'off on',
        'start teleport steps',
      ]) {
        for (const name of order.split(' ').filter(Boolean)) acts[name as keyof typeof acts]()
        jiggle.wind.set(9, 9, 9)
        jiggle.restore(saved)
        expect([jiggle.hash(), jiggle.time, jiggle.wind.toArray()], order).toEqual([hash, time, [1, 0, 0]])
        expect(jiggle.snapshot(), order).toEqual(saved)
        if (order === 'off on') continue
        run(jiggle, made.root, 20, 20)
        expect([jiggle.hash(), ...poses(made.bones)], order).toEqual(later)
      }
      jiggle.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('reset begins at rest, and time anew', () => {
      const made = skewed()
      const jiggle = make(made)
      const hash = () => {
        run(jiggle, made.root, 30)
        return jiggle.hash()
      }
      const first = hash()
      jiggle.reset()
      expect(jiggle.time).toBe(0)
      made.bones.forEach((bone, b) => expect(angleBetween(bone.quaternion, RESTS[b]!)).toBeLessThan(1e-5))
      expect(hash()).toBe(first)
      jiggle.dispose()
    })

    it('issue: what was restored sprang back to one pose and gave another one back', () => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 9)
      const saved = jiggle.snapshot()
      made.bones[1]!.rotation.set(1, 1, 1)
      run(jiggle, made.root, 9)
      jiggle.restore(saved)
      jiggle.step(0)
      jiggle.enabled = false
      expect(angleBetween(made.bones[1]!.quaternion, RESTS[1]!)).toBeLessThan(1e-6)
      const { rotation, quaternion } = made.bones[1]!
      expect(angleBetween(new Quaternion().setFromEuler(rotation), quaternion)).toBeLessThan(1e-6)
      // Those that had not changed are the same to the last bit.
      expect(poseOf(made.bones[0]!)).toEqual(made.own[0])
      jiggle.dispose()
    })

    it('another’s is refused', () => {
      const [a, b] = [make(upright(3)), make(upright(2))]
      const saved = a.snapshot()
      const broken = saved.slice()
      broken.fill(0xff, 200, 300)
      for (const bytes of [b.snapshot(), saved.slice(0, 10), new Uint8Array(0), broken, 'x', null] as never[])
        expect(refusal(() => a.restore(bytes)).code).toBe('invalid-snapshot')
      expect(a.snapshot()).toEqual(saved)
      a.dispose()
      b.dispose()
    })
  })

  describe('stepAsync', () => {
    it('is step, also interleaved', async () => {
      const [made, other] = [skewed(), skewed()]
      const [jiggle, twin] = [make(made), make(other)]
      for (let f = 0; f < 20; f++) {
        for (const { root } of [made, other]) sway(root, f)
        const both = [await jiggle.stepAsync(FRAME), await jiggle.stepAsync(FRAME)]
        expect(both).toEqual([twin.step(FRAME), twin.step(FRAME)])
        expect(await jiggle.stepAsync()).toBe(twin.step())
      }
      expect(poses(made.bones)).toEqual(poses(other.bones))
      expect(jiggle.hash()).toBe(twin.hash())
      jiggle.dispose()
      twin.dispose()
    })

    it('issue: what was wrong was thrown, not rejected, while it was disabled', async () => {
      const jiggle = make(upright(1))
      jiggle.enabled = false
      expect(await jiggle.stepAsync(FRAME)).toBe(0)
      jiggle.dispose()
      const call = jiggle.stepAsync(FRAME)
      await expect(call).rejects.toMatchObject({ code: 'disposed' })
    })

    it('issue: a pose that was set meanwhile was lost', async () => {
      const made = skewed()
      const jiggle = make(made)
      run(jiggle, made.root, 5)
      const call = jiggle.stepAsync(FRAME)
      made.bones[1]!.rotation.set(0.5, 0.25, 0.125)
      const own = poseOf(made.bones[1]!)
      await call
      await jiggle.stepAsync(FRAME)
      jiggle.enabled = false
      // Where it runs here, it is over at once, and the pose was set after it.
      expect(poseOf(made.bones[1]!)).toEqual(own)
      jiggle.dispose()
    })

    it('may be disabled or disposed meanwhile', async () => {
      for (const end of ['enabled', 'dispose'] as const) {
        const made = skewed()
        const jiggle = make(made)
        run(jiggle, made.root, 5)
        const call = jiggle.stepAsync(FRAME).catch((error: unknown) => error)
        if (end === 'dispose') jiggle.dispose()
        else jiggle.enabled = false
        await call
        expect(poses(made.bones)).toEqual(made.own)
        jiggle.dispose()
      }
    })
  })

  describe('the end', () => {
    it('dispose gives every bone back what it had, exactly, and refuses every later use', async () => {
      const made = skewed()
      const jiggle = make(made, {}, { colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: 0.01 }] })
      run(jiggle, made.root, 30)
      const bytes = jiggle.snapshot()
      const [chain] = jiggle.chains
      jiggle.dispose()
      jiggle.dispose()
      expect(jiggle.disposed).toBe(true)
      expect(poses(made.bones)).toEqual(made.own)
      const uses: Record<string, () => unknown> = {
        step: () => jiggle.step(FRAME),
        'step one': () => jiggle.step(),
        time: () => jiggle.time,
        timeScale: () => (jiggle.timeScale = 1),
        options: () => jiggle.options,
        configure: () => jiggle.configure({}),
        'configure what is none': () => jiggle.configure({ wind: 1 } as never),
        'chain options': () => chain!.options,
        'chain configure': () => chain!.configure({}),
        'chain configure what is none': () => chain!.configure({ x: 1 } as never),
        reset: () => jiggle.reset(),
        teleport: () => jiggle.teleport(),
        'teleport by what is none': () => jiggle.teleport(5 as never),
        snapshot: () => jiggle.snapshot(),
        restore: () => jiggle.restore(bytes),
        'restore what is none': () => jiggle.restore(5 as never),
        hash: () => jiggle.hash(),
        tips: () => jiggle.tips,
        enable: () => (jiggle.enabled = true),
        disable: () => (jiggle.enabled = false),
        colliders: () => jiggle.colliders.clear(),
        'set colliders': () => (jiggle.colliders = []),
      }
      for (const [name, use] of Object.entries(uses)) expect(refusal(use).code, name).toBe('disposed')
      expect(refusal(() => jiggle.step(FRAME)).message).toMatch(/^this JiggleBones was disposed: .* loop/)
      await expect(jiggle.stepAsync(FRAME)).rejects.toMatchObject({ code: 'disposed' })
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('the end of the backend is theirs', async () => {
      const own = await loadBackend()
      const made = skewed()
      const jiggle = new JiggleBones(own, [{ bones: made.bones, tip: made.tip }])
      run(jiggle, made.root, 20)
      own.dispose()
      expect(jiggle.disposed).toBe(true)
      expect(poses(made.bones)).toEqual(made.own)
      expect(refusal(() => new JiggleBones(own, [made.bones])).code).toBe('disposed')
      expect(refusal(() => new JiggleBones(Promise.resolve(own) as never, [made.bones])).message).toMatch(
        /await load\(\)$/,
      )
    })
  })

  describe('memory', () => {
    it('grows and moves, and nothing is noticed', async () => {
      const other = await loadBackend()
      const [made, alone] = [skewed(), skewed()]
      const jiggle = make(made)
      const twin = new JiggleBones(other, [{ bones: alone.bones, tip: alone.tip }])
      const more: JiggleBones[] = []
      for (let f = 0; f < 60; f++) {
        more.push(new JiggleBones(limber, [upright(2000).bones]))
        for (const { root } of [made, alone]) sway(root, f)
        jiggle.step(FRAME)
        twin.step(FRAME)
        expect(poses(made.bones)).toEqual(poses(alone.bones))
      }
      expect(jiggle.hash()).toBe(twin.hash())
      for (const each of [...more, jiggle]) each.dispose()
      other.dispose()
      expect(poses(made.bones)).toEqual(made.own)
    })

    it('of what was refused or disposed is free again', async () => {
      const own = await loadBackend()
      const wrong = { colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: NaN }] } as const
      const made = upright(2000)
      const before = poses(made.bones)
      const probe = new JiggleBones(own, [upright(1).bones])
      const size = () => (probe as unknown as { views: { poses: Float32Array } }).views.poses.buffer.byteLength
      const once = () => {
        refusal(() => new JiggleBones(own, [made.bones], wrong))
        new JiggleBones(own, [made.bones]).dispose()
      }
      for (let i = 0; i < 10; i++) once()
      const bytes = size()
      for (let i = 0; i < 40; i++) once()
      expect(size()).toBe(bytes)
      expect(poses(made.bones)).toEqual(before)
      own.dispose()
    })
  })
})

describe('jiggle bones', () => {
  it('give their poses back when the WebAssembly is lost', async () => {
    const limber = await load()
    const made = skewed()
    const jiggle = new JiggleBones(limber, [{ bones: made.bones, tip: made.tip }])
    for (let f = 0; f < 20; f++) {
      sway(made.root, f)
      jiggle.step(FRAME)
    }
    const { views } = jiggle as unknown as { views: { poses: Float32Array<ArrayBuffer> } }
    const memory = new Uint8Array(views.poses.buffer)
    const kept = memory.slice()
    memory.fill(0xff)
    expect(refusal(() => jiggle.hash()).code).toBe('backend-lost')
    memory.set(kept)
    expect(refusal(() => jiggle.step(FRAME)).code).toBe('backend-lost')
    jiggle.dispose()
    expect(poses(made.bones)).toEqual(made.own)
    limber.dispose()
  })

  it('10,000 steps leave nothing on the JavaScript heap', () => {
    for (const backend of Object.keys(backends)) {
      const { kept, made } = heap('heap-jiggle.mjs', backend, { kept: 20_000, made: 200 })
      expect(kept, `${backend}: bytes kept after 10,000 steps`).toBeLessThan(20_000)
      expect(made, `${backend}: bytes made by a step`).toBeLessThan(200)
    }
  })
})
