/**
 * The same chains driven by three-vrm's spring bones, which take one step a frame whatever its length: 60 frames a second.
 *
 * Its stiffness is a pull of stiffness × dt along the bone, its drag and gravity are per frame. They are set so that a tip is
 * pulled back, slowed and dragged down as by the sheet's 0.028, 0.04 and 0.0003 m a step of 1/120 s: the chains look alike. A
 * joint needs an object at its tail, which the rigs have.
 */
import { VRMSpringBoneJoint, VRMSpringBoneManager } from '@pixiv/three-vrm-springbone'
import { FRAME } from '../rigs.mjs'

/** The sheet's, per step. */
const STIFFNESS = 0.028
const DAMPING = 0.04
const FALL = 0.0003
/** The sheet's steps in a frame. */
const STEPS = 2

export class VrmJiggle {
  /** @param {import('../rigs.mjs').Rig} rig at rest */
  constructor({ roots, chains }) {
    this.manager = new VRMSpringBoneManager()
    for (const { bones, tip } of chains)
      for (const [b, bone] of bones.entries()) {
        const length = (bones[b + 1]?.position ?? tip).length()
        this.manager.addJoint(
          new VRMSpringBoneJoint(bone, bone.children[0], {
            stiffness: (STIFFNESS * STEPS ** 2 * length) / FRAME,
            dragForce: 1 - (1 - DAMPING) ** STEPS,
            gravityPower: (FALL * STEPS ** 2) / FRAME,
          }),
        )
      }
    roots.forEach((root) => root.updateMatrixWorld(true))
    this.manager.setInitState()
  }

  /** One frame, after the roots have moved. It brings the matrices of the roots up to date by itself. */
  step() {
    this.manager.update(FRAME)
  }
}
