import { JiggleBones, type Backend } from 'limber'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { allFinite, farthest } from '../helpers.mjs'
import { makeChain } from './chain.mjs'
import { JiggleReference } from './jiggle-reference.mjs'

interface GoldenCase {
  restOffsets: number[][]
  substepsPerFrame: number
  stiffness: number
  damping: number
  frames: { position: number[]; quaternion: number[] }[]
  expect: Record<number, { quaternions: number[][]; tips: number[][] }>
}

const { cases } = JSON.parse(readFileSync(new URL('../golden/jiggle.json', import.meta.url), 'utf8')) as {
  cases: GoldenCase[]
}

/** `q` or `-q`, whichever is nearer to `wanted`. */
function signed(q: number[], wanted: number[]) {
  return q.reduce((dot, v, i) => dot + v * wanted[i]!, 0) < 0 ? q.map((v) => -v) : q
}

it('the reference is the golden', () => {
  for (const { restOffsets, substepsPerFrame, stiffness, damping, frames, expect: rows } of cases) {
    const reference = new JiggleReference({ tips: restOffsets }, { stiffness, damping, interpolate: false })
    frames.forEach((frame, f) => {
      reference.frame({ dt: substepsPerFrame / 120, ...frame })
      const row = rows[f]
      if (!row) return
      expect(
        farthest(
          reference.tips.flatMap((tip) => tip.toArray()),
          row.tips.flat(),
        ),
      ).toBeLessThan(1e-7)
    })
  }
})

describe.each(Object.entries(backends))('golden/jiggle.json on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it.each(cases.map((c, i) => ({ i, bones: c.restOffsets.length, c })))(
    'case $i, $bones bones',
    ({ c: { restOffsets, substepsPerFrame, stiffness, damping, frames, expect: rows } }) => {
      const { root, bones, tip } = makeChain(restOffsets)
      const jiggle = new JiggleBones(limber, [{ bones, tip }], { stiffness, damping, interpolate: false })
      let seen = 0
      frames.forEach(({ position, quaternion }, f) => {
        root.position.fromArray(position)
        root.quaternion.fromArray(quaternion)
        expect(jiggle.step(substepsPerFrame / 120)).toBe(substepsPerFrame)
        const row = rows[f]
        if (!row) return
        seen++
        expect(allFinite(jiggle.tips)).toBe(true)
        expect(farthest(jiggle.tips, row.tips.flat()), `tips of frame ${f}`).toBeLessThan(1e-4)
        bones.forEach((bone, b) => {
          const wanted = row.quaternions[b]!
          const apart = farthest(signed(bone.quaternion.toArray(), wanted), wanted)
          expect(apart, `bone ${b} of frame ${f}`).toBeLessThan(1e-3)
        })
      })
      expect(seen).toBe(Object.keys(rows).length)
      jiggle.dispose()
    },
  )
})
