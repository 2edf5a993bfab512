import { PropertyBinding, type Object3D } from 'three'
import { LimberError, shown } from 'limber/core'
import { fadeInto, fadeRotation } from './loop.js'
import type { RecordedFlock } from './recorded-flock.js'

/** A bone, or what else of a skeleton moved or holds bones, as it lay in its parent at each frame. */
export interface RecordedNode {
  /** Its name in three.js. */
  readonly name: string
  /** Its name in the file that it was loaded from, where `GLTFLoader` had to change it. */
  readonly fileName: string | undefined
  readonly parent: RecordedNode | null
  /** It has keyframes: it is a bone or a boid, or moved. */
  readonly animated: boolean
  /** Jiggle bones turn it. */
  readonly swings: boolean
  /** How it lay before the recording: quaternion, position, scale. */
  readonly rest: readonly number[]
  /** `[x, y, z, w] × frames`. */
  readonly quaternions: Float64Array<ArrayBuffer>
  /** `[x, y, z] × frames`, in units of its parent. */
  readonly positions: Float64Array<ArrayBuffer>
  /** `[x, y, z] × frames`; empty of a boid, which has none. */
  readonly scales: Float64Array<ArrayBuffer>
  /** Metres that a unit of its parent is at most, at each frame. */
  readonly metres: Float64Array<ArrayBuffer>
}

/** The bones of a character at each frame: those that a simulation turns, and the pose of all others. */
export interface RecordedSkeleton {
  /**
   * The name that `bake` was given for the simulation, for the first where several turn one character. Of a ragdoll with
   * several bodies each is a skeleton, named `ragdoll-0`, `ragdoll-1`, ….
   */
  readonly name: string
  /** Parents before children. */
  readonly nodes: readonly RecordedNode[]
  /** The flock that it is of, where the nodes are boids. */
  readonly flock?: RecordedFlock | undefined
}

/** Where position and scale lie after the quaternion among the numbers of a frame, and how many there are. */
const [POSITION, SCALE, NUMBERS] = [4, 7, 10]

/** Records skeletons. */
export class SkeletonRecorder {
  readonly #name: string
  /** Every object of the skeleton, parents before children. */
  readonly #tapes: readonly Tape[]

  /**
   * Of the objects from `tops` down, for `frames` frames. `bones` are those that simulations turn, `swinging` those of them
   * that jiggle bones do.
   *
   * @throws LimberError `invalid-input` for a bone that a clip or a file could not name
   */
  constructor(
    name: string,
    tops: readonly Object3D[],
    bones: ReadonlySet<Object3D>,
    swinging: ReadonlySet<Object3D>,
    frames: number,
  ) {
    const tapes: Tape[] = []
    const add = (object: Object3D, parent: Tape | null) => {
      const tape = new Tape(object, parent, bones.has(object) || 'isBone' in object, swinging.has(object), frames)
      tapes.push(tape)
      for (const child of object.children) add(child, tape)
    }
    for (const top of tops) add(top, null)
    this.#name = name
    this.#tapes = tapes
    checkNames(
      `simulations.${name}`,
      tapes.filter((tape) => tape.isBone),
    )
  }

  /** Takes the pose of now as frame `frame`. @throws LimberError `invalid-input` for one that is not finite */
  record(frame: number): void {
    for (const tape of this.#tapes) tape.record(frame)
  }

  /** What was recorded, without the first `fade` frames: the last ones fade into them. */
  finish(fade: number): RecordedSkeleton {
    const kept = new Set<Tape>()
    for (const tape of this.#tapes) {
      if (tape.animated) for (let t: Tape | null = tape; t && !kept.has(t); t = t.parent) kept.add(t)
    }
    for (const { object, lost } of kept) {
      if (!lost) continue
      throw new LimberError(
        'invalid-input',
        `simulations.${this.#name} hangs on an object that moved and has no name of its own (${shown(object.name)}): clips and files find it by its name`,
      )
    }
    const nodes = new Map<Tape, RecordedNode>()
    // As they stand in the list: parents before children.
    for (const tape of this.#tapes) {
      if (kept.has(tape)) nodes.set(tape, tape.finish(tape.parent && nodes.get(tape.parent)!, fade))
    }
    return { name: this.#name, nodes: [...nodes.values()] }
  }
}

/** Clips and files find a bone by its name: it must have one, and one that leads to it. */
function checkNames(path: string, bones: readonly Tape[]): void {
  const known = new Set<string>()
  for (const { object, top, named } of bones) {
    const { name, parent } = object
    if (name === '') {
      throw new LimberError(
        'invalid-input',
        `${path} has a bone without a name below ${shown(parent?.name ?? '')}: clips and files find bones by their names`,
      )
    }
    if (known.has(name) || !named) {
      throw new LimberError(
        'invalid-input',
        `${path} has two objects named ${shown(name)} below ${shown(top.name)}: clips and files find bones by their names`,
      )
    }
    known.add(name)
  }
}

/** One object over time. What is no bone is kept from the first frame in which it differs. */
class Tape {
  readonly top: Object3D
  readonly #frames: number
  readonly #rest: number[]
  readonly #first = new Float64Array(NUMBERS)
  #numbers: Float64Array<ArrayBuffer> | undefined
  #metresAbove = 0

