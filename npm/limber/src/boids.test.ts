import { Boids, Cloth, type Backend, type BoidsSetup, type BoidsSpecies, type Collider } from 'limber'
import { BoxGeometry, BufferAttribute, BufferGeometry, Matrix4, MeshBasicMaterial, Object3D, Vector3 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { matrixFaults, outside, randoms, square, three } from '../../../tests/boids/flock.mjs'
import { allFinite, farthest, heap, refusal } from '../../../tests/helpers.mjs'

type Triple = [number, number, number]
const SECOND = 60
const OFF = { enabled: false }
const NO_RULES = { separation: OFF, alignment: OFF, cohesion: OFF }
/** A wide world, in which one boid is alone. */
const WIDE = { kind: 'box', min: [-50, -50, -50], max: [50, 50, 50] } as const
const ROOM = { kind: 'box', min: [-1, -1, -1], max: [1, 1, 1] } as const

const run = (boids: Boids, steps: number) => {
  for (let s = 0; s < steps; s++) boids.step()
}
const whole = (boids: Boids) => [...boids.positions, ...boids.velocities, ...boids.matrices]
const placeOf = (boids: Boids, i: number) => new Vector3().fromArray(boids.positions, i * 3)
const velocityOf = (boids: Boids, i: number) => new Vector3().fromArray(boids.velocities, i * 3)
const meanDistance = (boids: Boids, to: Vector3) =>
  Array.from(boids.ids.keys()).reduce((sum, i) => sum + placeOf(boids, i).distanceTo(to), 0) / boids.ids.length

describe.each(Object.entries(backends))('boids on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  /** One boid that nothing but what is asked for steers. */
  const lone = (more: BoidsSetup = {}) =>
    new Boids(limber, {
      bounds: WIDE,
      rules: NO_RULES,
      wander: 0,
      turnLimit: null,
      initial: { positions: [0, 0, 0], velocities: [0.2, 0, 0] },
      ...more,
    })

  describe('making them', () => {
    it('gives what the sheet has, and a cube in 3D', () => {
      const [flat, cube] = [new Boids(limber, { dimensions: 2 }), new Boids(limber)]
      expect([flat.dimensions, cube.dimensions]).toEqual([2, 3])
      expect(flat.bounds).toEqual({ kind: 'torus', min: [0, 0, 0], max: [1.6, 1, 0] })
      expect(cube.bounds).toEqual({ kind: 'torus', min: [-1, -1, -1], max: [1, 1, 1] })
      expect([flat.stats.boids, cube.ids.length]).toEqual([110, 110])
      expect([flat.options.turnLimit, cube.options.turnLimit]).toEqual([null, expect.closeTo(2 * Math.PI)])
      expect(flat.options.speed).toEqual({ min: expect.closeTo(0.12), max: expect.closeTo(0.28) })
      expect([...cube.ids]).toEqual(Array.from({ length: 110 }, (_, i) => i))
      expect(new Set(cube.species)).toEqual(new Set([0]))
      for (const boids of [flat, cube]) {
        for (const i of boids.ids.keys()) {
          expect(outside(boids.bounds, boids.dimensions, three(boids.positions, i))).toBeLessThanOrEqual(0)
          const speed = velocityOf(boids, i).length()
          expect(speed > 0.119 && speed < 0.281).toBe(true)
        }
        boids.dispose()
      }
    })

    it('takes ids in any order, and gives all in the order of ids', () => {
      const boids = new Boids(limber, {
        dimensions: 2,
        initial: {
          ids: [70, 5, 4294967295, 0],
          positions: [0.7, 0, 0, 0.5, 0, 0, 0.9, 0, 0, 0.1, 0, 0],
          velocities: Float64Array.from([0.07, 0.2, 0, 0.05, 0.2, 0, 0.09, 0.2, 0, 0.01, 0.2, 0]),
          species: Uint8Array.from([1, 0, 1, 0]),
        },
        species: [{}, {}],
      })
      expect([...boids.ids]).toEqual([0, 5, 70, 4294967295])
      expect([...boids.species]).toEqual([0, 0, 1, 1])
      expect(farthest(boids.positions, [0.1, 0, 0, 0.5, 0, 0, 0.7, 0, 0, 0.9, 0, 0])).toBeLessThan(1e-6)
      expect(farthest(boids.velocities, [0.01, 0.2, 0, 0.05, 0.2, 0, 0.07, 0.2, 0, 0.09, 0.2, 0])).toBeLessThan(1e-6)
      expect(boids.query([0.9, 0, 0], 0.25)).toEqual([4294967295, 70])
      boids.dispose()
    })

    it('brings those outside into their world, and those of 2D into their plane', () => {
      const positions = [5.3, -7.25, 3, -0.1, 0.5, 0]
      for (const [bounds, wanted] of [
        [{ kind: 'torus', min: [0, 0], max: [1.6, 1] }, [0.5, 0.75, 0, 1.5, 0.5, 0]],
        [{ kind: 'box', min: [0, 0], max: [1.6, 1] }, [1.6, 0, 0, 0, 0.5, 0]],
        [{ kind: 'sphere', center: [-0.1, 0], radius: 0.5 }, undefined],
      ] as const) {
        const boids = new Boids(limber, {
          dimensions: 2,
          bounds,
          initial: { positions, velocities: [1, 0, 9, 0, 0, 1] },
        })
        if (wanted) expect(farthest(boids.positions, wanted)).toBeLessThan(1e-5)
        expect(outside(boids.bounds, 2, three(boids.positions, 0))).toBeLessThan(1e-6)
        expect([boids.velocities[2], boids.velocities[5]]).toEqual([0, 0])
        boids.dispose()
      }
    })

    it.each<[string, object, RegExp]>([
      ['none', { count: 0 }, /^count must be a whole number from 1 to 1000000, got 0$/],
      ['a billion', { count: 1e9 }, /^count must be a whole number from 1 to 1000000, got 1000000000$/],
      ['half a boid', { count: 1.5 }, /^count must be a whole number from 1 to 1000000, got 1.5$/],
      ['NaN boids', { count: NaN }, /^count must be .* got NaN$/],
      ['a text of boids', { count: '3' }, /^count must be .* got "3"$/],
      ['dimensions', { dimensions: 4 }, /dimensions must be .*2.* 3.*, got 4/],
      ['half dimensions', { dimensions: 2.5 }, /dimensions must be .*, got 2.5/],
      ['a seed', { seed: -1 }, /seed must be .* from 0 to 1000000000, got -1/],
      [
        'a radius of more than half a torus',
        { dimensions: 2, rules: { cohesion: { radius: 0.6 } } },
        /^rules\.cohesion\.radius must be from 0 to 0\.5, half the shortest side of the torus \(m\), got 0\.6$/,
      ],
      [
        'a torus narrower than twice a radius',
        { bounds: { kind: 'torus', min: [0, 0, 0], max: [9, 0.2, 9] } },
        /^rules\.alignment\.radius must be from 0 to 0\.1, half the shortest side of the torus/,
      ],
      ['NaN bounds', { bounds: { ...ROOM, min: [0, NaN, 0] } }, /^bounds\.min must be \[x, y, z\].*got \[0, NaN, 0\]$/],
      [
        'bounds the wrong way round',
        { bounds: { ...ROOM, min: [0, 2, 0] } },
        /^bounds\.max\[1\] must be above bounds\.min\[1\] \(2 m\), got 1$/,
      ],
      [
        'flat bounds in 3D',
        { bounds: { ...ROOM, min: [0, 0, 1] } },
        /^bounds\.max\[2\] must be above bounds\.min\[2\]/,
      ],
      ['bounds of two numbers in 3D', { bounds: { ...ROOM, min: [0, 0] } }, /^bounds\.min must be \[x, y, z\]/],
      ['bounds of no kind', { bounds: { kind: 'cube' } }, /^bounds\.kind must be torus, box or sphere, got "cube"$/],
      ['bounds of a number', { bounds: 5 }, /^bounds\.kind must be torus, box or sphere, got undefined$/],
      [
        'a sphere without a radius',
        { bounds: { kind: 'sphere', center: [0, 0, 0] } },
        /^bounds\.radius must be .* got undefined$/,
      ],
      [
        'a sphere of radius 0',
        { bounds: { kind: 'sphere', center: [0, 0, 0], radius: 0 } },
        /^bounds\.radius must be .* got 0$/,
      ],
      [
        'a box with a radius',
        { bounds: { ...ROOM, radius: 1 } },
        /^radius is no option of a box; known: kind, min, max$/,
      ],
      [
        'a least speed above the largest',
        { speed: { min: 0.5 } },
        /^speed\.min must be from 0 to speed\.max \(0\.28 m\/s\), got 0\.5$/,
      ],
      ['a negative speed', { speed: { min: -1 } }, /speed\.min must be .* from 0 to 100000.*, got -1/],
      [
        'a weight',
        { rules: { alignment: { weight: 1.1 } } },
        /rules\.alignment\.weight must be .* from 0 to 1, got 1\.1/,
      ],
      ['an angle', { rules: { cohesion: { angle: 7 } } }, /rules\.cohesion\.angle must be .* from 0 to 6\.28.*, got 7/],
      ['a turn limit', { turnLimit: -1 }, /turnLimit must be .*from 0 to 1000.*, got -1/],
      ['no nearest', { nearest: 0 }, /nearest must be .* from 1 to 32, got 0/],
      ['too many nearest', { nearest: 33 }, /nearest must be .* from 1 to 32, got 33/],
      ['no threads', { threads: 0 }, /threads must be .* from 1 to 64, got 0/],
      ['an unknown option', { fish: 1 }, /^fish is no option of Boids; known: count, dimensions, seed, /],
      ['an unknown rule', { rules: { seperation: {} } }, /seperation/],
      [
        'an unknown part of a rule',
        { rules: { separation: { wieght: 1 } } },
        /wieght .*known: enabled, radius, weight/,
      ],
      [
        'a rule of another type',
        { rules: { separation: { enabled: 1 } } },
        /rules\.separation\.enabled must be .*got 1/,
      ],
      ['no object', 7, /^setup must be an object, got 7$/],
      ['a list', [], /^setup must be an object, got an array of 0$/],
      ['an id twice', { initial: { ids: [3, 1, 3] } }, /^initial\.ids must be different, got 3 twice$/],
      [
        'a negative id',
        { initial: { ids: [3, -1] } },
        /^initial\.ids\[1\] must be a whole number from 0 to 4294967295/,
      ],
      ['an id too large', { initial: { ids: [2 ** 32] } }, /^initial\.ids\[0\] must be a whole number/],
      ['initial of another type', { initial: 5 }, /^initial must be an object, got 5$/],
      ['an unknown start', { initial: { colour: [] } }, /^colour is no option of initial; known: positions, /],
      [
        'positions of seven numbers',
        { initial: { positions: [1, 2, 3, 4, 5, 6, 7] } },
        /^initial\.positions must be a list of 3 numbers a boid, got an array of 7$/,
      ],
      ['no positions', { initial: { positions: [] } }, /^count must be a whole number from 1 .*, got 0$/],
      ['positions of no list', { initial: { positions: 5 } }, /^initial\.positions must be a list of 3 numbers a boid/],
      [
        'velocities of fewer',
        { initial: { positions: [0, 0, 0, 1, 1, 1], velocities: [0, 0, 0] } },
        /^initial\.velocities must be for as many boids as initial\.positions, 2, got 1$/,
      ],
      [
        'another count',
        { count: 5, initial: { positions: [0, 0, 0, 1, 1, 1] } },
        /^initial\.positions must be for as many boids as count, 5, got 2$/,
      ],
      ['NaN places', { initial: { positions: [0, 0, NaN] } }, /^initial\.positions\[2\] must be a number .*got NaN$/],
      ['far places', { initial: { positions: [0, 2e6, 0] } }, /^initial\.positions\[1\] must be .* got 2000000$/],
      ['an endless velocity', { initial: { velocities: [Infinity, 0, 0] } }, /^initial\.velocities\[0\] must be /],
      ['no species', { species: [] }, /^species must be a list of 1 to 32, got an array of 0$/],
      ['33 species', { species: new Array(33).fill({ count: 1 }) }, /^species must be a list of 1 to 32/],
      [
        'a species that there is not',
        { species: [{ count: 4, hunts: [2] }, { count: 3 }] },
        /^species\[0\]\.hunts must be a list of species from 0 to 1, got an array of 1$/,
      ],
      [
        'to flock with',
        { species: [{ flocksWith: [-1] }] },
        /^species\[0\]\.flocksWith must be a list of species from 0/,
      ],
      ['to flee from', { species: [{ flees: 0 }] }, /^species\[0\]\.flees must be a list of species .* got 0$/],
      [
        'a boid of it',
        { species: [{}, {}], initial: { species: [0, 1, 2] } },
        /^initial\.species\[2\] must be a whole number from 0 to 1, got 2$/,
      ],
      [
        'species without counts',
        { species: [{ count: 3 }, {}] },
        /^every species must have a count, or initial\.species/,
      ],
      [
        'counts that are not the count',
        { count: 9, species: [{ count: 3 }, { count: 4 }] },
        /^the counts of species must be for as many boids as count, 9, got 7$/,
      ],
      ['a species without a speed', { species: [{ speed: 0 }] }, /^species\[0\]\.speed must be .* got 0$/],
      ['an unknown part of one', { species: [{ color: 1 }] }, /^color is no option of a species; known: count, /],
      ['a repeller that is nowhere', { repellers: [{}] }, /^repellers\[0\] must have position or object$/],
      [
        'a repeller at two places',
        { repellers: [{ position: [0, 0, 0], object: new Object3D() }] },
        /^repellers\[0\] must have position or object$/,
      ],
      ['a repeller that leads', { repellers: [{ boid: 1 }] }, /^repellers\[0\] must have position or object$/],
      [
        'a repeller at NaN',
        { repellers: [{ position: [0, NaN, 0] }] },
        /^repellers\[0\]\.position must be \[x, y, z\].*NaN/,
      ],
      [
        'its radius',
        { repellers: [{ position: [0, 0, 0], radius: -1 }] },
        /^repellers\[0\]\.radius must be a number from 0 to .*, got -1$/,
      ],
      [
        'its weight',
        { repellers: [{ position: [0, 0, 0], weight: NaN }] },
        /^repellers\[0\]\.weight must be a number from 0 to 1000, got NaN$/,
      ],
      ['its object', { repellers: [{ object: {} }] }, /^repellers\[0\]\.object must be an Object3D, got an object$/],
      [
        'what it does not take',
        { repellers: [{ position: [0, 0, 0], size: 1 }] },
        /^size is no option of repellers\[0\]; known: position/,
      ],
      [
        'which of two',
        {
          attractors: [{ object: new Object3D() }],
          repellers: [{ position: [0, 0, 0] }, { position: [0, 0, 0], weight: -1 }],
        },
        /^repellers\[1\]\.weight must be a number from 0 to 1000, got -1$/,
      ],
      ['repellers that are no list', { repellers: 5 }, /^repellers must be a list, got 5$/],
      ['attractors that are no list', { attractors: {} }, /^attractors must be a list, got an object$/],
      [
        'an attractor of nothing',
        { attractors: [null] },
        /^attractors\[0\] must have one of position, object, boid and path$/,
      ],
      ['a leader that there is not', { attractors: [{ boid: 110 }] }, /^attractors\[0\]\.boid must be an id, got 110$/],
      ['a leader of half an id', { attractors: [{ boid: 0.5 }] }, /^attractors\[0\]\.boid must be an id, got 0\.5$/],
      [
        'a path of a point',
        { attractors: [{ path: [[0, 0, 0]] }] },
        /^attractors\[0\]\.path must be a list of at least two points, got an array of 1$/,
      ],
      [
        'a path through NaN',
        {
          attractors: [
            {
              path: [
                [0, 0, 0],
                [0, NaN, 0],
              ],
            },
          ],
        },
        /^attractors\[0\]\.path\[1\] must be \[x, y, z\]/,
      ],
      ['obstacles that are no list', { obstacles: 5 }, /must be /],
      [
        'an obstacle',
        { obstacles: [{ kind: 'sphere', center: [0, 0, 0], radius: -1 }] },
        /^obstacles\[0\]\.radius must be a number from 0 to/,
      ],
    ])('refuses %s', (_, setup, message) => {
      const error = refusal(() => new Boids(limber, setup as never))
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
    })

    it('refuses what is no backend', () => {
      expect(refusal(() => new Boids({} as never)).code).toBe('invalid-option')
    })
  })

  describe('rules', () => {
    it('may be set one by one', () => {
      const boids = new Boids(limber, { dimensions: 2 })
      const { rules } = boids
      for (const name of ['separation', 'alignment', 'cohesion'] as const) {
        rules[name].enabled = false
        rules[name].weight = 0.25
        rules[name].radius = 0.5
        rules[name].angle = 3
        const wanted = { enabled: false, weight: 0.25, radius: 0.5, angle: 3 }
        expect(boids.options.rules[name]).toEqual(wanted)
        const { enabled, weight, radius, angle } = rules[name]
        expect({ enabled, weight, radius, angle }).toEqual(wanted)
        for (const [key, wrong] of [
          ['enabled', 1],
          ['weight', -1],
          ['weight', NaN],
          ['radius', 0.51],
          ['angle', 10],
        ] as const) {
          const error = refusal(() => ((rules[name] as Record<string, unknown>)[key] = wrong))
          expect([error.code, error.message]).toEqual([
            'invalid-option',
            expect.stringContaining(`rules.${name}.${key} must be `),
          ])
        }
        expect(boids.options.rules[name]).toEqual(wanted)
      }
      boids.dispose()
    })

    it('a rule that is off is one without a weight, and one without a radius', () => {
      for (const name of ['separation', 'alignment', 'cohesion'] as const) {
        const hashes = [{}, { enabled: false }, { weight: 0 }, { radius: 0 }].map((change) => {
          const boids = new Boids(limber, { dimensions: 2, rules: { [name]: change } })
          run(boids, 200)
          const hash = boids.hash()
          boids.dispose()
          return hash
        })
        expect(hashes[0]).not.toBe(hashes[1])
        expect(hashes.slice(2)).toEqual([hashes[1], hashes[1]])
      }
    })

    it('the nearest few count when that is asked for', () => {
      // A line of three: the first aligns with the nearer one alone.
      const make = (topological: boolean) =>
        lone({
          rules: { ...NO_RULES, alignment: { radius: 1, weight: 0.5 }, cohesion: { radius: 1, weight: 0 } },
          topological,
          nearest: 1,
          initial: { positions: [0, 0, 0, 0.1, 0, 0, 0.3, 0, 0], velocities: [0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2] },
          speed: { min: 0, max: 1 },
        })
      const [few, all] = [make(true), make(false)]
      for (const boids of [few, all]) boids.step()
      expect(farthest(three(few.velocities, 0), [0.1, 0.1, 0])).toBeLessThan(1e-6)
      expect(farthest(three(all.velocities, 0), [0.1, 0.05, 0.05])).toBeLessThan(1e-6)
      expect([few.neighbours(0), all.neighbours(0)]).toEqual([[1], [1, 2]])
      for (const boids of [few, all]) boids.dispose()
    })

    it('the nearest few count with the rules of the sheet too', () => {
      const hashes = [{}, { topological: true, nearest: 1 }, { topological: true, nearest: 7 }].map((more) => {
        const boids = new Boids(limber, { dimensions: 2, ...more })
        run(boids, 100)
        const hash = boids.hash()
        boids.dispose()
        return hash
      })
      expect(new Set(hashes).size).toBe(3)
    })

    it('an angle hides those behind', () => {
      for (const [angle, seen] of [
        [1, false],
        [3, false],
        [3.3, true],
        [6, true],
      ] as const) {
        // Right beside it: at a quarter turn to the heading.
        const boids = lone({
          rules: { ...NO_RULES, alignment: { radius: 1, weight: 0.5, angle } },
          initial: { positions: [0, 0, 0, 0, 0.1, 0], velocities: [0.2, 0, 0, 0.2, 0, 0.1] },
        })
        boids.step()
        expect(boids.velocities[2]! > 0.01, `angle ${angle}`).toBe(seen)
        boids.dispose()
      }
    })
  })

  describe('bounds', () => {
    it('bring boids in when they are set, and hold them', () => {
      const boids = new Boids(limber, { count: 100, seed: 2 })
      for (const bounds of [
        { kind: 'box', min: [0, 0, 0], max: [0.5, 0.6, 0.7] },
        { kind: 'sphere', center: [3, 0, 0], radius: 0.5 },
        { kind: 'torus', min: [-1, -2, -3], max: [0, 0, 0] },
        { kind: 'torus', min: new Vector3(5, 5, 5), max: { x: 6, y: 6.5, z: 7 } },
      ] as const) {
        boids.bounds = bounds as never
        for (let s = 0; s < 120; s++) {
          for (const i of boids.ids.keys())
            expect(outside(boids.bounds, 3, three(boids.positions, i))).toBeLessThan(2e-6)
          boids.step()
        }
      }
      expect(boids.bounds).toEqual({ kind: 'torus', min: [5, 5, 5], max: [6, 6.5, 7] })
      boids.dispose()
    })

    it('are refused by name, and stay', () => {
      const boids = new Boids(limber, { dimensions: 2 })
      const [before, hash] = [boids.bounds, boids.snapshot()]
      for (const [wrong, message] of [
        [{ kind: 'torus', min: [0, 0], max: [0.2, 1] }, /radius must be from 0 to 0\.1, half the shortest side/],
        [{ kind: 'box', min: [0, 0], max: [0, 1] }, /^bounds\.max\[0\] must be above/],
        [{ kind: 'box', min: [0, 0], max: [NaN, 1] }, /^bounds\.max must be/],
        [{ kind: 'box', min: [999999.9, 0], max: [1e6, 1] }, /^the sides of bounds must be longer than/],
        [null, /^bounds\.kind must be/],
      ] as const) {
        const error = refusal(() => (boids.bounds = wrong as never))
        expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
        expect(boids.bounds).toEqual(before)
        expect(boids.snapshot()).toEqual(hash)
      }
      // Where there are no sides round, any radius is well.
      boids.bounds = { kind: 'box', min: [0, 0], max: [0.2, 1] } as never
      boids.step()
      boids.dispose()
    })

    it('boids turn back before a wall, the harder the nearer', () => {
      for (const bounds of [ROOM, { kind: 'sphere', center: [0, 0, 0], radius: 1 }] as const) {
        const boids = lone({ bounds, initial: { positions: [0.5, 0, 0], velocities: [0.28, 0.01, 0] } })
        let [farthestOut, turned] = [0, 0]
        for (let s = 0; s < 4 * SECOND; s++) {
          boids.step()
          farthestOut = Math.max(farthestOut, boids.positions[0]!)
          if (turned === 0 && boids.velocities[0]! < 0) turned = boids.positions[0]!
        }
        expect(farthestOut).toBeLessThan(0.999)
        expect(turned).toBeGreaterThan(0.75)
        boids.dispose()
      }
    })

    it('come back with a snapshot that was taken in them', () => {
      const boids = new Boids(limber, { dimensions: 2 })
      run(boids, 20)
      const saved = boids.snapshot()
      const before = boids.bounds
      const seen = boids.query([0.01, 0.5, 0], 0.3)
      boids.bounds = { kind: 'box', min: [0, 0, 0], max: [3, 2, 0] }
      run(boids, 20)
      boids.restore(saved)
      expect(boids.snapshot()).toEqual(saved)
      expect(boids.bounds).toEqual(before)
      expect(boids.query([0.01, 0.5, 0], 0.3)).toEqual(seen)
      boids.dispose()
    })

    it('however fast boids are, they stay in', () => {
      for (const kind of ['torus', 'box'] as const) {
        const boids = new Boids(limber, {
          count: 20,
          bounds: { kind, min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
          speed: { min: 200, max: 1000 },
        })
        for (let s = 0; s < 60; s++) {
          boids.step()
          for (const i of boids.ids.keys())
            expect(outside(boids.bounds, 3, three(boids.positions, i))).toBeLessThan(1e-6)
        }
        boids.dispose()
      }
    })

    it('a small torus does without the radii of what nobody does', () => {
      // None of them hunts or flees: only the rules must fit into it.
      const boids = new Boids(limber, { dimensions: 2, bounds: { kind: 'torus', min: [0, 0], max: [0.5, 0.5] } })
      run(boids, 10)
      expect(allFinite(whole(boids))).toBe(true)
      boids.dispose()
    })
  })

  describe('instancedMesh', () => {
    const geometry = new BoxGeometry(0.02, 0.01, 0.06)
    const material = new MeshBasicMaterial()

    it('shows the memory of the simulation, and bounds that hold all', () => {
      const boids = new Boids(limber, { count: 50, interpolate: true })
      const mesh = boids.instancedMesh(geometry, material)
      expect([mesh.geometry, mesh.material, mesh.count]).toEqual([geometry, material, 50])
      expect(mesh.isInstancedMesh).toBe(true)
      const { matrices } = boids
      expect(mesh.instanceMatrix.array.buffer).toBe(matrices.buffer)
      expect(mesh.instanceMatrix.array.byteOffset).toBe(matrices.byteOffset)
      expect(mesh.instanceMatrix.array.length).toBe(800)
      const { version } = mesh.instanceMatrix
      const matrix = new Matrix4()
      const corner = new Vector3()
      const { position } = geometry.attributes
      for (let s = 0; s < 200; s++) {
        expect(boids.step(1 / 50)).toBeGreaterThan(0)
        expect(mesh.instanceMatrix.version).toBe(version + 1 + s)
        const sphere = mesh.boundingSphere!
        for (let i = 0; i < 50; i++) {
          mesh.getMatrixAt(i, matrix)
          expect(corner.setFromMatrixPosition(matrix).toArray()).toEqual(three(boids.positions, i))
          for (let v = 0; v < position!.count; v++) {
            corner.fromBufferAttribute(position!, v).applyMatrix4(matrix)
            if (sphere.distanceToPoint(corner) > 1e-6 || mesh.boundingBox!.distanceToPoint(corner) > 1e-6)
              expect.fail(`boid ${i} is outside of the bounds in step ${s}`)
          }
        }
        // Not larger than need be.
        expect(sphere.radius).toBeLessThan(Math.sqrt(3) + 0.1)
      }
      mesh.dispose()
      boids.dispose()
    })

    it('the geometry looks along +z, its back along +y', () => {
      const boids = new Boids(limber, { count: 3, seed: 5 })
      const mesh = boids.instancedMesh(geometry, material)
      const matrix = new Matrix4()
      run(boids, 100)
      for (let i = 0; i < 3; i++) {
        mesh.getMatrixAt(i, matrix)
        const nose = new Vector3(0, 0, 1).transformDirection(matrix)
        expect(nose.distanceTo(velocityOf(boids, i).normalize())).toBeLessThan(1e-5)
      }
      boids.dispose()
      // One that goes level and straight has its back up.
      const level = lone({ turnLimit: 2 })
      run(level, 300)
      expect(new Vector3(0, 1, 0).transformDirection(new Matrix4().fromArray(level.matrices)).y).toBeCloseTo(1, 5)
      level.dispose()
    })

    it('they bank into a turn, unless they are told not to', () => {
      for (const banking of [0, 1, 3]) {
        // Round and round on the level, to the left seen from above, at less than the turn limit.
        const bait = { position: [0, 0, 0] as Triple, weight: 0.03 }
        const boids = lone({ turnLimit: 6, banking, attractors: [bait] })
        for (let s = 0; s < 300; s++) {
          const { x, z } = velocityOf(boids, 0)
          const at = placeOf(boids, 0)
          bait.position = [at.x + 30 * z, at.y, at.z - 30 * x]
          boids.step()
        }
        const up = new Vector3(0, 1, 0).transformDirection(new Matrix4().fromArray(boids.matrices))
        const left = velocityOf(boids, 0)
          .cross(new Vector3(0, 1, 0))
          .normalize()
          .negate()
        const lean = Math.atan2(up.dot(left), up.y)
        if (banking === 0) expect(Math.abs(lean)).toBeLessThan(0.01)
        else expect(lean).toBeGreaterThan(0.3)
        boids.dispose()
      }
    })

    it('one for each species', () => {
      const boids = new Boids(limber, { species: [{ count: 10 }, { count: 20 }, { count: 5 }] })
      const meshes = [0, 1, 2].map((species) => boids.instancedMesh(geometry, material, { species }))
      expect(meshes.map(({ count }) => count)).toEqual([10, 20, 5])
      run(boids, 30)
      meshes.forEach((mesh, s) => {
        const from = [0, 10, 30][s]! * 16
        expect(mesh.instanceMatrix.array).toEqual(boids.matrices.subarray(from, from + mesh.count * 16))
        expect(mesh.instanceMatrix.array.buffer).toBe(boids.matrices.buffer)
      })
      for (const wrong of [3, -1, 0.5, '1']) {
        const error = refusal(() => boids.instancedMesh(geometry, material, { species: wrong as never }))
        expect([error.code, error.message]).toEqual([
          'invalid-option',
          expect.stringMatching(/^species must be one of/),
        ])
      }
      boids.dispose()

      const mixed = new Boids(limber, { species: [{}, {}], initial: { species: [0, 1, 0] } })
      expect(mixed.instancedMesh(geometry, material, { species: 1 }).count).toBe(1)
      expect(refusal(() => mixed.instancedMesh(geometry, material, { species: 0 })).code).toBe('invalid-option')
      mixed.dispose()
      const bare = new Boids(limber, { matrices: false })
      expect(bare.matrices.length).toBe(0)
      expect(refusal(() => bare.instancedMesh(geometry, material)).message).toMatch(/matrices: true/)
      run(bare, 5)
      bare.dispose()
    })

    it('a geometry without bounds of its own gets them', () => {
      const boids = new Boids(limber, { count: 4 })
      const triangle = new BufferGeometry()
      triangle.setAttribute('position', new BufferAttribute(Float32Array.of(0, 0, 5, 1, 0, 5, 0, 1, 5), 3))
      const mesh = boids.instancedMesh(triangle, material)
      boids.step()
      expect(triangle.boundingSphere).not.toBe(null)
      expect(mesh.boundingSphere!.radius).toBeGreaterThan(5)
      boids.dispose()
    })

    it('a mesh that is disposed of is let go, the others stay', () => {
      const boids = new Boids(limber, { count: 10 })
      const [one, other] = [boids.instancedMesh(geometry, material), boids.instancedMesh(geometry, material)]
      one.dispose()
      const [a, b] = [one.instanceMatrix.version, other.instanceMatrix.version]
      boids.step()
      expect([one.instanceMatrix.version, other.instanceMatrix.version]).toEqual([a, b + 1])
      boids.dispose()
    })

    it('what is drawn stays whole when boids are disposed of', () => {
      const boids = new Boids(limber, { species: [{ count: 6 }, { count: 5 }] })
      const [all, second] = [
        boids.instancedMesh(geometry, material),
        boids.instancedMesh(geometry, material, { species: 1 }),
      ]
      run(boids, 20)
      const [positions, matrices, { buffer }] = [boids.positions.slice(), boids.matrices.slice(), boids.matrices]
      const saved = boids.snapshot()
      boids.dispose()
      boids.dispose()
      expect(boids.disposed).toBe(true)
      expect(boids.positions).toEqual(positions)
      expect(boids.matrices).toEqual(matrices)
      expect(all.instanceMatrix.array).toEqual(matrices)
      expect(second.instanceMatrix.array).toEqual(matrices.subarray(96))
      expect(all.instanceMatrix.array.buffer).not.toBe(buffer)
      const uses: Record<string, () => unknown> = {
        step: () => boids.step(1 / 60),
        'step one': () => boids.step(),
        time: () => boids.time,
        options: () => boids.options,
        configure: () => boids.configure({}),
        reset: () => boids.reset(),
        teleport: () => boids.teleport(new Matrix4()),
        snapshot: () => boids.snapshot(),
        restore: () => boids.restore(saved),
        hash: () => boids.hash(),
        rules: () => (boids.rules.alignment.weight = 0.1),
        bounds: () => (boids.bounds = ROOM as never),
        obstacles: () => (boids.obstacles = []),
        neighbours: () => boids.neighbours(0),
        query: () => boids.query([0, 0, 0], 1),
        mesh: () => boids.instancedMesh(geometry, material),
        timeScale: () => (boids.timeScale = 2),
      }
      for (const [name, use] of Object.entries(uses)) expect(refusal(use).code, name).toBe('disposed')
    })
  })

  it('meshes are right when memory has grown and moved', async () => {
    const own = await load()
    const alone = await load()
    const make = (backend: Backend) =>
      new Boids(backend, { species: [{ count: 30 }, { count: 10, hunts: [0] }], repellers: [{ position: [0, 0, 0] }] })
    const [boids, twin] = [make(own), make(alone)]
    const [geometry, material] = [new BoxGeometry(0.1, 0.1, 0.1), new MeshBasicMaterial()]
    const meshes = [boids.instancedMesh(geometry, material), boids.instancedMesh(geometry, material, { species: 1 })]
    const { buffer } = boids.matrices
    for (let i = 0; i < 200; i++) {
      Cloth.grid(own, { columns: 48, rows: 48 })
      for (const one of [boids, twin]) one.step(1 / 60)
    }
    if (own.target !== 'native') {
      expect(buffer.byteLength).toBe(0)
      expect(boids.matrices.buffer).not.toBe(buffer)
    }
    expect(boids.matrices.length).toBe(640)
    expect(boids.hash()).toBe(twin.hash())
    expect(whole(boids)).toEqual(whole(twin))
    expect(meshes[0]!.instanceMatrix.array).toEqual(twin.matrices)
    expect(meshes[1]!.instanceMatrix.array).toEqual(twin.matrices.subarray(480))
    for (const mesh of meshes) expect(mesh.instanceMatrix.array.buffer).toBe(boids.matrices.buffer)
    own.dispose()
    expect(meshes[0]!.instanceMatrix.array).toEqual(twin.matrices)
    alone.dispose()
  })

  it('memory does not grow or move in a step', async () => {
    const own = await load()
    const boids = new Boids(own, { count: 300, species: [{ count: 290 }, { count: 10, hunts: [0] }] })
    const { positions, matrices } = boids
    const { byteLength } = positions.buffer
    for (let i = 0; i < 1000; i++) boids.step(1 / 50)
    expect([boids.positions === positions, boids.matrices === matrices]).toEqual([true, true])
    expect(positions.buffer.byteLength).toBe(byteLength)
    own.dispose()
  })

  it('in 2D a point or direction may be [x, y], in 3D not', () => {
    const made = (pair: boolean) => {
      const p = (x: number, y: number) => (pair ? ([x, y] as const) : ([x, y, 0] as const))
      const boids = new Boids(limber, {
        dimensions: 2,
        seed: 3,
        bounds: { kind: 'box', min: p(0, 0), max: p(1.6, 1) },
        attractors: [{ position: p(0.3, 0.2) }, { path: [p(0.1, 0.1), p(1, 0.4), p(0.4, 0.8)], closed: true }],
        repellers: [{ position: p(0.5, 0.5), direction: p(1, 0) }],
        obstacles: [
          { kind: 'sphere', center: p(0.9, 0.5), radius: 0.1 },
          { kind: 'capsule', a: p(0.2, 0.7), b: p(0.4, 0.7), radius: 0.05 },
          { kind: 'plane', normal: p(0, 1), offset: 0.05 },
          { kind: 'box', center: p(1.3, 0.3), halfExtents: pair ? [0.1, 0.05] : [0.1, 0.05, 1] },
        ],
      })
      run(boids, 100)
      boids.attractors[0]!.position = p(0.6, 0.6)
      boids.obstacles.set(0, { kind: 'sphere', center: p(0.8, 0.5), radius: 0.1 })
      boids.obstacles.add({ kind: 'sphere', center: p(0.1, 0.9), radius: 0.05 })
      run(boids, 100)
      const seen = [boids.hash(), ...boids.query(p(0.5, 0.5), 0.3)]
      boids.dispose()
      return seen
    }
    expect(made(true)).toEqual(made(false))
    const boids = new Boids(limber, { obstacles: [{ kind: 'sphere', center: [0, 0, 0], radius: 0.1 }] })
    for (const use of [
      () => boids.query([0, 0], 1),
      () => new Boids(limber, { attractors: [{ position: [0, 0] }] }),
      () => boids.obstacles.set(0, { kind: 'sphere', center: [0, 0], radius: 0.1 }),
    ]) {
      expect(refusal(use).message).toMatch(
        /must be \[x, y, z\] of numbers from -1000000 to 1000000 \(m\), got \[0, 0\]$/,
      )
    }
    boids.dispose()
  })

  describe('looking about', () => {
    it.each([
      ['torus', 2],
      ['torus', 3],
      ['box', 3],
      ['box', 2],
      ['sphere', 3],
    ] as const)('query is brute force in a %s of %dD', (kind, dimensions) => {
      const bounds =
        kind === 'sphere'
          ? { kind, center: [0.2, 0.1, 0] as Triple, radius: 1 }
          : { kind, min: [-0.6, -0.8, -1] as Triple, max: [1, 0.9, 1.2] as Triple }
      const boids = new Boids(limber, { dimensions, bounds, count: 120 })
      const random = randoms(7)
      for (let round = 0; round < 60; round++) {
        boids.step(1 / 50)
        // Also from outside of the world, as a pointer may be.
        const reach = round % 3 === 0 ? 6 : 2
        const point = [0.2, 0.1, 0].map((v, c) => (c < dimensions ? v + reach * (random() - 0.5) : 0)) as Triple
        const radius = 0.1 + 0.7 * random()
        const wanted = Array.from(boids.ids)
          .map((id) => {
            const way = [0, 1, 2].map((c) => {
              const d = boids.positions[id * 3 + c]! - point[c]!
              if (bounds.kind !== 'torus' || c >= dimensions) return d
              const side = bounds.max[c]! - bounds.min[c]!
              return d - side * Math.round(d / side)
            })
            return { id, square: way.reduce((sum, v) => sum + v * v, 0) }
          })
          .filter((one) => one.square < radius * radius)
          .sort((a, b) => a.square - b.square)
        const found = boids.query(round % 2 ? point : new Vector3(...point), radius)
        expect(found, `round ${round}, ${point}`).toEqual(wanted.map(({ id }) => id))
      }
      boids.dispose()
    })

    it('neighbours are within the largest radius, the nearest first', () => {
      const boids = new Boids(limber, {
        dimensions: 2,
        initial: {
          ids: [10, 20, 30, 40],
          positions: [0.5, 0.5, 0, 0.6, 0.5, 0, 0.45, 0.5, 0, 0.5, 0.9, 0],
        },
      })
      expect(boids.neighbours(10)).toEqual([30, 20])
      expect(boids.neighbours(40)).toEqual([])
      boids.rules.cohesion.radius = 0.45
      expect(boids.neighbours(10)).toEqual([30, 20, 40])
      boids.configure({ topological: true, nearest: 2 })
      expect(boids.neighbours(10)).toEqual([30, 20])
      for (const wrong of [0, 11, NaN, -1, '10', undefined]) {
        const error = refusal(() => boids.neighbours(wrong as never))
        expect([error.code, error.message]).toEqual([
          'invalid-option',
          expect.stringMatching(/^there is no boid with the id /),
        ])
      }
      for (const wrong of [[0], [0, NaN], [0, 0, NaN], null, 'here'])
        expect(refusal(() => boids.query(wrong as never, 1)).message).toMatch(/^point must be \[x, y, z\]/)
      for (const wrong of [-1, NaN, Infinity, '1', undefined])
        expect(refusal(() => boids.query([0, 0, 0], wrong as never)).message).toMatch(
          /^radius must be a number from 0 /,
        )
      boids.dispose()
    })
  })

  describe('what attracts and repels', () => {
    it('what attracts adds its part of the largest speed, and less when it is near', () => {
      const bait = { position: new Vector3(30, 40, 0), weight: 0.1 }
      const boids = lone({ speed: { min: 0, max: 2 }, attractors: [bait] })
      const gain = () => {
        const before = velocityOf(boids, 0)
        boids.step()
        return velocityOf(boids, 0).sub(before)
      }
      const far = gain()
      expect(far.length()).toBeGreaterThan(0.19)
      expect(far.length()).toBeLessThanOrEqual(0.2 * 1.0001)
      expect(far.normalize().distanceTo(new Vector3(0.6, 0.8, 0))).toBeLessThan(1e-3)
      // It may be moved where it is, or changed.
      bait.position.copy(placeOf(boids, 0)).add(new Vector3(0, 0, 0.05))
      const near = gain()
      expect(near.length()).toBeLessThan(0.1)
      expect(near.normalize().distanceTo(new Vector3(0, 0, 1))).toBeLessThan(1e-3)
      boids.attractors[0]!.enabled = false
      expect(gain().length()).toBeLessThan(1e-6)
      boids.attractors[0]!.enabled = true
      boids.attractors[0]!.radius = 0.01
      bait.position.z += 1
      expect(gain().length()).toBeLessThan(1e-6)
      boids.dispose()
    })

    it('a shoal gathers where it is attracted', () => {
      const target = new Object3D()
      const parent = new Object3D().add(target)
      parent.position.set(0.3, 0.2, -0.2)
      target.position.set(0.2, 0, 0)
      const at = new Vector3(0.5, 0.2, -0.2)
      const [boids, free] = [[{ object: target, weight: 0.05 }], []].map(
        (attractors) => new Boids(limber, { bounds: ROOM, seed: 3, attractors }),
      ) as [Boids, Boids]
      for (const one of [boids, free]) run(one, 10 * SECOND)
      expect(meanDistance(boids, at)).toBeLessThan(0.4)
      expect(meanDistance(free, at)).toBeGreaterThan(0.6)
      // It goes elsewhere, and they after it.
      parent.position.set(-0.7, -0.2, 0.2)
      run(boids, 10 * SECOND)
      expect(meanDistance(boids, new Vector3(-0.5, -0.2, 0.2))).toBeLessThan(0.4)
      // In a list that is empty there is nothing.
      boids.attractors.length = 0
      run(boids, 20 * SECOND)
      expect(meanDistance(boids, new Vector3(-0.5, -0.2, 0.2))).toBeGreaterThan(0.5)
      for (const one of [boids, free]) one.dispose()
    })

    it('a line repels as a pointer does, from all along it', () => {
      for (const [direction, length] of [
        [new Vector3(0, 0, 1), 1],
        [new Vector3(0.3, -0.2, 1), 7],
      ] as const) {
        const boids = lone({
          speed: { min: 0, max: 10 },
          repellers: [
            { position: direction.clone().multiplyScalar(-20), direction: direction.clone().multiplyScalar(length) },
          ],
        })
        // Beside the line, 0.1 m from it, anywhere along.
        const unit = direction.clone().normalize()
        const off = new Vector3(0, 1, 0).cross(unit).normalize().multiplyScalar(0.1)
        const place = unit.clone().multiplyScalar(5).add(off)
        boids.teleport(new Matrix4().makeTranslation(place))
        const before = velocityOf(boids, 0)
        boids.step()
        const gain = velocityOf(boids, 0).sub(before)
        // The sheet's pointer: 0.004 d / (d² + 0.002).
        expect(gain.distanceTo(off.clone().multiplyScalar(0.004 / (0.01 + 0.002)))).toBeLessThan(1e-4)
        boids.dispose()
      }
    })

    it('a ray from outside of a torus passes where it is drawn', () => {
      // A camera looks into the cube at a slant; the fish is right beside the ray.
      const [camera, target] = [new Vector3(0.9, 0.6, 3), new Vector3(0.2, 0.1, 0)]
      const direction = target.clone().sub(camera)
      const off = new Vector3(0, 1, 0).cross(direction).normalize().multiplyScalar(0.1)
      const place = target.clone().add(off)
      const boids = lone({
        bounds: { kind: 'torus', min: [-1, -1, -1], max: [1, 1, 1] },
        speed: { min: 0, max: 10 },
        initial: { positions: place.toArray(), velocities: [0.2, 0, 0] },
        repellers: [{ position: camera, direction }],
      })
      boids.step()
      const gain = velocityOf(boids, 0).sub(new Vector3(0.2, 0, 0))
      expect(gain.distanceTo(off.multiplyScalar(0.004 / (0.01 + 0.002)))).toBeLessThan(1e-4)
      boids.dispose()
    })

    it('in a torus they act the shorter way round', () => {
      const make = (key: 'attractors' | 'repellers') =>
        lone({
          dimensions: 2,
          bounds: { kind: 'torus', min: [0, 0], max: [1.6, 1] },
          speed: { min: 0, max: 10 },
          initial: { positions: [0.02, 0.5, 0], velocities: [0, 0.1, 0] },
          [key]: [{ position: [1.55, 0.5, 0], weight: 0.1 }],
        })
      const [draws, pushes] = [make('attractors'), make('repellers')]
      for (const boids of [draws, pushes]) boids.step()
      expect(draws.velocities[0]).toBeLessThan(-0.01)
      expect(pushes.velocities[0]).toBeGreaterThan(0.01)
      for (const boids of [draws, pushes]) boids.dispose()
    })

    it('a closed path is followed round and round, an open one to its end', () => {
      const path: Triple[] = [
        [-0.4, 0, -0.4],
        [0.4, 0, -0.4],
        [0.4, 0, 0.4],
        [-0.4, 0, 0.4],
      ]
      const round = new Boids(limber, { bounds: ROOM, count: 20, attractors: [{ path, closed: true, weight: 0.08 }] })
      run(round, 5 * SECOND)
      const angles = new Float64Array(20)
      let beside = 0
      for (let s = 0; s < 20 * SECOND; s++) {
        const before = Array.from({ length: 20 }, (_, i) => placeOf(round, i))
        round.step()
        before.forEach(({ x, z }, i) => {
          const to = placeOf(round, i)
          angles[i]! += Math.atan2(x * to.z - z * to.x, x * to.x + z * to.z)
          beside += Math.abs(Math.max(Math.abs(to.x), Math.abs(to.z)) - 0.4) + Math.abs(to.y)
        })
      }
      // From +x towards +z, once around and more.
      for (const angle of angles) expect(angle).toBeGreaterThan(2 * Math.PI)
      expect(beside / 20 / (20 * SECOND)).toBeLessThan(0.2)
      round.dispose()

      const open = new Boids(limber, { bounds: ROOM, count: 20, attractors: [{ path, weight: 0.08 }] })
      run(open, 20 * SECOND)
      const end = new Vector3(...path[3]!)
      for (const i of open.ids.keys()) expect(placeOf(open, i).distanceTo(end)).toBeLessThan(0.8)
      expect(meanDistance(open, end)).toBeLessThan(0.5)
      open.dispose()
    })

    it('a path whose points are moved is another path', () => {
      const path = [new Vector3(10, 0, 0), new Vector3(20, 0, 0)]
      const boids = lone({ speed: { min: 0, max: 1 }, attractors: [{ path, weight: 0.5 }] })
      run(boids, 10)
      expect(boids.velocities[0]).toBeGreaterThan(0.5)
      path[0]!.set(-10, 0, 0)
      path[1]!.set(-20, 0, 0)
      run(boids, 10)
      expect(boids.velocities[0]).toBeLessThan(-0.5)
      boids.dispose()
    })

    it('a boid that leads is followed, and goes its own way', () => {
      const make = (attractors: BoidsSetup['attractors']) =>
        new Boids(limber, { bounds: ROOM, rules: { ...NO_RULES, separation: {} }, seed: 6, attractors })
      const [led, free] = [make([{ boid: 17, weight: 0.05 }]), make([])]
      for (const boids of [led, free]) run(boids, 15 * SECOND)
      expect(meanDistance(led, placeOf(led, 17))).toBeLessThan(0.35)
      expect(meanDistance(free, placeOf(free, 17))).toBeGreaterThan(0.5)
      led.attractors[0]!.boid = 20
      run(led, 15 * SECOND)
      expect(meanDistance(led, placeOf(led, 20))).toBeLessThan(0.35)
      for (const boids of [led, free]) boids.dispose()
    })

    it('what is wrong while it runs is refused, and all goes on', () => {
      const boids = new Boids(limber, { attractors: [{ position: [0, 0, 0] }] })
      boids.step()
      const hash = boids.hash()
      for (const wrong of [{}, null, 5, { position: [0, 0] }, { path: [] }, { boid: -1 }, { boid: 1, path: [] }]) {
        for (const list of [boids.attractors, boids.repellers]) {
          list.push(wrong as never)
          const error = refusal(() => boids.step())
          expect(error.code, JSON.stringify(wrong)).toBe('invalid-option')
          list.pop()
        }
      }
      boids.attractors[0]!.weight = -1
      expect(refusal(() => boids.step(1 / 60)).message).toMatch(
        /^attractors\[0\]\.weight must be a number from 0 to 1000, got -1$/,
      )
      boids.attractors[0]!.weight = undefined
      // Which of them it is, also where a point goes wrong after it was read, or an object is nowhere.
      const path: [number, number, number][] = [
        [0, 0, 0],
        [1, 0, 0],
      ]
      boids.attractors.push({ path })
      boids.step(0)
      path[1]![0] = NaN
      expect(refusal(() => boids.step()).message).toMatch(/^attractors\[1\]\.path\[1\] must be \[x, y, z\] of numbers /)
      boids.attractors.pop()
      const nowhere = new Object3D()
      nowhere.position.x = NaN
      boids.repellers.push({ object: nowhere })
      expect(refusal(() => boids.step()).message).toMatch(
        /^repellers\[0\]\.object must be at \[x, y, z\] of numbers from -1000000 to 1000000 \(m\), got \[NaN, 0, 0\]$/,
      )
      boids.repellers.pop()
      expect(boids.hash()).toBe(hash)
      const twin = new Boids(limber, { attractors: [{ position: [0, 0, 0] }] })
      run(twin, 31)
      run(boids, 30)
      expect(boids.hash()).toBe(twin.hash())
      for (const one of [boids, twin]) one.dispose()
    })
  })

  describe('obstacles', () => {
    const SOLIDS: [string, Collider, (p: Vector3) => number][] = [
      [
        'a sphere',
        { kind: 'sphere', center: [0.1, 0, 0], radius: 0.4 },
        (p) => p.distanceTo(new Vector3(0.1, 0, 0)) - 0.4,
      ],
      [
        'a capsule',
        { kind: 'capsule', a: [-0.5, 0, 0], b: [0.5, 0.2, 0.1], radius: 0.25 },
        (p) => {
          const [a, b] = [new Vector3(-0.5, 0, 0), new Vector3(0.5, 0.2, 0.1)]
          const axis = b.clone().sub(a)
          const t = Math.min(1, Math.max(0, p.clone().sub(a).dot(axis) / axis.lengthSq()))
          return p.distanceTo(a.addScaledVector(axis, t)) - 0.25
        },
      ],
      [
        'a box',
        { kind: 'box', center: [0, 0.1, 0], halfExtents: [0.5, 0.2, 0.4] },
        ({ x, y, z }) => Math.max(Math.abs(x) - 0.5, Math.abs(y - 0.1) - 0.2, Math.abs(z) - 0.4),
      ],
      ['a plane', { kind: 'plane', normal: [0, 1, 0], offset: -0.3 }, ({ y }) => y + 0.3],
      ['what keeps them in', { kind: 'sphere', center: [0, 0, 0], radius: 0.7, inside: true }, (p) => 0.7 - p.length()],
    ]
    it.each(SOLIDS)('%s is not entered, and steered clear of', (_, solid, distance) => {
      const touched = [0, 0.2].map((weight) => {
        const boids = new Boids(limber, {
          bounds: ROOM,
          count: 150,
          seed: 4,
          obstacles: [solid],
          avoidance: { weight },
        })
        let touches = 0
        for (let s = 0; s < 10 * SECOND; s++) {
          boids.step()
          for (const i of boids.ids.keys()) {
            const far = distance(placeOf(boids, i))
            if (far < -1e-5) expect.fail(`boid ${i} is ${-far} m inside in step ${s}`)
            // Those that were inside at the start have been put to the surface.
            if (s > 5 * SECOND && far < 1e-4) touches++
          }
        }
        boids.dispose()
        return touches
      })
      expect(touched[0]).toBeGreaterThan(0)
      expect(touched[1]).toBeLessThan(0.2 * touched[0]!)
    })

    it.each<[string, Collider, (x: number, y: number) => number]>([
      ['a ball', { kind: 'sphere', center: [0.8, 0.5, 0], radius: 0.2 }, (x, y) => Math.hypot(x - 0.8, y - 0.5) - 0.2],
      [
        'a ball whose middle is off the plane',
        { kind: 'sphere', center: [0.8, 0.5, 0.15], radius: 0.25 },
        (x, y) => Math.hypot(x - 0.8, y - 0.5) - 0.2,
      ],
      [
        'a thin box',
        { kind: 'box', center: [0.8, 0.5, 0], halfExtents: [0.2, 0.15, 0.001] },
        (x, y) => Math.max(Math.abs(x - 0.8) - 0.2, Math.abs(y - 0.5) - 0.15),
      ],
      [
        'a box without a thickness',
        { kind: 'box', center: [0.8, 0.5, 0], halfExtents: [0.2, 0.15, 0] },
        (x, y) => Math.max(Math.abs(x - 0.8) - 0.2, Math.abs(y - 0.5) - 0.15),
      ],
    ])('in 2D %s is not entered', (_, solid, distance) => {
      // They do not steer clear of it, so that they meet it.
      const boids = new Boids(limber, { dimensions: 2, obstacles: [solid], wander: 0.1, avoidance: { weight: 0 } })
      run(boids, 3 * SECOND)
      let deepest = Infinity
      for (let s = 0; s < 10 * SECOND; s++) {
        boids.step()
        for (const i of boids.ids.keys())
          deepest = Math.min(deepest, distance(boids.positions[i * 3]!, boids.positions[i * 3 + 1]!))
      }
      expect(deepest).toBeGreaterThan(-1e-4)
      boids.dispose()
    })

    it.each<[string, (x: number) => Collider]>([
      ['a ball', (x) => ({ kind: 'sphere', center: [x, 0.5, 0], radius: 0.2 })],
      ['a capsule', (x) => ({ kind: 'capsule', a: [x, 0.4, 0], b: [x, 0.6, 0], radius: 0.15 })],
      ['a box', (x) => ({ kind: 'box', center: [x, 0.5, 0], halfExtents: [0.2, 0.2, 0.1] })],
    ])('%s over the edge of a torus is met at the other side too', (_, solid) => {
      // One that leads straight into it from the other side, and stops at it.
      const meet = (x: number, from: number, obstacle: Collider) => {
        const boids = new Boids(limber, {
          dimensions: 2,
          initial: { positions: [from, 0.5, 0], velocities: [-0.2, 0, 0] },
          obstacles: [obstacle],
          wander: 0,
          avoidance: { weight: 0 },
        })
        run(boids, 2 * SECOND)
        const way = boids.positions[0]! - x
        boids.dispose()
        return way - 1.6 * Math.round(way / 1.6)
      }
      const inside = meet(0.8, 1.15, solid(0.8))
      expect(inside).toBeGreaterThan(0.1)
      for (const x of [0.05, 1.55, 1.65, -0.05, 3.25]) {
        expect(meet(x, (x + 0.35 + 3.2) % 1.6, solid(x)), `${x}`).toBeCloseTo(inside, 4)
      }
    })

    it('are called so in messages, and so are their fields', () => {
      const boids = new Boids(limber, { obstacles: [{ kind: 'sphere', center: [0, 0, 0], radius: 0.1 }] })
      const ball = { kind: 'sphere', center: [0, 0, 0], radius: -1 } as const
      for (const [change, message] of [
        [() => new Boids(limber, { obstacles: [ball] }), /^obstacles\[0\]\.radius must be /],
        [() => boids.obstacles.add(ball), /^obstacles\[1\]\.radius must be /],
        [() => boids.obstacles.add({ ...ball, radius: 1, foo: 1 } as never), /foo is no option of obstacles\[1\]/],
        [() => boids.obstacles.set(0, ball), /^obstacles\[0\]\.radius must be /],
        [() => boids.obstacles.set(3, ball), /^an obstacle's index must be a whole number from 0 to 0, got 3$/],
        [() => boids.obstacles.at(3), /^an obstacle's index must be /],
        [() => boids.obstacles.remove(3), /^an obstacle's index must be /],
        [() => (boids.obstacles = [ball]), /^obstacles\[0\]\.radius must be /],
        [() => (boids.obstacles = 5 as never), /^obstacles must be a list of obstacles, got 5$/],
        [() => boids.obstacles.replace([null as never]), /^obstacles\[0\]\.kind must be /],
      ] as const) {
        const error = refusal(change)
        expect(error.message).toMatch(message)
        expect(error.code).toBe('invalid-option')
      }
      expect([...boids.obstacles].length).toBe(1)
      boids.dispose()
    })

    it('may follow an object, be moved and be replaced', () => {
      const rock = new Object3D()
      const boids = new Boids(limber, {
        bounds: ROOM,
        count: 100,
        obstacles: [{ kind: 'sphere', center: [0, 0, 0], radius: 0.3, follow: rock }],
      })
      for (let s = 0; s < 300; s++) {
        rock.position.set(0.5 * Math.sin(s / 50), 0.3 * Math.cos(s / 60), 0)
        boids.step(1 / 60)
        boids.step(0)
      }
      run(boids, 1)
      for (const i of boids.ids.keys()) expect(placeOf(boids, i).distanceTo(rock.position)).toBeGreaterThan(0.3 - 1e-5)
      boids.obstacles = [{ kind: 'sphere', center: [0, 0, 0], radius: 0.8 }]
      expect(boids.obstacles.length).toBe(1)
      run(boids, 1)
      for (const i of boids.ids.keys()) expect(placeOf(boids, i).length()).toBeGreaterThan(0.8 - 1e-5)
      boids.obstacles.clear()
      run(boids, 10 * SECOND)
      expect(Math.min(...Array.from(boids.ids.keys()).map((i) => placeOf(boids, i).length()))).toBeLessThan(0.5)
      expect(refusal(() => (boids.obstacles = 5 as never)).code).toBe('invalid-option')
      boids.dispose()
    })
  })

  describe('species', () => {
    it('flock with their own alone unless told, and all keep apart', () => {
      const pair = (species: BoidsSpecies[], rules: object) =>
        lone({
          species: species.map((one) => ({ ...one })),
          rules: { ...NO_RULES, ...rules },
          initial: { species: [0, 1], positions: [0, 0, 0, 0.02, 0, 0], velocities: [0.2, 0, 0, 0, 0.2, 0] },
        })
      for (const [species, rules, both] of [
        [[{}, {}], { alignment: { radius: 1 } }, [false, false]],
        [[{}, {}], { cohesion: { radius: 1, weight: 1 } }, [false, false]],
        [[{ flocksWith: [0, 1] }, {}], { alignment: { radius: 1 } }, [true, false]],
        [[{}, { flocksWith: [0] }], { cohesion: { radius: 1, weight: 1 } }, [false, true]],
        [[{}, {}], { separation: {} }, [true, true]],
        [[{ flocksWith: [] }, { flocksWith: [] }], { separation: {} }, [true, true]],
      ] as [BoidsSpecies[], object, boolean[]][]) {
        const boids = pair(species, rules)
        const before = boids.velocities.slice()
        boids.step()
        const changed = [0, 1].map((i) => farthest(three(boids.velocities, i), three(before, i)) > 1e-5)
        expect(changed, JSON.stringify([species, rules])).toEqual(both)
        boids.dispose()
      }
    })

    it('one that flocks with nobody, alone in its world, does not', () => {
      const [none, own] = [[], [0]].map(
        (flocksWith) => new Boids(limber, { dimensions: 2, species: [{ flocksWith }] }),
      ) as [Boids, Boids]
      const off = new Boids(limber, { dimensions: 2, rules: { alignment: OFF, cohesion: OFF } })
      for (const boids of [none, own, off]) run(boids, 300)
      expect(none.hash()).toBe(off.hash())
      expect(none.hash()).not.toBe(own.hash())
      for (const boids of [none, own, off]) boids.dispose()
    })

    it('have speeds of their own', () => {
      const boids = new Boids(limber, { species: [{ count: 20 }, { count: 20, speed: 3 }, { count: 20, speed: 0.01 }] })
      for (let s = 0; s < 200; s++) {
        boids.step()
        for (const i of boids.ids.keys()) {
          const speed = velocityOf(boids, i).length() / [1, 3, 0.01][boids.species[i]!]!
          expect(speed > 0.12 * 0.99999 && speed < 0.28 * 1.00001).toBe(true)
        }
      }
      boids.dispose()
    })

    it('a hunter makes for the nearest of its prey, as far as it sees', () => {
      const make = (more: BoidsSetup) =>
        lone({
          species: [{ flees: [] }, { hunts: [0] }],
          speed: { min: 0, max: 2 },
          initial: {
            species: [1, 0, 0],
            positions: [0, 0, 0, 0, 0.9, 0, 0, 0, -0.8],
            velocities: [0.2, 0, 0, 0.2, 0, 0, 0.2, 0, 0],
          },
          ...more,
        })
      const boids = make({ hunt: { radius: 1, weight: 0.1 } })
      const before = boids.velocities.slice()
      boids.step()
      const gain = three(boids.velocities, 0).map((v, c) => v - before[c]!)
      expect(gain[2]).toBeLessThan(-0.1)
      // Towards it, by that part of the largest speed at most.
      expect(Math.hypot(...gain)).toBeLessThanOrEqual(0.1 * 2 * 1.0001)
      expect(Math.hypot(gain[0]!, gain[1]!)).toBeLessThan(1e-6)
      expect(boids.velocities.slice(3)).toEqual(before.slice(3))
      const blind = make({ hunt: { radius: 0.7, weight: 0.1 } })
      blind.step()
      expect(blind.velocities).toEqual(before)
      for (const one of [boids, blind]) one.dispose()
    })

    it('prey flees from what hunts it, unless it is told not to', () => {
      const least = [undefined, []].map((flees) => {
        const boids = new Boids(limber, {
          bounds: ROOM,
          seed: 8,
          species: [
            { count: 60, flees },
            { count: 3, hunts: [0] },
          ],
          hunt: { radius: 0.8, weight: 0.1 },
          flight: { radius: 0.35 },
        })
        run(boids, 3 * SECOND)
        let near = 0
        for (let s = 0; s < 10 * SECOND; s++) {
          boids.step()
          for (let hunter = 60; hunter < 63; hunter++)
            for (let prey = 0; prey < 60; prey++) if (square(boids, hunter, prey) < 0.1 ** 2) near++
        }
        boids.dispose()
        return near
      })
      expect(least[1]).toBeGreaterThan(100)
      expect(least[0]).toBeLessThan(0.3 * least[1]!)
    })

    it('may hunt their own kind', () => {
      const boids = lone({
        species: [{ hunts: [0], flees: [] }],
        hunt: { radius: 1, weight: 0.1 },
        initial: { positions: [0, 0, 0, 0, 0.5, 0], velocities: [0.2, 0, 0, 0.2, 0, 0] },
      })
      boids.step()
      expect(boids.velocities[1]).toBeGreaterThan(0.005)
      expect(boids.velocities[4]).toBeLessThan(-0.005)
      boids.dispose()
    })
  })

  describe('as every simulation', () => {
    const setup: BoidsSetup = {
      bounds: ROOM,
      seed: 5,
      species: [{ count: 60 }, { count: 4, hunts: [0] }],
      obstacles: [{ kind: 'sphere', center: [0.3, 0, 0], radius: 0.2 }],
      attractors: [{ position: [0, 0, 0] }],
    }
    const play = (boids: Boids, from: number, frames: number) => {
      for (let f = from; f < from + frames; f++) {
        boids.attractors[0]!.position = [Math.sin(f / 20), 0, 0]
        boids.obstacles.set(0, { kind: 'sphere', center: [0.3, 0.3 * Math.sin(f / 15), 0], radius: 0.2 })
        boids.step(1 / 50)
      }
    }

    it('goes out and in, time owed and inputs included', () => {
      const boids = new Boids(limber, setup)
      const mesh = boids.instancedMesh(new BoxGeometry(), new MeshBasicMaterial())
      play(boids, 0, 77)
      const [saved, shown, hash] = [boids.snapshot(), whole(boids), boids.hash()]
      expect(hash).toMatch(/^[0-9a-f]{16}$/)
      play(boids, 77, 50)
      const [later, laterShown] = [boids.hash(), whole(boids)]
      const { version } = mesh.instanceMatrix
      boids.restore(saved)
      expect(mesh.instanceMatrix.version).toBe(version + 1)
      expect([boids.hash(), boids.snapshot(), whole(boids)]).toEqual([hash, saved, shown])
      play(boids, 77, 50)
      expect([boids.hash(), whole(boids)]).toEqual([later, laterShown])
      boids.dispose()
    })

    it('a snapshot is of the same boids only', () => {
      const boids = new Boids(limber, setup)
      play(boids, 0, 5)
      const before = boids.snapshot()
      const broken = before.slice()
      broken.fill(0xff, 200, 300)
      const others = [
        { ...setup, species: [{ count: 60 }, { count: 5, hunts: [0] }] },
        { ...setup, species: [{ count: 59 }, { count: 5, hunts: [0] }] },
        { ...setup, obstacles: [] },
        { ...setup, attractors: [] },
        { ...setup, dimensions: 2 },
      ].map((other) => new Boids(limber, other as BoidsSetup))
      for (const bytes of [
        new Uint8Array(0),
        new Uint8Array(5000),
        before.slice(0, -4),
        broken,
        ...others.map((other) => other.snapshot()),
      ])
        expect(refusal(() => boids.restore(bytes)).code).toBe('invalid-snapshot')
      expect(refusal(() => boids.restore('bytes' as never)).code).toBe('invalid-snapshot')
      expect(boids.snapshot()).toEqual(before)
      for (const one of [boids, ...others]) one.dispose()
    })

    it('a snapshot of very fast boids comes back', () => {
      const boids = new Boids(limber, {
        count: 5,
        bounds: { kind: 'torus', min: [-9e5, -9e5, -9e5], max: [9e5, 9e5, 9e5] },
        speed: { min: 1000, max: 100_000 },
        species: [{ speed: 1000 }],
      })
      run(boids, 10)
      const saved = boids.snapshot()
      run(boids, 10)
      boids.restore(saved)
      expect(boids.snapshot()).toEqual(saved)
      boids.dispose()
    })

    it('resets bit for bit', () => {
      const boids = new Boids(limber, setup)
      const [hash, shown] = [boids.hash(), whole(boids)]
      play(boids, 0, 60)
      const later = boids.hash()
      boids.reset()
      expect([boids.hash(), boids.time, whole(boids)]).toEqual([hash, 0, shown])
      play(boids, 0, 60)
      expect(boids.hash()).toBe(later)
      boids.dispose()
    })

    it('resets to where it was made, when bounds were narrower meanwhile', () => {
      const boids = new Boids(limber, { bounds: ROOM })
      const shown = whole(boids)
      boids.bounds = { kind: 'box', min: [0, 0, 0], max: [0.1, 0.1, 0.1] }
      run(boids, 5)
      boids.bounds = ROOM as never
      boids.reset()
      expect(whole(boids)).toEqual(shown)
      boids.dispose()
    })

    it('is teleported without a swing, velocities and headings with it', () => {
      const boids = new Boids(limber, { bounds: WIDE, count: 30, rules: NO_RULES, wander: 0 })
      boids.bounds = { kind: 'sphere', center: [0, 0, 0], radius: 40 }
      run(boids, 10)
      const [places, velocities] = [0, 1].map((which) =>
        Array.from(boids.ids.keys()).map((i) => (which === 0 ? placeOf(boids, i) : velocityOf(boids, i))),
      ) as [Vector3[], Vector3[]]
      const matrix = new Matrix4().makeRotationX(0.7).multiply(new Matrix4().makeRotationZ(-0.4))
      boids.teleport(matrix)
      for (const [i, place] of places.entries()) {
        expect(placeOf(boids, i).distanceTo(place.applyMatrix4(matrix))).toBeLessThan(2e-5)
        expect(
          velocityOf(boids, i).distanceTo(
            velocities[i]!.transformDirection(matrix).setLength(velocityOf(boids, i).length()),
          ),
        ).toBeLessThan(1e-5)
        const { fault, astray } = matrixFaults(boids.matrices, i, velocityOf(boids, i).toArray())
        expect([fault < 1e-5, astray < 1e-5]).toEqual([true, true])
      }
      // Out of the world: into it again.
      boids.teleport(new Matrix4().makeTranslation(1000, 0, 0))
      for (const i of boids.ids.keys()) expect(outside(boids.bounds, 3, three(boids.positions, i))).toBeLessThan(1e-4)
      for (const wrong of [undefined, null, [1, 2], {}] as never[])
        expect(refusal(() => boids.teleport(wrong)).code).toBe('invalid-option')
      expect(refusal(() => boids.teleport(new Matrix4().makeScale(1, 0, 1))).code).toBe('invalid-input')
      expect(refusal(() => boids.teleport(new Matrix4().makeScale(1, NaN, 1))).code).toBe('invalid-input')
      boids.dispose()
    })

    it('time: steps of 1/60 s, three at most, a scale and a pause', () => {
      const boids = new Boids(limber, setup)
      expect([boids.fixedStep, boids.maxSteps]).toEqual([1 / 60, 3])
      expect([boids.step(1 / 60), boids.step(1 / 120), boids.step(1 / 120), boids.step(9)]).toEqual([1, 0, 1, 3])
      expect([boids.step(0), boids.step(-1), boids.step()]).toEqual([0, 0, 1])
      expect(boids.time).toBeCloseTo(0.1, 9)
      const hash = boids.hash()
      boids.paused = true
      expect([boids.step(1), boids.hash()]).toEqual([0, hash])
      expect(boids.step()).toBe(1)
      boids.paused = false
      boids.timeScale = 2
      expect(boids.step(1 / 60)).toBe(2)
      boids.timeScale = 0
      expect(boids.step(1 / 60)).toBe(0)
      for (const wrong of [-1, 101, NaN, '1'])
        expect(refusal(() => (boids.timeScale = wrong as never)).message).toMatch(/^timeScale must be /)
      for (const dt of [NaN, Infinity, '0.1' as never]) expect(refusal(() => boids.step(dt)).code).toBe('invalid-input')
      boids.dispose()
    })

    it('is drawn between the last two steps, around a torus the shorter way', () => {
      const initial = { positions: [1.599, 0.5, 0], velocities: [0.28, 0, 0] }
      const make = (interpolate: boolean) =>
        new Boids(limber, { dimensions: 2, rules: NO_RULES, wander: 0, initial, interpolate })
      const [boids, newest] = [make(true), make(false)]
      for (const one of [boids, newest]) one.step(1.25 / 60)
      expect(newest.positions[0]).toBeCloseTo(1.599 + 0.28 / 60 - 1.6, 5)
      expect(boids.positions[0]).toBeCloseTo(1.599 + (0.25 * 0.28) / 60 - 1.6, 5)
      for (const one of [boids, newest]) one.dispose()
    })

    it('counts, and says how long a step takes', () => {
      const boids = new Boids(limber, setup)
      expect(boids.stats).toEqual({ boids: 64, milliseconds: 0 })
      for (let s = 0; s < 10; s++) boids.step(1 / 60)
      expect(boids.stats.milliseconds).toBeGreaterThan(0)
      boids.dispose()
    })

    it('configures all or nothing, and says what else to do', () => {
      const boids = new Boids(limber, setup)
      const { options } = boids
      expect(Object.isFrozen(options) && Object.isFrozen(options.rules.cohesion)).toBe(true)
      boids.configure({ rules: { cohesion: { weight: 0.1 } }, turnLimit: null, nearest: 9, wander: undefined })
      const now = boids.options
      expect(now).toEqual({
        ...options,
        rules: { ...options.rules, cohesion: { ...options.rules.cohesion, weight: expect.closeTo(0.1) } },
        turnLimit: null,
        nearest: 9,
      })
      for (const [wrong, message] of [
        [{ wander: 0, speed: { min: 1 } }, /^speed\.min must be from 0 to speed\.max/],
        [{ nearest: 3, rules: { cohesion: { weight: -1 } } }, /rules\.cohesion\.weight must be/],
        [{ bounds: ROOM }, /^bounds is no option that configure changes: set boids\.bounds$/],
        [{ attractors: [] }, /: change the list boids\.attractors$/],
        [{ repellers: [] }, /: change the list boids\.repellers$/],
        [{ obstacles: [] }, /: use boids\.obstacles$/],
        [{ count: 3 }, /: make new boids$/],
        [{ seed: 3 }, /: make new boids$/],
        [{ species: [] }, /: make new boids$/],
        [{ paused: true }, /: set boids\.paused$/],
        [{ colour: 1 }, /colour.*known: rules, speed, /],
        [null, /must be an object/],
        [7, /must be an object/],
      ] as const) {
        const error = refusal(() => boids.configure(wrong as never))
        expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
        expect(boids.options).toEqual(now)
      }
      const torus = new Boids(limber, { dimensions: 2, species: [{ count: 9 }, { count: 1, hunts: [0] }] })
      expect(refusal(() => torus.configure({ rules: { alignment: { radius: 0.51 } } })).message).toMatch(
        /half the short/,
      )
      expect(refusal(() => torus.configure({ flight: { radius: 0.51 } })).message).toMatch(/^flight\.radius must be/)
      for (const one of [boids, torus]) one.dispose()
    })

    it('a hook of fixed steps moves what attracts', () => {
      const make = () => new Boids(limber, { ...setup, attractors: [{ position: [0, 0, 0], weight: 0.1 }] })
      const hashes = [24, 30, 60].map((rate) => {
        const boids = make()
        boids.onFixedStep = (time) => (boids.attractors[0]!.position = [Math.sin(time), Math.cos(3 * time), 0])
        for (let f = 0; f < 2 * rate; f++) boids.step(1 / rate)
        const hash = boids.hash()
        boids.dispose()
        return hash
      })
      expect(new Set(hashes).size).toBe(1)
    })

    it('stepAsync is step', async () => {
      const [a, b] = [new Boids(limber, setup), new Boids(limber, setup)]
      for (let s = 0; s < 30; s++) expect(await a.stepAsync(1 / 45)).toBe(b.step(1 / 45))
      expect([a.hash(), whole(a)]).toEqual([b.hash(), whole(b)])
      for (const one of [a, b]) one.dispose()
    })
  })
})

it('10,000 steps of boids leave nothing on the JavaScript heap', () => {
  for (const backend of Object.keys(backends)) {
    const { kept, made } = heap('heap-boids.mjs', backend, { kept: 20_000, made: 200 })
    expect(kept, `${backend}: bytes kept after 10,000 steps`).toBeLessThan(20_000)
    expect(made, `${backend}: bytes made by a step`).toBeLessThan(200)
  }
})
