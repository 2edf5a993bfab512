import * as THREE from 'three'
import { ellipsoid, limb, type Lump, type Shape } from './clay'
import { smoothstep } from '../random'

type Spot = readonly [number, number, number]

/** 머리를 어디에 얹는가: 높이(m), 왼쪽 귀의 밑 · 가운데 · 끝, 머리카락의 가운데, 빛깔 */
export interface HeadPlan {
  lift: number
  ear: { base: Spot; middle: Spot; tip: Spot }
  hair: Spot
  colours: { fur: THREE.Color; cream: THREE.Color; pink: THREE.Color; lock: THREE.Color }
}

/** 점토 토끼의 머리: 예제의 토끼들이 함께 쓴다. 덩이는 skull · ear · hair · fringe 뼈를 따라간다. */
export class BunnyHead {
  readonly skull: readonly Lump[]
  readonly ears: readonly Lump[]
  readonly hair: readonly Lump[]
  #plan: HeadPlan
  #innerEar: Shape
  #cheek: THREE.Vector3

  constructor(plan: HeadPlan) {
    this.#plan = plan
    const { lift, ear: at, hair } = plan
    const { fur, cream, lock } = plan.colours
    const ear = (base: number, middle: number, tip: number, forward = 0): Shape =>
      limb(
        [
          [...shift(at.base, -0.03, forward ? 0.04 : -0.05, forward), base],
          [...shift(at.middle, -0.008, -0.02, forward), middle],
          [...shift(at.tip, -0.024, -0.075, forward), tip],
        ],
        { mirrored: true, flat: 1.6 },
      )
    const up = (x: number, y: number, z: number): [number, number, number] => [x, y + lift, z]
    this.#innerEar = ear(0.004, 0.08, 0.062, 0.092)
    this.#cheek = new THREE.Vector3(...up(0.25, 0.775, 0.25))
    const skull = (colour: THREE.Color, blend: number, shape: Shape): Lump => ({ bone: 'skull', colour, blend, shape })
    this.skull = [
      skull(fur, 0.09, ellipsoid(up(0, 0.89, 0.02), [0.37, 0.31, 0.325])),
      skull(fur, 0.12, ellipsoid(up(0.22, 0.78, 0.12), [0.16, 0.125, 0.15], 0, true)),
      skull(cream, 0.06, ellipsoid(up(0.045, 0.775, 0.31), [0.075, 0.06, 0.06], 0, true)),
    ]
    this.ears = [
      { bone: 'ear', colour: fur, blend: 0.05, shape: ear(0.068, 0.119, 0.097) },
      { bone: 'ear', colour: fur, blend: 0.06, carve: true, shape: this.#innerEar },
    ]
    const strands = (bone: string, blend: number, ...joints: [number, number, number, number][]): Lump => ({
      bone,
      colour: lock,
      blend,
      shape: limb(joints),
    })
    this.hair = [
      strands('hair', 0.05, [...up(0, 1.13, 0.05), 0.1], [...hair, 0.092], [...up(0.055, 1.375, 0.2), 0.05]),
      strands(
        'fringe',
        0.06,
        [...up(-0.05, 1.14, 0.06), 0.085],
        [...up(-0.105, 1.21, 0.13), 0.07],
        [...up(-0.125, 1.2, 0.21), 0.044],
      ),
      strands(
        'fringe',
        0.06,
        [...up(0.05, 1.14, 0.07), 0.08],
        [...up(0.115, 1.19, 0.14), 0.062],
        [...up(0.14, 1.165, 0.22), 0.042],
      ),
    ]
  }

  /** 귓속과 턱을 칠한다. */
  paint(p: THREE.Vector3, normal: THREE.Vector3, colour: THREE.Color): void {
    const { cream, pink } = this.#plan.colours
    const y = p.y - this.#plan.lift
    // 귓속: 앞을 보는 움푹한 곳만
    const hollow = this.#innerEar.distance(p.x, p.y, p.z)
    if (y > 1.11) colour.lerp(pink, smoothstep(0.022, -0.002, hollow) * smoothstep(-0.1, 0.25, normal.z))
    // 턱은 조금 밝게
    if (y > 0.61 && y < 0.89) colour.lerp(cream, 0.55 * smoothstep(0.24, 0.36, p.z) * smoothstep(0.89, 0.81, y))
  }

  /** 어느 쪽 귀인지, 귀와 머리카락의 어느 마디인지 나눈다. */
  weigh(p: THREE.Vector3, weights: Map<string, number>): void {
    const side = p.x > 0 ? 'L' : 'R'
    const y = p.y - this.#plan.lift
    const upper = smoothstep(1.27, 1.53, y)
    const rooted = smoothstep(1.07, 1.18, y)
    share(weights, 'ear', [
      ['skull', 1 - rooted],
      [`ear${side}1`, rooted * (1 - upper)],
      [`ear${side}2`, rooted * upper],
    ])
    const lock = smoothstep(1.2, 1.36, y + p.z * 0.3)
    const grown = smoothstep(1.12, 1.22, y)
    share(weights, 'hair', [
      ['skull', 1 - grown],
      ['hair1', grown * (1 - lock)],
      ['hair2', grown * lock],
    ])
    // 옆 머리카락은 뿌리만 조금 따라간다
    share(weights, 'fringe', [
      ['skull', 1 - grown * 0.5],
      ['hair1', grown * 0.5],
    ])
  }

  /** 볼이 붉어지는 곳 (0~1) */
  flush(p: THREE.Vector3): number {
    const cheek = this.#cheek
    return smoothstep(0.14, 0.03, Math.hypot(Math.abs(p.x) - cheek.x, (p.y - cheek.y) * 1.25, p.z - cheek.z))
  }
}

/** from 뼈의 무게를 다른 뼈들에게 나눠 준다. */
export function share(
  weights: Map<string, number>,
  from: string,
  to: readonly (readonly [bone: string, part: number])[],
): void {
  const weight = weights.get(from)
  if (weight === undefined) return
  weights.delete(from)
  for (const [bone, part] of to) if (weight * part > 1e-4) weights.set(bone, (weights.get(bone) ?? 0) + weight * part)
}

const shift = ([x, y, z]: Spot, dx: number, dy: number, dz: number): [number, number, number] => [
  x + dx,
  y + dy,
  z + dz,
]
