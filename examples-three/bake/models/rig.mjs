// 주인공의 뼈대와 걸음. 이름은 Blender 가 내보내는 그대로다(왼쪽 .L, 오른쪽 .R, 차례 .001).

import { Euler, Quaternion, Vector3 } from 'three'

/** 뼈: 이름, 부모, 쉬는 자리(m, 발밑이 원점, 앞은 +z, 왼쪽은 +x) */
const CENTRE = [
  ['Hips', '', [0, 0.52, 0]],
  ['Spine', 'Hips', [0, 0.58, 0]],
  ['Chest', 'Spine', [0, 0.66, 0]],
  ['Neck', 'Chest', [0, 0.8, -0.005]],
  ['Head', 'Neck', [0, 0.87, 0]],
]
const SIDE = [
  ['UpperArm', 'Chest', [0.148, 0.745, -0.005]],
  ['LowerArm', 'UpperArm', [0.232, 0.625, -0.01]],
  ['Hand', 'LowerArm', [0.3, 0.518, 0.01]],
  ['Thigh', 'Hips', [0.078, 0.49, 0]],
  ['Shin', 'Thigh', [0.082, 0.28, 0.008]],
  ['Foot', 'Shin', [0.085, 0.08, -0.005]],
]
/** 땋은 머리: 뒤통수에서 등 뒤로 길게 */
const BRAID = [
  [0, 1.2, -0.262],
  [0, 1.165, -0.345],
  [0, 1.07, -0.405],
  [0, 0.955, -0.43],
  [0, 0.835, -0.44],
  [0, 0.715, -0.445],
]
export const BRAID_TIP = [0, 0.6, -0.447]
export const BRAID_POINTS = [...BRAID, BRAID_TIP]

export const JOINTS = [
  ...CENTRE,
  ...['L', 'R'].flatMap((side) =>
    SIDE.map(([name, parent, [x, y, z]]) => [
      `${name}.${side}`,
      parent === 'Chest' || parent === 'Hips' ? parent : `${parent}.${side}`,
      [side === 'L' ? x : -x, y, z],
    ]),
  ),
  ...BRAID.map((at, k) => [braidBone(k), k ? braidBone(k - 1) : 'Head', at]),
]

export function braidBone(k) {
  return `Braid.${String(k + 1).padStart(3, '0')}`
}

export const restOf = (name) => new Vector3(...JOINTS.find(([own]) => own === name)[2])

/** 한 바퀴(두 걸음)의 시간(s), 되풀이에 든 바퀴 수, 나아가는 빠르기(m/s) */
const CYCLE = 0.8
const ROUNDS = 5
/** 되풀이가 시작하는 때(바퀴의 몫): 모든 뼈가 가장 고르게 움직이는 때라 이음매가 보이지 않는다 */
const START = 0.446
export const SPEED = 0.72
export const DURATION = CYCLE * ROUNDS

/** 발이 땅을 딛고 있는 동안(바퀴의 몫) */
const STANCE = 0.6
const THIGH = restOf('Thigh.L').distanceTo(restOf('Shin.L'))
const SHIN = restOf('Shin.L').distanceTo(restOf('Foot.L'))

const smooth = (a, b, x) => {
  const t = Math.min(1, Math.max(0, (x - a) / (b - a)))
  return t * t * (3 - 2 * t)
}
const bump = (at, width, x) => smooth(at - width, at, x) * (1 - smooth(at, at + width, x))
const turn = (x, y, z, order = 'YXZ') => new Quaternion().setFromEuler(new Euler(x, y, z, order))

/** 발의 자취: 발목의 앞뒤(z)와 높이(m), 발끝의 기울기(rad). phase 0 은 뒤꿈치가 닿는 때. */
function footAt(phase) {
  const reach = (SPEED * STANCE * CYCLE) / 2
  let z
  let lift = 0
  let pitch
  if (phase < STANCE) {
    const s = phase / STANCE
    z = reach * (1 - 2 * s)
    pitch = -0.34 * (1 - smooth(0, 0.16, s)) + 0.62 * smooth(0.62, 1, s)
  } else {
    const s = (phase - STANCE) / (1 - STANCE)
    // 땅을 떠날 때와 닿을 때의 빠르기가 땅과 같다
    const slope = -SPEED * CYCLE * (1 - STANCE)
    z = -reach + s * (slope + s * (6 * reach - 3 * slope + s * (2 * slope - 4 * reach)))
    lift = 0.085 * Math.max(0, Math.sin(Math.PI * s)) ** 1.5
    pitch = 0.62 * (1 - smooth(0, 0.6, s)) - 0.34 * smooth(0.55, 1, s)
  }
  // 발끝이나 뒤꿈치를 축으로 돈다
  const pivot = pitch > 0 ? 0.095 : -0.045
  const ankle = 0.08
  const [c, s] = [Math.cos(pitch), Math.sin(pitch)]
  return { z: z + pivot + -pivot * c + ankle * s, y: lift + pivot * s + ankle * c, pitch }
}

