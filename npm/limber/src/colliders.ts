import { Matrix3, Matrix4, Quaternion, Vector3, type Object3D } from 'three'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import {
  checkObject,
  FAR,
  inReach,
  readQuaternion,
  readVector,
  type QuaternionLike,
  type VectorLike,
} from './vector.js'
import { isIterable } from './vertices.js'

/** What every collider may have. */
export interface ColliderOptions {
  /** Part of the sideways velocity lost in each contact, from 0 to 1; 0 unless set. */
  friction?: number | undefined
  /**
   * Moves with this object: the shape is then in its local space. A radius grows with its largest scale, and the half
   * extents of a box each with the scale along it. While the object's world matrix is not finite, or flat as at scale 0, the
   * collider stays where it was last; one that has had no place yet meets nothing.
   */
  follow?: Object3D | undefined
  /** Of jiggle bones: the indices of the chains that meet it; all unless set. */
  chains?: readonly number[] | undefined
}

/** What every collider but a plane may have. */
export interface VolumeColliderOptions extends ColliderOptions {
  /** Keeps things inside the shape instead of outside; `false` unless set. */
  inside?: boolean | undefined
}

/** A ball. */
export interface SphereCollider extends VolumeColliderOptions {
  kind: 'sphere'
  /** Metres. */
  center: VectorLike
  /** Metres, from 0 to 1000000. */
  radius: number
}

/** A cylinder with round ends, as for limbs and trunks. */
export interface CapsuleCollider extends VolumeColliderOptions {
  kind: 'capsule'
  /** Centre of one end, metres. */
  a: VectorLike
  /** Centre of the other end, metres. */
  b: VectorLike
  /** Metres, from 0 to 1000000. */
  radius: number
}

/** Two balls and the cone that touches both, as for limbs that grow thinner. Where one holds the other it is that ball. */
export interface TaperedCapsuleCollider extends VolumeColliderOptions {
  kind: 'taperedCapsule'
  /** Centre of one end, metres. */
  a: VectorLike
  /** Centre of the other end, metres. */
  b: VectorLike
  /** Radius at `a`, metres, from 0 to 1000000. */
  radiusA: number
  /** Radius at `b`, metres, from 0 to 1000000. */
  radiusB: number
}

/**
 * A box. What is inside it leaves through the nearest face.
 *
 * Under an object that is scaled unevenly, a box that is turned against those axes would be slanted: its edges keep their
 * lengths and are squared up, the first one keeping its direction.
 */
export interface BoxCollider extends VolumeColliderOptions {
  kind: 'box'
  /** Metres. */
  center: VectorLike
  /** From the centre to the faces, along its own x, y and z, metres, each from 0 to 1000000. */
  halfExtents: VectorLike
  /** How it is turned; need not be of unit length. Not turned unless set. */
  rotation?: QuaternionLike | undefined
}

/** The half space where `normal · x < offset`. */
export interface PlaneCollider extends ColliderOptions {
  kind: 'plane'
  /** Points out of the solid; need not be of unit length. */
  normal: VectorLike
  /** Distance of the plane from the origin along the normal, metres. */
  offset: number
}

/**
 * A solid that cloth, the tips of jiggle bones and ragdolls stay out of (or in, with `inside`), and that boids steer clear of; in
 * world space unless it follows an object.
 *
 * Vertices stay out of it, and the triangles between them may cut a little into it: let the body that is drawn lie 1 to
 * 2 cm inside its collider, more where the cloth is coarse.
 */
export type Collider = SphereCollider | CapsuleCollider | TaperedCapsuleCollider | BoxCollider | PlaneCollider

/** What a list of colliders asks of its simulation. */
export interface ColliderHost {
  /** The memory of the colliders. */
  readonly views: {
    /** `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres. */
    readonly colliders: Float32Array<ArrayBuffer>
  }
  /** How many chains there are that a collider may be for; none unless set. */
  readonly chains?: number
  /** @throws LimberError `disposed` */
  checkAlive(): void
  /** Replaces the colliders by `[kind, shape × 12] × colliders`, each for all chains or for those that are named. */
  setColliders(payload: Float32Array, chains: readonly (readonly number[] | undefined)[]): void
}

