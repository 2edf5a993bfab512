import { Cloth } from 'limber/core'
import { CAPSULES, carry, hang } from './cape.mjs'

/** The golden's walking cape: five seconds of walking and five of standing, over and over. */
export const name = 'cloth-walking-cape'

/** Walking speed, m/s. */
export const SPEED = 1.2

/** @param {import('limber').Backend} limber */
export function create(limber) {
  return Cloth.grid(limber, {
    columns: 12,
    rows: 17,
    place: hang,
    pinned: 'top',
    colliders: CAPSULES,
    wind: [0, 0, -0.5],
  })
}

/** @param {import('limber').Cloth} cape @param {number} t seconds */
export function drive(cape, t) {
  const round = Math.floor(Math.max(t, 0) / 10)
  const walked = Math.min(Math.max(t, 0) - round * 10, 5)
  const walking = walked < 5
  carry(cape, walking ? 0.02 * Math.sin(9 * walked) : 0, SPEED * (round * 5 + walked))
}