  constructor(
    readonly object: Object3D,
    readonly parent: Tape | null,
    readonly isBone: boolean,
    readonly swings: boolean,
    frames: number,
  ) {
    this.top = parent?.top ?? object
    this.#frames = frames
    this.#rest = [...object.quaternion, ...object.position, ...object.scale]
    if (this.isBone) this.#numbers = new Float64Array(frames * NUMBERS)
  }

  /** Its name leads to it. */
  get named(): boolean {
    return this.object.name !== '' && PropertyBinding.findNode(this.top, this.object.name) === this.object
  }

  /** It is a bone, or moved and can be named. */
  get animated(): boolean {
    return this.#numbers !== undefined && (this.isBone || this.named)
  }

  /** It moved, and nothing could say so. */
  get lost(): boolean {
    return this.#numbers !== undefined && !this.animated
  }

  record(frame: number): void {
    const { object } = this
    object.quaternion.toArray(now)
    object.position.toArray(now, POSITION)
    object.scale.toArray(now, SCALE)
    const length = Math.hypot(now[0]!, now[1]!, now[2]!, now[3]!)
    if (!(length > 0) || !now.every(Number.isFinite)) {
      throw new LimberError(
        'invalid-input',
        `${shown(object.name)} must have a finite pose, got ${shown([...now].join(' '))}`,
      )
    }
    if (frame === 0) this.#first.set(now)
    if (!this.#numbers && now.some((n, i) => n !== this.#first[i])) {
      this.#numbers = repeated(this.#first, this.#frames)
    }
    this.#numbers?.set(now, frame * NUMBERS)
    if (!this.parent) this.#metresAbove = Math.max(this.#metresAbove, unitAbove(object))
  }

  finish(parent: RecordedNode | null, fade: number): RecordedNode {
    const frames = this.#frames - fade
    const numbers = this.#numbers ?? repeated(this.#first, this.#frames)
    for (let i = 1; i <= fade; i++) {
      const [to, from] = [(frames - 1 + i) * NUMBERS, i * NUMBERS]
      fadeRotation(numbers, to, from, i / fade)
      fadeInto(numbers, to + POSITION, numbers, from + POSITION, NUMBERS - POSITION, i / fade)
    }
    const pick = (from: number, to: number) => {
      const out = new Float64Array(frames * (to - from))
      for (let i = 0; i < frames; i++) {
        const at = (i + fade) * NUMBERS
        out.set(numbers.subarray(at + from, at + to), i * (to - from))
      }
      return out
    }
    return {
      name: this.object.name,
      fileName: nameInFile(this.object),
      parent,
      animated: this.animated,
      swings: this.swings,
      rest: this.#rest,
      quaternions: pick(0, POSITION),
      positions: pick(POSITION, SCALE),
      scales: pick(SCALE, NUMBERS),
      metres: parent
        ? parent.metres.map((unit, i) => unit * largest(parent.scales, i * 3))
        : new Float64Array(frames).fill(this.#metresAbove),
    }
  }
}

const now = /* @__PURE__ */ new Float64Array(NUMBERS)

function repeated(pose: Float64Array, frames: number): Float64Array<ArrayBuffer> {
  const all = new Float64Array(frames * NUMBERS)
  for (let i = 0; i < frames; i++) all.set(pose, i * NUMBERS)
  return all
}

/** Metres that a unit of what `object` hangs on is at most. */
function unitAbove({ parent }: Object3D): number {
  let unit = 1
  for (let o = parent; o; o = o.parent) unit *= largest(o.scale.toArray(), 0)
  return unit
}

function largest(scale: ArrayLike<number>, at: number): number {
  return Math.max(Math.abs(scale[at]!), Math.abs(scale[at + 1]!), Math.abs(scale[at + 2]!))
}

function nameInFile({ name, userData }: Object3D): string | undefined {
  const original: unknown = userData.name
  return typeof original === 'string' && original !== name ? original : undefined
}
