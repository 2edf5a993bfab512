/**
 * One chain of jiggle bones in float64, written from the formula that `tests/golden/jiggle.json` states and from what
 * ARCHITECTURE.md says of time: what Limber's tips must be at any frame rate.
 *
 * Every step takes the pose that the chain's parent has at the step's own time, on the way from the last frame's to this
 * frame's. What is drawn is the blend of the last two states by what is owed of a step, on this frame's pose; without
 * `interpolate` a step takes this frame's pose, and the newest state is drawn.
 */
import { Quaternion, Vector3 } from 'three'

/** Part of a step that the sum of frames may fall short of one by rounding. */
const SLACK = 1e-6

/**
 * @typedef {object} Chain root first
 * @property {number[][]} tips `[x, y, z]` of each bone: its tip at rest in its own space, where the next bone's head is
 * @property {number[][]} [rests] `[x, y, z, w]` of each bone: its rotation at rest; none unless set
 *
 * @typedef {object} ReferenceOptions
 * @property {number} [stiffness] 0..1 a step
 * @property {number} [damping] 0..1 a step
 * @property {number[]} [gravity] m/s²
 * @property {number} [rate] steps a second
 * @property {number} [maxSteps] of a frame; time beyond them is dropped
 * @property {boolean} [interpolate]
 *
 * @typedef {object} Frame
 * @property {number} dt seconds since the frame before
 * @property {number[]} position of the first bone's head, world, metres
 * @property {number[]} [quaternion] world rotation of the first bone's parent; none unless set
 *
 * @typedef {{position: Vector3, quaternion: Quaternion}} Pose
 */

export class JiggleReference {
  /** @param {Chain} chain @param {ReferenceOptions} [options] */
  constructor({ tips, rests = tips.map(() => [0, 0, 0, 1]) }, options = {}) {
    this.options = {
      stiffness: 0.028,
      damping: 0.04,
      gravity: [0, -4.32, 0],
      rate: 120,
      maxSteps: 8,
      interpolate: true,
      ...options,
    }
    this.axes = tips.map((tip) => new Vector3(...tip))
    this.rests = rests.map(([x, y, z, w]) => new Quaternion(x, y, z, w))
    /** World tips of the newest state, and one step before it. @type {{tip: Vector3, previous: Vector3}[]} */
    this.state = []
    /** Rotation of each bone from its parent in the newest state, and in the one before. */
    this.turns = this.rests.map((rest) => rest.clone())
    this.lastTurns = this.rests.map((rest) => rest.clone())
    /** Seconds that no step has covered yet. */
    this.owed = 0
    /** @type {Pose | undefined} */
    this.from = undefined
    /** World tips as drawn. @type {Vector3[]} */
    this.tips = []
    /** Rotation of each bone from its parent, as drawn. @type {Quaternion[]} */
    this.quaternions = []
  }

  /** Moves on by a frame. @param {Frame} frame @returns {number} steps that ran */
  frame({ dt, position, quaternion = [0, 0, 0, 1] }) {
    const { rate, maxSteps, interpolate } = this.options
    const [x, y, z, w] = quaternion
    const to = { position: new Vector3(...position), quaternion: new Quaternion(x, y, z, w) }
    const from = interpolate ? (this.from ?? to) : to
    const before = this.owed
    const due = Math.floor((before + dt) * rate + SLACK)
    const steps = Math.min(due, maxSteps)
    // Dropped steps lie before those that run.
    for (let s = due - steps + 1; s <= due; s++) this.step(between(from, to, (s / rate - before) / dt))
    this.owed = Math.max(0, before + dt - due / rate)
    this.from = to
    this.draw(to, interpolate ? this.owed * rate : 1)
    return steps
  }

  /** @param {Pose} pose of the chain's parent */
  step({ position, quaternion }) {
    const { stiffness, damping, gravity, rate } = this.options
    const fall = new Vector3(...gravity).multiplyScalar(1 / rate ** 2)
    this.lastTurns = this.turns
    this.turns = []
    const head = position.clone()
    const parent = quaternion.clone()
    this.axes.forEach((axis, i) => {
      const world = parent.clone().multiply(this.rests[i])
      const arm = axis.clone().applyQuaternion(world)
      const rest = head.clone().add(arm)
      // A tip starts at rest on a parent that has made its first step, as in the golden.
      const { tip, previous } = (this.state[i] ??= { tip: rest.clone(), previous: rest.clone() })
      const velocity = tip
        .clone()
        .sub(previous)
        .multiplyScalar(1 - damping)
      previous.copy(tip)
      tip.add(velocity)
      tip.add(rest.sub(tip).multiplyScalar(stiffness))
      tip.add(fall)
      tip.sub(head).setLength(axis.length()).add(head)
      world.premultiply(shortest(arm, tip.clone().sub(head)))
      this.turns.push(parent.clone().invert().multiply(world))
      parent.copy(world)
      head.copy(tip)
    })
  }

  /** @param {Pose} pose @param {number} blend 0: the state before the newest, 1: the newest */
  draw({ position, quaternion }, blend) {
    const head = position.clone()
    const world = quaternion.clone()
    this.quaternions = this.turns.map((turn, i) => this.lastTurns[i].clone().slerp(turn, blend))
    this.tips = this.axes.map((axis, i) => {
      world.multiply(this.quaternions[i])
      return head.add(axis.clone().applyQuaternion(world)).clone()
    })
  }
}

/**
 * Runs a chain through frames. @param {Chain} chain @param {ReferenceOptions} options @param {Frame[]} frames
 * @returns {Vector3[][]} the tips drawn in each frame
 */
export function follow(chain, options, frames) {
  const reference = new JiggleReference(chain, options)
  return frames.map((frame) => {
    reference.frame(frame)
    return reference.tips
  })
}

/** @param {Pose} from @param {Pose} to @param {number} part @returns {Pose} */
function between(from, to, part) {
  return {
    position: from.position.clone().lerp(to.position, part),
    quaternion: from.quaternion.clone().slerp(to.quaternion, part),
  }
}

/** The shortest rotation from one direction to another. @param {Vector3} from @param {Vector3} to */
export function shortest(from, to) {
  return new Quaternion().setFromUnitVectors(from.clone().normalize(), to.clone().normalize())
}
