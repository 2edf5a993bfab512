import { Cloth } from 'limber/core'
import { CAPSULES, hang } from './cape.mjs'

/** The golden's standing cape: it falls onto the back and hangs. */
export const name = 'cloth-hanging-cape'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  return Cloth.grid(limber, { columns: 12, rows: 17, place: hang, pinned: 'top', colliders: CAPSULES })
}

export function drive() {}