/** Numbers of a shape. */
const SHAPE = 12
const KINDS = ['sphere', 'capsule', 'plane', 'taperedCapsule', 'box'] as const
/** An object whose matrix has no larger determinant is flat. */
const FLAT = 1e-30
/** Added to the number of a kind that keeps things inside. */
const INSIDE = 8
/** What each kind takes. */
const KEYS = {
  sphere: ['kind', 'center', 'radius', 'inside', 'friction', 'follow', 'chains'],
  capsule: ['kind', 'a', 'b', 'radius', 'inside', 'friction', 'follow', 'chains'],
  taperedCapsule: ['kind', 'a', 'b', 'radiusA', 'radiusB', 'inside', 'friction', 'follow', 'chains'],
  box: ['kind', 'center', 'halfExtents', 'rotation', 'inside', 'friction', 'follow', 'chains'],
  plane: ['kind', 'normal', 'offset', 'friction', 'follow', 'chains'],
} as const

/** The same without chains, where there are none. */
const PLAIN = Object.fromEntries(
  Object.entries(KEYS).map(([kind, keys]) => [kind, keys.filter((key) => key !== 'chains')]),
) as unknown as Record<Collider['kind'], readonly string[]>

interface Entry {
  kind: number
  follow: Object3D | undefined
  /** As in the channel, in the local space of `follow`, else in the world. */
  shape: Float64Array
  /** As in the channel: where it was placed last. */
  pose: Float32Array
  chains: readonly number[] | undefined
}

/**
 * The colliders of a simulation. One is moved by `set`, which writes its new place into the core's memory: it is swept
 * from the last pose to the new one, so that it does not jump over a vertex. Only vertices meet colliders: one that is
 * smaller than a few cells of the cloth may slip through between them.
 */
export class Colliders implements Iterable<Collider> {
  readonly #host: ColliderHost
  #entries: Entry[] = []
  /** At least one follows an object. */
  #following = false

  /** @internal */
  constructor(host: ColliderHost) {
    this.#host = host
  }

  /** How many there are. */
  get length(): number {
    return this.#entries.length
  }

