import * as THREE from 'three'
import { boneIndex, HEAD_LIFT, restOf, TIPS } from './rig'
import { BunnyHead, share } from '../../shared/clay/bunny-head'
import { Clay, ellipsoid, limb, sculpt } from '../../shared/clay/clay'
import { smoothstep } from '../../shared/random'

const FUR = new THREE.Color('#f5dcc3')
const CREAM = new THREE.Color('#fff6ea')
const PINK = new THREE.Color('#f58f95')
const BOW = new THREE.Color('#e8455f')

const head = new BunnyHead({
  lift: HEAD_LIFT,
  ear: { base: restOf('earL1').toArray(), middle: restOf('earL2').toArray(), tip: TIPS.earL },
  hair: [0.01, 1.3 + HEAD_LIFT, 0.1],
  colours: { fur: FUR, cream: CREAM, pink: PINK, lock: new THREE.Color('#e7a25f') },
})

const at = (name: Parameters<typeof restOf>[0]): [number, number, number] => restOf(name).toArray()

/** 토끼를 이루는 덩이들. 왼쪽에 붙인 것은 좌우 한 쌍이다. 팔다리는 몸과 떨어져 있어야 흐느적거릴 때 찢기지 않는다. */
export const clay = new Clay(
  [
    { bone: 'hips', colour: FUR, blend: 0.1, shape: ellipsoid([0, 0.54, -0.005], [0.262, 0.25, 0.235]) },
    { bone: 'chest', colour: FUR, blend: 0.14, shape: ellipsoid([0, 0.71, 0], [0.185, 0.16, 0.17]) },
    {
      bone: 'thigh',
      colour: FUR,
      blend: 0.07,
      shape: limb([[...at('thighL'), 0.115] as const, [...at('shinL'), 0.098] as const], { mirrored: true }),
    },
    {
      bone: 'shin',
      colour: FUR,
      blend: 0.02,
      shape: limb([[...at('shinL'), 0.098] as const, [...at('footL'), 0.088] as const], { mirrored: true }),
    },
    { bone: 'foot', colour: FUR, blend: 0.05, shape: ellipsoid([0.152, 0.07, 0.085], [0.102, 0.072, 0.18], 0, true) },
    { bone: 'tail', colour: CREAM, blend: 0.035, shape: ellipsoid([0, 0.43, -0.29], [0.135, 0.13, 0.13]) },
    ...head.skull,
    {
      bone: 'arm',
      colour: FUR,
      blend: 0.035,
      shape: limb(
        [
          [0.165, 0.755, 0, 0.062],
          [0.3, 0.655, 0.035, 0.066],
          [...TIPS.armL, 0.088],
        ],
        { mirrored: true },
      ),
    },
    ...head.ears,
    ...head.hair,
    // 나비넥타이
    { bone: 'chest', colour: BOW, blend: 0.012, shape: ellipsoid([0.078, 0.69, 0.213], [0.08, 0.06, 0.04], 0, true) },
    { bone: 'chest', colour: BOW, blend: 0.01, shape: ellipsoid([0, 0.69, 0.225], [0.04, 0.042, 0.042]) },
  ],
  new THREE.Box3(new THREE.Vector3(-0.54, -0.04, -0.46), new THREE.Vector3(0.54, 2.03, 0.48)),
)

const bellyPatch = ellipsoid([0, 0.5, 0.2], [0.17, 0.19, 0.16])

/** 토끼의 스킨 지오메트리. 촘촘함(m)마다 한 번 만들어 함께 쓴다. */
const made = new Map<number, THREE.BufferGeometry>()
export function bunnyGeometry(cell: number): THREE.BufferGeometry {
  let geometry = made.get(cell)
  if (!geometry)
    made.set(cell, (geometry = sculpt(clay, cell, boneIndex, { paint, weigh, flush: (p) => head.flush(p) })))
  return geometry
}

function paint(p: THREE.Vector3, normal: THREE.Vector3, colour: THREE.Color): void {
  if (p.y < 0.66 && p.z > 0) colour.lerp(CREAM, 0.9 * smoothstep(0.03, -0.03, bellyPatch.distance(p.x, p.y, p.z)))
  // 손끝과 발끝
  const paw = Math.hypot(Math.abs(p.x) - TIPS.armL[0], p.y - TIPS.armL[1], p.z - TIPS.armL[2])
  colour.lerp(CREAM, 0.85 * smoothstep(0.12, 0.07, paw))
  if (p.y < 0.15) colour.lerp(CREAM, 0.85 * smoothstep(0.1, 0.19, p.z))
  head.paint(p, normal, colour)
}

/** 어느 쪽 팔다리인지 나눈다. 머리카락은 머리에 붙어 있다. */
function weigh(p: THREE.Vector3, weights: Map<string, number>): void {
  const side = p.x > 0 ? 'L' : 'R'
  for (const part of ['arm', 'thigh', 'shin', 'foot']) share(weights, part, [[`${part}${side}`, 1]])
  head.weigh(p, weights)
  for (const lock of ['hair1', 'hair2']) share(weights, lock, [['skull', 1]])
}
