import { Euler, Quaternion, type Vector3 } from 'three'
import type { Joint } from './jiggle-chains.js'
import type { JiggleBonesChannels } from './generated/channels.js'

/** Numbers of a row of four joints in `poses` and in `rotations`. */
const [POSE, ROTATION] = [40, 28]

/**
 * What three.js keeps of a quaternion and of Euler angles. Setting the numbers themselves is what makes writing back cheap:
 * `quaternion.set` would have three.js work out the Euler angles of each bone, which costs more than simulating it (per
 * bone and frame, in Node: 8 ns as here, with angles that the core works out; 67 ns by `quaternion.set`).
 */
interface RawRotation {
  _x: number
  _y: number
  _z: number
  _w: number
  _onChangeCallback(): void
}
interface RawEuler {
  _x: number
  _y: number
  _z: number
  _order: string
}

/**
 * What is written to a bone is a float times 1 + n · 2⁻³⁰: off by a few billionths, and so known again wherever it turns up,
 * since no float and hardly any other number is such a product. A mixer keeps the value that a bone had when an action began
 * and gives it back when the action ends: that is then no new pose, but a swing of long ago, and n says about which pose.
 */
const MARK = 2 ** -30
/** Most that n may be: with more, rounding to a float would not give the float back. */
const MARKS = 16
/** Poses of a bone that are known again: the one that it was made with, and the last ones that it held for longer than a frame. */
const KEPT = 4
/** Numbers of a pose: quaternion and Euler angles. */
const OWN = 7

/** By which n Limber marked this, now or earlier; 0 for what it did not write. */
function markOf(q: RawRotation): number {
  const some = q._x || q._y || q._z || q._w
  const n = (some / Math.fround(some) - 1) / MARK
  if (!(n > 0.5 && n < MARKS + 0.5)) return 0
  return checkedMark(q, Math.round(n))
}

function checkedMark({ _x, _y, _z, _w }: RawRotation, n: number): number {
  const mark = 1 + n * MARK
  const ours = isMarked(_x, mark) && isMarked(_y, mark) && isMarked(_z, mark) && isMarked(_w, mark)
  return ours ? n : 0
}

function isMarked(v: number, mark: number): boolean {
  return v === Math.fround(v) * mark
}

/** What the bones hold: their own poses, which are read, and the swings on top of them, which are written. */
export class JigglePoses {
  readonly #joints: readonly Joint[]
  readonly #views: JiggleBonesChannels
  /** What the joints hold: lists of their own, so that a frame need not reach through the bones. */
  readonly #quaternions: readonly RawRotation[]
  readonly #eulers: readonly RawEuler[]
  readonly #positions: readonly Vector3[]
  readonly #scales: readonly Vector3[]
  /** Where each joint's numbers lie in `poses` and `rotations`. */
  readonly #poseAt: Uint32Array
  readonly #rotationAt: Uint32Array
  /** What each bone had before Limber wrote it, its last poses of that kind: numbers of a pose × kept × joints. */
  readonly #own: Float64Array
  /** By which n each of them is marked, and which one each joint has now. */
  readonly #marks: Uint8Array
  readonly #slots: Uint8Array
  /** That one's factor. */
  readonly #factors: Float64Array
  /** How many there have been, and whether the one of now has been held for longer than a frame. */
  readonly #counts: Uint8Array
  readonly #held: Uint8Array
  /** 1 for joints that only lie between two that swing. They are read, and never written: they may be another's. */
  readonly #between: Uint8Array

