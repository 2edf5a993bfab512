import { Cloth } from 'limber/core'
import { Matrix4, SphereGeometry } from 'three'

/** A limp ball of a welded geometry, dropped on the floor and blown about there. */
export const name = 'cloth-dropped-ball'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const matrix = new Matrix4().makeTranslation(0, 1.5, 0)
  return Cloth.fromGeometry(limber, new SphereGeometry(0.5, 24, 12), { matrix, floor: 0, substeps: 2 })
}

/** @param {import('limber').Cloth} ball @param {number} t seconds */
export function drive(ball, t) {
  ball.wind.set(2 * Math.sin(0.7 * t), 0, 2 * Math.cos(0.5 * t))
}
