import * as THREE from 'three'
import { boneIndex, restOf, TIPS } from './rig'
import { BunnyHead, share } from '../../shared/clay/bunny-head'
import { Clay, ellipsoid, limb, sculpt } from '../../shared/clay/clay'
import { smoothstep } from '../../shared/random'

const FUR = new THREE.Color('#f2bd97')
const CREAM = new THREE.Color('#fff0df')

const head = new BunnyHead({
  lift: 0,
  ear: { base: restOf('earL1').toArray(), middle: restOf('earL2').toArray(), tip: TIPS.earL },
  hair: restOf('hair2').toArray(),
  colours: { fur: FUR, cream: CREAM, pink: new THREE.Color('#f58f95'), lock: new THREE.Color('#b0714f') },
})

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
    ...head.skull,
    { bone: 'arm', colour: FUR, blend: 0.045, shape: arm },
    ...head.ears,
    ...head.hair,
  ],
  new THREE.Box3(new THREE.Vector3(-0.51, -0.05, -0.7), new THREE.Vector3(0.51, 1.86, 0.48)),
)

const bellyPatch = ellipsoid([0, 0.36, 0.3], [0.21, 0.23, 0.2])

/** 토끼의 스킨 지오메트리. 두 마리가 하나를 함께 쓴다. */
let made: THREE.BufferGeometry | undefined
export function bunnyGeometry(): THREE.BufferGeometry {
  return (made ??= sculpt(clay, 0.03, boneIndex, { paint, weigh, flush: (p) => head.flush(p) }))
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
  head.paint(p, normal, colour)
}

/** 어느 쪽 발과 팔인지 나눈다. */
function weigh(p: THREE.Vector3, weights: Map<string, number>): void {
  const side = p.x > 0 ? 'L' : 'R'
  share(weights, 'foot', [[`foot${side}`, 1]])
  share(weights, 'arm', [[`arm${side}`, 1]])
  head.weigh(p, weights)
}