  /** @param views the arrays of the simulation, always the current ones */
  constructor(joints: readonly Joint[], views: JiggleBonesChannels) {
    const count = joints.length
    this.#joints = joints
    this.#views = views
    this.#quaternions = joints.map(({ bone }) => bone.quaternion as unknown as RawRotation)
    this.#eulers = joints.map(({ bone }) => bone.rotation as unknown as RawEuler)
    this.#positions = joints.map(({ bone }) => bone.position)
    this.#scales = joints.map(({ bone }) => bone.scale)
    this.#poseAt = views.slots.map((slot) => (slot >> 2) * POSE + (slot & 3))
    this.#rotationAt = views.slots.map((slot) => (slot >> 2) * ROTATION + (slot & 3))
    this.#own = new Float64Array(count * KEPT * OWN)
    this.#marks = new Uint8Array(count * KEPT)
    this.#slots = new Uint8Array(count)
    this.#factors = new Float64Array(count)
    this.#counts = new Uint8Array(count)
    this.#held = new Uint8Array(count)
    this.#between = Uint8Array.from(joints, ({ between }) => Number(between))
  }

  /** Writes the swings. `away`: the step ran elsewhere, and the bones may have been given something meanwhile. */
  write(away: boolean): void {
    const { rotations } = this.#views
    const at = this.#rotationAt
    const quaternions = this.#quaternions
    const eulers = this.#eulers
    const between = this.#between
    const factors = this.#factors
    for (let j = 0; j < at.length; j++) {
      if (between[j]) continue
      const from = at[j]!
      const q = quaternions[j]!
      // Whatever it was given while the step ran elsewhere.
      if (away && !markOf(q)) this.#takeRotation(j)
      const mark = factors[j]!
      q._x = rotations[from]! * mark
      q._y = rotations[from + 4]! * mark
      q._z = rotations[from + 8]! * mark
      q._w = rotations[from + 12]! * mark
      const euler = eulers[j]!
      if (euler._order === 'XYZ') {
        euler._x = rotations[from + 16]!
        euler._y = rotations[from + 20]!
        euler._z = rotations[from + 24]!
      } else {
        q._onChangeCallback()
      }
    }
  }

  /** What the bones hold now: their poses, where that is not what was written to them. */
  take(): void {
    const { poses, rotations } = this.#views
    const quaternions = this.#quaternions
    const positions = this.#positions
    const scales = this.#scales
    const factors = this.#factors
    for (let j = 0; j < quaternions.length; j++) {
      const q = quaternions[j]!
      const out = this.#rotationAt[j]!
      const mark = factors[j]!
      if (
        q._x === rotations[out]! * mark &&
        q._y === rotations[out + 4]! * mark &&
        q._z === rotations[out + 8]! * mark &&
        q._w === rotations[out + 12]! * mark
      ) {
        this.#held[j] = 1
      } else {
        this.#takeRotation(j)
      }
      const at = this.#poseAt[j]!
      const position = positions[j]!
      poses[at] = position.x
      poses[at + 4] = position.y
      poses[at + 8] = position.z
      const scale = scales[j]!
      poses[at + 28] = scale.x
      poses[at + 32] = scale.y
      poses[at + 36] = scale.z
    }
  }

  /** Takes what the bones have when this is made. */
  takeFirst(): void {
    for (let j = 0; j < this.#joints.length; j++) {
      if (this.#between[j]) continue
      this.#marks[j * KEPT] = 1
      this.#factors[j] = 1 + MARK
      this.#writeOwn(j)
      this.#held[j] = 1
    }
    this.take()
  }

  /** Takes what joint `j` holds and Limber has not just written: a new pose, or an earlier one's swing. */
  #takeRotation(j: number): void {
    const q = this.#quaternions[j]!
    if (this.#between[j]) {
      this.#writeRest(j, q._x, q._y, q._z, q._w)
      return
    }
    const n = markOf(q)
    if (n) {
      this.#returnTo(j, n)
      return
    }
    if (this.#held[j]) {
      const own = this.#own
      const at = this.#ownAt(j)
      const other = own[at] !== q._x || own[at + 1] !== q._y || own[at + 2] !== q._z || own[at + 3] !== q._w
      if (other) this.#makeRoom(j)
    }
    this.#writeOwn(j)
  }

