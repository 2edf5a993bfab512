import {
  Cloth,
  Ragdoll,
  type RagdollBody,
  type RagdollPoint,
  type RagdollSetup,
  type RagdollSkeletonSetup,
} from 'limber'
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
} from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { figure } from '../../../tests/bench/bodies.mjs'
import { allFinite, farthest, heap, refusal } from '../../../tests/helpers.mjs'
import { angleBetween, placeOf, poseOf } from '../../../tests/jiggle/chain.mjs'
import { at } from '../../../tests/ragdoll/body.mjs'
import { humanoid } from '../../../tests/ragdoll/humanoid.mjs'

const FRAME = 1 / 60
const STEP = 1 / 120
type Figure = ReturnType<typeof humanoid>
type Triple = [number, number, number]

const poses = ({ bones }: Figure) => Object.values(bones).map(poseOf)
const turns = ({ bones }: Figure) => Object.values(bones).map(({ quaternion }) => quaternion.clone())

/** A clip that moves some bones to and fro, of two seconds. */
function clipFor({ bones }: Figure) {
  const tracks = ['Spine', 'LeftArm', 'RightForeArm', 'Head'].map((name, i) => {
    const bone = bones[name]!
    const to = bone.quaternion.clone().multiply(new Quaternion().setFromEuler(new Euler(0.2, 0.1 * i, 0.3)))
    const values = [bone.quaternion, to, bone.quaternion].flatMap((q) => q.toArray())
    return new QuaternionKeyframeTrack(`${bone.name}.quaternion`, [0, 1, 2], values)
  })
  return new AnimationClip('nod', -1, tracks)
}

