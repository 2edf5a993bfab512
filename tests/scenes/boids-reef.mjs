import { Boids } from 'limber/core'
import { Object3D } from 'three'

/** A reef in space: two species and what hunts them, rocks, a ball that moves, bait on an object, a path and a leader. */
export const name = 'boids-reef'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const bait = new Object3D()
  const reef = new Boids(limber, {
    bounds: { kind: 'box', min: [-1.2, -0.6, -0.8], max: [1.2, 0.6, 0.8] },
    seed: 3,
    species: [
      { count: 100, flocksWith: [0] },
      { count: 45, flocksWith: [0, 1], speed: 1.2 },
      { count: 4, hunts: [0, 1], speed: 1.4 },
    ],
    rules: { alignment: { angle: 4.5 }, cohesion: { radius: 0.15, angle: 5 } },
    topological: true,
    obstacles: [
      { kind: 'sphere', center: [0, 0, 0], radius: 0.1 },
      { kind: 'box', center: [0.6, -0.5, 0.2], halfExtents: [0.15, 0.2, 0.1], rotation: [0.1, 0.3, 0, 1] },
      { kind: 'taperedCapsule', a: [-0.5, -0.6, 0.3], b: [-0.45, 0, 0.2], radiusA: 0.15, radiusB: 0.05 },
      { kind: 'capsule', a: [-0.2, 0.4, -0.6], b: [0.5, 0.45, -0.5], radius: 0.07 },
      { kind: 'plane', normal: [0.1, 1, 0], offset: -0.5 },
    ],
    attractors: [
      { object: bait, radius: 0.5, weight: 0.05 },
      {
        path: [
          [-0.8, 0, -0.4],
          [0.8, 0.2, -0.4],
          [0.7, 0, 0.5],
          [-0.7, -0.1, 0.5],
        ],
        closed: true,
        weight: 0.01,
      },
      { boid: 7, radius: 0.3 },
    ],
    repellers: [{ position: [0, 0.3, 2], direction: [0.1, -0.05, -1] }],
  })
  baits.set(reef, bait)
  return reef
}

/** @type {WeakMap<Boids, Object3D>} */
const baits = new WeakMap()

/** @param {Boids} reef @param {number} t seconds */
export function drive(reef, t) {
  baits.get(reef).position.set(0.9 * Math.sin(0.4 * t), 0.3 * Math.sin(0.9 * t), 0.5 * Math.cos(0.4 * t))
  reef.obstacles.set(0, {
    kind: 'sphere',
    center: [0.8 * Math.sin(0.3 * t), 0.2 * Math.sin(0.5 * t), 0.5 * Math.sin(0.7 * t)],
    radius: 0.1,
  })
  reef.repellers[0].direction = [0.3 * Math.sin(0.6 * t), -0.15, -1]
  // The rules go off and on, as in the sheet.
  const on = t % 14 <= 9
  if (reef.rules.alignment.enabled !== on) reef.rules.alignment.enabled = reef.rules.cohesion.enabled = on
}
