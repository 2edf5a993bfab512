import type { Object3D } from 'three'
import { Vector3 } from 'three'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import type { BoidsChannels } from './generated/channels.js'
import { readPoint, type BoidsPoint } from './boids-points.js'
import { FAR, inReach } from './vector.js'

/**
 * What attracts or repels boids: a point (`position`), a line (`position` and `direction`), an `object`, a boid that leads
 * (`boid`), or a `path`; one of these. A boid and a path attract only.
 */
export interface BoidsInfluence {
  /** World, metres. A `Vector3` that moves is followed. */
  position?: BoidsPoint | undefined
  /** Of a line through `position`, such as a pointer's ray in 3D: distances are those from the line. Need not be of unit length. */
  direction?: BoidsPoint | undefined
  /** The world position of this object. */
  object?: Object3D | undefined
  /** The id of a boid that the others follow. */
  boid?: number | undefined
  /** Points of a path along which boids are led, in the order in which they are passed, at least two; world, metres. */
  path?: readonly BoidsPoint[] | undefined
  /** The path leads from its last point to its first; `false` unless set. */
  closed?: boolean | undefined
  /** Only who is nearer than this feels it, metres; 0.2 for what repels, the sheet's pointer, and everywhere for what attracts. */
  radius?: number | undefined
  /**
   * How strongly. What repels adds a velocity of `weight` × `radius`² × d / (|d|² + `radius`²/20) a step, with d from it: 0.1
   * unless set, the sheet's pointer. What attracts adds this part of the largest speed a step, and less when it is near: 0.02
   * unless set.
   */
  weight?: number | undefined
  /** `false` switches it off. */
  enabled?: boolean | undefined
}

const KEYS = ['position', 'direction', 'object', 'boid', 'path', 'closed', 'radius', 'weight', 'enabled'] as const
const ATTRACT = 0
const REPEL = 1
const LEAD = 2
const PATH = 3
const CLOSED = 4
/** Numbers of one in the channel. */
const STRIDE = 8

/** What of an influence is not in the channel. */
interface Kind {
  kind: number
  boid: number | undefined
  /** `[x, y, z] × points` of its path. */
  points: Float64Array
}

interface Host {
  readonly views: Pick<BoidsChannels, 'influences'>
  readonly dimensions: 2 | 3
  placeOf(id: number): number
  replace(payload: Float32Array): void
}

/** Writes what attracts and repels into the core's memory; when a list has another length, or a kind changes, it replaces all. */
export class Influences {
  readonly #host: Host
  /** What each was when they were replaced last. */
  #kinds: Kind[] = []

  constructor(host: Host) {
    this.#host = host
  }