  /** A copy of collider `index`, as it was set. */
  at(index: number): Collider {
    return describe(this.#entry(index))
  }

  /** Copies of all colliders, as they were set. */
  *[Symbol.iterator](): Iterator<Collider> {
    for (const entry of this.#entries) yield describe(entry)
  }

  /**
   * Moves or changes collider `index`. Allocates nothing while its kind and its chains stay the same; it keeps its chains
   * unless others are given.
   *
   * @throws LimberError `invalid-option` naming the field; nothing has changed; `disposed`
   */
  set(index: number, collider: Collider): void {
    this.#host.checkAlive()
    const entry = this.#entry(index)
    const kind = read(index, collider, scratchShape, this.#host.chains !== undefined)
    if (kind === entry.kind && sameChains(collider.chains, entry.chains)) {
      this.#write(index, entry, collider)
    } else {
      const chains = collider.chains ?? entry.chains
      this.#replace(this.#entries.with(index, this.#made({ ...collider, ...(chains && { chains }) }, index)))
    }
  }

  /** Adds a collider and gives its index. @throws LimberError `invalid-option` naming the field; nothing has changed */
  add(collider: Collider): number {
    const index = this.length
    this.#replace([...this.#entries, this.#made(collider, index)])
    return index
  }

  /** Removes collider `index`; those after it move up by one. */
  remove(index: number): void {
    this.#entry(index)
    this.#replace(this.#entries.toSpliced(index, 1))
  }

  /** Removes all. */
  clear(): void {
    this.#replace([])
  }

  /** Replaces all, in one go. @throws LimberError `invalid-option` naming the field; nothing has changed */
  replace(colliders: Iterable<Collider>): void {
    if (!isIterable(colliders)) {
      throw new LimberError('invalid-option', `colliders must be a list of colliders, got ${shown(colliders)}`)
    }
    this.#replace(Array.from(colliders, (collider, index) => this.#made(collider, index)))
  }

  /** @internal What each is and where it is in the world now. */
  get poses(): { kind: Collider['kind']; pose: Float32Array }[] {
    const all = this.#host.views.colliders
    return this.#entries.map((entry, i) => ({ kind: kindOf(entry), pose: all.subarray(i * SHAPE, (i + 1) * SHAPE) }))
  }

  /** @internal Writes the poses of those that follow an object. */
  update(): void {
    if (!this.#following) return
    const entries = this.#entries
    const poses = this.#host.views.colliders
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!
      if (!entry.follow) continue
      place(entry)
      poses.set(entry.pose, i * SHAPE)
    }
  }

  /** @internal Takes over where the core has those that follow nothing. */
  reread(): void {
    this.#entries.forEach(({ follow, shape }, index) => {
      if (!follow) shape.set(this.#host.views.colliders.subarray(index * SHAPE, (index + 1) * SHAPE))
    })
  }

  #entry(index: number): Entry {
    const entry = this.#entries[index]
    if (entry) return entry
    const range = this.length ? `a whole number from 0 to ${this.length - 1}` : 'left alone while there are none'
    throw new LimberError('invalid-option', `a collider's index must be ${range}, got ${shown(index)}`)
  }

  /** Takes over the shape that was just read. */
  #write(index: number, entry: Entry, collider: Collider): void {
    entry.shape.set(scratchShape)
    if (entry.follow !== collider.follow) {
      entry.follow = collider.follow
      this.#following = this.#entries.some(follows)
    }
    place(entry)
    this.#host.views.colliders.set(entry.pose, index * SHAPE)
  }

  #made(collider: Collider, index: number): Entry {
    const shape = new Float64Array(SHAPE)
    const kind = read(index, collider, shape, this.#host.chains !== undefined)
    const { follow, chains } = collider
    if (chains !== undefined) checkChains(index, chains, this.#host.chains!)
    const entry = { kind, follow, shape, pose: Float32Array.from(shape), chains }
    if (follow) vanish(entry, follow)
    return entry
  }

  #replace(entries: Entry[]): void {
    const payload = new Float32Array(entries.length * (SHAPE + 1))
    entries.forEach((entry, i) => {
      place(entry)
      payload[i * (SHAPE + 1)] = entry.kind
      payload.set(entry.pose, i * (SHAPE + 1) + 1)
    })
    this.#host.setColliders(
      payload,
      entries.map((entry) => entry.chains),
    )
    this.#entries = entries
    this.#following = entries.some(follows)
  }
}

function sameChains(given: readonly number[] | undefined, now: readonly number[] | undefined): boolean {
  if (given === undefined || given === now) return true
  if (now === undefined || !Array.isArray(given) || given.length !== now.length) return false
  for (let i = 0; i < now.length; i++) if (given[i] !== now[i]) return false
  return true
}

function follows(entry: Entry): boolean {
  return entry.follow !== undefined
}

function checkChains(index: number, chains: unknown, count: number): void {
  const list =
    Array.isArray(chains) && chains.length > 0 && chains.every((n) => Number.isInteger(n) && n >= 0 && n < count)
  if (list) return
  throw new LimberError(
    'invalid-option',
    `colliders[${index}].chains must be a list of chains from 0 to ${count - 1}, not empty, got ${shown(chains)}`,
  )
}

type Paths = Record<(typeof KEYS)[Collider['kind']][number] | 'self', string>

/** What messages call the fields of a collider, by index: kept, as colliders are set in every frame. */
const paths: Paths[] = []

function named(index: number): Paths {
  const self = `colliders[${index}]`
  return {
    ...Object.fromEntries(Object.values(KEYS).flatMap((keys) => keys.map((key) => [key, `${self}.${key}`]))),
    self,
  } as Paths
}

