import { Cloth } from 'limber/core'

/** The golden's flag in a wind whose mean swells from calm to 12 m/s and back. */
export const name = 'cloth-flag'

/** @param {import('limber').Backend} limber */
export function create(limber) {
  return Cloth.grid(limber, {
    columns: 16,
    rows: 10,
    pinned: 'left',
    place: (i, j, out) => out.set((i / 15) * 1.2, 2.6 - (j / 9) * 0.75, 0),
  })
}

/** @param {import('limber').Cloth} flag @param {number} t seconds */
export function drive(flag, t) {
  const mean = 6 - 6 * Math.cos(0.3 * t)
  flag.wind.set(mean * (1 + 0.3 * Math.sin(2.1 * t)), 0, mean * 0.35 * Math.sin(1.3 * t))
}
