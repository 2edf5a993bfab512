import { Bone, Object3D, Vector3 } from 'three'
import { describe, expect, test } from 'vitest'
import { SheetJiggle } from './peers/sheet-jiggle.mjs'
import { VrmJiggle } from './peers/vrm-jiggle.mjs'
import { FRAME, golden, move, readTips, rig } from './rigs.mjs'

/** The golden has nine significant digits, of at most some metres. */
const ROUNDING = 1e-7

/** The chain of a golden case. @param {number[][]} offsets */
function chain(offsets) {
  const root = new Object3D()
  const bones = offsets.map((_, b) => {
    const bone = new Bone()
    if (b > 0) bone.position.fromArray(offsets[b - 1])
    return bone
  })
  bones.reduce((/** @type {Object3D} */ parent, bone) => (parent.add(bone), bone), root)
  return { roots: [root], chains: [{ bones, tip: new Vector3(...offsets[offsets.length - 1]) }] }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const farthest = (a, b) => Array.from(a).reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0)

describe.each([false, true])('the sheet solver reproduces golden/jiggle.json, lean: %s', (lean) => {
  test.each(/** @type {any[]} */ (golden.cases).map((c, i) => ({ ...c, i, bones: c.restOffsets.length })))(
    'case $i, $bones bones',
    ({ bones, restOffsets, substepsPerFrame, stiffness, damping, frames, expect: wanted }) => {
      const made = chain(restOffsets)
      const solver = new SheetJiggle(made, { stiffness, damping, lean })
      const tips = new Float64Array(bones * 3)
      let rows = 0
      for (const [f, { position, quaternion }] of frames.entries()) {
        made.roots[0].position.fromArray(position)
        made.roots[0].quaternion.fromArray(quaternion)
        solver.step(substepsPerFrame / 120)
        if (!wanted[f]) continue
        rows++
        expect(farthest(readTips(made, tips), wanted[f].tips.flat()), `tips of frame ${f}`).toBeLessThan(ROUNDING)
        made.chains[0].bones.forEach(({ quaternion: found }, b) => {
          const q = wanted[f].quaternions[b]
          const sign = Math.sign(found.toArray().reduce((dot, v, i) => dot + v * q[i], 0))
          const apart = farthest(
            found.toArray().map((v) => v * sign),
            q,
          )
          expect(apart, `bone ${b} of frame ${f}`).toBeLessThan(ROUNDING)
        })
      }
      expect(rows).toBe(Object.keys(wanted).length)
    },
  )
})

test('three-vrm swings the same chains about as far as the sheet', () => {
  const still = rig(1, 25)
  const count = still.chains.length * 4
  const swing = (/** @type {import('./rigs.mjs').Rig} */ made, /** @type {{step(dt: number): void}} */ solver) => {
    const [tips, rest] = [new Float64Array(count * 3), new Float64Array(count * 3)]
    let sum = 0
    for (let f = 1; f <= 240; f++) {
      move(made, f * FRAME)
      move(still, f * FRAME)
      solver.step(FRAME)
      readTips(made, tips)
      readTips(still, rest)
      for (let i = 0; i < tips.length; i++) sum += Math.abs(tips[i] - rest[i])
    }
    return sum / (240 * count * 3)
  }
  const [a, b] = [rig(1, 25), rig(1, 25)]
  const sheet = swing(a, new SheetJiggle(a))
  const vrm = swing(b, new VrmJiggle(b))
  expect(sheet).toBeGreaterThan(0.02)
  expect(vrm / sheet).toBeGreaterThan(0.5)
  expect(vrm / sheet).toBeLessThan(2)
})
