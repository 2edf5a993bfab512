import type { BoidsInfluence } from './boids-influences.js'
import type { BoidsObstacle } from './boids-obstacles.js'
import { readPoint, type BoidsPoint } from './boids-points.js'
import { checkKeys, checkNumber, LimberError, settings, shown } from './error.js'
import { BOIDS_MAKE_DEFAULTS, BOIDS_OPTIONS_DEFAULTS, type BoidsMake, type BoidsOptions } from './generated/options.js'
import type { PartialOptions } from './simulation.js'
import { FAR } from './vector.js'

export type { BoidsObstacle, BoidsPoint }

type Triple = readonly [x: number, y: number, z: number]

/** A world whose sides go on at the opposite ones. All distances are the shorter way round; no radius may be larger than half of its shortest side. */
export interface BoidsTorus {
  kind: 'torus'
  /** Lowest corner, metres. */
  min: Triple
  /** Highest corner, metres. */
  max: Triple
}

/** A box at whose walls boids turn back. */
export interface BoidsBox {
  kind: 'box'
  /** Lowest corner, metres. */
  min: Triple
  /** Highest corner, metres. */
  max: Triple
}

/** A ball (in 2D a disc) at whose wall boids turn back. */
export interface BoidsSphere {
  kind: 'sphere'
  /** Metres. */
  center: Triple
  /** Metres, above 0. */
  radius: number
}

/** Where boids may be. */
export type BoidsBounds = BoidsTorus | BoidsBox | BoidsSphere

/** The same as it may be given. */
export type BoidsBoundsSetup =
  { kind: 'torus' | 'box'; min: BoidsPoint; max: BoidsPoint } | { kind: 'sphere'; center: BoidsPoint; radius: number }

/** A species: what it is to the others, by their places in the list. */
export interface BoidsSpecies {
  /** How many there are of it; their ids follow those of the species before. Needed unless `initial.species` is given. */
  count?: number | undefined
  /** It aligns with these and draws near to them; its own kind alone unless set. All keep apart from one another. */
  flocksWith?: readonly number[] | undefined
  /** It flees from these; from those that hunt it unless set. */
  flees?: readonly number[] | undefined
  /** It hunts the nearest of these; none unless set. */
  hunts?: readonly number[] | undefined
  /** Its speeds are scaled by this, above 0 and up to 1000; 1 unless set. */
  speed?: number | undefined
}

/** Where boids begin, instead of by chance. */
export interface BoidsStart {
  /** `[x, y, z] × boids`, world, metres. */
  positions?: ArrayLike<number> | undefined
  /** `[x, y, z] × boids`, m/s. */
  velocities?: ArrayLike<number> | undefined
  /** `[id] × boids`, whole numbers from 0 to 4294967295, each another; 0, 1, 2, … unless given. Results do not depend on their order. */
  ids?: ArrayLike<number> | undefined
  /** `[species] × boids`, places in the list of species. */
  species?: ArrayLike<number> | undefined
}

/** How boids are made. */
export interface BoidsSetup extends PartialOptions<BoidsOptions>, Partial<Omit<BoidsMake, 'count' | 'dimensions'>> {
  /** How many, from 1 to 1000000; as many as `initial` or `species` give, or else 110, the sheet's. */
  count?: number | undefined
  /** 2: in a plane, whose z is 0. 3: in space, unless set. */
  dimensions?: 2 | 3 | undefined
  /** Where boids may be; a torus of 1.6 × 1 in 2D, the sheet's, and of 2 × 2 × 2 about the origin in 3D unless set. */
  bounds?: BoidsBoundsSetup | undefined
  /** Where boids begin; by chance, which `seed` chooses, unless given. */
  initial?: BoidsStart | undefined
  /** Species; one that flocks with itself unless set. */
  species?: readonly BoidsSpecies[] | undefined
  /** See `Boids.attractors`. */
  attractors?: readonly BoidsInfluence[] | undefined
  /** See `Boids.repellers`. */
  repellers?: readonly BoidsInfluence[] | undefined
  /** Solids that boids steer clear of; `Boids.obstacles` changes them later. */
  obstacles?: Iterable<BoidsObstacle> | undefined
}

const KEYS = [
  ...Object.keys(BOIDS_MAKE_DEFAULTS),
  ...Object.keys(BOIDS_OPTIONS_DEFAULTS),
  'bounds',
  'initial',
  'species',
  'attractors',
  'repellers',
  'obstacles',
]
const MOST = 1_000_000
const MOST_SPECIES = 32