type Reader<C> = (path: Paths, collider: C, out: Float64Array) => void

/** Checks what each kind has of its own, and writes it. Apart, so that the compiler boxes none of the numbers. */
const READ: { [K in Collider['kind']]: Reader<Extract<Collider, { kind: K }>> } = {
  sphere(path, { center, radius, friction = 0 }, out) {
    readVector(path.center, center, out)
    put(path.radius, radius, 0, FAR, out, 6, 'm')
    put(path.friction, friction, 0, 1, out, 7)
  },
  capsule(path, { a, b, radius, friction = 0 }, out) {
    readVector(path.a, a, out)
    readVector(path.b, b, out, 3)
    put(path.radius, radius, 0, FAR, out, 6, 'm')
    put(path.friction, friction, 0, 1, out, 7)
  },
  taperedCapsule(path, { a, b, radiusA, radiusB, friction = 0 }, out) {
    readVector(path.a, a, out)
    readVector(path.b, b, out, 3)
    put(path.radiusA, radiusA, 0, FAR, out, 6, 'm')
    put(path.radiusB, radiusB, 0, FAR, out, 8, 'm')
    put(path.friction, friction, 0, 1, out, 7)
  },
  box(path, { center, halfExtents, rotation, friction = 0 }, out) {
    readVector(path.center, center, out)
    readVector(path.halfExtents, halfExtents, out, 3, 'm', 0)
    readQuaternion(path.rotation, rotation, out, 8)
    put(path.friction, friction, 0, 1, out, 7)
  },
  plane(path, { normal, offset, friction = 0 }, out) {
    readVector(path.normal, normal, out)
    put(path.offset, offset, -FAR, FAR, out, 3, 'm')
    const length = Math.sqrt(out[0]! * out[0]! + out[1]! * out[1]! + out[2]! * out[2]!)
    if (!(length > 0)) throw new LimberError('invalid-option', `${path.normal} must not be 0`)
    for (let i = 0; i < 3; i++) out[i]! /= length
    put(path.friction, friction, 0, 1, out, 7)
  },
}

/** Checks `collider`, writes its shape to `out` and gives its kind's number. */
function read(index: number, collider: Collider, out: Float64Array, chained: boolean): number {
  const path = (paths[index] ??= named(index))
  const kind = KINDS.indexOf(collider?.kind)
  if (kind < 0) {
    throw new LimberError(
      'invalid-option',
      `${path.kind} must be 'sphere', 'capsule', 'taperedCapsule', 'box' or 'plane', got ${shown((collider as Collider | undefined)?.kind)}`,
    )
  }
  checkKeys(path.self, collider, (chained ? KEYS : PLAIN)[collider.kind], path.self)
  out.fill(0)
  ;(READ[collider.kind] as Reader<Collider>)(path, collider, out)
  const { follow } = collider
  if (follow !== undefined) checkObject(path.follow, follow)
  const inside = collider.kind !== 'plane' && collider.inside
  if (inside !== undefined && typeof inside !== 'boolean') {
    throw new LimberError('invalid-option', `${path.inside} must be true or false, got ${shown(inside)}`)
  }
  return inside ? kind + INSIDE : kind
}

/** Writes a number of the shape, checked. */
function put(path: string, value: number, low: number, high: number, out: Float64Array, at: number, unit = ''): void {
  // In a call of its own the number would be boxed.
  if (!(typeof value === 'number' && value >= low && value <= high)) checkNumber(path, value, low, high, unit)
  out[at] = value
}

function kindOf({ kind }: Entry): Collider['kind'] {
  return KINDS[kind % INSIDE]!
}

