import { Color, Vector3 } from 'three'
import { OF_BALL, OF_COLLIDER, Outlines } from './outlines.js'
import { basisOf, type PlacedLimit } from './ragdoll-layout.js'
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
  /** Draws limits; `false` unless set. */
  limits?: boolean | undefined
  /** Draws bodies that are animated, too; `false` unless set. */
  animated?: boolean | undefined
}

/** Straight pieces of an arc. */
const PIECES = 24

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
    const { links, radii, placedLimits } = ragdoll
    const colliders = ragdoll.colliders.poses
    const shown = ragdoll.bodies.filter(({ state }) => this.animated || state !== 'animated')
    const limits = this.limits ? placedLimits : []
    const each = links.length + radii.length * OF_BALL + limits.length * (PIECES * 2 + 4)
    this.begin(shown.length * each + colliders.length * OF_COLLIDER)
    for (const { points } of shown) {
      for (let l = 0; l < links.length; l += 2) {
        const [a, b] = [links[l]! * 3, links[l + 1]! * 3]
        this.line(points[a]!, points[a + 1]!, points[a + 2]!, points[b]!, points[b + 1]!, points[b + 2]!, 0)
      }
      for (let p = 0; p < radii.length; p++) {
        this.ball(points[p * 3]!, points[p * 3 + 1]!, points[p * 3 + 2]!, radii[p]!, 1)
      }
      for (const limit of limits) this.#limit(limit, points)
    }
    for (const { kind, pose } of colliders) this.collider(kind, pose, 3)
    this.end()
  }

  /** Of a hinge the arc on which its end may be; of a cone the ring to which the end of its limb may get. */
  #limit(limit: PlacedLimit, points: Float32Array): void {
    const at = (p: number): Vector3 => new Vector3().fromArray(points, p * 3)
    const around = (center: Vector3, x: Vector3, y: Vector3, from: number, to: number): Vector3[] =>
      Array.from({ length: PIECES + 1 }, (_, i) => {
        const angle = from + ((to - from) * i) / PIECES
        return center.clone().addScaledVector(x, Math.cos(angle)).addScaledVector(y, Math.sin(angle))
      })
    if (limit.kind === 'hinge') {
      const [a, joint, axis, b] = limit.points.map(at) as [Vector3, Vector3, Vector3, Vector3]
      const line = axis.sub(joint).normalize()
      const end = b.clone().sub(joint)
      const along = line.clone().multiplyScalar(end.dot(line))
      const straight = joint.clone().sub(a)
      straight.addScaledVector(line, -straight.dot(line)).setLength(end.sub(along).length())
      const arc = around(along.add(joint), straight, line.clone().cross(straight), limit.min, limit.max)
      this.#path([joint, ...arc, joint])
      return
    }
    const [joint, tip] = limit.points.map(at) as [Vector3, Vector3]
    const basis = basisOf(limit.frame.map(at) as [Vector3, Vector3, Vector3])
    const axis = limit.axis.clone().transformDirection(basis)
    const length = tip.sub(joint).length()
    const x = new Vector3(axis.y, -axis.x, 0)
    if (x.lengthSq() < 0.01) x.set(0, axis.z, -axis.y)
    x.setLength(length * Math.sin(limit.angle))
    const y = axis.clone().cross(x)
    this.#path(around(joint.addScaledVector(axis, length * Math.cos(limit.angle)), x, y, 0, 2 * Math.PI))
  }

  #path(path: readonly Vector3[]): void {
    for (let i = 1; i < path.length; i++) {
      const [a, b] = [path[i - 1]!, path[i]!]
      this.line(a.x, a.y, a.z, b.x, b.y, b.z, 2)
    }
  }
}
