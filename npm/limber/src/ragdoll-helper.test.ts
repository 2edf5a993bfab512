import { Ragdoll, RagdollHelper, type RagdollSetup } from 'limber'
import { Color, Vector3 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { humanoid } from '../../../tests/ragdoll/humanoid.mjs'

const COLOURS = { color: '#ff0000', pointColor: '#00ff00', limitColor: '#0000ff', colliderColor: '#ffffff' }
const FRAME = 1 / 60

/** What is drawn, in pieces, by colour. */
function drawn({ geometry }: RagdollHelper) {
  const pieces: Record<'sticks' | 'points' | 'limits' | 'colliders', [Vector3, Vector3][]> = {
    sticks: [],
    points: [],
    limits: [],
    colliders: [],
  }
  const kinds = Object.keys(pieces) as (keyof typeof pieces)[]
  const colors = Object.values(COLOURS).map((color) => new Color(color))
  const [position, color] = [geometry.getAttribute('position'), geometry.getAttribute('color')]
  const at = (i: number) => new Vector3().fromBufferAttribute(position, i)
  for (let i = 0; i < geometry.drawRange.count; i += 2) {
    const [r, g, b] = [color.getX(i), color.getY(i), color.getZ(i)]
    const kind = kinds[colors.findIndex((c) => c.r === r && c.g === g && c.b === b)]!
    pieces[kind].push([at(i), at(i + 1)])
  }
  return pieces
}

/** Four points in a plane: a limb of two parts, and the line of its hinge. */
const LIMB: RagdollSetup = {
  points: [
    { name: 'a', position: [0, 2, 0], radius: 0.1 },
    { name: 'joint', position: [0, 1, 0] },
    { name: 'axis', position: [0.5, 1, 0] },
    { name: 'b', position: [0, 0.2, 0] },
  ],
  links: [
    ['a', 'joint'],
    ['joint', 'axis'],
    ['joint', 'b'],
    ['a', 'axis'],
    ['axis', 'b'],
  ],
}

describe.each(Object.entries(backends))('RagdollHelper on %s', (_, load) => {
  let limber: Awaited<ReturnType<typeof load>>
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('draws links as sticks, points as balls of their radius, and colliders, where they are now', () => {
    const ragdoll = new Ragdoll(limber, {
      ...LIMB,
      bodies: 2,
      colliders: [{ kind: 'sphere', center: [0, 5, 0], radius: 2 }],
    })
    const helper = new RagdollHelper(ragdoll, COLOURS)
    for (let frame = 0; frame < 3; frame++) {
      const { sticks, points, limits, colliders } = drawn(helper)
      const place = (p: number) => new Vector3().fromArray(ragdoll.points, p * 3)
      expect(sticks.length).toBe(10)
      sticks.forEach(([a, b], i) => {
        const [first, link] = [Math.floor(i / 5) * 4, (i % 5) * 2]
        expect(a).toEqual(place(first + ragdoll.links[link]!))
        expect(b).toEqual(place(first + ragdoll.links[link + 1]!))
      })
      expect(points.length).toBe(8 * 72)
      points.forEach(([a, b], i) => {
        const p = Math.floor(i / 72)
        for (const end of [a, b]) expect(end.distanceTo(place(p))).toBeCloseTo(p % 4 ? 0.05 : 0.1, 5)
      })
      expect(limits).toEqual([])
      for (const ends of colliders)
        for (const end of ends) expect(end.distanceTo(new Vector3(0, 5, 0))).toBeCloseTo(2, 5)
      ragdoll.step(FRAME)
      helper.update()
    }
    helper.dispose()
    ragdoll.dispose()
    helper.update()
  })

  it('draws a hinge as the arc of its end, and a cone as the ring of its tip', () => {
    const limits = [
      { kind: 'hinge', points: ['a', 'joint', 'axis', 'b'], min: 0, max: Math.PI / 2 },
      { kind: 'cone', frame: ['joint', 'a', 'axis'], points: ['joint', 'b'], axis: [0, -1, 0], angle: 0.5 },
    ] as const
    const ragdoll = new Ragdoll(limber, { ...LIMB, limits })
    const helper = new RagdollHelper(ragdoll, { ...COLOURS, limits: true })
    const { limits: lines } = drawn(helper)
    const [arc, ring] = [lines.slice(0, 26), lines.slice(26)]
    expect(ring.length).toBe(24)
    const joint = new Vector3(0, 1, 0)
    const ends = arc.slice(0, 24).flat()
    for (const end of ends) {
      expect(end.distanceTo(joint)).toBeCloseTo(0.8, 5)
      expect(end.x).toBeCloseTo(0, 5)
    }
    // Straight on, and a quarter of a turn right-handed about x from there.
    expect(ends[0]!.distanceTo(new Vector3(0, 0.2, 0))).toBeLessThan(1e-5)
    expect(ends.at(-1)!.distanceTo(new Vector3(0, 1, -0.8))).toBeLessThan(1e-5)
    // And from the joint to both.
    expect(arc.slice(24).map(([from]) => from)).toEqual([joint, joint])
    expect(arc[24]![1].distanceTo(ends[0]!)).toBeLessThan(1e-6)
    expect(arc[25]![1].distanceTo(ends.at(-1)!)).toBeLessThan(1e-6)
    for (const end of ring.flat()) {
      expect(end.distanceTo(joint)).toBeCloseTo(0.8, 5)
      expect(end.sub(joint).angleTo(new Vector3(0, -1, 0))).toBeCloseTo(0.5, 5)
    }
    helper.dispose()
    ragdoll.dispose()
  })

  it('draws a body while it is limp or gets up, an animated one only if asked; limits move along', () => {
    const { mesh } = humanoid()
    const ragdoll = Ragdoll.fromSkeleton(limber, mesh)
    const helper = new RagdollHelper(ragdoll, { ...COLOURS, limits: true })
    const count = () => (helper.update(), helper.geometry.drawRange.count)
    expect(count()).toBe(0)
    helper.animated = true
    const all = count()
    expect(all).toBeGreaterThan(ragdoll.linkCount * 2)
    helper.animated = false
    ragdoll.activate()
    const array = helper.geometry.getAttribute('position').array
    for (let frame = 0; frame < 90; frame++) {
      ragdoll.step(FRAME)
      expect(count()).toBe(all)
    }
    // Nothing is made anew in a frame.
    expect(helper.geometry.getAttribute('position').array).toBe(array)
    const reach = new Vector3()
    for (const ends of drawn(helper).limits) {
      for (const end of ends) {
        expect(Number.isFinite(end.length())).toBe(true)
        let nearest = Infinity
        for (let p = 0; p < ragdoll.pointCount; p++) {
          nearest = Math.min(nearest, reach.fromArray(ragdoll.points, p * 3).distanceTo(end))
        }
        expect(nearest).toBeLessThan(1)
      }
    }
    ragdoll.getUp({ duration: 0.2 })
    expect(count()).toBe(all)
    ragdoll.settle()
    expect(count()).toBe(0)
    helper.dispose()
    ragdoll.dispose()
  })
})
