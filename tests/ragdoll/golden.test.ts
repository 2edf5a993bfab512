import { Ragdoll, type Backend } from 'limber'
import { readFileSync } from 'node:fs'
import { Matrix4 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { allFinite, farthest } from '../helpers.mjs'
import { RagdollReference } from './ragdoll-reference.mjs'

interface GoldenCase {
  iterations: number
  gravity: number
  velocityKeep: number
  floorTangentKeep: number
  positions: number[]
  previous: number[]
  inverseMass: number[]
  radius: number[]
  links: { a: number; b: number; rest: number; minOnly: boolean }[]
  expect: Record<number, number[]>
}

const { cases } = JSON.parse(readFileSync(new URL('../golden/ragdoll.json', import.meta.url), 'utf8')) as {
  cases: GoldenCase[]
}
const named = cases.map((c, i) => ({ i, points: c.radius.length, iterations: c.iterations, c }))
const STEPS = 600

const triples = (numbers: number[]) =>
  Array.from({ length: numbers.length / 3 }, (_, i) => numbers.slice(i * 3, i * 3 + 3))
const velocities = ({ positions, previous }: GoldenCase) => triples(positions.map((v, i) => (v - previous[i]!) * 120))
const options = ({ iterations, velocityKeep, floorTangentKeep }: GoldenCase) => ({
  iterations,
  velocityKeep,
  floorFriction: 1 - floorTangentKeep,
})

it.each(named)('the reference is the golden: case $i', ({ c }) => {
  const { positions, inverseMass, radius, links, gravity } = c
  const reference = new RagdollReference(
    { points: triples(positions), velocities: velocities(c), inverseMass, radius, links },
    { ...options(c), gravity: [0, -gravity, 0] },
  )
  let rows = 0
  for (let s = 1; s <= STEPS; s++) {
    reference.step()
    if (!c.expect[s]) continue
    rows++
    expect(farthest(reference.positions, c.expect[s]), `step ${s}`).toBeLessThan(s > 10 ? 1e-5 : 1e-8)
  }
  expect(rows).toBe(Object.keys(c.expect).length)
})

describe.each(Object.entries(backends))('golden/ragdoll.json on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const make = (c: GoldenCase, bodies = 1) => {
    const places = triples(c.positions)
    const fast = velocities(c)
    return new Ragdoll(limber, {
      points: places.map((position, i) => ({
        position: position as [number, number, number],
        velocity: fast[i] as [number, number, number],
        inverseMass: c.inverseMass[i]!,
        radius: c.radius[i]!,
      })),
      links: c.links,
      bodies,
      gravity: [0, -c.gravity, 0],
      ...options(c),
      classic: true,
      sleepTime: null,
      interpolate: false,
    })
  }

  /** Runs the steps of a case in calls of so many, and holds each body against it. */
  const hold = (ragdoll: Ragdoll, c: GoldenCase, stride = 1, offset = () => 0) => {
    let rows = 0
    for (let s = stride; s <= STEPS; s += stride) {
      expect(ragdoll.step(stride / 120)).toBe(stride)
      const wanted = c.expect[s]
      if (!wanted) continue
      rows++
      for (const { points, index } of ragdoll.bodies) {
        expect(points.length).toBe(wanted.length)
        expect(allFinite([...points])).toBe(true)
        const off = farthest(
          [...points].map((v, i) => v - (i % 3 === 0 ? offset() : 0)),
          wanted,
        )
        expect(off, `step ${s} of body ${index}`).toBeLessThan(s > 10 ? 5e-4 : 1e-5)
      }
    }
    return rows
  }

  it.each(named)('case $i: $points points, $iterations iterations', ({ c }) => {
    const ragdoll = make(c)
    expect([ragdoll.pointCount, ragdoll.linkCount, ragdoll.state]).toEqual([c.radius.length, c.links.length, 'limp'])
    expect([...ragdoll.links]).toEqual(c.links.flatMap(({ a, b }) => [a, b]))
    expect(hold(ragdoll, c)).toBe(Object.keys(c.expect).length)
    ragdoll.dispose()
  })

  it.each(named)('case $i, seven bodies, two steps a call', ({ c }) => {
    const ragdoll = make(c, 7)
    expect(ragdoll.points.length).toBe(7 * c.positions.length)
    expect(hold(ragdoll, c, 2)).toBe(Object.keys(c.expect).length - 1)
    ragdoll.dispose()
  })

  it('every body of a crowd has the bits of one alone', () => {
    const c = cases[2]!
    const [one, five] = [make(c), make(c, 5)]
    for (let s = 1; s <= 240; s++) {
      for (const ragdoll of [one, five]) ragdoll.step()
      for (const { points } of five.bodies) expect([...points]).toEqual([...one.points])
    }
    for (const ragdoll of [one, five]) ragdoll.dispose()
  })

  it('a body that is placed elsewhere, and turned, falls as it is turned', () => {
    const c = cases[0]!
    const matrix = new Matrix4().makeRotationY(Math.PI).setPosition(0, 0, 0)
    const ragdoll = new Ragdoll(limber, {
      points: triples(c.positions).map((position, i) => ({
        position: position as [number, number, number],
        velocity: velocities(c)[i] as [number, number, number],
        inverseMass: c.inverseMass[i]!,
        radius: c.radius[i]!,
      })),
      links: c.links,
      bodies: [{ matrix }, {}],
      ...options(c),
      interpolate: false,
      sleepTime: null,
    })
    for (let s = 1; s <= 60; s++) ragdoll.step()
    const [turned, plain] = ragdoll.bodies.map(({ points }) => [...points])
    expect(
      farthest(
        turned!.map((v, i) => (i % 3 === 1 ? v : -v)),
        plain!,
      ),
    ).toBeLessThan(5e-4)
    expect(farthest(plain!, c.expect[60]!)).toBeLessThan(5e-4)
    ragdoll.dispose()
  })
})
