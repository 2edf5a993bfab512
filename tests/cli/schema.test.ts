import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  BOIDS_OPTIONS_DEFAULTS,
  CLOTH_OPTIONS_DEFAULTS,
  JIGGLE_CHAIN_OPTIONS_DEFAULTS,
  RAGDOLL_OPTIONS_DEFAULTS,
  type BakeConfig,
  type BoidsConfig,
  type ClothConfig,
  type JiggleConfig,
  type RagdollConfig,
} from 'limber-node'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../../npm/limber-node/src/config/check.js'
import { CONFIG_KEYS, JOB_KEYS, VARIANT_KEYS } from '../../npm/limber-node/src/config/config.js'

const schema = readSchema() as any
const validate = new Ajv2020({ discriminator: true, strict: false }).compile(schema)
/** A function, which JSON cannot hold. */
const inJson = (keys: readonly string[]) => keys.filter((key) => key !== 'scene').sort()
const keysOf = (properties: object) => Object.keys(properties).sort()

/** A value of each option of a job. */
const JOB = {
  name: 'hero',
  input: 'hero.glb',
  module: 'scene.mjs',
  clip: 'Walk',
  clips: ['Walk', 'Run'],
  seed: 1,
  seeds: [1, 2],
  variants: { storm: { fps: 60 } },
  fps: 30,
  duration: 4,
  warmup: 2,
  loop: 'periodic',
  format: 'vat',
  tolerance: 0.002,
  maxTargets: 64,
  angle: 0.001,
  distance: 0.0001,
  ratio: 0.0001,
  compression: 'meshopt',
  budget: 200000,
  simulations: { fish: { technique: 'boids' } },
} as const

// The same keys as the types have: the compiler says which is missing.
const CLOTH = {
  technique: true,
  mesh: true,
  pinned: true,
  attach: true,
  wind: true,
  gravity: true,
  colliders: true,
  floor: true,
  options: true,
} satisfies Record<keyof ClothConfig, true>
type Rest<Config, Known> = Exclude<keyof Config, keyof Known>
const JIGGLE = {
  technique: true,
  bones: true,
  tip: true,
  curves: true,
  limit: true,
  rest: true,
  center: true,
  gravity: true,
  wind: true,
  colliders: true,
  gusts: true,
  seed: true,
  iterations: true,
  teleportDistance: true,
  teleportAngle: true,
  interpolate: true,
} satisfies Record<Rest<JiggleConfig, typeof JIGGLE_CHAIN_OPTIONS_DEFAULTS>, true>
const RAGDOLL = {
  technique: true,
  mesh: true,
  map: true,
  hit: true,
  limpAt: true,
  from: true,
  strength: true,
  getUpAt: true,
  root: true,
  mass: true,
  gravity: true,
  colliders: true,
} satisfies Record<Rest<RagdollConfig, typeof RAGDOLL_OPTIONS_DEFAULTS>, true>
const BOIDS = {
  technique: true,
  geometry: true,
  count: true,
  dimensions: true,
  seed: true,
  bounds: true,
  initial: true,
  species: true,
  attractors: true,
  repellers: true,
  obstacles: true,
} satisfies Record<Rest<BoidsConfig, typeof BOIDS_OPTIONS_DEFAULTS>, true>

