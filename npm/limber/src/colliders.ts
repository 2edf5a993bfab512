import { Matrix3, Vector3, type Object3D } from 'three'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import { checkObject, FAR, readVector, type VectorLike } from './vector.js'
import { isIterable } from './vertices.js'

/** What every collider may have. */
export interface ColliderOptions {
  /** Part of the sideways velocity lost in each contact, from 0 to 1; 0 unless set. */
  friction?: number | undefined
  /** Moves with this object: the shape is then in its local space, and a radius grows with its largest scale. */
  follow?: Object3D | undefined
}

/** A ball. */
export interface SphereCollider extends ColliderOptions {
  kind: 'sphere'
  /** Metres. */
  center: VectorLike
  /** Metres, from 0 to 1000000. */
  radius: number
}

/** A cylinder with round ends, as for limbs and trunks. */
export interface CapsuleCollider extends ColliderOptions {
  kind: 'capsule'
  /** Centre of one end, metres. */
  a: VectorLike
  /** Centre of the other end, metres. */
  b: VectorLike
  /** Metres, from 0 to 1000000. */
  radius: number
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
 * A solid that the cloth stays out of, in world space unless it follows an object.
 *
 * Vertices stay out of it, and the triangles between them may cut a little into it: let the body that is drawn lie 1 to
 * 2 cm inside its collider, more where the cloth is coarse.
 */
export type Collider = SphereCollider | CapsuleCollider | PlaneCollider

/** What a list of colliders asks of its simulation. */
export interface ColliderHost {
  /** The memory of the colliders. */
  readonly views: {
    /** `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres. */
    readonly colliders: Float32Array<ArrayBuffer>
  }
  /** Replaces the colliders by `[kind, shape × 12] × colliders`. */
  setColliders(payload: Float32Array): void
}

/** Numbers of a shape. */
const SHAPE = 12
const KINDS = ['sphere', 'capsule', 'plane'] as const
/** What each kind takes. */
const KEYS = {
  sphere: ['kind', 'center', 'radius', 'friction', 'follow'],
  capsule: ['kind', 'a', 'b', 'radius', 'friction', 'follow'],
  plane: ['kind', 'normal', 'offset', 'friction', 'follow'],
}

interface Entry {
  kind: number
  follow: Object3D | undefined
  /** As in the channel, in the local space of `follow`, else in the world. */
  shape: Float64Array
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
   * Moves or changes collider `index`. Allocates nothing while its kind stays the same.
   *
   * @throws LimberError `invalid-option` naming the field; nothing has changed
   */
  set(index: number, collider: Collider): void {
    const entry = this.#entry(index)
    const path = `colliders[${index}]`
    const kind = read(path, collider, scratchShape)
    if (kind === entry.kind) {
      this.#write(index, entry, collider)
    } else {
      this.#replace(this.#entries.with(index, made(path, collider)))
    }
  }

  /** Adds a collider and gives its index. @throws LimberError `invalid-option` naming the field; nothing has changed */
  add(collider: Collider): number {
    const index = this.length
    this.#replace([...this.#entries, made(`colliders[${index}]`, collider)])
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
    this.#replace(Array.from(colliders, (collider, index) => made(`colliders[${index}]`, collider)))
  }

  /** @internal Writes the poses of those that follow an object. */
  update(): void {
    if (!this.#following) return
    const entries = this.#entries
    const shapes = this.#host.views.colliders
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!
      if (entry.follow) place(entry, shapes, i * SHAPE)
    }
  }

