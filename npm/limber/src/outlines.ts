import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three'
import type { Collider } from './colliders.js'

/** Straight pieces of a ring. */
const PIECES = 24
/** Ends of lines of a ball: three rings. */
export const OF_BALL = 3 * PIECES * 2
/** Ends of lines of a collider, at most: a ball at either end, and four lines between. */
export const OF_COLLIDER = 2 * OF_BALL + 8
/** The sine at each end of a piece of a ring, and a quarter of a turn more: the cosine. */
const SINES = /* @__PURE__ */ Float64Array.from({ length: PIECES * 1.25 + 1 }, (_, i) =>
  Math.sin((i / PIECES) * 2 * Math.PI),
)
/** Half the side of what is drawn of a plane, in metres. */
const PLANE = 1

/** Thin lines over everything else, in world space, drawn anew in every frame. Colours are called by their place in a list. */
export class Outlines extends LineSegments<BufferGeometry, LineBasicMaterial> {
  readonly #colors: readonly Color[]
  /** The arrays that are drawn. */
  #positions = new Float32Array(0)
  #shades = new Float32Array(0)
  #at = 0

  constructor(colors: readonly Color[]) {
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
    this.#colors = colors
    this.frustumCulled = false
    this.renderOrder = 1000
    this.matrixAutoUpdate = false
  }

  /** Frees what is drawn; the simulation stays. */
  override dispose(): void {
    this.geometry.dispose()
    this.material.dispose()
  }

  /** Begins anew, with room for so many ends of lines. */
  protected begin(ends: number): void {
    this.#reserve(ends)
    this.#at = 0
  }

  /** What has been drawn since {@link begin} is what is shown. */
  protected end(): void {
    this.geometry.setDrawRange(0, this.#at)
    this.#attribute('position').needsUpdate = true
    this.#attribute('color').needsUpdate = true
  }

  #attribute(name: 'position' | 'color'): BufferAttribute {
    return this.geometry.getAttribute(name) as BufferAttribute
  }

  #reserve(ends: number): void {
    if (this.geometry.getAttribute('position')?.count >= ends) return
    // What was given to the renderer keeps its size.
    this.geometry.dispose()
    this.#positions = this.#attach('position', ends)
    this.#shades = this.#attach('color', ends)
  }

  #attach(name: string, ends: number): Float32Array<ArrayBuffer> {
    const numbers = new Float32Array(ends * 3)
    this.geometry.setAttribute(name, new BufferAttribute(numbers, 3).setUsage(DynamicDrawUsage))
    return numbers
  }

  protected line(ax: number, ay: number, az: number, bx: number, by: number, bz: number, color: number): void {
    const { r, g, b } = this.#colors[color]!
    const at = this.#at * 3
    const positions = this.#positions
    const shades = this.#shades
    positions[at] = ax
    positions[at + 1] = ay
    positions[at + 2] = az
    positions[at + 3] = bx
    positions[at + 4] = by
    positions[at + 5] = bz
    shades[at] = shades[at + 3] = r
    shades[at + 1] = shades[at + 4] = g
    shades[at + 2] = shades[at + 5] = b
    this.#at += 2
  }

  /** Three rings about the axes. */
  protected ball(x: number, y: number, z: number, radius: number, color: number): void {
    for (let i = 0; i < PIECES; i++) {
      const [sin, cos] = [SINES[i]! * radius, SINES[i + PIECES / 4]! * radius]
      const [sine, cosine] = [SINES[i + 1]! * radius, SINES[i + 1 + PIECES / 4]! * radius]
      this.line(x, y + sin, z + cos, x, y + sine, z + cosine, color)
      this.line(x + cos, y, z + sin, x + cosine, y, z + sine, color)
      this.line(x + sin, y + cos, z, x + sine, y + cosine, z, color)
    }
  }

  protected collider(kind: Collider['kind'], pose: Float32Array, color: number): void {
    const [ax, ay, az, bx, by, bz, radius] = pose as unknown as Seven
    if (kind === 'sphere') return this.ball(ax, ay, az, radius, color)
    if (kind === 'plane') return this.#square([ax, ay, az], bx, color)
    if (kind === 'box') return this.#box(pose, color)
    const other = kind === 'taperedCapsule' ? pose[8]! : radius
    this.ball(ax, ay, az, radius, color)
    this.ball(bx, by, bz, other, color)
    const [u, v] = across([bx - ax, by - ay, bz - az])
    for (const [s, t] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      const [x, y, z] = [0, 1, 2].map((i) => u[i]! * s + v[i]! * t) as Vector
      this.line(
        ax + x * radius,
        ay + y * radius,
        az + z * radius,
        bx + x * other,
        by + y * other,
        bz + z * other,
        color,
      )
    }
  }

  #square(normal: Vector, offset: number, color: number): void {
    const [u, v] = across(normal)
    const corner = (s: number, t: number): Vector =>
      [0, 1, 2].map((i) => normal[i]! * offset + (u[i]! * s + v[i]! * t) * PLANE) as Vector
    const corners = [corner(1, 1), corner(1, -1), corner(-1, -1), corner(-1, 1)] as const
    for (let i = 0; i < 4; i++) this.line(...corners[i]!, ...corners[(i + 1) % 4]!, color)
    this.line(...corners[0], ...corners[2], color)
  }

  #box(pose: Float32Array, color: number): void {
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
      for (let a = 0; a < 3; a++) if (!(bits & (1 << a))) this.line(...corner(bits), ...corner(bits | (1 << a)), color)
    }
  }
}

export type Vector = [number, number, number]
type Seven = [number, number, number, number, number, number, number]

/** Two unit vectors at right angles to `v` and to each other. */
export function across([x, y, z]: Vector): [Vector, Vector] {
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