describe('the JSON Schema', () => {
  it('has the options of the types, and no other', () => {
    expect(keysOf(schema.properties)).toEqual(inJson(CONFIG_KEYS))
    expect(keysOf(schema.$defs.job.properties)).toEqual(inJson(JOB_KEYS))
    expect(keysOf(schema.$defs.variant.properties)).toEqual(inJson(VARIANT_KEYS))
    const { cloth, jiggle, ragdoll, boids } = schema.$defs
    expect(keysOf(cloth.properties)).toEqual(keysOf(CLOTH))
    expect(keysOf(jiggle.properties)).toEqual(keysOf({ ...JIGGLE, ...JIGGLE_CHAIN_OPTIONS_DEFAULTS }))
    expect(keysOf(ragdoll.properties)).toEqual(keysOf({ ...RAGDOLL, ...RAGDOLL_OPTIONS_DEFAULTS }))
    expect(keysOf(boids.properties)).toEqual(keysOf({ ...BOIDS, ...BOIDS_OPTIONS_DEFAULTS }))
    const { floor: _, ...options } = CLOTH_OPTIONS_DEFAULTS
    expect(keysOf(cloth.properties.options.properties)).toEqual(keysOf({ ...options, weld: true }))
  })

  it('has the defaults that the simulations have', () => {
    const defaults = (properties: Record<string, any>): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, one.properties ? defaults(one.properties) : one.default]),
      )
    const { cloth, jiggle, ragdoll, boids } = schema.$defs
    const { floor: _, ...options } = CLOTH_OPTIONS_DEFAULTS
    expect(defaults(cloth.properties.options.properties)).toMatchObject(options)
    expect(defaults(jiggle.properties)).toMatchObject(JIGGLE_CHAIN_OPTIONS_DEFAULTS)
    // Those of `Ragdoll.fromSkeleton`.
    expect(defaults(ragdoll.properties)).toMatchObject({ ...RAGDOLL_OPTIONS_DEFAULTS, classic: false, damping: 0.05 })
    expect(defaults(boids.properties)).toMatchObject(BOIDS_OPTIONS_DEFAULTS)
  })

  it('takes each option, and refuses it with a value of another kind', () => {
    expect(keysOf(JOB)).toEqual(inJson(JOB_KEYS))
    for (const [key, value] of Object.entries(JOB)) {
      const jobs = [{ [key]: value }]
      expect([key, validate({ jobs })]).toEqual([key, true])
      expect([key, validate({ jobs: [{ [key]: { not: 'this' } }] })]).toEqual([key, false])
      if (key !== 'name') expect([key, validate({ [key]: value, jobs: [{}] })]).toEqual([key, true])
      if (VARIANT_KEYS.includes(key))
        expect([key, validate({ jobs: [{ variants: { a: { [key]: value } } }] })]).toEqual([key, true])
    }
    expect(validate({ jobs: [{ unknown: 1 }] })).toBe(false)
  })

  it('takes the config of the types', () => {
    const config: BakeConfig = {
      $schema: './node_modules/limber-node/schema/config.json',
      out: 'baked',
      fps: 30,
      jobs: [
        {
          input: 'hero.glb',
          clips: ['Walk'],
          loop: 'periodic',
          simulations: {
            cape: {
              technique: 'cloth',
              mesh: 'Cape',
              pinned: { top: 0.1 },
              wind: { base: [0, 0, 3], gust: 1 },
              options: { iterations: 12 },
              colliders: [{ kind: 'capsule', a: [0, 0, 0], b: [0, 0.3, 0], radius: 0.1, follow: 'spine1' }],
            } satisfies ClothConfig,
            hair: {
              technique: 'jiggle',
              bones: ['Hair1', ['Tail1', 'Tail2']],
              stiffness: 0.03,
              limit: { kind: 'cone', angle: 1 },
            } satisfies JiggleConfig,
            fall: {
              technique: 'ragdoll',
              hit: { at: 0.5, point: [0, 1.2, 0], impulse: [0, 0.5, -4] },
              getUpAt: { at: 2 },
            } satisfies RagdollConfig,
            fish: {
              technique: 'boids',
              count: 200,
              bounds: { kind: 'sphere', center: [0, 0, 0], radius: 1 },
              rules: { cohesion: { weight: 0.1 } },
            } satisfies BoidsConfig,
          },
        },
      ],
    }
    expect(validate(config)).toBe(true)
  })

  it('says of each option what it is, and of each number what it is measured in or from where to where', () => {
    const visit = (path: string, node: any) => {
      for (const [key, one] of Object.entries<any>(node.properties ?? {})) {
        const place = `${path}.${key}`
        if (path.startsWith('$defs.') || path === 'config') {
          if (!('const' in one) && key !== 'kind') expect([place, typeof one.description]).toEqual([place, 'string'])
        }
        visit(place, one)
      }
    }
    visit('config', schema)
    for (const name of ['job', 'variant', 'cloth', 'jiggle', 'ragdoll', 'boids'])
      visit(`$defs.${name}`, schema.$defs[name])
  })
})
