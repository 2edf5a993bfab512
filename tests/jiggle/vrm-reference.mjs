/**
 * The arithmetic of VRMC_springBone 1.0, VRMC_springBone_extended_collider and VRMC_springBone_limit in float64, from the text
 * of the three specifications: what a chain that came from a VRM must do.
 *
 * Where the text leaves a choice, it is ours:
 * - A bone is as long as it is in the world now, and the matrices of everything above it are those of this frame.
 * - A collider's radius grows with the largest scale of its node. A joint's hit radius is in metres of the world.
 * - Joints between two joints of a spring are no joints: the tail is where the next joint was at the start.
 */
import { Matrix3, Matrix4, Quaternion, Vector3 } from 'three'

const UP = new Vector3(0, 1, 0)
const IDENTITY = new Matrix4()
/** On a joint, or on a spring for all of its joints. */
const LIMIT = 'VRMC_springBone_limit'

/**
 * @typedef {import('three').Object3D} Object3D
 *
 * @typedef {object} Shape of a collider; one of the three, as in the file
 * @property {{offset?: number[], radius?: number, inside?: boolean}} [sphere]
 * @property {{offset?: number[], tail?: number[], radius?: number, inside?: boolean}} [capsule]
 * @property {{offset?: number[], normal?: number[]}} [plane]
 *
 * @typedef {object} Limit radians; one of the three, as in the file
 * @property {{angle: number, rotation?: number[]}} [cone]
 * @property {{angle: number, rotation?: number[]}} [hinge]
 * @property {{phi: number, theta: number, rotation?: number[]}} [spherical]
 *
 * @typedef {object} Joint
 * @property {Object3D} bone
 * @property {any} settings of the file
 * @property {{node: Object3D, shape: Shape}[]} colliders
 * @property {Limit | undefined} limit
 * @property {Object3D | undefined} center
 * @property {Quaternion} rest local rotation at the start
 * @property {Vector3} axis from head to tail at rest, in the bone's own space
 * @property {Vector3} tail of the newest state, in the space of `center`, else in the world
 * @property {Vector3} previous `tail` one step before
 */

export class VrmReference {
  /** @param {{scene: Object3D, parser: {json: any, associations: Map<any, any>}}} gltf at rest */
  constructor({ scene, parser: { json, associations } }) {
    this.scene = scene
    /** @type {Object3D[]} */
    const nodes = []
    for (const [object, { nodes: node }] of associations)
      if (node !== undefined && object.isObject3D) nodes[node] = object
    scene.updateWorldMatrix(true, true)

    const { colliders = [], colliderGroups = [], springs } = json.extensions.VRMC_springBone
    const shapes = colliders.map((/** @type {any} */ { node, shape, extensions }) => ({
      node: nodes[node],
      shape: extensions?.VRMC_springBone_extended_collider?.shape ?? shape,
    }))
    /** Parents before children. @type {Joint[]} */
    this.joints = springs.flatMap((/** @type {any} */ spring) =>
      spring.joints.slice(0, -1).map((/** @type {any} */ settings, /** @type {number} */ j) => {
        const bone = nodes[settings.node]
        const center = nodes[spring.center]
        const child = new Vector3().setFromMatrixPosition(nodes[spring.joints[j + 1].node].matrixWorld)
        const tail = child.clone().applyMatrix4(inverse(center))
        return {
          bone,
          settings,
          colliders: (spring.colliderGroups ?? [])
            .flatMap((/** @type {number} */ g) => colliderGroups[g].colliders)
            .map((/** @type {number} */ c) => shapes[c]),
          limit: (settings.extensions?.[LIMIT] ?? spring.extensions?.[LIMIT])?.limit,
          center,
          rest: bone.quaternion.clone(),
          axis: child.applyMatrix4(inverse(bone)),
          tail,
          previous: tail.clone(),
        }
      }),
    )
    this.joints.sort((a, b) => depth(a.bone) - depth(b.bone))
  }

  /** World tails, in the order of `joints`. */
  get tails() {
    return this.joints.map(({ tail, center }) => tail.clone().applyMatrix4(center?.matrixWorld ?? IDENTITY))
  }

  /** One step. @param {number} dt seconds */
  step(dt) {
    this.scene.updateWorldMatrix(true, true)
    for (const joint of this.joints) stepJoint(joint, dt)
  }
}