describe.each(Object.entries(backends))('ragdoll on %s', (_, loadBackend) => {
  let limber: Awaited<ReturnType<typeof loadBackend>>
  beforeAll(async () => void (limber = await loadBackend()))
  afterAll(() => limber.dispose())

  /** A figure that sways, and its twin without a ragdoll. */
  function actor(setup: RagdollSkeletonSetup = {}) {
    const [made, twin] = [humanoid(), humanoid()]
    const mixers = [made, twin].map((each) => {
      const mixer = new AnimationMixer(each.group)
      mixer.clipAction(clipFor(each)).play()
      return mixer
    })
    const ragdoll = Ragdoll.fromSkeleton(limber, made.mesh, setup)
    const frame = (dt = FRAME) => {
      for (const mixer of mixers) mixer.update(dt)
      const steps = ragdoll.step(dt)
      made.group.updateMatrixWorld(true)
      return steps
    }
    return { made, twin, ragdoll, body: ragdoll.bodies[0]!, frame }
  }

  /** Sticks by hand: the figure of the benchmark. */
  function sticks(more: Partial<RagdollSetup> = {}) {
    const { positions, inverseMass, radius, links } = figure()
    return new Ragdoll(limber, {
      points: radius.map((own, i) => ({
        position: positions.slice(i * 3, i * 3 + 3) as Triple,
        inverseMass: inverseMass[i]!,
        radius: own,
      })),
      links,
      ...more,
    })
  }
  const lowest = (points: Float32Array) => {
    let low = Infinity
    for (let i = 1; i < points.length; i += 3) low = Math.min(low, points[i]!)
    return low
  }

  describe('states', () => {
    it('animated, limp, getting up, animated', () => {
      const { made, twin, ragdoll, body, frame } = actor()
      const told: [number, string][] = []
      ragdoll.onState = (who: RagdollBody, state: string) => void told.push([who.index, state])
      expect([ragdoll.state, body.state, body.index, ragdoll.bodies.length]).toEqual(['animated', 'animated', 0, 1])
      for (let f = 0; f < 20; f++) {
        frame()
        expect(poses(made)).toEqual(poses(twin))
      }
      body.activate()
      expect([ragdoll.state, body.state]).toEqual(['limp', 'limp'])
      for (let f = 0; f < 120; f++) frame()
      expect(
        farthest(
          turns(made).flatMap((q) => q.toArray()),
          turns(twin).flatMap((q) => q.toArray()),
        ),
      ).toBeGreaterThan(0.1)
      ragdoll.getUp({ duration: 0.5 })
      expect(body.state).toBe('gettingUp')
      let frames = 0
      for (; body.state === 'gettingUp' && frames < 100; frames++) frame()
      expect(frames * FRAME).toBeCloseTo(0.5, 1)
      expect(ragdoll.state).toBe('animated')
      frame()
      // All is the mixer's again; only the root has moved.
      expect(poses(made)).toEqual(poses(twin))
      expect(told).toEqual([
        [0, 'limp'],
        [0, 'gettingUp'],
        [0, 'animated'],
      ])
      ragdoll.dispose()
    })

    it('what is not limp is neither hit nor gets up', () => {
      const { made, twin, ragdoll, frame } = actor()
      frame()
      ragdoll.hit([0, 1, 0], [10, 0, 0])
      ragdoll.getUp()
      ragdoll.settle()
      for (let f = 0; f < 5; f++) frame()
      expect(ragdoll.state).toBe('animated')
      expect(poses(made)).toEqual(poses(twin))
      ragdoll.dispose()
    })

    it('settles at once', () => {
      const { made, twin, ragdoll, frame } = actor()
      frame()
      ragdoll.activate()
      for (let f = 0; f < 60; f++) frame()
      ragdoll.settle()
      expect(ragdoll.state).toBe('animated')
      frame()
      expect(poses(made)).toEqual(poses(twin))
      ragdoll.dispose()
    })

    it('is activated again out of getting up, from where it is', () => {
      const { made, ragdoll, frame } = actor({ interpolate: false })
      frame()
      ragdoll.activate()
      for (let f = 0; f < 120; f++) frame()
      ragdoll.getUp()
      for (let f = 0; f < 25; f++) frame()
      const before = Object.values(made.bones).map(placeOf)
      ragdoll.activate()
      expect(ragdoll.state).toBe('limp')
      ragdoll.step(0)
      made.group.updateMatrixWorld(true)
      Object.values(made.bones).forEach((bone, b) => {
        expect(placeOf(bone).distanceTo(before[b]!), bone.name).toBeLessThan(1e-3)
      })
      for (let f = 0; f < 60; f++) frame()
      expect(allFinite([...ragdoll.points])).toBe(true)
      ragdoll.dispose()
    })

    it('a body of several falls alone', () => {
      const figures = [0, 1, 2].map((x) => {
        const made = humanoid()
        made.group.position.x = 2 * x
        made.group.updateMatrixWorld(true)
        return made
      })
      const ragdoll = Ragdoll.fromSkeleton(
        limber,
        figures.map(({ mesh }) => mesh),
      )
      const before = figures.map(poses)
      ragdoll.step(FRAME)
      ragdoll.bodies[1]!.activate()
      for (let f = 0; f < 60; f++) ragdoll.step(FRAME)
      expect(ragdoll.bodies.map(({ state }) => state)).toEqual(['animated', 'limp', 'animated'])
      expect(poses(figures[0]!)).toEqual(before[0])
      expect(poses(figures[2]!)).toEqual(before[2])
      expect(poses(figures[1]!)).not.toEqual(before[1])
      const { points, pointCount } = ragdoll
      ragdoll.bodies.forEach((body, b) => {
        expect(body.points).toEqual(points.subarray(b * pointCount * 3, (b + 1) * pointCount * 3))
      })
      ragdoll.dispose()
    })

    it('bodies without bones are limp from the start', () => {
      const ragdoll = sticks({ bodies: 3 })
      expect(ragdoll.bodies.map(({ state }) => state)).toEqual(['limp', 'limp', 'limp'])
      const y = at(ragdoll.points, 0).y
      for (let f = 0; f < 30; f++) ragdoll.step(FRAME)
      expect(at(ragdoll.points, 0).y).toBeLessThan(y - 0.1)
      ragdoll.dispose()
    })
  })

  describe('hits', () => {
    it.each([0.3, 0.05, 2, Infinity])('give each point its share, with a falloff of %d', (falloff) => {
      const ragdoll = sticks({ links: [[0, 1]], gravity: [0, 0, 0], floor: null, velocityKeep: 1, interpolate: false })
      const before = ragdoll.points.slice()
      const [from, impulse] = [new Vector3(0.2, 1.2, 0.1), new Vector3(3, 1, -2)]
      ragdoll.hit(from, impulse, falloff)
      ragdoll.step()
      for (let i = 2; i < ragdoll.pointCount; i++) {
        const share = falloff === Infinity ? 1 : Math.exp(-at(before, i).distanceToSquared(from) / falloff)
        const velocity = at(ragdoll.points, i).sub(at(before, i)).divideScalar(STEP)
        expect(velocity.distanceTo(impulse.clone().multiplyScalar(share)), `point ${i}`).toBeLessThan(2e-4)
      }
      ragdoll.dispose()
    })

    it('have a falloff of 0.3 unless said', () => {
      const [a, b] = [sticks(), sticks()]
      a.hit([0, 1, 0], [1, 2, 3])
      b.hit([0, 1, 0], [1, 2, 3], 0.3)
      for (let s = 0; s < 30; s++) for (const ragdoll of [a, b]) ragdoll.step()
      expect(a.hash()).toBe(b.hash())
      for (const ragdoll of [a, b]) ragdoll.dispose()
    })

    it('may come with activate, and a velocity may be given', () => {
      const [a, b] = [actor({ interpolate: false }), actor({ interpolate: false })]
      for (const { frame } of [a, b]) frame()
      a.ragdoll.activate({ hit: { point: [0, 1, 0], impulse: [1, 2, 3] } })
      b.ragdoll.activate()
      b.ragdoll.hit([0, 1, 0], [1, 2, 3])
      for (const { frame } of [a, b]) frame()
      expect([...a.ragdoll.points]).toEqual([...b.ragdoll.points])
      for (const { ragdoll } of [a, b]) ragdoll.dispose()

      const { ragdoll, frame } = actor({ interpolate: false, gravity: [0, 0, 0], floor: null })
      frame()
      ragdoll.activate({ velocity: [2, 0, -1] })
      const before = ragdoll.points.slice()
      ragdoll.step()
      for (let i = 0; i < ragdoll.pointCount; i++) {
        const velocity = at(ragdoll.points, i).sub(at(before, i)).divideScalar(STEP)
        expect(velocity.distanceTo(new Vector3(2, 0, -1)), `point ${i}`).toBeLessThan(0.03)
      }
      ragdoll.dispose()
    })
  })

  describe('sleep', () => {
    it('comes, and ends with a hit, wake, and what moves', () => {
      const ragdoll = sticks({ colliders: [{ kind: 'sphere', center: [0, 30, 0], radius: 0.5 }] })
      const body = ragdoll.bodies[0]!
      let frames = 0
      for (; !body.asleep && frames < 360; frames++) ragdoll.step(FRAME)
      expect(body.asleep).toBe(true)
      const still = [...ragdoll.points]
      for (let f = 0; f < 60; f++) ragdoll.step(FRAME)
      expect([...ragdoll.points]).toEqual(still)
      expect(body.state).toBe('limp')

      body.hit([0, 0.3, 0], [0, 4, 0])
      ragdoll.step(FRAME)
      expect(body.asleep).toBe(false)
      for (let f = 0; f < 10; f++) ragdoll.step(FRAME)
      expect(farthest(ragdoll.points, still)).toBeGreaterThan(0.05)

      const rest = () => {
        for (let f = 0; f < 480 && !body.asleep; f++) ragdoll.step(FRAME)
        expect(body.asleep).toBe(true)
      }
      rest()
      body.wake()
      ragdoll.step(FRAME)
      expect(body.asleep).toBe(false)
      rest()
      // Slowly into it.
      const middle = at(ragdoll.points, 0)
      for (let f = 0; f <= 60; f++) {
        ragdoll.colliders.set(0, { kind: 'sphere', center: [middle.x - 1.5 + f * 0.02, 0.5, middle.z], radius: 0.5 })
        ragdoll.step(FRAME)
      }
      expect(body.asleep).toBe(false)
      expect(at(ragdoll.points, 0).x).toBeGreaterThan(middle.x)
      rest()
      // What it does not touch may move as it likes.
      for (let f = 0; f <= 60; f++) {
        ragdoll.colliders.set(0, { kind: 'sphere', center: [20, 3 + f, 20], radius: 0.5 })
        ragdoll.step(FRAME)
      }
      expect(body.asleep).toBe(true)
      // The ground is pulled away from under it, and gravity changes.
      ragdoll.configure({ floor: -1 })
      for (let f = 0; f < 30; f++) ragdoll.step(FRAME)
      expect(lowest(ragdoll.points)).toBeLessThan(-0.3)
      rest()
      ragdoll.gravity.set(0, 9.8, 0)
      for (let f = 0; f < 30; f++) ragdoll.step(FRAME)
      expect(lowest(ragdoll.points)).toBeGreaterThan(-0.8)
      ragdoll.dispose()
    })

    it('is never with sleepTime null', () => {
      const ragdoll = sticks({ sleepTime: null })
      for (let f = 0; f < 600; f++) {
        ragdoll.step(FRAME)
        expect(ragdoll.bodies[0]!.asleep).toBe(false)
      }
      ragdoll.dispose()
    })
  })

  describe('partial and active', () => {
    it('an arm hangs, and the rest stays on the clip', () => {
      const { made, twin, ragdoll, frame } = actor({ interpolate: false })
      for (let f = 0; f < 20; f++) frame()
      const arm = ['LeftArm', 'LeftForeArm', 'LeftHand']
      ragdoll.activate({ from: made.bones.LeftArm! })
      let hung = 0
      for (let f = 0; f < 120; f++) {
        frame()
        for (const [name, bone] of Object.entries(made.bones)) {
          const other = twin.bones[name]!
          if (arm.includes(name)) hung = Math.max(hung, angleBetween(bone.quaternion, other.quaternion))
          else expect(angleBetween(bone.quaternion, other.quaternion), `${name}, frame ${f}`).toBeLessThan(2e-3)
        }
        expect(placeOf(made.bones.LeftArm!).distanceTo(placeOf(twin.bones.LeftArm!))).toBeLessThan(1e-3)
      }
      expect(hung).toBeGreaterThan(0.8)
      // It hangs below the shoulder.
      const [shoulder, hand] = ['LeftArm', 'LeftHand'].map((name) => placeOf(made.bones[name]!))
      expect(shoulder!.y - hand!.y).toBeGreaterThan(0.25)
      ragdoll.getUp()
      for (let f = 0; f < 60; f++) frame()
      expect(ragdoll.state).toBe('animated')
      frame()
      expect(poses(made)).toEqual(poses(twin))
      ragdoll.dispose()
    })

    it('follows a body that walks on', () => {
      const { made, ragdoll, frame } = actor({ interpolate: false })
      frame()
      ragdoll.activate({ from: [made.bones.LeftArm!, made.bones.RightArm!] })
      for (let f = 0; f < 180; f++) {
        made.group.position.x += 1.5 / 60
        frame()
        const elbow = placeOf(made.bones.LeftForeArm!).distanceTo(placeOf(made.bones.LeftArm!))
        expect(elbow, `frame ${f}`).toBeCloseTo(0.2702, 3)
        expect(placeOf(made.bones.Hips!).x).toBeCloseTo(made.group.position.x, 3)
      }
      ragdoll.dispose()
    })

    it.each([1, 0.5, 0])('strength %d', (strength) => {
      const { made, twin, ragdoll, body, frame } = actor({ interpolate: false })
      frame()
      body.activate({ strength })
      expect(body.strength).toBe(strength)
      let off = 0
      for (let f = 0; f < 120; f++) {
        frame()
        for (const name of ['LeftForeArm', 'RightForeArm', 'LeftLeg', 'RightLeg'])
          off = Math.max(off, angleBetween(made.bones[name]!.quaternion, twin.bones[name]!.quaternion))
      }
      if (strength === 1) expect(off).toBeLessThan(0.36)
      if (strength === 0) expect(off).toBeGreaterThan(0.8)
      body.strength = 0
      expect(body.strength).toBe(0)
      ragdoll.dispose()
    })
  })

  describe('time', () => {
    it('a stall runs six steps at most; no time, none', () => {
      const { ragdoll, frame } = actor()
      frame()
      ragdoll.activate()
      frame()
      const before = ragdoll.hash()
      expect([ragdoll.step(0), ragdoll.step(-1)]).toEqual([0, 0])
      expect(ragdoll.hash()).toBe(before)
      for (const dt of [NaN, Infinity, '1' as never]) {
        const error = refusal(() => ragdoll.step(dt))
        expect([error.code, error.message]).toEqual([
          'invalid-input',
          expect.stringMatching(/^dt must be a finite number/),
        ])
      }
      expect(ragdoll.hash()).toBe(before)
      expect([ragdoll.maxSteps, ragdoll.fixedStep]).toEqual([6, STEP])
      expect(ragdoll.step(30)).toBe(6)
      expect(ragdoll.step(0)).toBe(0)
      expect(allFinite([...ragdoll.points])).toBe(true)
      ragdoll.dispose()
    })

    it('a stall in the air, and while getting up', () => {
      const { made, ragdoll, frame } = actor()
      frame()
      ragdoll.activate({ hit: { point: [0, 1, 0], impulse: [3, 3, 0] } })
      for (let f = 0; f < 10; f++) frame(f === 5 ? 60 : FRAME)
      ragdoll.getUp()
      frame(60)
      for (let f = 0; f < 60; f++) frame()
      expect(ragdoll.state).toBe('animated')
      expect(allFinite(poses(made).flat())).toBe(true)
      ragdoll.dispose()
    })

    it('a fall is the same at any frame rate', () => {
      const ends = [30, 60, 120, 240].map((rate) => {
        const ragdoll = sticks({ interpolate: false, sleepTime: null })
        for (let f = 0; f < rate; f++) ragdoll.step(1 / rate)
        const end = ragdoll.hash()
        ragdoll.dispose()
        return end
      })
      expect(new Set(ends).size).toBe(1)
    })

    it('is drawn between steps', () => {
      const [drawn, newest] = [sticks(), sticks({ interpolate: false })]
      for (const ragdoll of [drawn, newest]) for (let s = 0; s < 10; s++) ragdoll.step(STEP)
      const before = [...newest.points]
      newest.step(STEP)
      const after = [...newest.points]
      drawn.step(0.25 * STEP + STEP)
      expect(
        farthest(
          drawn.points,
          before.map((v, i) => 0.75 * v + 0.25 * after[i]!),
        ),
      ).toBeLessThan(1e-5)
      for (const ragdoll of [drawn, newest]) ragdoll.dispose()
    })

    it('paused, it stands still', () => {
      const { made, ragdoll, frame } = actor()
      frame()
      ragdoll.activate()
      for (let f = 0; f < 20; f++) frame()
      ragdoll.paused = true
      frame()
      const before = turns(made)
      for (let f = 0; f < 20; f++) {
        frame()
        turns(made).forEach((turn, b) => expect(angleBetween(turn, before[b]!)).toBeLessThan(1e-6))
      }
      ragdoll.dispose()
    })
  })

  describe('what a mixer writes', () => {
    it('changes nothing of a limp body', () => {
      const [a, b] = [actor(), actor()]
      for (const { frame } of [a, b]) frame()
      for (const { ragdoll } of [a, b]) ragdoll.activate()
      for (let f = 0; f < 90; f++) {
        a.frame()
        // Another clip; a root that goes elsewhere.
        b.made.bones.LeftLeg!.quaternion.set(0.6, 0, 0, 0.8)
        b.made.bones.Spine1!.quaternion.set(0, 0.6, 0, 0.8)
        b.frame()
        for (const name of ['Hips', 'LeftLeg', 'RightHand', 'Head', 'LeftFoot'])
          expect(placeOf(b.made.bones[name]!).distanceTo(placeOf(a.made.bones[name]!)), `${name}, ${f}`).toBeLessThan(
            1e-4,
          )
      }
      for (const { ragdoll } of [a, b]) ragdoll.dispose()
    })

    it('a root that is moved leaves a limp body where it is', () => {
      const { made, ragdoll, frame } = actor()
      frame()
      ragdoll.activate()
      for (let f = 0; f < 60; f++) frame()
      const before = placeOf(made.bones.Hips!)
      made.group.position.x += 3
      made.group.rotation.y = 1
      frame()
      expect(placeOf(made.bones.Hips!).distanceTo(before)).toBeLessThan(0.1)
      ragdoll.dispose()
    })

    it.each<[string, (ragdoll: Ragdoll) => void]>([
      ['goes limp once more', (ragdoll) => ragdoll.activate()],
      ['gains a velocity', (ragdoll) => ragdoll.activate({ velocity: [0, 1, 0] })],
      ['is teleported', (ragdoll) => ragdoll.teleport(new Matrix4().makeTranslation(1, 0, 0))],
      ['is disposed of', (ragdoll) => ragdoll.dispose()],
    ])('is what a body comes back to that %s right after', (what, call) => {
      const made = humanoid()
      const ragdoll = Ragdoll.fromSkeleton(limber, made.mesh)
      ragdoll.step(FRAME)
      ragdoll.activate()
      for (let f = 0; f < 30; f++) ragdoll.step(FRAME)
      // Once, as three.js writes a value that does not change.
      const pose = new Quaternion(0, 0, 0.6, 0.8)
      made.bones.Head!.quaternion.copy(pose)
      call(ragdoll)
      if (what !== 'is disposed of') {
        ragdoll.getUp({ duration: 0.3 })
        for (let f = 0; f < 60; f++) ragdoll.step(FRAME)
        expect(ragdoll.state).toBe('animated')
      }
      expect(made.bones.Head!.quaternion.toArray()).toEqual(pose.toArray())
      ragdoll.dispose()
    })

    it('bones that are not mapped are left alone', () => {
      const { made, ragdoll, frame } = actor()
      const finger = made.bones.LeftHandMiddle1!
      frame()
      ragdoll.activate()
      for (let f = 0; f < 30; f++) {
        finger.rotation.x = 0.1 * f
        const own = poseOf(finger)
        frame()
        expect(poseOf(finger)).toEqual(own)
      }
      ragdoll.dispose()
    })
  })

  describe('options', () => {
    it('change while it is limp', () => {
      const ragdoll = sticks({ sleepTime: null })
      for (let f = 0; f < 10; f++) ragdoll.step(FRAME)
      ragdoll.configure({ iterations: 3, floor: 0.5, floorFriction: 0, velocityKeep: 0.9, selfCollision: false })
      expect(ragdoll.options).toMatchObject({ iterations: 3, floor: 0.5, floorFriction: 0, classic: true })
      for (let f = 0; f < 120; f++) ragdoll.step(FRAME)
      expect(lowest(ragdoll.points)).toBeGreaterThan(0.5)
      ragdoll.configure({ floor: null, classic: false, velocityKeep: 0.995 })
      for (let f = 0; f < 60; f++) ragdoll.step(FRAME)
      expect(lowest(ragdoll.points)).toBeLessThan(-1)
      expect(allFinite([...ragdoll.points])).toBe(true)
      ragdoll.dispose()
    })

    it.each([
      ['iterations', 0],
      ['iterations', 65],
      ['iterations', 1.5],
      ['velocityKeep', 1.1],
      ['floorFriction', -0.1],
      ['floor', NaN],
      ['damping', 2],
      ['classic', 1],
      ['sleepTime', 0],
      ['itrations', 3],
    ])('%s of %d is refused by name, and nothing changes', (name, value) => {
      const ragdoll = sticks()
      const before = ragdoll.options
      const error = refusal(() => ragdoll.configure({ [name]: value }))
      expect(error.code).toBe('invalid-option')
      expect(error.message).toContain(name)
      expect(ragdoll.options).toEqual(before)
      expect(refusal(() => sticks({ [name]: value })).message).toContain(name)
      ragdoll.dispose()
    })

    it('of a skeleton: each pass is a step of its own', () => {
      const { ragdoll } = actor()
      expect(ragdoll.options).toMatchObject({ classic: false, iterations: 10 })
      ragdoll.dispose()
      const other = actor({ classic: true, iterations: 4 }).ragdoll
      expect(other.options).toMatchObject({ classic: true, iterations: 4 })
      other.dispose()
    })

    it('gravity is copied, and read at each step', () => {
      const ragdoll = sticks({ gravity: [0, 0, 0], floor: null, interpolate: false })
      const before = [...ragdoll.points]
      for (let f = 0; f < 10; f++) ragdoll.step(FRAME)
      expect(farthest(ragdoll.points, before)).toBeLessThan(1e-5)
      const given = new Vector3(5, 0, 0)
      ragdoll.gravity = given
      given.set(0, 0, 0)
      for (let f = 0; f < 10; f++) ragdoll.step(FRAME)
      expect(at(ragdoll.points, 0).x).toBeGreaterThan(0.01)
      ragdoll.dispose()
    })
  })

  describe('colliders', () => {
    it.each(['box', 'sphere', 'capsule', 'plane'] as const)('a %s holds a body up', (kind) => {
      const shape = {
        box: { kind: 'box', center: [0, -0.5, 0], halfExtents: [3, 1, 3] },
        sphere: { kind: 'sphere', center: [0, -9.5, 0], radius: 10 },
        capsule: { kind: 'capsule', a: [-3, -9.5, 0], b: [3, -9.5, 0], radius: 10 },
        plane: { kind: 'plane', normal: [0, 1, 0], offset: 0.5 },
      }[kind]
      for (const made of [humanoid()]) {
        made.group.position.y = 0.7
        const ragdoll = Ragdoll.fromSkeleton(limber, made.mesh, {
          colliders: [shape as never],
          floor: null,
          interpolate: false,
        })
        ragdoll.step(FRAME)
        ragdoll.activate()
        for (let f = 0; f < 180; f++) {
          ragdoll.step(FRAME)
          expect(allFinite([...ragdoll.points]), `frame ${f}`).toBe(true)
        }
        expect(at(ragdoll.points, 0).y).toBeGreaterThan(0.4)
        expect(lowest(ragdoll.points)).toBeGreaterThan(kind === 'box' || kind === 'plane' ? 0.49 : 0)
        ragdoll.dispose()
      }
    })

    it('what reaches between the points of a limb holds it', () => {
      const made = humanoid()
      const bar = (z: number) => ({ kind: 'capsule', a: [-3, 0.75, z], b: [3, 0.75, z], radius: 0.04 }) as const
      // Under the middles of the thighs and of the trunk.
      const colliders = [bar(-0.3), bar(0.255)]
      const ragdoll = Ragdoll.fromSkeleton(limber, made.mesh, { colliders, interpolate: false })
      ragdoll.step(FRAME)
      // It lies flat above them.
      made.group.rotation.x = Math.PI / 2
      made.group.position.set(0, 1, -1)
      for (let f = 0; f < 3; f++) ragdoll.step(FRAME)
      ragdoll.activate()
      for (let f = 0; f < 60; f++) ragdoll.step(FRAME)
      const y = (name: string) => at(ragdoll.points, ragdoll.pointNames.get(name)!).y
      expect(y('waist')).toBeGreaterThan(0.6)
      expect(y('neck')).toBeGreaterThan(0.5)
      ragdoll.dispose()
    })
  })

  describe('state', () => {
    const play = (ragdoll: Ragdoll, frames: number) => {
      for (let f = 0; f < frames; f++) ragdoll.step(FRAME)
    }

    it('a snapshot brings back the exact run', () => {
      const ragdoll = sticks({ bodies: 5 })
      ragdoll.hit([0, 1, 0], [2, 0, 1])
      play(ragdoll, 20)
      ragdoll.step(0.003)
      const saved = ragdoll.snapshot()
      const [hash, points] = [ragdoll.hash(), [...ragdoll.points]]
      play(ragdoll, 40)
      const [later, laterPoints] = [ragdoll.hash(), [...ragdoll.points]]
      expect(later).not.toBe(hash)
      ragdoll.restore(saved)
      expect(ragdoll.hash()).toBe(hash)
      expect([...ragdoll.points]).toEqual(points)
      play(ragdoll, 40)
      expect(ragdoll.hash()).toBe(later)
      expect([...ragdoll.points]).toEqual(laterPoints)
      for (const bytes of [
        new Uint8Array(0),
        saved.slice(0, -1),
        saved.map((b, i) => (i < 8 ? b ^ 255 : b)),
        [] as never,
      ])
        expect(refusal(() => ragdoll.restore(bytes)).code).toBe('invalid-snapshot')
      expect(ragdoll.hash()).toBe(later)
      ragdoll.dispose()
    })

    it('a snapshot of a skeleton, taken limp and while getting up', () => {
      const { made, ragdoll, body } = actor()
      ragdoll.step(FRAME)
      ragdoll.activate({ hit: { point: [0, 1, 0], impulse: [1, 0, 3] } })
      play(ragdoll, 30)
      const limp = ragdoll.snapshot()
      const hash = ragdoll.hash()
      const limpPose = turns(made)
      play(ragdoll, 60)
      ragdoll.getUp()
      play(ragdoll, 20)
      const rising = ragdoll.snapshot()
      const risingPose = turns(made)
      play(ragdoll, 60)
      expect(body.state).toBe('animated')
      ragdoll.restore(rising)
      expect(body.state).toBe('gettingUp')
      turns(made).forEach((turn, b) => expect(angleBetween(turn, risingPose[b]!)).toBeLessThan(1e-4))
      ragdoll.restore(limp)
      expect([body.state, ragdoll.hash()]).toEqual(['limp', hash])
      turns(made).forEach((turn, b) => expect(angleBetween(turn, limpPose[b]!)).toBeLessThan(1e-4))
      play(ragdoll, 60)
      expect(body.state).toBe('limp')
      ragdoll.dispose()
    })

    it('a snapshot of an arm that hangs, while the rest holds its pose', () => {
      const { made, ragdoll, body } = actor()
      ragdoll.step(FRAME)
      body.activate({ from: made.bones.LeftArm! })
      play(ragdoll, 20)
      const [saved, hash] = [ragdoll.snapshot(), ragdoll.hash()]
      play(ragdoll, 40)
      const later = ragdoll.hash()
      expect(later).not.toBe(hash)
      ragdoll.restore(saved)
      expect([body.state, ragdoll.hash()]).toEqual(['limp', hash])
      play(ragdoll, 40)
      expect(ragdoll.hash()).toBe(later)
      ragdoll.dispose()
    })

    it('reset is the start, bit for bit', () => {
      const ragdoll = sticks({ bodies: 3 })
      const [hash, points] = [ragdoll.hash(), [...ragdoll.points]]
      ragdoll.hit([0, 1, 0], [2, 0, 1])
      play(ragdoll, 50)
      ragdoll.reset()
      expect(ragdoll.hash()).toBe(hash)
      expect([...ragdoll.points]).toEqual(points)
      expect(ragdoll.time).toBe(0)
      ragdoll.dispose()

      const { made, twin, ragdoll: skeleton, frame } = actor()
      frame()
      skeleton.activate()
      for (let f = 0; f < 60; f++) frame()
      skeleton.reset()
      expect(skeleton.state).toBe('animated')
      frame()
      expect(poses(made)).toEqual(poses(twin))
      skeleton.dispose()
    })

    it('a teleport leaves no swing', () => {
      const [still, far] = [sticks({ floor: null }), sticks({ floor: null })]
      for (const ragdoll of [still, far]) {
        ragdoll.hit([0, 1, 0], [1, 0, 2])
        play(ragdoll, 10)
      }
      far.teleport(new Matrix4().makeTranslation(0, 50, 7))
      const shifted = () => [...still.points].map((v, i) => v + (i % 3 === 1 ? 50 : i % 3 === 2 ? 7 : 0))
      expect(farthest(far.points, shifted())).toBeLessThan(2e-5)
      for (const ragdoll of [still, far]) play(ragdoll, 30)
      expect(farthest(far.points, shifted())).toBeLessThan(2e-3)
      const turn = new Matrix4().makeRotationY(1)
      far.teleport(turn)
      const before = at(far.points, 3)
      far.teleport(turn.clone().invert())
      expect(at(far.points, 3).distanceTo(before.applyMatrix4(turn.clone().invert()))).toBeLessThan(1e-4)
      expect(refusal(() => far.teleport({} as never)).message).toMatch(/^matrix must be a Matrix4/)
      expect(refusal(() => far.teleport(new Matrix4().makeScale(0, 1, 1))).code).toBe('invalid-input')
      for (const ragdoll of [still, far]) ragdoll.dispose()
    })

    it('dispose leaves the last pose, and refuses the rest', () => {
      const { made, ragdoll, body, frame } = actor()
      frame()
      ragdoll.activate()
      for (let f = 0; f < 30; f++) frame()
      const [pose, points] = [poses(made), [...ragdoll.points]]
      ragdoll.dispose()
      ragdoll.dispose()
      expect(ragdoll.disposed).toBe(true)
      expect(allFinite(pose.flat())).toBe(true)
      expect([...ragdoll.points]).toEqual(points)
      for (const use of [
        () => ragdoll.step(FRAME),
        () => ragdoll.activate(),
        () => ragdoll.hit([0, 0, 0], [1, 0, 0]),
        () => ragdoll.getUp(),
        () => ragdoll.settle(),
        () => body.activate(),
        () => body.wake(),
        () => ragdoll.configure({ iterations: 3 }),
        () => ragdoll.snapshot(),
        () => ragdoll.hash(),
        () => ragdoll.reset(),
      ])
        expect(refusal(use).code).toBe('disposed')
    })

    it('a state that breaks is put back, and told', () => {
      const ragdoll = sticks({ floor: null, sleepTime: null })
      let told = 0
      ragdoll.onDiverge = () => void told++
      play(ragdoll, 5)
      for (let i = 0; i < 40; i++) ragdoll.hit([0, 0, 0], [1e6, 1e6, -1e6], Infinity)
      for (let i = 0; i < 200; i++) {
        ragdoll.hit([0, 0, 0], [1e6, 1e6, -1e6], Infinity)
        ragdoll.step(FRAME)
        expect(allFinite([...ragdoll.points])).toBe(true)
      }
      expect(told).toBeLessThan(500)
      ragdoll.dispose()
    })

    it('growing memory takes the views along', async () => {
      const own = await loadBackend()
      const { positions, radius, links } = figure()
      const ragdoll = new Ragdoll(own, {
        points: radius.map((r, i) => ({ position: positions.slice(i * 3, i * 3 + 3) as Triple, radius: r })),
        links,
        bodies: 10,
      })
      ragdoll.step(FRAME)
      const before = [...ragdoll.points]
      const body = ragdoll.bodies[7]!
      const big = Array.from({ length: 6 }, () => Cloth.grid(own, { columns: 300, rows: 300, pinned: 'top' }))
      expect([...ragdoll.points]).toEqual(before)
      expect([...body.points]).toEqual(before.slice(7 * 60, 8 * 60))
      expect([...ragdoll.links]).toEqual(links.flatMap(([a, b]) => [a, b]))
      ragdoll.gravity.set(0, 0, 0)
      body.strength = 0
      body.hit([0, 1, 0], [1, 0, 0])
      for (let f = 0; f < 10; f++) ragdoll.step(FRAME)
      expect(farthest(body.points, before.slice(7 * 60, 8 * 60))).toBeGreaterThan(0.01)
      for (const cloth of big) cloth.dispose()
      own.dispose()
    })
  })

  describe('bad input is refused by name', () => {
    const points: RagdollPoint[] = [
      { name: 'a', position: [0, 1, 0] },
      { name: 'b', position: [0, 2, 0] },
      { name: 'c', position: [1, 2, 0] },
      { name: 'd', position: [1, 2, 1] },
    ]
    const links = [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const
    const chain = () => {
      const [upper, lower] = [new Bone(), new Bone()]
      upper.name = 'upper'
      lower.name = 'lower'
      lower.position.y = 1
      new Group().add(upper)
      upper.add(lower)
      return { upper, lower }
    }
    const { upper, lower } = chain()
    const frame = ['a', 'b', 'c'] as const

    it.each<[string, object, RegExp]>([
      ['no points', { points: [] }, /points/],
      ['points that are no list', { points: 3 }, /points/],
      ['a point that is none', { points: [...points, null] }, /points\[4\]/],
      ['a position that is NaN', { points: [{ position: [0, NaN, 0] }, ...points] }, /points\[0\]\.position/],
      ['no position', { points: [{}, ...points] }, /points\[0\].*position|points\[0\]\.position/],
      ['a radius below 0', { points: [...points, { position: [0, 0, 0], radius: -1 }] }, /points\[4\]\.radius/],
      ['a mass of 0', { points: [{ position: [0, 0, 0], mass: 0 }, ...points] }, /points\[0\]\.mass/],
      ['a mass that is NaN', { points: [{ position: [0, 0, 0], mass: NaN }, ...points] }, /points\[0\]\.mass/],
      [
        'an inverse mass below 0',
        { points: [{ position: [0, 0, 0], inverseMass: -1 }, ...points] },
        /points\[0\]\.inverseMass/,
      ],
      ['nothing that could move', { points: points.map((p) => ({ ...p, inverseMass: 0 })) }, /mass/i],
      ['a name twice', { points: [...points, { name: 'a', position: [0, 0, 0] }] }, /points\[4\]\.name|"a"/],
      [
        'a velocity that is none',
        { points: [{ position: [0, 0, 0], velocity: [0, 'x', 0] }, ...points] },
        /points\[0\]\.velocity/,
      ],
      ['a bone that is none', { points: [{ position: [0, 0, 0], bone: {} }, ...points] }, /points\[0\]\.bone/],
      ['a misspelt key of a point', { points: [{ position: [0, 0, 0], raduis: 1 }, ...points] }, /raduis/],
      ['a link to a point that does not exist', { links: [...links, [0, 4]] }, /links\[3\]/],
      ['a link to a name that does not exist', { links: [...links, ['a', 'e']] }, /links\[3\].*"e"/],
      ['a link below 0', { links: [[-1, 0]] }, /links\[0\]/],
      [
        'a link to itself',
        {
          links: [
            [0, 1],
            [2, 2],
          ],
        },
        /links\[1\]/,
      ],
      ['a link of half a point', { links: [[0, 1.5]] }, /links\[0\]/],
      ['a link that is none', { links: [[0, 1], 7] }, /links\[1\]/],
      ['a rest below 0', { links: [[0, 1, -1]] }, /links\[0\]/],
      ['a rest that is NaN', { links: [{ a: 0, b: 1, rest: NaN }] }, /links\[0\]/],
      ['minOnly without a rest', { links: [[0, 1, undefined, true]] }, /links\[0\]/],
      ['links that are no list', { links: {} }, /links/],
      [
        'a limit of points that do not exist',
        { limits: [{ kind: 'hinge', points: [0, 1, 2, 4], min: 0, max: 1 }] },
        /limits\[0\]/,
      ],
      ['a limit of an unknown kind', { limits: [{ kind: 'ball', points: [0, 1] }] }, /limits\[0\]\.kind/],
      ['a hinge of three points', { limits: [{ kind: 'hinge', points: [0, 1, 2], min: 0, max: 1 }] }, /limits\[0\]/],
      [
        'a hinge that ends before it begins',
        { limits: [{ kind: 'hinge', points: [0, 1, 2, 3], min: 1, max: 0 }] },
        /limits\[0\]/,
      ],
      [
        'a cone without an axis',
        { limits: [{ kind: 'cone', frame, points: ['c', 'd'], axis: [0, 0, 0], angle: 1 }] },
        /limits\[0\]\.axis/,
      ],
      [
        'a cone of a NaN angle',
        { limits: [{ kind: 'cone', frame, points: ['c', 'd'], axis: [0, 1, 0], angle: NaN }] },
        /limits\[0\]\.angle/,
      ],
      [
        'a cone without a frame',
        { limits: [{ kind: 'cone', points: ['c', 'd'], axis: [0, 1, 0], angle: 1 }] },
        /limits\[0\]\.frame/,
      ],
      [
        'a twist below 0',
        { limits: [{ kind: 'twist', frame, points: ['b', 'c', 'd'], angle: -1 }] },
        /limits\[0\]\.angle/,
      ],
      ['a capsule of a point that does not exist', { capsules: [{ points: [0, 4], radius: 0.1 }] }, /capsules\[0\]/],
      ['a capsule of a radius below 0', { capsules: [{ points: [0, 1], radius: -0.1 }] }, /capsules\[0\]\.radius/],
      ['no bodies', { bodies: 0 }, /bodies/],
      ['half a body', { bodies: 1.5 }, /bodies/],
      ['an empty list of bodies', { bodies: [] }, /bodies/],
      ['a body with a matrix that is none', { bodies: [{ matrix: [1] }] }, /bodies\[0\]\.matrix/],
      ['a body with too many bones', { bodies: [{ bones: [upper] }] }, /bodies\[0\]/],
      ['a root that is none', { root: 'hips' }, /root/],
      ['gravity that is none', { gravity: [0, 'down', 0] }, /gravity/],
      ['a collider that is none', { colliders: [{ kind: 'cone' }] }, /colliders\[0\]/],
      ['an unknown option', { iteration: 3 }, /iteration/],
      ['an option out of range', { iterations: 0 }, /iterations/],
    ])('%s', (_, wrong, message) => {
      const error = refusal(() => new Ragdoll(limber, { points, links, ...wrong } as never))
      expect(['invalid-option', 'invalid-input']).toContain(error.code)
      expect(error.message).toMatch(message)
    })

    it.each<[string, object[], RegExp]>([
      [
        'twice',
        [
          { bone: upper, points: frame },
          { bone: upper, points: frame },
        ],
        /bones\[1\]\.bone "upper"/,
      ],
      ['of one point', [{ bone: upper, points: ['a'] }], /bones\[0\]\.points/],
      ['of points that do not exist', [{ bone: upper, points: ['a', 'b', 9] }], /bones\[0\]\.points\[2\].*9/],
      ['of one point twice', [{ bone: upper, points: ['a', 'a', 'b'] }], /bones\[0\]/],
      [
        'with a parent that is not mapped',
        [{ bone: upper, points: frame, parent: new Bone() }],
        /parent of bone "upper"/,
      ],
      ['that swings from nothing', [{ bone: upper, points: ['a', 'b'] }], /"upper"/],
      ['that is none', [{ bone: {}, points: frame }], /bones\[0\]\.bone/],
      [
        'that carries itself',
        [
          { bone: upper, points: frame, parent: lower },
          { bone: lower, points: frame, parent: upper },
        ],
        /circle/,
      ],
    ])('a bone %s', (_, bones, message) => {
      const own = points.map((point) => ({ ...point, bone: upper }))
      const error = refusal(() => new Ragdoll(limber, { points: own, links, bones } as never))
      expect(error.code).toBe('invalid-option')
      expect(error.message).toMatch(message)
      const bare = refusal(() => new Ragdoll(limber, { points, links, bones: [{ bone: upper, points: frame }] }))
      expect(bare.message).toMatch(/points/)
    })

    it('children before parents are put in order', () => {
      const { upper: own, lower: below } = chain()
      const carried = points.map((point, i) => ({ ...point, bone: i < 3 ? own : below }))
      const bones = [
        { bone: below, points: ['c', 'd'] as const },
        { bone: own, points: frame },
      ]
      const [there, back] = [bones, [...bones].reverse()].map((list) => {
        const ragdoll = new Ragdoll(limber, { points: carried, links, bones: list })
        ragdoll.step(FRAME)
        ragdoll.activate()
        for (let f = 0; f < 30; f++) ragdoll.step(FRAME)
        const end = [...ragdoll.points]
        ragdoll.dispose()
        return end
      })
      expect(there).toEqual(back)
    })

    it('a setup that is none', () => {
      for (const setup of [undefined, null, 3, [], 'x'])
        expect(refusal(() => new Ragdoll(limber, setup as never)).code).toMatch(/^invalid-/)
    })

    it('what bodies are asked', () => {
      const { ragdoll, body, frame } = actor()
      frame()
      for (const [use, message] of [
        [() => body.activate({ velocity: [NaN, 0, 0] }), /velocity/],
        [() => body.activate({ strength: 2 }), /strength/],
        [() => body.activate({ from: new Object3D() }), /from/],
        [() => body.activate({ from: [] }), /from/],
        [() => body.activate({ hit: { point: [0, 0, 0] } as never }), /impulse/],
        [() => body.activate({ hti: 3 } as never), /hti/],
        [() => body.hit([0, 0, NaN], [1, 0, 0]), /point/],
        [() => body.hit([0, 0, 0], 'x' as never), /impulse/],
        [() => body.hit([0, 0, 0], [1, 0, 0], -1), /falloff/],
        [() => body.hit([0, 0, 0], [1, 0, 0], NaN), /falloff/],
        [() => void (body.strength = -1), /strength/],
        [() => void (body.strength = NaN), /strength/],
      ] as const) {
        const error = refusal(use)
        expect(error.code).toMatch(/^invalid-(option|input)$/)
        expect(error.message).toMatch(message)
      }
      expect(body.state).toBe('animated')
      body.activate()
      for (const [use, message] of [
        [() => body.getUp({ duration: -1 }), /duration/],
        [() => body.getUp({ duration: NaN }), /duration/],
        [() => body.getUp({ pose: 'sitting' as never }), /pose/],
        [() => body.getUp({ heading: 'north' as never }), /heading/],
        [() => body.getUp({ druation: 1 } as never), /druation/],
      ] as const) {
        const error = refusal(use)
        expect(error.code).toMatch(/^invalid-(option|input)$/)
        expect(error.message).toMatch(message)
      }
      expect(body.state).toBe('limp')
      ragdoll.dispose()
    })

    it('skeletons', () => {
      const made = humanoid()
      const headless = humanoid({ prefix: 'x_' })
      for (const bone of Object.values(headless.bones)) bone.name = `thing${bone.id}`
      for (const [use, message] of [
        [() => Ragdoll.fromSkeleton(limber, headless.mesh), /hips/i],
        [() => Ragdoll.fromSkeleton(limber, {} as never), /mesh|skeleton/i],
        [() => Ragdoll.fromSkeleton(limber, []), /mesh|bodies|skeleton/i],
        [() => Ragdoll.fromSkeleton(limber, [made.mesh, made.mesh]), /more than one/],
        [
          () => Ragdoll.fromSkeleton(limber, made.mesh, { map: { head: 'mixamorigHead', neck: 'mixamorigHead' } }),
          /mixamorigHead/,
        ],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { map: { head: 'nobody' } }), /nobody/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { map: { haed: 'mixamorigHead' } as never }), /haed/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { map: 'automatic' as never }), /map/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { root: 3 as never }), /root/],
        [() => Ragdoll.fromSkeleton(limber, [made.mesh, humanoid().mesh], { root: new Object3D() }), /root/],
        [() => Ragdoll.fromSkeleton(limber, [made.mesh, humanoid().mesh], { root: [new Object3D()] }), /root/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { mass: 0 }), /mass/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { mass: NaN }), /mass/],
        [() => Ragdoll.fromSkeleton(limber, made.mesh, { points: [] } as never), /points/],
      ] as const) {
        const error = refusal(use)
        expect(error.code).toMatch(/^invalid-(option|input)$/)
        expect(error.message).toMatch(message)
      }
      // It can be made after all that.
      Ragdoll.fromSkeleton(limber, made.mesh).dispose()
    })

    it.each(['animated', 'limp', 'gettingUp'])(
      'a pose that is NaN is refused, %s, and nothing has changed',
      (state) => {
        const { made, ragdoll, body, frame } = actor()
        frame()
        if (state !== 'animated') body.activate()
        for (let f = 0; f < 30; f++) frame()
        if (state === 'gettingUp') body.getUp()
        frame()
        expect(body.state).toBe(state)
        const [hash, points] = [ragdoll.hash(), [...ragdoll.points]]
        const kept = poseOf(made.bones.RightLeg!)
        made.bones.RightLeg!.quaternion.x = NaN
        const error = refusal(() => ragdoll.step(FRAME))
        expect([error.code, error.message]).toEqual(['invalid-input', expect.stringMatching(/pose/)])
        expect(ragdoll.hash()).toBe(hash)
        expect([...ragdoll.points]).toEqual(points)
        made.bones.RightLeg!.quaternion.fromArray(kept, 3)
        for (let f = 0; f < 30; f++) frame()
        expect(allFinite([...ragdoll.points, ...poses(made).flat()])).toBe(true)
        ragdoll.dispose()
      },
    )
  })
})

it('10,000 steps of ragdolls leave nothing on the JavaScript heap', () => {
  for (const backend of Object.keys(backends)) {
    const { kept, made } = heap('heap-ragdoll.mjs', backend, { kept: 20_000, made: 200 })
    expect(kept, `${backend}: bytes kept after 10,000 steps`).toBeLessThan(20_000)
    expect(made, `${backend}: bytes made by a step`).toBeLessThan(200)
  }
})
