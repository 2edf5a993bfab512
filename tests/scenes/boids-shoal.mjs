import { Boids } from 'limber/core'

/** The sheet's fish, a few more of them, with their wandering and a pointer that goes about among them. */
export const name = 'boids-shoal'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  return new Boids(limber, { dimensions: 2, count: 150, seed: 8, repellers: [{ position: [0.8, 0.5, 0] }] })
}

/** @param {Boids} shoal @param {number} t seconds */
export function drive(shoal, t) {
  const [pointer] = shoal.repellers
  pointer.position = [0.8 + 0.9 * Math.sin(0.7 * t), 0.5 + 0.4 * Math.sin(1.1 * t), 0]
  pointer.enabled = t % 20 < 15
}