/** What the core makes boids of. */
export function layOut(setup: BoidsSetup, check: (order: string) => void) {
  checkKeys('Boids', setup, KEYS, 'setup')
  const { count, dimensions = 3, seed, matrices, bounds, initial = {}, species = [{}], ...rest } = setup
  const { attractors, repellers, obstacles, ...options } = rest
  checkKeys('initial', initial, ['positions', 'velocities', 'ids', 'species'], 'initial')
  const kinds = readSpecies(species)
  const boids = countOf(count, initial, kinds)
  const order = settings({ make: { count: boids, dimensions, seed, matrices }, options })
  check(order)
  const { numbers, bounds: world } = readBounds(bounds ?? (dimensions === 2 ? SHEET : CUBE), dimensions)

  const ids = idsOf(initial.ids, boids)
  // The core takes them by id, whatever their order.
  const places = Array.from(ids.keys())
  if (initial.ids) places.sort((a, b) => ids[a]! - ids[b]!)
  const twice = places.findIndex((place, i) => i > 0 && ids[place] === ids[places[i - 1]!])
  if (twice >= 0) {
    throw new LimberError('invalid-option', `initial.ids must be different, got ${ids[places[twice]!]} twice`)
  }
  const own = speciesOf(initial.species, kinds, boids)
  const positions = vectors('initial.positions', initial.positions, places)
  const velocities = vectors('initial.velocities', initial.velocities, places)

  const bits = (list: readonly number[]) => list.reduce((bits, kind) => bits | (1 << kind), 0) >>> 0
  return {
    order,
    bounds: world,
    dimensions,
    reals: Float32Array.from([...numbers, ...kinds.map(({ speed }) => speed), ...chain(positions, velocities)]),
    indices: Uint32Array.from([
      kinds.length,
      ...kinds.flatMap(({ flocksWith, flees, hunts }) => [bits(flocksWith), bits(flees), bits(hunts)]),
      Number(positions.length > 0),
      Number(velocities.length > 0),
      ...chain(
        places.map((place) => ids[place]!),
        places.map((place) => own[place]!),
      ),
    ]),
  }
}

/** The sheet's world, and one for 3D. */
const SHEET: BoidsTorus = { kind: 'torus', min: [0, 0, 0], max: [1.6, 1, 0] }
const CUBE: BoidsTorus = { kind: 'torus', min: [-1, -1, -1], max: [1, 1, 1] }

/** One after the other, without the stack that a spread of a million needs. */
function* chain(...lists: Iterable<number>[]): Generator<number> {
  for (const list of lists) yield* list
}

/** Bounds as the core takes them, and as they are given back. */
export function readBounds(given: BoidsBoundsSetup, dimensions: 2 | 3): { numbers: number[]; bounds: BoidsBounds } {
  const kinds = ['torus', 'box', 'sphere']
  if (!kinds.includes(given?.kind)) {
    throw new LimberError('invalid-option', `bounds.kind must be torus, box or sphere, got ${shown(given?.kind)}`)
  }
  if (given.kind === 'sphere') {
    checkKeys('a sphere', given, ['kind', 'center', 'radius'], 'bounds')
    const center = point('bounds.center', given.center, dimensions)
    checkNumber('bounds.radius', given.radius, Number.MIN_VALUE, FAR, 'm')
    return {
      numbers: [2, ...center, given.radius, 0, 0],
      bounds: frozen({ kind: 'sphere', center, radius: given.radius }),
    }
  }
  checkKeys(`a ${given.kind}`, given, ['kind', 'min', 'max'], 'bounds')
  const [min, max] = [point('bounds.min', given.min, dimensions), point('bounds.max', given.max, dimensions)]
  for (let c = 0; c < dimensions; c++) {
    if (min[c]! < max[c]!) continue
    throw new LimberError(
      'invalid-option',
      `bounds.max[${c}] must be above bounds.min[${c}] (${min[c]} m), got ${max[c]}`,
    )
  }
  return { numbers: [kinds.indexOf(given.kind), ...min, ...max], bounds: frozen({ kind: given.kind, min, max }) }
}

/** What is given back is read, and set as a whole. */
function frozen(bounds: BoidsBounds): BoidsBounds {
  for (const part of Object.values(bounds)) Object.freeze(part)
  return Object.freeze(bounds)
}

/** The shortest number that the core rounds to `n`: what was given, most likely. */
function shortest(n: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(n.toPrecision(digits))
    if (Math.fround(short) === n) return short
  }
  return n
}

/** Bounds of the numbers by which the core knows them. */
export function boundsOf(numbers: Float32Array): BoidsBounds {
  const [kind, a, b, c, d, e, f] = Array.from(numbers, shortest)
  if (kind === 2) return frozen({ kind: 'sphere', center: [a!, b!, c!], radius: d! })
  return frozen({ kind: kind === 0 ? 'torus' : 'box', min: [a!, b!, c!], max: [d!, e!, f!] })
}

function point(path: string, given: BoidsPoint, dimensions: 2 | 3): [number, number, number] {
  const out: [number, number, number] = [0, 0, 0]
  readPoint(path, given, dimensions, out)
  if (dimensions === 2) out[2] = 0
  return out
}

type Kind = { count: number | undefined; speed: number } & Record<'flocksWith' | 'flees' | 'hunts', readonly number[]>

