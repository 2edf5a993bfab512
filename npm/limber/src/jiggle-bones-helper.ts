import { Color } from 'three'
import type { JiggleBones } from './jiggle-bones.js'
import { OF_BALL, OF_COLLIDER, Outlines } from './outlines.js'

/** Colours of a {@link JiggleBonesHelper}. */
export interface JiggleBonesHelperOptions {
  /** Of the bones, from head to tip; warm yellow unless set. */
  color?: number | string | Color | undefined
  /** Of the tips: rings of their radius, or small ones where they have none; coral unless set. */
  tipColor?: number | string | Color | undefined
  /** Of the colliders; turquoise unless set. */
  colliderColor?: number | string | Color | undefined
}

/** Ends of lines of a bone: itself, and a ball around its tip. */
const OF_BONE = 2 + OF_BALL
/** Radius of a ring around a tip that has none, as a part of its bone's length. */
const SMALL = 0.08

/**
 * Draws chains, tips and colliders as thin lines over everything else, in world space: add it to the scene itself, and call
 * {@link update} after each step. `jiggle.tips` is worked out for it, so it is for looking, not for shipping.
 *
 * @example
 * const helper = new JiggleBonesHelper(jiggle)
 * scene.add(helper)
 * // in the loop, after jiggle.step(dt):
 * helper.update()
 */
export class JiggleBonesHelper extends Outlines {
  /** What is drawn. */
  readonly jiggle: JiggleBones
  override readonly type = 'JiggleBonesHelper'

  /** @param jiggle what is to be drawn */
  constructor(jiggle: JiggleBones, options: JiggleBonesHelperOptions = {}) {
    super([
      new Color(options.color ?? 0xffc94d),
      new Color(options.tipColor ?? 0xff7a6b),
      new Color(options.colliderColor ?? 0x35b8b0),
    ])
    this.jiggle = jiggle
    this.update()
  }

  /** Draws where everything is now. Does nothing once the simulation is disposed. */
  update(): void {
    const { jiggle } = this
    if (jiggle.disposed) return
    const places = jiggle.readTips()
    const colliders = jiggle.colliders.poses
    this.begin((places.length / 7) * OF_BONE + colliders.length * OF_COLLIDER)
    for (let i = 0; i < places.length; i += 7) {
      const [hx, hy, hz, x, y, z, radius] = places.subarray(i, i + 7) as unknown as Seven
      this.line(hx, hy, hz, x, y, z, 0)
      const ring = radius || SMALL * Math.hypot(x - hx, y - hy, z - hz)
      this.ball(x, y, z, ring, 1)
    }
    for (const { kind, pose } of colliders) this.collider(kind, pose, 2)
    this.end()
  }
}

type Seven = [number, number, number, number, number, number, number]
