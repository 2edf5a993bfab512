import * as THREE from 'three'
import { Clay, ellipsoid, limb, sculpt, type Shape } from './clay'
import { boneIndex, restOf, TIPS } from './rig'
import { smoothstep } from '../../shared/random'

const FUR = new THREE.Color('#f2bd97')
const CREAM = new THREE.Color('#fff0df')
const PINK = new THREE.Color('#f58f95')
const LOCK = new THREE.Color('#b0714f')

const left = (name: 'earL1' | 'earL2' | 'hair1' | 'hair2'): [number, number, number] => restOf(name).toArray()
const ear = (base: number, middle: number, tip: number, forward = 0): Shape =>
  limb(
    [
      [...shift(left('earL1'), -0.03, forward ? 0.04 : -0.05, forward), base],
      [...shift(left('earL2'), -0.008, -0.02, forward), middle],
      [...shift([...TIPS.earL], -0.024, -0.075, forward), tip],
    ],
    { mirrored: true, flat: 1.6 },
  )
const shift = ([x, y, z]: [number, number, number], dx: number, dy: number, dz: number): [number, number, number] => [
  x + dx,
  y + dy,
  z + dz,
]
const innerEar = ear(0.004, 0.08, 0.062, 0.092)

const arm = limb(
  [
    [0.2, 0.55, 0.06, 0.072],
    [0.265, 0.43, 0.15, 0.069],
    [0.2, 0.33, 0.255, 0.079],
  ],
  { mirrored: true },
)

/** 토끼를 이루는 덩이들. 왼쪽에 붙인 것은 좌우 한 쌍이다. */
export const clay = new Clay(
  [
    { bone: 'belly', colour: FUR, blend: 0.1, shape: ellipsoid([0, 0.32, -0.04], [0.335, 0.295, 0.32]) },
    { bone: 'chest', colour: FUR, blend: 0.2, shape: ellipsoid([0, 0.53, -0.01], [0.235, 0.19, 0.21]) },
    { bone: 'belly', colour: FUR, blend: 0.1, shape: ellipsoid([0.25, 0.19, 0.03], [0.125, 0.165, 0.19], 0.25, true) },
    { bone: 'foot', colour: FUR, blend: 0.05, shape: ellipsoid([0.18, 0.075, 0.17], [0.105, 0.08, 0.2], -0.05, true) },
    { bone: 'tail', colour: CREAM, blend: 0.035, shape: ellipsoid([0, 0.33, -0.49], [0.17, 0.165, 0.165]) },
    { bone: 'skull', colour: FUR, blend: 0.09, shape: ellipsoid([0, 0.89, 0.02], [0.37, 0.31, 0.325]) },
    { bone: 'skull', colour: FUR, blend: 0.12, shape: ellipsoid([0.22, 0.78, 0.12], [0.16, 0.125, 0.15], 0, true) },
    { bone: 'skull', colour: CREAM, blend: 0.06, shape: ellipsoid([0.045, 0.775, 0.31], [0.075, 0.06, 0.06], 0, true) },
    {
      bone: 'arm',
      colour: FUR,
      blend: 0.045,
      shape: arm,
    },
    { bone: 'ear', colour: FUR, blend: 0.05, shape: ear(0.068, 0.119, 0.097) },
    { bone: 'ear', colour: FUR, blend: 0.06, carve: true, shape: innerEar },
    {
      bone: 'hair',
      colour: LOCK,
      blend: 0.05,
      shape: limb([
        [0, 1.13, 0.05, 0.1],
        [...left('hair2'), 0.092],
        [0.055, 1.375, 0.2, 0.05],
      ]),
    },
    {
      bone: 'fringe',
      colour: LOCK,
      blend: 0.06,
      shape: limb([
        [-0.05, 1.14, 0.06, 0.085],
        [-0.105, 1.21, 0.13, 0.07],
        [-0.125, 1.2, 0.21, 0.044],
      ]),
    },
    {
      bone: 'fringe',
      colour: LOCK,
      blend: 0.06,
      shape: limb([
        [0.05, 1.14, 0.07, 0.08],
        [0.115, 1.19, 0.14, 0.062],
        [0.14, 1.165, 0.22, 0.042],
      ]),
    },
  ],
  new THREE.Box3(new THREE.Vector3(-0.51, -0.05, -0.7), new THREE.Vector3(0.51, 1.86, 0.48)),
)

