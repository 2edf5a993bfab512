import { Color, Vector3 } from 'three'
import { OF_BALL, OF_COLLIDER, Outlines } from './outlines.js'
import type { PlacedLimit } from './ragdoll-layout.js'
import type { Ragdoll } from './ragdoll.js'

/** Colours of a {@link RagdollHelper}, and what it draws. */
export interface RagdollHelperOptions {
  /** Of the sticks, which are the links; warm yellow unless set. */
  color?: number | string | Color | undefined
  /** Of the points, which are balls of their radius; pale yellow unless set. */
  pointColor?: number | string | Color | undefined
  /** Of the limits: how far a hinge bends, and where the end of a limb may be; coral unless set. */
  limitColor?: number | string | Color | undefined
  /** Of the colliders; turquoise unless set. */
  colliderColor?: number | string | Color | undefined
  /** Draws the limits of hinges and cones as they were given; `false` unless set. */
  limits?: boolean | undefined
  /** Draws bodies that are animated, too; `false` unless set. */
  animated?: boolean | undefined
}

/** Straight pieces of an arc. */
const PIECES = 24
/** Ends of lines of a limit, at most: an arc, and a line from the joint to either end of it. */
const OF_LIMIT = 2 * PIECES + 4
/** Places of colours. */
const [STICK, POINT, LIMIT, COLLIDER] = [0, 1, 2, 3]

/**
 * Draws points, sticks and limits of bodies that are limp or get up, and the colliders, as thin lines over everything else, in
 * world space: add it to the scene itself, and call {@link update} after each step.
 *
 * @example
 * const helper = new RagdollHelper(ragdoll)
 * scene.add(helper)
 * // in the loop, after ragdoll.step(dt):
 * helper.update()
 */
export class RagdollHelper extends Outlines {
  /** What is drawn. */
  readonly ragdoll: Ragdoll
  override readonly type = 'RagdollHelper'
  /** Whether limits are drawn. */
  limits: boolean
  /** Whether animated bodies are drawn. */
  animated: boolean

  /** @param ragdoll what is to be drawn */
  constructor(ragdoll: Ragdoll, options: RagdollHelperOptions = {}) {
    super([
      new Color(options.color ?? 0xffc94d),
      new Color(options.pointColor ?? 0xffefb0),
      new Color(options.limitColor ?? 0xff7a6b),
      new Color(options.colliderColor ?? 0x35b8b0),
    ])
    this.ragdoll = ragdoll
    this.limits = options.limits ?? false
    this.animated = options.animated ?? false
    this.update()
  }

  /** Draws where everything is now. Does nothing once the simulation is disposed. */
  update(): void {
    const { ragdoll } = this
    if (ragdoll.disposed) return
    const { links, radii, placedLimits, points, bodies, pointCount } = ragdoll
    const colliders = ragdoll.colliders.poses
    let shown = 0
    for (let b = 0; b < bodies.length; b++) if (this.#isShown(b)) shown++
    const each = links.length + radii.length * OF_BALL + (this.limits ? placedLimits.length * OF_LIMIT : 0)
    this.begin(shown * each + colliders.length * OF_COLLIDER)
    for (let body = 0; body < bodies.length; body++) {
      if (!this.#isShown(body)) continue
      const first = body * pointCount
      for (let l = 0; l < links.length; l += 2) {
        const a = (first + links[l]!) * 3
        const b = (first + links[l + 1]!) * 3
        this.line(points[a]!, points[a + 1]!, points[a + 2]!, points[b]!, points[b + 1]!, points[b + 2]!, STICK)
      }
      for (let p = 0; p < pointCount; p++) {
        const at = (first + p) * 3
        this.ball(points[at]!, points[at + 1]!, points[at + 2]!, radii[p]!, POINT)
      }
      if (this.limits) for (const limit of placedLimits) this.#limit(limit, points, first)
    }
    for (const { kind, pose } of colliders) this.collider(kind, pose, COLLIDER)
    this.end()
  }

  #isShown(body: number): boolean {
    return this.animated || this.ragdoll.bodies[body]!.state !== 'animated'
  }

  /** Of a hinge the arc on which its end may be; of a cone the ring to which the end of its limb may get. */
  #limit(limit: PlacedLimit, points: Float32Array, first: number): void {
    const [p, q, r, s] = limit.points
    if (limit.kind === 'hinge') {
      const joint = center.fromArray(points, (first + q!) * 3)
      const line = z
        .fromArray(points, (first + r!) * 3)
        .sub(joint)
        .normalize()
      const straight = x.fromArray(points, (first + p!) * 3).sub(joint)
      straight.addScaledVector(line, -straight.dot(line))
      const end = y.fromArray(points, (first + s!) * 3).sub(joint)
      const along = end.dot(line)
      straight.setLength(-end.addScaledVector(line, -along).length())
      const { x: jx, y: jy, z: jz } = joint
      joint.addScaledVector(line, along)
      this.#arc(joint, straight, y.crossVectors(line, straight), limit.min, limit.max)
      this.line(jx, jy, jz, from.x, from.y, from.z, LIMIT)
      this.line(jx, jy, jz, to.x, to.y, to.z, LIMIT)
      return
    }
    const [origin, along, side] = limit.frame
    const start = center.fromArray(points, (first + origin!) * 3)
    x.fromArray(points, (first + along!) * 3)
      .sub(start)
      .normalize()
    y.fromArray(points, (first + side!) * 3).sub(start)
    y.addScaledVector(x, -y.dot(x)).normalize()
    z.crossVectors(x, y)
    const axis = x.multiplyScalar(limit.axis.x).addScaledVector(y, limit.axis.y).addScaledVector(z, limit.axis.z)
    const joint = center.fromArray(points, (first + p!) * 3)
    const length = to.fromArray(points, (first + q!) * 3).distanceTo(joint)
    joint.addScaledVector(axis, length * Math.cos(limit.angle))
    y.set(axis.y, -axis.x, 0)
    if (y.lengthSq() < 0.01) y.set(0, axis.z, -axis.y)
    y.setLength(length * Math.sin(limit.angle))
    this.#arc(joint, y, z.crossVectors(axis, y), 0, 2 * Math.PI)
  }

  /** An arc about `middle` from the direction of `u` towards that of `v`. Its ends are in {@link from} and {@link to} then. */
  #arc(middle: Vector3, u: Vector3, v: Vector3, start: number, end: number): void {
    for (let i = 0; i < PIECES; i++) {
      const before = start + ((end - start) * i) / PIECES
      const after = start + ((end - start) * (i + 1)) / PIECES
      from.copy(middle).addScaledVector(u, Math.cos(before)).addScaledVector(v, Math.sin(before))
      to.copy(middle).addScaledVector(u, Math.cos(after)).addScaledVector(v, Math.sin(after))
      this.line(from.x, from.y, from.z, to.x, to.y, to.z, LIMIT)
    }
    from.copy(middle).addScaledVector(u, Math.cos(start)).addScaledVector(v, Math.sin(start))
  }
}

const center = /* @__PURE__ */ new Vector3()
const x = /* @__PURE__ */ new Vector3()
const y = /* @__PURE__ */ new Vector3()
const z = /* @__PURE__ */ new Vector3()
const from = /* @__PURE__ */ new Vector3()
const to = /* @__PURE__ */ new Vector3()