/** @param {Joint} joint @param {number} dt seconds */
function stepJoint(joint, dt) {
  const { bone, rest, axis, center, limit, colliders, tail, previous } = joint
  const { hitRadius = 0, stiffness = 1, gravityPower = 0, gravityDir = [0, -1, 0], dragForce = 0.5 } = joint.settings
  const parent = bone.parent?.matrixWorld ?? IDENTITY
  bone.updateWorldMatrix(false, false)
  const head = new Vector3().setFromMatrixPosition(bone.matrixWorld)
  const length = axis.clone().applyMatrix4(bone.matrixWorld).distanceTo(head)
  const toWorld = parent.clone().multiply(new Matrix4().compose(bone.position, rest, bone.scale))
  const turn = new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(toWorld))
  const direction = axis.clone().applyQuaternion(turn).normalize()

  const next = tail
    .clone()
    .addScaledVector(tail.clone().sub(previous), 1 - dragForce)
    .applyMatrix4(center?.matrixWorld ?? IDENTITY)
    .addScaledVector(direction, dt * stiffness)
    .addScaledVector(new Vector3(...gravityDir), dt * gravityPower)
  const hold = () => {
    next.sub(head).setLength(length)
    if (limit) limited(limit, axis, next.applyQuaternion(turn.clone().invert())).applyQuaternion(turn)
    next.add(head)
  }
  hold()
  for (const { node, shape } of colliders) {
    const { distance, normal } = meet(shape, node.matrixWorld, next, hitRadius)
    if (distance >= 0) continue
    next.addScaledVector(normal, -distance)
    hold()
  }

  previous.copy(tail)
  tail.copy(next).applyMatrix4(inverse(center))
  const seen = next.clone().applyMatrix4(toWorld.invert()).normalize()
  bone.quaternion.copy(rest).multiply(new Quaternion().setFromUnitVectors(axis.clone().normalize(), seen))
  bone.updateWorldMatrix(false, true)
}

/**
 * How far a ball is from a collider (below 0: into it), and where it is pushed.
 * @param {Shape} shape @param {Matrix4} matrix of the collider's node
 * @param {Vector3} center of the ball @param {number} radius of it, world, metres
 */
export function meet({ sphere, capsule, plane }, matrix, center, radius) {
  const place = (/** @type {number[]} */ [x, y, z] = [0, 0, 0]) => new Vector3(x, y, z).applyMatrix4(matrix)
  if (plane) {
    const [x, y, z] = plane.normal ?? [0, 0, 1]
    const normal = new Vector3(x, y, z).applyNormalMatrix(new Matrix3().getNormalMatrix(matrix)).normalize()
    return { distance: center.clone().sub(place(plane.offset)).dot(normal) - radius, normal }
  }
  const round = sphere ?? capsule
  if (!round) throw new Error('a collider without a shape')
  const from = place(round.offset)
  const along = (capsule ? place(capsule.tail) : from.clone()).sub(from)
  const normal = center.clone().sub(from)
  const part = along.lengthSq() > 0 ? Math.min(1, Math.max(0, normal.dot(along) / along.lengthSq())) : 0
  normal.addScaledVector(along, -part)
  const size = (round.radius ?? 0) * matrix.getMaxScaleOnAxis()
  const apart = normal.length()
  normal.normalize()
  return round.inside
    ? { distance: size - radius - apart, normal: normal.negate() }
    : { distance: apart - radius - size, normal }
}

/**
 * Brings `direction` within a limit around `axis`, both in the space of the bone at rest; its length stays.
 * @param {Limit} limit @param {Vector3} axis @param {Vector3} direction
 */
export function limited({ cone, hinge, spherical }, axis, direction) {
  const [x, y, z, w] = (cone ?? hinge ?? spherical)?.rotation ?? [0, 0, 0, 1]
  const frame = new Quaternion().setFromUnitVectors(UP, axis.clone().normalize()).multiply(new Quaternion(x, y, z, w))
  const length = direction.length()
  const to = direction.clone().applyQuaternion(frame.clone().invert()).normalize()
  if (cone) leaned(to, Math.min(cone.angle, Math.PI))
  if (hinge) {
    // Straight along the hinge's axis there is no way to turn: the middle then.
    leaned(Math.hypot(to.y, to.z) > 1e-9 ? to.setX(0).normalize() : to.copy(UP), Math.min(hinge.angle, Math.PI))
  }
  if (spherical) {
    const theta = clamp(Math.asin(clamp(to.x, 1)), Math.min(spherical.theta, Math.PI / 2))
    const phi = clamp(Math.hypot(to.y, to.z) > 1e-9 ? Math.atan2(to.z, to.y) : 0, Math.min(spherical.phi, Math.PI))
    to.set(Math.sin(theta), Math.cos(theta) * Math.cos(phi), Math.cos(theta) * Math.sin(phi))
  }
  return direction.copy(to).applyQuaternion(frame).multiplyScalar(length)
}

/** Leans a unit vector towards +y until it is within an angle of it. @param {Vector3} to @param {number} angle */
function leaned(to, angle) {
  if (Math.acos(clamp(to.y, 1)) <= angle) return
  const side = Math.hypot(to.x, to.z)
  // Straight down every side is as near: towards +z.
  const [x, z] = side > 1e-9 ? [to.x / side, to.z / side] : [0, 1]
  to.set(x * Math.sin(angle), Math.cos(angle), z * Math.sin(angle))
}

/** @param {number} value @param {number} most */
function clamp(value, most) {
  return Math.min(most, Math.max(-most, value))
}

/** From the world into the space of an object. @param {Object3D | undefined} object */
function inverse(object) {
  return object ? object.matrixWorld.clone().invert() : IDENTITY
}

/** @param {Object3D} object */
function depth(object) {
  let above = 0
  for (let at = object.parent; at; at = at.parent) above++
  return above
}