const bellyPatch = ellipsoid([0, 0.36, 0.3], [0.21, 0.23, 0.2])
const cheek = new THREE.Vector3(0.25, 0.775, 0.25)

/** 토끼의 스킨 지오메트리. 두 마리가 하나를 함께 쓴다. */
let made: THREE.BufferGeometry | undefined
export function bunnyGeometry(): THREE.BufferGeometry {
  return (made ??= sculpt(clay, 0.03, boneIndex, { paint, weigh, flush }))
}

function paint(p: THREE.Vector3, normal: THREE.Vector3, colour: THREE.Color): void {
  if (p.y < 0.62 && p.z > 0) {
    const onBody =
      smoothstep(0.04, -0.02, bellyPatch.distance(p.x, p.y, p.z)) *
      smoothstep(0.05, 0.12, p.y) *
      smoothstep(0.005, 0.06, arm.distance(p.x, p.y, p.z))
    colour.lerp(CREAM, onBody * 0.9)
  }
  // 손끝과 발끝
  const paw = Math.hypot(Math.abs(p.x) - 0.195, p.y - 0.295, p.z - 0.3)
  colour.lerp(p.y < 0.42 && paw < 0.16 ? FUR : colour, smoothstep(0.16, 0.12, paw))
  colour.lerp(CREAM, 0.7 * smoothstep(0.08, 0.05, paw))
  if (p.y < 0.17) colour.lerp(CREAM, 0.85 * smoothstep(0.2, 0.28, p.z))
  // 귓속: 앞을 보는 움푹한 곳만
  const hollow = innerEar.distance(p.x, p.y, p.z)
  if (p.y > 1.11) colour.lerp(PINK, smoothstep(0.022, -0.002, hollow) * smoothstep(-0.1, 0.25, normal.z))
  // 배와 턱은 조금 밝게
  if (p.y > 0.61 && p.y < 0.89) colour.lerp(CREAM, 0.55 * smoothstep(0.24, 0.36, p.z) * smoothstep(0.89, 0.81, p.y))
}

/** 어느 쪽 귀인지, 귀의 어느 마디인지, 머리카락의 어느 마디인지 나눈다. */
function weigh(p: THREE.Vector3, weights: Map<string, number>): void {
  const side = p.x > 0 ? 'L' : 'R'
  const share = (from: string, to: readonly (readonly [string, number])[]): void => {
    const weight = weights.get(from)
    if (weight === undefined) return
    weights.delete(from)
    for (const [bone, part] of to) if (weight * part > 1e-4) weights.set(bone, (weights.get(bone) ?? 0) + weight * part)
  }
  share('foot', [[`foot${side}`, 1]])
  share('arm', [[`arm${side}`, 1]])
  const upper = smoothstep(1.27, 1.53, p.y)
  const rooted = smoothstep(1.07, 1.18, p.y)
  share('ear', [
    ['skull', 1 - rooted],
    [`ear${side}1`, rooted * (1 - upper)],
    [`ear${side}2`, rooted * upper],
  ])
  const lock = smoothstep(1.2, 1.36, p.y + p.z * 0.3)
  const grown = smoothstep(1.12, 1.22, p.y)
  share('hair', [
    ['skull', 1 - grown],
    ['hair1', grown * (1 - lock)],
    ['hair2', grown * lock],
  ])
  // 옆 머리카락은 뿌리만 조금 따라간다
  share('fringe', [
    ['skull', 1 - grown * 0.5],
    ['hair1', grown * 0.5],
  ])
}

/** 볼이 붉어지는 곳 */
function flush(p: THREE.Vector3): number {
  return smoothstep(0.14, 0.03, Math.hypot(Math.abs(p.x) - cheek.x, (p.y - cheek.y) * 1.25, p.z - cheek.z))
}
