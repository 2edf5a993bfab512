import type { Object3D } from 'three'
import type { VectorLike } from './vector.js'

/** A point of a {@link Ragdoll}: a joint, the end of a limb, or what tells how a bone is turned. Lengths are in metres. */
export interface RagdollPoint {
  /** What links, bones, limits and capsules may call it by. */
  name?: string | undefined
  /** The bone that carries it rigidly while the pose is animated. At a joint, the upper one: what is beyond the joint is freed with the lower. */
  bone?: Object3D | undefined
  /** Where it is, world, in the pose of now. Left out where `local` is given. */
  position?: VectorLike | undefined
  /** Where it is in the space of its `bone`, instead of `position`: it holds in every pose. */
  local?: VectorLike | undefined
  /** Where it is in the rest pose, world: limits are measured from there. `position` unless set. */
  rest?: VectorLike | undefined
  /** 0.05 m unless set. */
  radius?: number | undefined
  /** 1 kg unless set. */
  mass?: number | undefined
  /** 1 / mass, instead of `mass`; 0 holds it where it is. */
  inverseMass?: number | undefined
  /** World, m/s: what bodies without bones start with. */
  velocity?: VectorLike | undefined
}

/**
 * Two points, by index or name, and their distance: what they have in the pose in which the body goes limp, unless set. With
 * `minOnly` they only may not come nearer than `rest`, which then must be given.
 */
export type RagdollLink =
  | readonly [a: number | string, b: number | string, rest?: number | undefined, minOnly?: boolean | undefined]
  | { a: number | string; b: number | string; rest?: number | undefined; minOnly?: boolean | undefined }

/** A bone that is turned by points, by index or name. */
export interface RagdollBone {
  bone: Object3D
  /**
   * Three turn it with their basis: where it starts, what it points to, and a point beside that line. Two swing it by the
   * shortest rotation from its parent.
   */
  points:
    | readonly [origin: number | string, along: number | string]
    | readonly [origin: number | string, along: number | string, side: number | string]
  /** The mapped bone that carries it; the nearest one above it unless set. */
  parent?: Object3D | undefined
}

/** How far a joint turns. Angles are in radians; each limit is widened by itself so that the rest pose is inside. */
export type RagdollLimit =
  /**
   * Bends about the line from `joint` to `axis`, which both limbs share. 0 is straight; a positive angle turns
   * `joint − a` towards `b − joint`, right-handed about `axis − joint`.
   */
  | {
      kind: 'hinge'
      points: readonly [a: number | string, joint: number | string, axis: number | string, b: number | string]
      min: number
      max: number
    }
  /** The direction from `joint` to `tip` stays within `angle` of `axis`, a world direction of the rest pose that moves with the frame. */
  | {
      kind: 'cone'
      frame: readonly [origin: number | string, along: number | string, side: number | string]
      points: readonly [joint: number | string, tip: number | string]
      axis: VectorLike
      angle: number
    }
  /** The roll about `joint` → `tip` since the rest pose, without the swing, stays within ± `angle`. */
  | {
      kind: 'twist'
      frame: readonly [origin: number | string, along: number | string, side: number | string]
      points: readonly [joint: number | string, tip: number | string, side: number | string]
      angle: number
    }

/** A limb, for collisions of the body with itself and with solids that reach between points. The same point twice is a ball. */
export interface RagdollCapsule {
  points: readonly [a: number | string, b: number | string]
  radius: number
}

/** The bones of a human body that a {@link Ragdoll} knows. */
export type HumanoidBone =
  | 'hips'
  | 'spine'
  | 'neck'
  | 'head'
  | 'leftUpperArm'
  | 'leftLowerArm'
  | 'leftHand'
  | 'rightUpperArm'
  | 'rightLowerArm'
  | 'rightHand'
  | 'leftUpperLeg'
  | 'leftLowerLeg'
  | 'leftFoot'
  | 'leftToes'
  | 'rightUpperLeg'
  | 'rightLowerLeg'
  | 'rightFoot'
  | 'rightToes'

/** Which bone is which: the bones themselves or their names. What is left out is found by itself. */
export type HumanoidMap = { [bone in HumanoidBone]?: Object3D | string | undefined }
