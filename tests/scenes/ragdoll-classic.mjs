import { Ragdoll } from 'limber/core'
import { Matrix4 } from 'three'
import { figure } from '../bench/bodies.mjs'

/** Nine bodies of points and links by the sheet's arithmetic: thrown, hit, and pushed by a ball that rolls among them. */
export const name = 'ragdoll-classic'

const BODIES = 9

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const { positions, inverseMass, radius, links } = figure()
  return new Ragdoll(limber, {
    points: radius.map((own, i) => ({
      position: positions.slice(i * 3, i * 3 + 3),
      inverseMass: inverseMass[i],
      radius: own,
    })),
    links,
    bodies: Array.from({ length: BODIES }, (_, b) => ({
      matrix: new Matrix4().makeRotationY(b).setPosition((b % 3) - 1, 0.2 * b, Math.floor(b / 3) - 1),
    })),
    capsules: [
      { points: [0, 1], radius: 0.1 },
      { points: [6, 8], radius: 0.04 },
      { points: [7, 9], radius: 0.04 },
      { points: [10, 12], radius: 0.05 },
      { points: [11, 13], radius: 0.05 },
    ],
    colliders: [
      { kind: 'sphere', center: [0, 0.4, 0], radius: 0.4, friction: 0.3 },
      { kind: 'box', center: [0, 0, -2], halfExtents: [2, 0.3, 0.2] },
    ],
  })
}

/** @param {Ragdoll} ragdoll @param {number} t seconds */
export function drive(ragdoll, t) {
  ragdoll.gravity.set(Math.sin(0.3 * t), -9.8, 0.5 * Math.sin(0.7 * t))
  ragdoll.colliders.set(0, {
    kind: 'sphere',
    center: [1.5 * Math.sin(0.8 * t), 0.4, 1.2 * Math.sin(0.5 * t)],
    radius: 0.4,
    friction: 0.3,
  })
  const step = Math.round(t / ragdoll.fixedStep)
  if (step % 240 !== 60) return
  const body = ((step / 60) % BODIES) | 0
  ragdoll.bodies[body].hit([0, 0.5, 0], [Math.sin(step), 3, Math.cos(step)], step % 480 === 60 ? 0.3 : Infinity)
}