function readSpecies(given: readonly BoidsSpecies[]): Kind[] {
  if (!Array.isArray(given) || given.length < 1 || given.length > MOST_SPECIES) {
    throw new LimberError('invalid-option', `species must be a list of 1 to ${MOST_SPECIES}, got ${shown(given)}`)
  }
  const list = (path: string, places: readonly number[]) => {
    const known = Array.isArray(places) && places.every((n) => Number.isInteger(n) && n >= 0 && n < given.length)
    if (known) return places
    throw new LimberError(
      'invalid-option',
      `${path} must be a list of species from 0 to ${given.length - 1}, got ${shown(places)}`,
    )
  }
  const kinds = (given as readonly BoidsSpecies[]).map((one, s) => {
    const path = `species[${s}]`
    checkKeys('a species', one, ['count', 'flocksWith', 'flees', 'hunts', 'speed'], path)
    const { count, speed = 1, flocksWith = [s], flees, hunts = [] } = one
    if (count !== undefined) whole(`${path}.count`, count, 0, MOST)
    checkNumber(`${path}.speed`, speed, 1e-6, 1000)
    return {
      count,
      speed,
      flocksWith: list(`${path}.flocksWith`, flocksWith),
      hunts: list(`${path}.hunts`, hunts),
      flees: flees === undefined ? undefined : list(`${path}.flees`, flees),
    }
  })
  return kinds.map((kind, s) => ({
    ...kind,
    flees: kind.flees ?? kinds.flatMap(({ hunts }, hunter) => (hunts.includes(s) ? [hunter] : [])),
  }))
}

function whole(path: string, value: unknown, low: number, high: number): asserts value is number {
  if (Number.isInteger(value) && (value as number) >= low && (value as number) <= high) return
  throw new LimberError('invalid-option', `${path} must be a whole number from ${low} to ${high}, got ${shown(value)}`)
}

/** How many boids there are; all that says so must agree. */
function countOf(
  count: number | undefined,
  { positions, velocities, ids, species }: BoidsStart,
  kinds: Kind[],
): number {
  if (count !== undefined) whole('count', count, 1, MOST)
  const said: [string, number][] = []
  const listed = (name: string, list: ArrayLike<number> | undefined, each: number) => {
    if (list === undefined) return
    const length = (list as { length?: unknown } | null)?.length
    if (typeof length !== 'number' || length % each !== 0) {
      throw new LimberError(
        'invalid-option',
        `initial.${name} must be a list of ${each} numbers a boid, got ${shown(list)}`,
      )
    }
    said.push([`initial.${name}`, length / each])
  }
  if (count !== undefined) said.push(['count', count])
  listed('positions', positions, 3)
  listed('velocities', velocities, 3)
  listed('ids', ids, 1)
  listed('species', species, 1)
  if (kinds.some((kind) => kind.count !== undefined)) {
    said.push(['the counts of species', kinds.reduce((sum, kind) => sum + (kind.count ?? 0), 0)])
  }
  const [first, ...others] = said
  if (!first) return BOIDS_MAKE_DEFAULTS.count
  for (const [name, boids] of others) {
    if (boids !== first[1]) {
      throw new LimberError(
        'invalid-option',
        `${name} must be for as many boids as ${first[0]}, ${first[1]}, got ${boids}`,
      )
    }
  }
  whole('count', first[1], 1, MOST)
  return first[1]
}

function idsOf(given: ArrayLike<number> | undefined, boids: number): Uint32Array {
  if (!given) return Uint32Array.from({ length: boids }, (_, i) => i)
  for (let i = 0; i < boids; i++) whole(`initial.ids[${i}]`, given[i], 0, 2 ** 32 - 1)
  return Uint32Array.from(given)
}

function speciesOf(given: ArrayLike<number> | undefined, kinds: Kind[], boids: number): number[] {
  if (given) {
    for (let i = 0; i < boids; i++) whole(`initial.species[${i}]`, given[i], 0, kinds.length - 1)
    return Array.from(given)
  }
  const counts = kinds.map(({ count }) => count)
  if (kinds.length > 1 && counts.some((count) => count === undefined)) {
    throw new LimberError('invalid-option', 'every species must have a count, or initial.species say what each boid is')
  }
  return counts.flatMap((count, s) => new Array<number>(count ?? boids).fill(s))
}

/** `[x, y, z]` of each boid, in the order of `places`. */
function vectors(path: string, given: ArrayLike<number> | undefined, places: readonly number[]): Float32Array {
  const out = new Float32Array(given ? places.length * 3 : 0)
  if (!given) return out
  for (const [to, from] of places.entries()) {
    for (let c = 0; c < 3; c++) {
      const n = given[from * 3 + c]
      if (!(typeof n === 'number' && Math.abs(n) <= FAR)) {
        throw new LimberError(
          'invalid-option',
          `${path}[${from * 3 + c}] must be a number from ${-FAR} to ${FAR}, got ${shown(n)}`,
        )
      }
      out[to * 3 + c] = n
    }
  }
  return out
}
