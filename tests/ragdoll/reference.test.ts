import { Ragdoll, type Backend } from 'limber'
import { Group, Quaternion, Vector3 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { allFinite, farthest } from '../helpers.mjs'
import { angleBetween } from '../jiggle/chain.mjs'
import { RagdollReference, swung, turned } from './ragdoll-reference.mjs'

/** Steps for which a build is followed. */
const STEPS = 60
const BUILDS = 60

/** Numbers from 0 to 1. */
function randoms(seed: number) {
  let state = seed
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

/** Points anywhere, each linked to some that came before it. */
function randomBuild(seed: number) {
  const random = randoms(seed * 7919 + 1)
  const count = 2 + Math.floor(random() * 22)
  const points = Array.from({ length: count }, () => [random() - 0.5, 0.2 + random() * 1.2, random() - 0.5])
  const links = points.flatMap((_, b) =>
    Array.from({ length: b ? 1 + Math.floor(random() * 3) : 0 }, () => {
      const a = Math.floor(random() * b)
      const minOnly = random() < 0.2
      const apart = Math.hypot(...[0, 1, 2].map((c) => points[a]![c]! - points[b]![c]!))
      return { a, b, minOnly, ...((minOnly || random() < 0.5) && { rest: apart * (0.7 + 0.6 * random()) }) }
    }),
  )
  return {
    body: {
      points,
      velocities: points.map(() => [random() * 4 - 2, random() * 4 - 2, random() * 4 - 2]),
      inverseMass: points.map(() => [0.5, 1, 2, 0.2][Math.floor(random() * 4)]!),
      radius: points.map(() => 0.02 + 0.08 * random()),
      links,
    },
    options: {
      iterations: 1 + Math.floor(random() * 15),
      gravity: [random() * 4 - 2, -9.8 * random(), random() * 4 - 2],
      velocityKeep: 0.98 + 0.02 * random(),
      floor: random() < 0.15 ? null : random() * 0.1,
      floorFriction: random(),
    },
    hits: Array.from({ length: Math.floor(random() * 3) }, () => ({
      step: Math.floor(random() * STEPS),
      from: [random() - 0.5, random(), random() - 0.5],
      velocity: [random() * 6 - 3, random() * 3, random() * 6 - 3],
      falloff: random() < 0.3 ? undefined : random() < 0.2 ? Infinity : 0.05 + random(),
    })),
  }
}

type Triple = [number, number, number]

/**
 * Runs the reference, and one that begins a hundredth of a millimetre beside it: how far that has got at each step. Where
 * rounding decides whether a point is braked, it is as far as can be.
 */
function follow({ body, options, hits }: ReturnType<typeof randomBuild>) {
  // Rests come from the true points in both.
  const links = body.links.map((link) => {
    const [a, b] = [body.points[link.a]!, body.points[link.b]!]
    return { ...link, rest: link.rest ?? Math.hypot(...[0, 1, 2].map((c) => a[c]! - b[c]!)) }
  })
  const [wanted, other] = [0, 1e-5].map((by) => {
    const points = body.points.map((at, i) => at.map((v, c) => v + by * Math.sin(i * 12.9 + c * 4.1)))
    return new RagdollReference({ ...body, points, links }, options)
  })
  return Array.from({ length: STEPS }, (_, s) => {
    for (const reference of [wanted!, other!]) {
      for (const hit of hits) if (hit.step === s) reference.hit(hit.from, hit.velocity, hit.falloff)
      reference.step()
    }
    const { positions, doubtful } = wanted!
    return { positions, spread: doubtful ? Infinity : farthest(other!.positions, positions) }
  })
}

describe.each(Object.entries(backends))('the reference on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('random builds, thrown and hit', () => {
    let compared = 0
    for (let seed = 1; seed <= BUILDS; seed++) {
      const build = randomBuild(seed)
      const { body, options, hits } = build
      const rows = follow(build)
      const ragdoll = new Ragdoll(limber, {
        points: body.points.map((position, i) => ({
          position: position as Triple,
          velocity: body.velocities[i] as Triple,
          inverseMass: body.inverseMass[i]!,
          radius: body.radius[i]!,
        })),
        links: body.links,
        ...options,
        gravity: options.gravity as Triple,
        interpolate: false,
        sleepTime: null,
      })
      for (let s = 0; s < STEPS; s++) {
        for (const { step, from, velocity, falloff } of hits)
          if (step === s) ragdoll.hit(from as Triple, velocity as Triple, falloff)
        ragdoll.step()
        expect(allFinite([...ragdoll.points]), `build ${seed}, step ${s}`).toBe(true)
        const { positions, spread } = rows[s]!
        // Where what begins a hundredth of a millimetre apart ends far apart, rounding does too.
        if (spread > 2e-4) break
        compared++
        expect(farthest(ragdoll.points, positions), `build ${seed}, step ${s}`).toBeLessThan(5e-4)
      }
      ragdoll.dispose()
    }
    expect(compared).toBeGreaterThan((BUILDS * STEPS) / 3)
  })

  it('bones follow points: a basis of three, a swing of two', () => {
    const random = randoms(99)
    const near = () => random() * 0.4 - 0.2
    for (let round = 0; round < 20; round++) {
      // A trunk of three points, an arm of two links that swing, whose bones look anywhere.
      const scene = new Group()
      const bones = Array.from({ length: 3 }, () => {
        const bone = new Group()
        bone.position.set(near(), 0.4, near())
        bone.quaternion.set(near(), near(), near(), random()).normalize()
        return bone
      })
      scene.position.set(near(), 1, near())
      scene.rotation.set(near(), 3 * near(), near())
      bones.reduce((parent: Group, bone) => (parent.add(bone), bone), scene)
      scene.updateMatrixWorld(true)
      const [trunk, upper, lower] = bones as [Group, Group, Group]
      const at = (bone: Group, x: number, y: number, z: number) => bone.localToWorld(new Vector3(x, y, z))
      const rest = [
        at(trunk, 0, 0, 0),
        at(trunk, 0.05, 0.4, 0),
        at(trunk, 0.2, 0.1, 0.1),
        at(upper, 0, 0, 0),
        at(lower, 0, 0, 0),
        at(lower, 0.1, 0.3, 0),
      ]
      const carriers = [trunk, trunk, trunk, trunk, upper, lower]
      const ragdoll = new Ragdoll(limber, {
        points: rest.map((position, i) => ({ position, bone: carriers[i]!, radius: 0.03 })),
        links: [
          [0, 1],
          [0, 2],
          [1, 2],
          [0, 3],
          [1, 3],
          [2, 3],
          [3, 4],
          [4, 5],
        ],
        bones: [
          { bone: trunk, points: [0, 1, 2] },
          { bone: upper, points: [3, 4] },
          { bone: lower, points: [4, 5] },
        ],
        interpolate: false,
      })
      const worlds = bones.map((bone) => bone.getWorldQuaternion(new Quaternion()))
      ragdoll.step()
      ragdoll.activate()
      const hit = [3 * near(), near(), 3 * near()] as const
      ragdoll.hit([near(), 1.5, near()], [hit[0] * 5, hit[1], hit[2] * 5])
      for (let s = 0; s < 90; s++) {
        ragdoll.step()
        const now = rest.map((_, i) => new Vector3().fromArray(ragdoll.points, i * 3))
        const torso = turned(rest.slice(0, 3), now.slice(0, 3))
        const arm = swung(rest.slice(3, 5), now.slice(3, 5), torso)
        const hand = swung(rest.slice(4, 6), now.slice(4, 6), arm)
        ;[torso, arm, hand].forEach((turn, b) => {
          const wanted = turn.clone().multiply(worlds[b]!)
          const found = bones[b]!.getWorldQuaternion(new Quaternion())
          expect(angleBetween(found, wanted), `bone ${b}, round ${round}, step ${s}`).toBeLessThan(2e-4)
        })
        // The first of them is where its points are.
        const carried = new Vector3().setFromMatrixPosition(trunk.matrixWorld)
        expect(carried.distanceTo(now[0]!), `round ${round}, step ${s}`).toBeLessThan(1e-4)
      }
      ragdoll.dispose()
    }
  })
})
