import { Euler, type Object3D, type Quaternion, type Vector3 } from 'three'
import type { RagdollChannels } from './generated/channels.js'
import type { RagdollJoint } from './ragdoll-layout.js'

/** Numbers of four joints in `poses`, in `rotations` and in `places`. */
const [POSE, ROTATION, PLACE] = [40, 28, 12]
/** Numbers of a pose: quaternion, position, scale. */
const OWN = 10

interface RawQuaternion {
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
 * What the joints hold: their own poses, which a mixer or the user gives them, and what Limber writes over these while a body
 * is limp or gets up. A joint that still holds what was written last has an unchanged pose of its own.
 */
export class RagdollPoses {
  readonly #joints: readonly RagdollJoint[]
  readonly #views: RagdollChannels
  /** `[quaternion, position, scale] × joints × bodies`: the pose, what was written last, and the pose that is held. */
  readonly #own: Float64Array
  readonly #wrote: Float64Array
  readonly #held: Float64Array
  /** Poses when it was made. */
  readonly #first: Float64Array
  /** 1 where a body's joint was written and does not hold its own pose: `joints × bodies`. */
  readonly #written: Uint8Array

  /** @param views the arrays of the simulation, always the current ones */
  constructor(joints: readonly RagdollJoint[], bodies: number, views: RagdollChannels) {
    const count = joints.length * bodies
    this.#joints = joints
    this.#views = views
    this.#own = new Float64Array(count * OWN)
    this.#wrote = new Float64Array(count * OWN).fill(NaN)
    this.#held = new Float64Array(count * OWN)
    this.#written = new Uint8Array(count)
    for (let body = 0; body < bodies; body++) this.take(body)
    this.#first = this.#own.slice()
  }

  /** Reads what the joints of a body are given into the inputs. */
  take(body: number): void {
    const joints = this.#joints
    const own = this.#own
    const wrote = this.#wrote
    const { poses } = this.#views
    const lane = ((body >> 2) * joints.length * POSE + (body & 3)) | 0
    for (let j = 0; j < joints.length; j++) {
      const { quaternion, position: p, scale: s } = joints[j]!.objects[body]!
      const q = quaternion as unknown as RawQuaternion
      const i = (body * joints.length + j) * OWN
      const at = lane + j * POSE
      const turned = wrote[i] !== q._x || wrote[i + 1] !== q._y || wrote[i + 2] !== q._z || wrote[i + 3] !== q._w
      const moved = wrote[i + 4] !== p.x || wrote[i + 5] !== p.y || wrote[i + 6] !== p.z
      const scaled = wrote[i + 7] !== s.x || wrote[i + 8] !== s.y || wrote[i + 9] !== s.z
      // What is not finite is for the core to refuse: it is nobody's own pose.
      if (turned && Number.isFinite(q._x + q._y + q._z + q._w)) {
        own[i] = q._x
        own[i + 1] = q._y
        own[i + 2] = q._z
        own[i + 3] = q._w
      }
      if (moved && Number.isFinite(p.x + p.y + p.z)) {
        own[i + 4] = p.x
        own[i + 5] = p.y
        own[i + 6] = p.z
      }
      if (scaled && Number.isFinite(s.x + s.y + s.z)) {
        own[i + 7] = s.x
        own[i + 8] = s.y
        own[i + 9] = s.z
      }
      poses[at] = moved ? p.x : own[i + 4]!
      poses[at + 4] = moved ? p.y : own[i + 5]!
      poses[at + 8] = moved ? p.z : own[i + 6]!
      poses[at + 12] = turned ? q._x : own[i]!
      poses[at + 16] = turned ? q._y : own[i + 1]!
      poses[at + 20] = turned ? q._z : own[i + 2]!
      poses[at + 24] = turned ? q._w : own[i + 3]!
      poses[at + 28] = scaled ? s.x : own[i + 7]!
      poses[at + 32] = scaled ? s.y : own[i + 8]!
      poses[at + 36] = scaled ? s.z : own[i + 9]!
    }
  }

