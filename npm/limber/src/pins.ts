import type { Object3D } from 'three'
import { Matrix4, Vector3 } from 'three'
import { LimberError } from './error.js'
import { checkObject } from './vector.js'

/** What pins ask of their simulation. */
export interface PinHost {
  /** The vertices that are meant, ascending and each once. @throws LimberError `invalid-option` naming `path` */
  choose(path: string, vertices: unknown): Uint32Array<ArrayBuffer>
  /** The memory of the pins. */
  readonly views: {
    /** `[vertex] × pins`, ascending. */
    readonly pinVertices: Uint32Array<ArrayBuffer>
    /** `[x, y, z] × pins`, world, metres. */
    readonly pinTargets: Float32Array<ArrayBuffer>
  }
  /** @throws LimberError `disposed` */
  checkAlive(): void
  /** Pins exactly `vertices` (ascending), each where it is. */
  setPins(vertices: Uint32Array): void
}

/** Pins that follow one object. */
interface Attachment {
  object: Object3D
  /** Ascending. */
  vertices: Uint32Array
  /** Where each lies among all pins. */
  slots: Uint32Array
  /** `[x, y, z] × vertices`, in the object's local space. */
  local: Float64Array
}

/** The vertices that do not move by themselves. `Vertices` is what chooses some: see `pinned` of the cloth's setup. */
export class Pins<Vertices = Iterable<number>> {
  readonly #host: PinHost
  #attachments: Attachment[] = []

  /** @internal */
  constructor(host: PinHost) {
    this.#host = host
  }

  /** How many there are. */
  get length(): number {
    return this.#host.views.pinVertices.length
  }

  /** Pinned vertices, `[vertex] × pins`, ascending. */
  get vertices(): Uint32Array<ArrayBuffer> {
    return this.#host.views.pinVertices
  }

  /**
   * Where they are to be, `[x, y, z] × pins`, world, metres, in the order of {@link vertices}. Write it before each step; read
   * the property afresh. Pins that follow an object are written by `step` itself.
   */
  get targets(): Float32Array<ArrayBuffer> {
    return this.#host.views.pinTargets
  }

  set targets(_: never) {
    throw new LimberError(
      'invalid-option',
      'pins.targets is the memory of the pins: write into it, with targets.set(…)',
    )
  }

  /**
   * Pins exactly these vertices, each where it is; the others are let go. Those that followed an object still do. They are
   * chosen as `pinned` chooses them when the cloth is made.
   *
   * @throws LimberError `invalid-option` for a vertex that does not exist; nothing has changed
   */
  set(vertices: Vertices): void {
    this.#host.checkAlive()
    const next = this.#host.choose('vertices', vertices)
    this.#pin(next)
    const kept = new Set(next)
    this.#keep((vertex) => kept.has(vertex))
  }

  /** @internal See `Cloth.attach`. */
  attach(vertices: Vertices, object: Object3D): void {
    this.#host.checkAlive()
    const wanted = this.#host.choose('vertices', vertices)
    checkObject('object', object)
    object.updateWorldMatrix(true, false)
    if (!(Math.abs(object.matrixWorld.determinant()) > 0)) {
      throw new LimberError('invalid-input', 'object must have a world matrix that can be inverted')
    }
    const united = Uint32Array.from(new Set([...this.vertices, ...wanted])).sort()
    if (united.length > this.length) this.#pin(united)
    const moved = new Set(wanted)
    this.#keep((vertex) => !moved.has(vertex))

    const slots = this.#slots(wanted)
    const local = new Float64Array(wanted.length * 3)
    inverse.copy(object.matrixWorld).invert()
    slots.forEach((slot, i) => {
      point
        .fromArray(this.targets, slot * 3)
        .applyMatrix4(inverse)
        .toArray(local, i * 3)
    })
    this.#attachments.push({ object, vertices: wanted, slots, local })
  }

  /** @internal See `Cloth.detach`. */
  detach(vertices?: Vertices): void {
    this.#host.checkAlive()
    const freed = vertices === undefined ? undefined : new Set(this.#host.choose('vertices', vertices))
    this.#keep((vertex) => freed !== undefined && !freed.has(vertex))
  }

  /** @internal Writes where the followed objects are now. */
  update(): void {
    const attachments = this.#attachments
    const targets = this.#host.views.pinTargets
    for (let a = 0; a < attachments.length; a++) {
      const { object, slots, local } = attachments[a]!
      object.updateWorldMatrix(true, false)
      const e = object.matrixWorld.elements
      for (let i = 0; i < slots.length; i++) {
        const x = local[i * 3]!
        const y = local[i * 3 + 1]!
        const z = local[i * 3 + 2]!
        const at = slots[i]! * 3
        targets[at] = e[0]! * x + e[4]! * y + e[8]! * z + e[12]!
        targets[at + 1] = e[1]! * x + e[5]! * y + e[9]! * z + e[13]!
        targets[at + 2] = e[2]! * x + e[6]! * y + e[10]! * z + e[14]!
      }
    }
  }

  /** Pins exactly `vertices`; those that were pinned keep their targets. */
  #pin(vertices: Uint32Array): void {
    const before = new Map(
      Array.from(this.vertices, (vertex, slot) => [vertex, this.targets.slice(slot * 3, slot * 3 + 3)]),
    )
    this.#host.setPins(vertices)
    vertices.forEach((vertex, slot) => {
      const target = before.get(vertex)
      if (target) this.targets.set(target, slot * 3)
    })
  }

  /** Drops attached vertices that `stays` refuses, and finds the others' places anew. */
  #keep(stays: (vertex: number) => boolean): void {
    const kept: Attachment[] = []
    for (const { object, vertices, local } of this.#attachments) {
      const places = [...vertices.keys()].filter((i) => stays(vertices[i]!))
      const staying = Uint32Array.from(places, (i) => vertices[i]!)
      const numbers = Float64Array.from(places.flatMap((i) => [...local.subarray(i * 3, i * 3 + 3)]))
      if (places.length) kept.push({ object, vertices: staying, slots: this.#slots(staying), local: numbers })
    }
    this.#attachments = kept
  }

  /** Where each of `vertices` lies among all pins. */
  #slots(vertices: Uint32Array): Uint32Array {
    const slots = new Map(Array.from(this.vertices, (vertex, slot) => [vertex, slot]))
    return vertices.map((vertex) => slots.get(vertex)!)
  }
}

const point = /* @__PURE__ */ new Vector3()
const inverse = /* @__PURE__ */ new Matrix4()