  /** @internal Takes over where the core has those that follow nothing. */
  reread(): void {
    this.#entries.forEach(({ follow, shape }, index) => {
      if (!follow) for (let i = 0; i < SHAPE; i++) shape[i] = this.#host.views.colliders[index * SHAPE + i]!
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
    place(entry, this.#host.views.colliders, index * SHAPE)
  }

  #replace(entries: Entry[]): void {
    const payload = new Float32Array(entries.length * (SHAPE + 1))
    entries.forEach((entry, i) => {
      payload[i * (SHAPE + 1)] = entry.kind
      place(entry, payload, i * (SHAPE + 1) + 1)
    })
    this.#host.setColliders(payload)
    this.#entries = entries
    this.#following = entries.some(follows)
  }
}

function follows(entry: Entry): boolean {
  return entry.follow !== undefined
}

function made(path: string, collider: Collider): Entry {
  const shape = new Float64Array(SHAPE)
  return { kind: read(path, collider, shape), follow: collider.follow, shape }
}

/** Checks `collider`, writes its shape to `out` and gives its kind's number. */
function read(path: string, collider: Collider, out: Float64Array): number {
  const kind = KINDS.indexOf(collider?.kind)
  out.fill(0)
  if (kind >= 0) checkKeys(path, collider, KEYS[collider.kind], path)
  switch (collider?.kind) {
    case 'sphere':
      readVector(`${path}.center`, collider.center, out)
      break
    case 'capsule':
      readVector(`${path}.a`, collider.a, out)
      readVector(`${path}.b`, collider.b, out, 3)
      break
    case 'plane': {
      readVector(`${path}.normal`, collider.normal, out)
      checkNumber(`${path}.offset`, collider.offset, -FAR, FAR, 'm')
      const length = Math.hypot(out[0]!, out[1]!, out[2]!)
      if (!(length > 0)) throw new LimberError('invalid-option', `${path}.normal must not be 0`)
      for (let i = 0; i < 3; i++) out[i]! /= length
      out[3] = collider.offset
      break
    }
    default:
      throw new LimberError(
        'invalid-option',
        `${path}.kind must be 'sphere', 'capsule' or 'plane', got ${shown((collider as Collider | undefined)?.kind)}`,
      )
  }
  if (collider.kind !== 'plane') {
    checkNumber(`${path}.radius`, collider.radius, 0, FAR, 'm')
    out[6] = collider.radius
  }
  const { friction = 0, follow } = collider
  checkNumber(`${path}.friction`, friction, 0, 1)
  out[7] = friction
  if (follow !== undefined) checkObject(`${path}.follow`, follow)
  return kind
}

function describe({ kind, follow, shape }: Entry): Collider {
  const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, radius = 0, friction = 0] = shape
  const rest = { friction, ...(follow && { follow }) }
  switch (KINDS[kind]!) {
    case 'sphere':
      return { kind: 'sphere', center: [ax, ay, az], radius, ...rest }
    case 'capsule':
      return { kind: 'capsule', a: [ax, ay, az], b: [bx, by, bz], radius, ...rest }
    case 'plane':
      return { kind: 'plane', normal: [ax, ay, az], offset: bx, ...rest }
  }
}

const scratchShape = /* @__PURE__ */ new Float64Array(SHAPE)
const point = /* @__PURE__ */ new Vector3()
const normal = /* @__PURE__ */ new Vector3()
const normalMatrix = /* @__PURE__ */ new Matrix3()

/** Writes where `entry` is in the world now. */
function place(entry: Entry, out: Float32Array, offset: number): void {
  const { shape, follow } = entry
  if (!follow) {
    for (let i = 0; i < SHAPE; i++) out[offset + i] = shape[i]!
    return
  }
  follow.updateWorldMatrix(true, false)
  const matrix = follow.matrixWorld
  out[offset + 7] = shape[7]!
  if (KINDS[entry.kind] === 'plane') {
    normal.fromArray(shape)
    point.copy(normal).multiplyScalar(shape[3]!).applyMatrix4(matrix)
    normal.applyNormalMatrix(normalMatrix.getNormalMatrix(matrix))
    normal.toArray(out, offset)
    out[offset + 3] = normal.dot(point)
    return
  }
  point.fromArray(shape).applyMatrix4(matrix).toArray(out, offset)
  if (KINDS[entry.kind] === 'capsule')
    point
      .fromArray(shape, 3)
      .applyMatrix4(matrix)
      .toArray(out, offset + 3)
  out[offset + 6] = shape[6]! * matrix.getMaxScaleOnAxis()
}
