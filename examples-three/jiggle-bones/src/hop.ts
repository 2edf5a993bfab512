import { blink, track } from '../../shared/motion'
import { smoothstep } from '../../shared/random'

/** 토끼 한 마리의 자세. 두 마리가 똑같이 받는다. */
export interface Pose {
  /** 뛰어오른 높이(m), 바라보는 방향(라디안) */
  height: number
  yaw: number
  /** 엉덩이의 높낮이(m), 몸의 세로 늘어남(1 이 그대로) */
  drop: number
  stretch: number
  /** 몸과 고개의 숙임, 고개의 좌우와 갸웃(라디안) */
  pitch: number
  nod: number
  look: number
  tilt: number
  /** 다리를 접은 정도, 팔을 든 정도 (0~1) */
  tuck: number
  arms: number
  /** 표정: 눈 감음 · 놀람 · 웃음 · 볼 붉음 (0~1) */
  blink: number
  wide: number
  happy: number
  flush: number
  /** 땅을 딛고 있는가, 내려앉은 지 몇 초인가 */
  grounded: boolean
  sinceLanding: number
}

/** 뛰어오르는 때와 내려앉는 때, 한 번 뛰고 자리 잡을 때까지(초), 높이(m) */
const LEAP = 0.5
const LAND = 1.08
const SETTLED = 1.9
const HEIGHT = 0.38
/** 뛸 때마다 차례로 바라보는 방향: 비스듬히 서야 꼬리까지 보인다. 한 번은 제자리에서, 한 번은 돌며 뛴다. */
const YAWS = [-0.64, -0.64, 0.64, 0.64] as const

const drop = track(
  [0, 0],
  [0.32, -0.085],
  [0.41, -0.095],
  [LEAP, 0.045],
  [0.7, 0.02],
  [LAND, 0.035],
  [1.17, -0.115],
  [1.36, 0.018],
  [1.54, -0.009],
  [1.72, 0],
)
const stretch = track(
  [0, 1],
  [0.32, 0.87],
  [0.41, 0.855],
  [0.53, 1.15],
  [0.78, 0.99],
  [1.0, 1.07],
  [LAND, 1.1],
  [1.18, 0.78],
  [1.36, 1.07],
  [1.54, 0.975],
  [1.74, 1],
)
const pitch = track(
  [0, 0],
  [0.36, 0.17],
  [0.54, -0.13],
  [0.82, 0.07],
  [LAND, -0.05],
  [1.21, 0.22],
  [1.44, -0.05],
  [1.66, 0],
)
const nod = track(
  [0, 0],
  [0.36, 0.12],
  [0.55, -0.26],
  [0.85, 0.02],
  [1.05, -0.14],
  [1.22, 0.2],
  [1.44, -0.06],
  [1.7, 0],
)
const tuck = track([0.46, 0], [0.64, 1], [0.9, 0.95], [1.05, 0.12], [LAND, 0])
const arms = track([0, 0], [0.38, -0.35], [0.6, 1], [0.9, 0.75], [1.06, 1], [1.24, -0.3], [1.46, 0.12], [1.66, 0])
const wide = track([0.44, 0], [0.58, 1], [0.95, 1], [1.08, 0.2], [1.12, 0])
const squeeze = track([1.05, 0], [1.12, 1], [1.18, 1], [1.27, 0])
const happy = track([1.52, 0], [1.64, 1], [2.2, 1], [2.4, 0])

/** 폴짝: 움츠리고, 솟고, 다리를 접고, 내려앉아 눌렸다가 자리 잡고, 쉰다. */
export class Hop {
  /** 쉬는 시간(초). 판에서 바꾼다. */
  pause = 1
  readonly pose: Pose = {
    height: 0,
    yaw: 0,
    drop: 0,
    stretch: 1,
    pitch: 0,
    nod: 0,
    look: 0,
    tilt: 0,
    tuck: 0,
    arms: 0,
    blink: 0,
    wide: 0,
    happy: 0,
    flush: 0,
    grounded: true,
    sinceLanding: 0,
  }
  #time = 0
  #clock: number
  #count = YAWS.length - 1

  /** at: 한 번의 폴짝 가운데 어디에서 시작할지(초) */
  constructor(at = 0) {
    this.#clock = at
  }

  update(dt: number): Pose {
    this.#time += dt
    this.#clock += dt
    while (this.#clock >= SETTLED + this.pause) {
      this.#clock -= SETTLED + this.pause
      this.#count++
    }
    const t = this.#clock
    const { pose } = this
    const flight = (t - LEAP) / (LAND - LEAP)
    const aloft = flight > 0 && flight < 1
    const rest = smoothstep(1.6, 2.3, t) * (1 - smoothstep(SETTLED + this.pause - 0.35, SETTLED + this.pause, t))
    const breath = Math.sin(this.#time * 2.6)

    pose.height = aloft ? 4 * HEIGHT * flight * (1 - flight) : 0
    pose.grounded = !aloft
    pose.sinceLanding = t >= LAND ? t - LAND : t + SETTLED + this.pause - LAND
    const from = YAWS[this.#count % YAWS.length]!
    const to = YAWS[(this.#count + 1) % YAWS.length]!
    pose.yaw = from + (to - from) * smoothstep(0.06, 0.98, flight)
    pose.drop = drop(t)
    pose.stretch = stretch(t) + breath * 0.011
    pose.pitch = pitch(t)
    pose.nod = nod(t) + breath * 0.012
    // 몸이 돌기 전에 고개가 먼저 그쪽을 본다
    pose.look =
      -0.52 * pose.yaw +
      (to - from) * 0.28 * (smoothstep(0.1, 0.4, t) - smoothstep(0.55, 0.95, t)) +
      Math.sin(this.#time * 0.9) * 0.1 * rest
    pose.tilt = Math.sin(this.#time * 0.63 + 1) * 0.07 * rest
    pose.tuck = tuck(t)
    pose.arms = arms(t) + breath * 0.03
    pose.wide = wide(t)
    pose.blink = Math.max(squeeze(t), blink(this.#time))
    pose.happy = happy(t)
    pose.flush = 0.3 + 0.7 * smoothstep(LAND, LAND + 0.22, t) * (1 - smoothstep(1.9, SETTLED + this.pause, t))
    return pose
  }
}
