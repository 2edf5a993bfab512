/** The cape of `tests/golden/cloth.json`: where it hangs, and the body it hangs on. */

export const WIDTH = 0.54
export const HEIGHT = 1.2
/** How far behind the body's middle it hangs, metres. */
export const BEHIND = -0.24

/** @type {import('limber').CapsuleCollider[]} trunk and legs */
export const CAPSULES = [
  { kind: 'capsule', a: [0, 0.95, 0], b: [0, 1.45, 0], radius: 0.2 },
  { kind: 'capsule', a: [-0.11, 0.1, 0], b: [-0.11, 0.9, 0], radius: 0.1 },
  { kind: 'capsule', a: [0.11, 0.1, 0], b: [0.11, 0.9, 0], radius: 0.1 },
]

/** Start of the vertex in column `i` of row `j`. @param {number} i @param {number} j @param {import('three').Vector3} out */
export function hang(i, j, out) {
  out.set((i / 11 - 0.5) * WIDTH, 1.5 - (j / 16) * HEIGHT, BEHIND)
}

/** Moves shoulders and body to `y`, `z`, metres from where they started. @param {import('limber').Cloth} cape */
export function carry(cape, y, z) {
  const { targets, vertices } = cape.pins
  for (let slot = 0; slot < vertices.length; slot++) {
    targets[slot * 3] = (vertices[slot] / 11 - 0.5) * WIDTH
    targets[slot * 3 + 1] = 1.5 + y
    targets[slot * 3 + 2] = BEHIND + z
  }
  CAPSULES.forEach(({ a, b, radius }, index) => {
    cape.colliders.set(index, { kind: 'capsule', a: [a[0], a[1] + y, z], b: [b[0], b[1] + y, z], radius })
  })
}
