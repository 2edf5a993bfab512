import { Cloth } from 'limber/core'

/** A sheet held by its corners while a ball goes round under it, on a slope with friction. */
export const name = 'cloth-sheet-over-ball'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  return Cloth.grid(limber, {
    columns: 23,
    rows: 18,
    iterations: 4,
    substeps: 2,
    floor: null,
    pinned: 'corners',
    place: (i, j, out) => out.set((i / 22 - 0.5) * 2, 1, (j / 17 - 0.5) * 1.6),
    colliders: [ball(0), { kind: 'plane', normal: [0.1, 1, 0], offset: 0.1, friction: 0.4 }],
  })
}

/** @param {import('limber').Cloth} sheet @param {number} t seconds */
export function drive(sheet, t) {
  sheet.colliders.set(0, ball(t))
}

/** @returns {import('limber').SphereCollider} */
function ball(t) {
  const center = /** @type {const} */ ([
    0.5 * Math.cos(1.7 * t),
    0.75 + 0.2 * Math.sin(2.3 * t),
    0.4 * Math.sin(1.1 * t),
  ])
  return { kind: 'sphere', center, radius: 0.3, friction: 0.3 }
}
