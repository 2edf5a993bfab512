/**
 * The order sheet's jiggle bones, written from the sheet on three.js bones: the yardstick that Limber is timed against.
 *
 * Nothing is allocated in `step`. Each bone goes back to its rotation at rest, the matrices of the roots are brought up to date,
 * and then bone after bone, parents first, is simulated and turned, as in the sheet. `tests/bench/sheet-jiggle.test.mjs` holds
 * it against `tests/golden/jiggle.json`. Where it departs from the sheet's code:
 * - A bone's rotation at rest is what it has when the solver is made; the sheet's have none.
 * - `lean` leaves out the matrix updates that the sheet makes twice (a bone's whole subtree before it is simulated and again
 *   after, and its ancestors for each world rotation) and carries world rotations down the chain: the same arithmetic with the
 *   least of three.js that it needs. It asks for chains without scale.
 */
import { MathUtils, Quaternion, Vector3 } from 'three'

/** Steps a second. */
const RATE = 120
/** Most steps of a frame. */
const MOST = 8
/** Metres that a tip falls in a step. */
const FALL = 0.0003

/**
 * @typedef {import('three').Object3D} Object3D
 *
 * @typedef {object} Item
 * @property {Object3D} bone
 * @property {Object3D} parent
 * @property {Quaternion} rest local rotation at rest
 * @property {Vector3} local tip at rest, in the bone's space
 * @property {Vector3} tip world
 * @property {Vector3} previous `tip` one step before
 * @property {Quaternion} turn world rotation, of `lean`
 * @property {Item | undefined} above the bone that this one hangs on, in its chain
 */

export class SheetJiggle {
  /**
   * @param {import('../rigs.mjs').Rig} rig at rest
   * @param {{stiffness?: number, damping?: number, lean?: boolean}} [options] 0..1 a step, both
   */
  constructor({ roots, chains }, { stiffness = 0.028, damping = 0.04, lean = false } = {}) {
    this.roots = roots
    this.stiffness = stiffness
    this.damping = damping
    this.lean = lean
    /** Every first step puts the tips where they are at rest. */
    this.started = false
    /** Parents before children. @type {Item[]} */
    this.items = []
    for (const { bones, tip } of chains)
      for (const [b, bone] of bones.entries()) {
        if (!bone.parent) throw new Error('a chain hangs on nothing')
        this.items.push({
          bone,
          parent: bone.parent,
          rest: bone.quaternion.clone(),
          local: (bones[b + 1]?.position ?? tip).clone(),
          tip: new Vector3(),
          previous: new Vector3(),
          turn: new Quaternion(),
          above: b > 0 ? this.items[this.items.length - 1] : undefined,
        })
      }
  }

  /** One frame, after the roots have moved. @param {number} dt seconds */
  step(dt) {
    const { roots, items } = this
    const steps = MathUtils.clamp(Math.round(dt * RATE), 1, MOST)
    for (let i = 0; i < items.length; i++) items[i].bone.quaternion.copy(items[i].rest)
    if (this.lean) {
      for (let r = 0; r < roots.length; r++) roots[r].updateWorldMatrix(true, false)
      for (let i = 0; i < items.length; i++) this.stepLean(items[i], steps)
    } else {
      for (let r = 0; r < roots.length; r++) roots[r].updateMatrixWorld(true)
      for (let i = 0; i < items.length; i++) this.stepBone(items[i], steps)
    }
    this.started = true
  }

  /** @param {Item} item @param {number} steps */
  stepBone(item, steps) {
    const { bone, parent, local, tip } = item
    bone.updateMatrixWorld(true)
    head.setFromMatrixPosition(bone.matrixWorld)
    rest.copy(local).applyMatrix4(bone.matrixWorld)
    this.swing(item, steps)
    direction.subVectors(tip, head).normalize()
    rest.sub(head).normalize()
    swung.setFromUnitVectors(rest, direction)
    bone.getWorldQuaternion(world)
    parent.getWorldQuaternion(above)
    bone.quaternion.copy(above.invert().multiply(swung.multiply(world)))
    bone.updateMatrixWorld(true)
  }

  /** @param {Item} item @param {number} steps */
  stepLean(item, steps) {
    const { bone, parent, local, tip, turn } = item
    if (item.above) {
      above.copy(item.above.turn)
      head.copy(item.above.tip)
    } else {
      above.setFromRotationMatrix(parent.matrixWorld)
      head.copy(bone.position).applyMatrix4(parent.matrixWorld)
    }
    turn.multiplyQuaternions(above, item.rest)
    rest.copy(local).applyQuaternion(turn).add(head)
    this.swing(item, steps)
    direction.subVectors(tip, head).normalize()
    rest.sub(head).normalize()
    turn.premultiply(swung.setFromUnitVectors(rest, direction))
    bone.quaternion.multiplyQuaternions(above.invert(), turn)
  }

  /** Steps of the tip around `head`, towards `rest`. @param {Item} item @param {number} steps */
  swing({ tip, previous }, steps) {
    const { stiffness, damping } = this
    if (!this.started) {
      tip.copy(rest)
      previous.copy(rest)
    }
    const length = rest.distanceTo(head)
    for (let s = 0; s < steps; s++) {
      velocity.subVectors(tip, previous).multiplyScalar(1 - damping)
      previous.copy(tip)
      tip.add(velocity)
      tip.addScaledVector(direction.subVectors(rest, tip), stiffness)
      tip.y -= FALL
      tip.sub(head).setLength(length).add(head)
    }
  }
}

const head = new Vector3()
const rest = new Vector3()
const velocity = new Vector3()
const direction = new Vector3()
const swung = new Quaternion()
const world = new Quaternion()
const above = new Quaternion()