  /** A pose that was held is kept: some mixer may bring it back. */
  #makeRoom(j: number): void {
    this.#held[j] = 0
    let slot = this.#slots[j]!
    let count = this.#counts[j]!
    do count = (count + 1) % (MARKS - 1)
    while (1 + (count % (KEPT - 1)) === slot)
    slot = 1 + (count % (KEPT - 1))
    this.#counts[j] = count
    this.#slots[j] = slot
    this.#marks[j * KEPT + slot] = count + 2
    this.#factors[j] = 1 + (count + 2) * MARK
  }

  /** Back to the pose whose swing was marked by `n`, where it is still known. */
  #returnTo(j: number, n: number): void {
    for (let slot = 0; slot < KEPT; slot++) {
      if (this.#marks[j * KEPT + slot] !== n || slot === this.#slots[j]) continue
      this.#slots[j] = slot
      this.#factors[j] = 1 + n * MARK
      this.#held[j] = 1
      const own = this.#own
      const at = this.#ownAt(j)
      if (!this.#joints[j]!.bind) this.#writeRest(j, own[at]!, own[at + 1]!, own[at + 2]!, own[at + 3]!)
      return
    }
  }

  #ownAt(j: number): number {
    return (j * KEPT + this.#slots[j]!) * OWN
  }

  /** What joint `j` holds becomes its own pose. */
  #writeOwn(j: number): void {
    const own = this.#own
    const at = this.#ownAt(j)
    const q = this.#quaternions[j]!
    own[at] = q._x
    own[at + 1] = q._y
    own[at + 2] = q._z
    own[at + 3] = q._w
    const euler = this.#eulers[j]!
    own[at + 4] = euler._x
    own[at + 5] = euler._y
    own[at + 6] = euler._z
    // With a rest of its own it springs back to that instead.
    const rest = (this.#joints[j]!.bind as unknown as RawRotation | undefined) ?? q
    this.#writeRest(j, rest._x, rest._y, rest._z, rest._w)
  }

  #writeRest(j: number, x: number, y: number, z: number, w: number): void {
    const { poses } = this.#views
    const at = this.#poseAt[j]!
    poses[at + 12] = x
    poses[at + 16] = y
    poses[at + 20] = z
    poses[at + 24] = w
  }

  /** Takes over the poses that the core has, where they are others. */
  reread(): void {
    for (let j = 0; j < this.#joints.length; j++) this.#rereadRotation(j)
  }

  #rereadRotation(j: number): void {
    const { bone, bind, between } = this.#joints[j]!
    if (bind || between) return
    const { poses } = this.#views
    const own = this.#own
    const from = this.#poseAt[j]! + 12
    let at = this.#ownAt(j)
    let same = true
    for (let i = 0; i < 4; i++) same &&= Math.fround(own[at + i]!) === poses[from + i * 4]
    if (same) return
    if (this.#held[j]) this.#makeRoom(j)
    at = this.#ownAt(j)
    for (let i = 0; i < 4; i++) own[at + i] = poses[from + i * 4]!
    angles.setFromQuaternion(turn.fromArray(own, at), bone.rotation.order)
    own[at + 4] = angles.x
    own[at + 5] = angles.y
    own[at + 6] = angles.z
  }

  /** Gives the bones back what they held. */
  giveBack(): void {
    const own = this.#own
    for (let j = 0; j < this.#joints.length; j++) {
      if (this.#between[j]) continue
      const at = this.#ownAt(j)
      const q = this.#quaternions[j]!
      q._x = own[at]!
      q._y = own[at + 1]!
      q._z = own[at + 2]!
      q._w = own[at + 3]!
      const euler = this.#eulers[j]!
      euler._x = own[at + 4]!
      euler._y = own[at + 5]!
      euler._z = own[at + 6]!
    }
  }
}

const turn = /* @__PURE__ */ new Quaternion()
const angles = /* @__PURE__ */ new Euler()