/** t 초의 자세: 뼈마다 회전, 엉덩이와 눈은 그 밖의 것도. */
export function poseAt(t) {
  const phase = (t / CYCLE + START) % 1
  const a = 2 * Math.PI * phase
  const slow = (2 * Math.PI * t) / DURATION
  const pose = {}
  const hips = {
    position: restOf('Hips').add(new Vector3(0.016 * Math.sin(a), -0.03 - 0.016 * Math.cos(2 * a + 0.3), 0)),
    rotation: turn(0.05, -0.16 * Math.cos(a), -0.05 * Math.sin(a)),
  }
  pose.Hips = hips
  pose.Spine = { rotation: turn(0.02, 0.12 * Math.cos(a), 0.03 * Math.sin(a)) }
  pose.Chest = { rotation: turn(-0.03 + 0.02 * Math.cos(2 * a), 0.2 * Math.cos(a), 0.04 * Math.sin(a)) }
  pose.Neck = { rotation: turn(0, -0.06 * Math.cos(a), -0.02 * Math.sin(a)) }
  // 가볍게 까닥이며, 되풀이 한 번에 한 번 옆을 본다
  const look = 0.34 * bump(2.1, 1.1, t)
  pose.Head = {
    rotation: turn(
      -0.03 + 0.035 * Math.cos(2 * a + 0.9),
      -0.09 * Math.cos(a) + look + 0.05 * Math.sin(slow),
      -0.03 * Math.sin(a) + 0.05 * Math.sin(slow + 1),
    ),
  }
  for (const [side, sign] of [
    ['L', 1],
    ['R', -1],
  ]) {
    const own = side === 'L' ? a : a + Math.PI
    const swing = Math.cos(own)
    const drop = new Quaternion().setFromEuler(new Euler(0, 0, sign * -0.24))
    pose[`UpperArm.${side}`] = { rotation: turn(0.52 * swing + 0.04, 0, sign * 0.04).multiply(drop) }
    pose[`LowerArm.${side}`] = { rotation: turn(-0.52 + 0.26 * Math.cos(own - 0.5), 0, sign * -0.12) }
    pose[`Hand.${side}`] = { rotation: turn(-0.1 - 0.1 * Math.cos(own - 0.9), 0, 0) }

    // 두 마디 다리: 무릎은 앞으로
    const foot = footAt(side === 'L' ? phase : (phase + 0.5) % 1)
    const hip = restOf(`Thigh.${side}`).sub(restOf('Hips')).applyQuaternion(hips.rotation).add(hips.position)
    const ankle = new Vector3(restOf(`Foot.${side}`).x * 0.8, foot.y, foot.z)
    const way = ankle.clone().sub(hip)
    const length = Math.min(way.length(), THIGH + SHIN - 0.001)
    way.normalize()
    const along = (length ** 2 + THIGH ** 2 - SHIN ** 2) / (2 * length)
    const bend = Math.sqrt(Math.max(0, THIGH ** 2 - along ** 2))
    const front = new Vector3(sign * 0.1, 0, 1).addScaledVector(way, -way.z - sign * 0.1 * way.x).normalize()
    const knee = hip.clone().addScaledVector(way, along).addScaledVector(front, bend)
    const thigh = aim(restOf(`Shin.${side}`).sub(restOf(`Thigh.${side}`)), knee.clone().sub(hip))
    const shin = aim(restOf(`Foot.${side}`).sub(restOf(`Shin.${side}`)), hip.addScaledVector(way, length).sub(knee))
    pose[`Thigh.${side}`] = { rotation: hips.rotation.clone().invert().multiply(thigh) }
    pose[`Shin.${side}`] = { rotation: thigh.clone().invert().multiply(shin) }
    pose[`Foot.${side}`] = {
      rotation: shin
        .clone()
        .invert()
        .multiply(turn(foot.pitch, sign * 0.12, 0)),
    }
  }
  const shut = Math.max(bump(0.9, 0.1, t), bump(3.2, 0.1, t), bump(3.42, 0.1, t))
  pose.Eyes = { scale: new Vector3(1 + 0.06 * shut, 1 - 0.92 * shut, 1) }
  return pose
}

/** 쉬는 방향 from 을 to 로 돌린다. */
function aim(from, to) {
  return new Quaternion().setFromUnitVectors(from.normalize(), to.clone().normalize())
}