  /** Reads what the joints of a body hold now, whoever wrote it, into the inputs. */
  takeDrawn(body: number): void {
    const joints = this.#joints
    const { poses } = this.#views
    const lane = (body >> 2) * joints.length * POSE + (body & 3)
    joints.forEach(({ objects }, j) => {
      const { quaternion: q, position: p, scale: s } = objects[body]!
      const numbers = [p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z]
      numbers.forEach((n, i) => (poses[lane + j * POSE + i * 4] = n))
    })
  }

  /** The poses that they have now are held while the body is limp: scales, which no point changes. */
  hold(body: number): void {
    const [from, to] = [body * this.#joints.length * OWN, (body + 1) * this.#joints.length * OWN]
    this.#held.set(this.#own.subarray(from, to), from)
  }

  /** The poses become those that they had when this was made. */
  rest(body: number): void {
    const [from, to] = [body * this.#joints.length * OWN, (body + 1) * this.#joints.length * OWN]
    this.#own.set(this.#first.subarray(from, to), from)
  }

  /** The position of a joint in its own pose. */
  ownPosition(body: number, joint: number, out: Vector3): Vector3 {
    return out.fromArray(this.#own, (body * this.#joints.length + joint) * OWN + 4)
  }

  /** Writes what is drawn to the joints of a body for which `free` is not 0. */
  write(body: number, free: Uint8Array | undefined): void {
    const joints = this.#joints
    const wrote = this.#wrote
    const held = this.#held
    const { rotations, places } = this.#views
    const block = (body >> 2) * joints.length
    const lane = body & 3
    for (let j = 0; j < joints.length; j++) {
      if (free && !free[j]) continue
      const object = joints[j]!.objects[body]!
      const i = (body * joints.length + j) * OWN
      const from = (block + j) * ROTATION + lane
      const q = object.quaternion as unknown as RawQuaternion
      q._x = wrote[i] = rotations[from]!
      q._y = wrote[i + 1] = rotations[from + 4]!
      q._z = wrote[i + 2] = rotations[from + 8]!
      q._w = wrote[i + 3] = rotations[from + 12]!
      const euler = object.rotation as unknown as RawEuler
      if (euler._order === 'XYZ') {
        euler._x = rotations[from + 16]!
        euler._y = rotations[from + 20]!
        euler._z = rotations[from + 24]!
      } else {
        q._onChangeCallback()
      }
      const at = (block + j) * PLACE + lane
      const p = object.position
      p.x = wrote[i + 4] = places[at]!
      p.y = wrote[i + 5] = places[at + 4]!
      p.z = wrote[i + 6] = places[at + 8]!
      const s = object.scale
      s.x = wrote[i + 7] = held[i + 7]!
      s.y = wrote[i + 8] = held[i + 8]!
      s.z = wrote[i + 9] = held[i + 9]!
      this.#written[body * joints.length + j] = 1
    }
  }

  /** Gives the joints of a body for which `free` is not 0 their own poses back, exactly. */
  giveBack(body: number, free?: Uint8Array): void {
    const joints = this.#joints
    for (let j = 0; j < joints.length; j++) {
      const at = body * joints.length + j
      if (!this.#written[at] || (free && !free[j])) continue
      this.#written[at] = 0
      const { quaternion, rotation, position, scale } = joints[j]!.objects[body]!
      const own = this.#own
      const i = at * OWN
      giveRotation(quaternion, rotation, own, i)
      position.fromArray(own, i + 4)
      scale.fromArray(own, i + 7)
      // What it holds now is its own again.
      this.#wrote.fill(NaN, i, i + OWN)
    }
  }
}

function giveRotation(quaternion: Quaternion, rotation: Euler, own: Float64Array, i: number): void {
  const q = quaternion as unknown as RawQuaternion
  q._x = own[i]!
  q._y = own[i + 1]!
  q._z = own[i + 2]!
  q._w = own[i + 3]!
  rotation.setFromQuaternion(quaternion, undefined, false)
}

/** Objects above the joints whose matrices are read, parents before children, each once. */
export function objectsAbove(objects: Iterable<Object3D | null>): Object3D[] {
  const known = new Set<Object3D>()
  for (const object of objects) {
    const line: Object3D[] = []
    for (let o = object; o && !known.has(o); o = o.parent) line.push(o)
    for (const o of line.reverse()) known.add(o)
  }
  return [...known]
}