  /** Allocates nothing while each stays what it is. */
  update(attractors: readonly BoidsInfluence[], repellers: readonly BoidsInfluence[]): void {
    const count = listLength('attractors', attractors) + listLength('repellers', repellers)
    let same = count === this.#kinds.length
    for (let i = 0; i < count && same; i++) {
      const influence = at(attractors, repellers, i)
      const { kind, boid, points } = this.#kinds[i]!
      same = kindOf(influence, attractors.length, i) === kind && influence.boid === boid
      if (same && influence.path) same = unmoved(influence.path, this.#host.dimensions, points)
    }
    if (!same) this.#replace(attractors, repellers)
    const { dimensions, views } = this.#host
    for (let i = 0; i < count; i++) {
      write(at(attractors, repellers, i), attractors.length, i, dimensions, views.influences, i * STRIDE)
    }
  }

  #replace(attractors: readonly BoidsInfluence[], repellers: readonly BoidsInfluence[]): void {
    const count = attractors.length + repellers.length
    const numbers: number[] = []
    const kinds: Kind[] = []
    const pose = new Float32Array(STRIDE)
    for (let i = 0; i < count; i++) {
      const influence = at(attractors, repellers, i)
      const kind = kindOf(influence, attractors.length, i)
      const { self } = named(attractors.length, i)
      checkKeys(self, influence, KEYS, self)
      write(influence, attractors.length, i, this.#host.dimensions, pose, 0)
      const { boid, path = [] } = influence
      const place = boid === undefined ? 0 : this.#host.placeOf(boid)
      if (place < 0) throw new LimberError('invalid-option', `${self}.boid must be an id, got ${shown(boid)}`)
      numbers.push(kind, place, path.length, ...pose)
      const points = new Float64Array(path.length * 3)
      for (const [p, given] of path.entries()) {
        readPoint(`${self}.path[${p}]`, given, this.#host.dimensions, points, p * 3)
      }
      for (const n of points) numbers.push(n)
      kinds.push({ kind, boid, points })
    }
    this.#host.replace(Float32Array.from(numbers))
    this.#kinds = kinds
  }
}

function listLength(name: string, list: readonly unknown[]): number {
  if (Array.isArray(list)) return list.length
  throw new LimberError('invalid-option', `${name} must be a list, got ${shown(list)}`)
}

function at(attractors: readonly BoidsInfluence[], repellers: readonly BoidsInfluence[], i: number): BoidsInfluence {
  return i < attractors.length ? attractors[i]! : repellers[i - attractors.length]!
}

type Paths = Record<'self' | 'position' | 'direction' | 'radius' | 'weight', string>

/** What messages call the fields of each: kept, as they are read in every frame. */
const paths: Record<'attractors' | 'repellers', Paths[]> = { attractors: [], repellers: [] }

/** Of influence `i` of both lists one after the other, of which so many attract. */
function named(attractors: number, i: number): Paths {
  const list = i < attractors ? 'attractors' : 'repellers'
  const index = i < attractors ? i : i - attractors
  return (paths[list][index] ??= pathsOf(`${list}[${index}]`))
}

function pathsOf(self: string): Paths {
  const [position, direction, radius, weight] = ['position', 'direction', 'radius', 'weight'].map(
    (key) => `${self}.${key}`,
  )
  return { self, position: position!, direction: direction!, radius: radius!, weight: weight! }
}

const corner = /* @__PURE__ */ new Float64Array(3)

/** Whether the points of a path are where they were. What is no point is not: reading all anew says which. */
function unmoved(path: readonly BoidsPoint[], dimensions: 2 | 3, points: Float64Array): boolean {
  if (path.length * 3 !== points.length) return false
  for (let p = 0; p < path.length; p++) {
    try {
      readPoint('path', path[p]!, dimensions, corner)
    } catch {
      return false
    }
    for (let c = 0; c < 3; c++) if (corner[c] !== points[p * 3 + c]) return false
  }
  return true
}

function kindOf(influence: BoidsInfluence, attractors: number, i: number): number {
  const attracts = i < attractors
  const { position, object, boid, path, closed } = influence ?? {}
  const given = Number(position !== undefined) + Number(object !== undefined)
  const leads = Number(boid !== undefined) + Number(path !== undefined)
  if (given + leads !== 1 || (leads === 1 && !attracts)) {
    const what = attracts ? 'one of position, object, boid and path' : 'position or object'
    const bare = (influence as { isObject3D?: unknown })?.isObject3D ? ': give an object as { object }' : ''
    throw new LimberError('invalid-option', `${named(attractors, i).self} must have ${what}${bare}`)
  }
  if (path !== undefined) {
    if (!Array.isArray(path) || path.length < 2) {
      throw new LimberError(
        'invalid-option',
        `${named(attractors, i).self}.path must be a list of at least two points, got ${shown(path)}`,
      )
    }
    return closed ? CLOSED : PATH
  }
  return boid !== undefined ? LEAD : attracts ? ATTRACT : REPEL
}

const place = /* @__PURE__ */ new Vector3()

/** Writes the numbers of influence `i` to `out` from `to` on. */
function write(
  influence: BoidsInfluence,
  attractors: number,
  i: number,
  dimensions: 2 | 3,
  out: Float32Array,
  to: number,
): void {
  const attracts = i < attractors
  const path = named(attractors, i)
  const { position, direction, object, enabled = true } = influence
  const { radius = attracts ? FAR : 0.2, weight = attracts ? 0.02 : 0.1 } = influence
  if (object !== undefined) {
    if (!object.isObject3D) {
      throw new LimberError('invalid-option', `${path.self}.object must be an Object3D, got ${shown(object)}`)
    }
    object.updateWorldMatrix(true, false)
    const { x, y, z } = place.setFromMatrixPosition(object.matrixWorld)
    if (!inReach(x) || !inReach(y) || !inReach(z)) {
      throw new LimberError(
        'invalid-input',
        `${path.self}.object must be at [x, y, z] of numbers from ${-FAR} to ${FAR} (m), got [${x}, ${y}, ${z}]`,
      )
    }
    place.toArray(out, to)
  } else if (position !== undefined) {
    readPoint(path.position, position, dimensions, out, to)
  }
  if (direction !== undefined) readPoint(path.direction, direction, dimensions, out, to + 3)
  else out.fill(0, to + 3, to + 6)
  checkNumber(path.radius, radius, 0, FAR, 'm')
  checkNumber(path.weight, weight, 0, 1000)
  out[to + 6] = radius
  out[to + 7] = enabled ? weight : 0
}
