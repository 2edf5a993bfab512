import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three'
import type { JiggleBones } from './jiggle-bones.js'

/** Colours of a {@link JiggleBonesHelper}. */
export interface JiggleBonesHelperOptions {
  /** Of the bones, from head to tip; warm yellow unless set. */
  color?: number | string | Color | undefined
  /** Of the tips: rings of their radius, or small ones where they have none; coral unless set. */
  tipColor?: number | string | Color | undefined
  /** Of the colliders; turquoise unless set. */
  colliderColor?: number | string | Color | undefined
}

/** Straight pieces of a ring. */
const PIECES = 24
/** Ends of lines of a bone: itself, and three rings around its tip. */
const OF_BONE = 2 + 3 * PIECES * 2
/** Ends of lines of a collider, at most: three rings at either end, and four lines between. */
const OF_COLLIDER = 6 * PIECES * 2 + 8
/** Half the side of what is drawn of a plane, in metres. */
const PLANE = 1
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
export class JiggleBonesHelper extends LineSegments<BufferGeometry, LineBasicMaterial> {
  /** What is drawn. */
  readonly jiggle: JiggleBones
  override readonly type = 'JiggleBonesHelper'
  readonly #colors: readonly [bone: Color, tip: Color, collider: Color]
  #at = 0

  /** @param jiggle what is to be drawn */
  constructor(jiggle: JiggleBones, options: JiggleBonesHelperOptions = {}) {
    super(
      new BufferGeometry(),
      new LineBasicMaterial({
        vertexColors: true,
        depthTest: false,
        depthWrite: false,
        toneMapped: false,
        transparent: true,
      }),
    )
    this.jiggle = jiggle
    this.#colors = [
      new Color(options.color ?? 0xffc94d),
      new Color(options.tipColor ?? 0xff7a6b),
      new Color(options.colliderColor ?? 0x35b8b0),
    ]
    this.frustumCulled = false
    this.renderOrder = 1000
    this.matrixAutoUpdate = false
    this.update()
  }

  /** Draws where everything is now. Does nothing once the simulation is disposed. */
  update(): void {
    const { jiggle } = this
    if (jiggle.disposed) return
    const places = jiggle.readTips()
    const colliders = jiggle.colliders.poses
    this.#reserve((places.length / 7) * OF_BONE + colliders.length * OF_COLLIDER)
    this.#at = 0
    for (let i = 0; i < places.length; i += 7) {
      const [hx, hy, hz, x, y, z, radius] = places.subarray(i, i + 7) as unknown as Seven
      this.#line(hx, hy, hz, x, y, z, 0)
      const ring = radius || SMALL * Math.hypot(x - hx, y - hy, z - hz)
      this.#ball(x, y, z, ring, 1)
    }
    for (const { kind, pose } of colliders) this.#collider(kind, pose)
    this.geometry.setDrawRange(0, this.#at)
    this.#attribute('position').needsUpdate = true
    this.#attribute('color').needsUpdate = true
  }

  /** Frees what is drawn; the simulation stays. */
  override dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }

  #attribute(name: 'position' | 'color'): BufferAttribute {
    return this.geometry.getAttribute(name) as BufferAttribute
  }

  #reserve(ends: number): void {
    if (this.geometry.getAttribute('position')?.count >= ends) return
    // What was given to the renderer keeps its size.
    this.geometry.dispose()
    for (const name of ['position', 'color']) {
      this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(ends * 3), 3).setUsage(DynamicDrawUsage))
    }
  }

  #line(ax: number, ay: number, az: number, bx: number, by: number, bz: number, color: 0 | 1 | 2): void {
    const { r, g, b } = this.#colors[color]
    const position = this.#attribute('position')
    const colors = this.#attribute('color')
    position.setXYZ(this.#at, ax, ay, az).setXYZ(this.#at + 1, bx, by, bz)
    colors.setXYZ(this.#at, r, g, b).setXYZ(this.#at + 1, r, g, b)
    this.#at += 2
  }

  /** Three rings about the axes. */
  #ball(x: number, y: number, z: number, radius: number, color: 1 | 2): void {
    for (let axis = 0; axis < 3; axis++) {
      const point = (i: number): [number, number, number] => {
        const [sin, cos] = [
          Math.sin((i / PIECES) * 2 * Math.PI) * radius,
          Math.cos((i / PIECES) * 2 * Math.PI) * radius,
        ]
        return axis === 0 ? [x, y + sin, z + cos] : axis === 1 ? [x + cos, y, z + sin] : [x + sin, y + cos, z]
      }
      for (let i = 0; i < PIECES; i++) this.#line(...point(i), ...point(i + 1), color)
    }
  }

  #collider(kind: string, pose: Float32Array): void {
    const [ax, ay, az, bx, by, bz, radius] = pose as unknown as Seven
    if (kind === 'sphere') return this.#ball(ax, ay, az, radius, 2)
    if (kind === 'plane') return this.#square([ax, ay, az], bx)
    if (kind === 'box') return this.#box(pose)
    const other = kind === 'taperedCapsule' ? pose[8]! : radius
    this.#ball(ax, ay, az, radius, 2)
    this.#ball(bx, by, bz, other, 2)
    const [u, v] = across([bx - ax, by - ay, bz - az])
    for (const [s, t] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      const [x, y, z] = [0, 1, 2].map((i) => u[i]! * s + v[i]! * t) as Vector
      this.#line(ax + x * radius, ay + y * radius, az + z * radius, bx + x * other, by + y * other, bz + z * other, 2)
    }
  }

  #square(normal: Vector, offset: number): void {
    const [u, v] = across(normal)
    const corner = (s: number, t: number): Vector =>
      [0, 1, 2].map((i) => normal[i]! * offset + (u[i]! * s + v[i]! * t) * PLANE) as Vector
    const corners = [corner(1, 1), corner(1, -1), corner(-1, -1), corner(-1, 1)] as const
    for (let i = 0; i < 4; i++) this.#line(...corners[i]!, ...corners[(i + 1) % 4]!, 2)
    this.#line(...corners[0], ...corners[2], 2)
  }

  #box(pose: Float32Array): void {
    const [cx, cy, cz, ex, ey, ez] = pose as unknown as Seven
    const [x, y, z, w] = pose.subarray(8, 12) as unknown as [number, number, number, number]
    // The columns of the quaternion's matrix.
    const axes: Vector[] = [
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]
    const half = [ex, ey, ez]
    const corner = (bits: number): Vector =>
      [cx, cy, cz].map((c, i) =>
        axes.reduce((sum, axis, a) => sum + axis[i]! * half[a]! * (bits & (1 << a) ? 1 : -1), c),
      ) as Vector
    for (let bits = 0; bits < 8; bits++) {
      for (let a = 0; a < 3; a++) if (!(bits & (1 << a))) this.#line(...corner(bits), ...corner(bits | (1 << a)), 2)
    }
  }
}

type Vector = [number, number, number]
type Seven = [number, number, number, number, number, number, number]

/** Two unit vectors at right angles to `v` and to each other. */
function across([x, y, z]: Vector): [Vector, Vector] {
  const length = Math.hypot(x, y, z) || 1
  const [a, b, c] = [x / length, y / length || (x || z ? 0 : 1), z / length]
  const u: Vector = Math.abs(a) < 0.7 ? [0, c, -b] : [-c, 0, a]
  const size = Math.hypot(...u)
  const [ux, uy, uz] = [u[0] / size, u[1] / size, u[2] / size]
  return [
    [ux, uy, uz],
    [b * uz - c * uy, c * ux - a * uz, a * uy - b * ux],
  ]
}