function describe(entry: Entry): Collider {
  const { kind: number, follow, shape, chains } = entry
  const list = (from: number, to: number): never => [...shape.subarray(from, to)] as never
  const rest = {
    ...(number >= INSIDE && { inside: true }),
    friction: shape[7]!,
    ...(follow && { follow }),
    ...(chains && { chains }),
  }
  const [kind, center, radius] = [kindOf(entry), list(0, 3), shape[6]!]
  switch (kind) {
    case 'sphere':
      return { kind, center, radius, ...rest }
    case 'capsule':
      return { kind, a: center, b: list(3, 6), radius, ...rest }
    case 'taperedCapsule':
      return { kind, a: center, b: list(3, 6), radiusA: radius, radiusB: shape[8]!, ...rest }
    case 'box':
      return { kind, center, halfExtents: list(3, 6), rotation: list(8, 12), ...rest }
    case 'plane':
      return { kind, normal: center, offset: shape[3]!, ...rest }
  }
}

const scratchShape = /* @__PURE__ */ new Float64Array(SHAPE)
const moved = /* @__PURE__ */ new Float64Array(SHAPE)
const point = /* @__PURE__ */ new Vector3()
const axisX = /* @__PURE__ */ new Vector3()
const axisY = /* @__PURE__ */ new Vector3()
const axisZ = /* @__PURE__ */ new Vector3()
const normalMatrix = /* @__PURE__ */ new Matrix3()
const basis = /* @__PURE__ */ new Matrix4()
const turn = /* @__PURE__ */ new Quaternion()

/** Works out where `entry` is in the world now. */
function place(entry: Entry): void {
  const { shape, follow, pose } = entry
  if (!follow) {
    pose.set(shape)
    return
  }
  pose[7] = shape[7]!
  follow.updateWorldMatrix(true, false)
  const matrix = follow.matrixWorld
  if (!(Math.abs(matrix.determinant()) > FLAT)) return
  move(kindOf(entry), shape, matrix, moved)
  // Not by every(), which boxes each number.
  for (let i = 0; i < SHAPE; i++) if (!inReach(moved[i])) return
  pose.set(moved)
}

/** Writes `shape`, moved by `matrix`, to `out`. */
function move(kind: Collider['kind'], shape: Float64Array, matrix: Matrix4, out: Float64Array): void {
  out.set(shape)
  point.fromArray(shape)
  if (kind === 'plane') {
    axisX.copy(point)
    point.multiplyScalar(shape[3]!).applyMatrix4(matrix)
    axisX.applyNormalMatrix(normalMatrix.getNormalMatrix(matrix)).toArray(out)
    out[3] = axisX.dot(point)
    return
  }
  point.applyMatrix4(matrix).toArray(out)
  if (kind === 'box') {
    basis.makeRotationFromQuaternion(turn.fromArray(shape, 8)).premultiply(matrix).extractBasis(axisX, axisY, axisZ)
    out[3]! *= axisX.length()
    out[4]! *= axisY.length()
    out[5]! *= axisZ.length()
    axisZ.crossVectors(axisX.normalize(), axisY).normalize()
    basis.makeBasis(axisX, axisY.crossVectors(axisZ, axisX), axisZ)
    turn.setFromRotationMatrix(basis).toArray(out, 8)
    return
  }
  const scale = matrix.getMaxScaleOnAxis()
  out[6]! *= scale
  if (kind === 'sphere') return
  point.fromArray(shape, 3).applyMatrix4(matrix).toArray(out, 3)
  out[8]! *= scale
}

/** Puts what has had no place yet where it meets nothing: without size at its object, or larger than all there is. */
function vanish(entry: Entry, follow: Object3D): void {
  const { kind, pose } = entry
  const size = kind >= INSIDE ? FAR : 0
  follow.updateWorldMatrix(true, false)
  point.setFromMatrixPosition(follow.matrixWorld)
  const there = inReach(point.x) && inReach(point.y) && inReach(point.z)
  switch (kindOf(entry)) {
    case 'plane':
      pose[3] = -FAR
      return
    case 'box':
      pose.fill(size, 3, 6)
      break
    case 'taperedCapsule':
      pose[8] = size
      pose[6] = size
      if (there) point.toArray(pose, 3)
      break
    default:
      pose[6] = size
      if (there) point.toArray(pose, 3)
  }
  if (there) point.toArray(pose)
}
