import * as THREE from 'three'
import { LEG, type Bones } from './knight'
import { approach, smoothstep } from '../../shared/random'

/** 순찰: 성벽을 따라 x = ∓REACH 를 오가며 양 끝에서 성 밖을 내다본다. */
const REACH = 2.7
const SPEED = 1.0
/** 빠르기가 붙고 빠지는 데 걸리는 시간, 도는 시간, 내다보는 시간(초) */
const EASE = 0.7
const TURN = 1.1
const LOOK = 3.2
const WALK = (2 * REACH) / SPEED + EASE
const LEG_TIME = WALK + TURN + LOOK + TURN
const LANE = -0.3

/** 한 걸음의 시간, 발이 떠 있는 시간(초), 몸보다 앞서 딛는 시간(초) */
const STEP = 0.54
const SWING = 0.42
const LEAD = 0.3

interface Foot {
  at: THREE.Vector3
  yaw: number
  from: THREE.Vector3
  fromYaw: number
  fromPitch: number
  /** 0~1, 1 이면 땅을 딛고 있다 */
  swing: number
  /** 딛고 나서 지난 시간(초) */
  planted: number
  pitch: number
}

const UP = new THREE.Vector3(0, 1, 0)

/** 기사의 걸음: 순찰 길을 따라 몸이 가고, 발은 땅을 디딘 채 뒤처지면 한 발씩 옮긴다. */
export class Gait {
  /** 걷고 있는가 (판의 걷기/멈춤) */
  walking = true
  /** 몸의 빠르기(m/s)와 걷는 방향: +1 은 오른쪽, −1 은 왼쪽 */
  speed = 0
  heading = 1
  yaw = Math.PI / 2
  readonly position = new THREE.Vector3(0, 0, LANE)
  #bones: Bones
  #clock: number
  #pace = 1
  #time = 0
  #sinceStep = 0
  #sway = 0
  #feet: Foot[]
  #hips = new THREE.Vector3()
  #a = new THREE.Vector3()
  #b = new THREE.Vector3()
  #c = new THREE.Vector3()
  #front = new THREE.Vector3()
  #basis = new THREE.Matrix4()

  /** start 는 순찰을 시작하는 때(초). */
  constructor(bones: Bones, start = 1.2) {
    this.#bones = bones
    this.#clock = start
    this.#patrol()
    this.#feet = [1, -1].map((side) => {
      const at = this.#home(side, new THREE.Vector3())
      return { at, yaw: this.yaw, from: at.clone(), fromYaw: this.yaw, fromPitch: 0, swing: 1, planted: 1, pitch: 0 }
    })
    this.update(0)
  }

  /** dt 초 만큼 걷고 모든 뼈의 자세를 정한다. */
  update(dt: number): void {
    this.#time += dt
    this.#pace = approach(this.#pace, this.walking ? 1 : 0, 5, dt)
    if (!this.walking && this.#pace < 0.02) this.#pace = 0
    const x = this.position.x
    this.#clock += dt * this.#pace
    this.#patrol()
    const velocity = dt > 0 ? (this.position.x - x) / dt : 0
    this.speed = Math.abs(velocity)
    this.#stepFeet(dt, velocity)
    this.#pose(dt)
  }

  /** 순찰 시각에서 자리와 방향을 얻는다. 오가는 두 길은 서로 거울이다. */
  #patrol(): void {
    const side = Math.floor(this.#clock / LEG_TIME) % 2 ? -1 : 1
    const t = this.#clock % LEG_TIME
    // 사다리꼴 빠르기: 천천히 붙고 천천히 빠진다
    const travelled =
      SPEED *
      (t < EASE
        ? (t * t) / (2 * EASE)
        : t < WALK - EASE
          ? t - EASE / 2
          : t < WALK
            ? WALK - EASE - (WALK - t) ** 2 / (2 * EASE)
            : WALK - EASE)
    this.position.set(side * (travelled - REACH), 0, LANE)
    // 90° 는 오른쪽, 180° 는 성 밖, 270° 는 왼쪽
    const turned = smoothstep(WALK - 0.25, WALK + TURN, t) + smoothstep(WALK + TURN + LOOK, LEG_TIME + 0.1, t)
    this.yaw = Math.PI - side * (1 - turned) * (Math.PI / 2)
    this.heading = t < WALK + TURN + LOOK ? side : -side
  }

  /** 서 있을 때 발이 놓일 자리. */
  #home(side: number, out: THREE.Vector3): THREE.Vector3 {
    return out
      .set(side * (LEG.half + 0.012), 0, 0)
      .applyAxisAngle(UP, this.yaw)
      .add(this.position)
  }

  #stepFeet(dt: number, velocity: number): void {
    this.#sinceStep += dt
    const feet = this.#feet
    const target = this.#a
    let worst = -1
    let error = 0
    feet.forEach((foot, k) => {
      const side = k ? -1 : 1
      const toes = this.yaw + side * 0.12
      if (foot.swing < 1) {
        this.#home(side, target).x += velocity * (LEAD + (1 - foot.swing) * SWING)
        foot.swing = Math.min(1, foot.swing + dt / SWING)
        const s = smoothstep(0, 1, foot.swing)
        foot.at.lerpVectors(foot.from, target, s)
        foot.at.y = Math.sin(Math.PI * Math.min(1, foot.swing * 1.08)) * (0.035 + 0.075 * Math.min(1, this.speed))
        if (foot.at.y < 0) foot.at.y = 0
        foot.yaw = foot.fromYaw + (toes - foot.fromYaw) * s
        foot.pitch =
          foot.fromPitch * (1 - smoothstep(0, 0.75, foot.swing)) -
          0.3 * Math.min(1, this.speed) * smoothstep(0.5, 0.95, foot.swing)
        if (foot.swing === 1) foot.planted = 0
        return
      }
      foot.planted += dt
      foot.at.y = 0
      // 뒤꿈치부터 딛고, 몸이 지나가면 뒤꿈치가 들린다
      const behind = (this.position.x - foot.at.x) * Math.sign(velocity || 1) * Math.min(1, this.speed * 2)
      foot.pitch = approach(foot.pitch, 0.85 * smoothstep(0.1, 0.42, behind), foot.pitch < 0 ? 16 : 22, dt)
      const off = this.#home(side, target).distanceTo(foot.at) + 0.25 * Math.max(0, Math.abs(toes - foot.yaw) - 0.2)
      if (off > error) {
        error = off
        worst = k
      }
    })
    if (worst < 0 || error < 0.05 || this.#sinceStep < STEP || feet.some((foot) => foot.swing < 1)) return
    const foot = feet[worst]!
    foot.swing = 0
    foot.from.copy(foot.at)
    foot.fromYaw = foot.yaw
    foot.fromPitch = foot.pitch
    this.#sinceStep = 0
  }

  #pose(dt: number): void {
    const { root, hips, chest, head, plume, arms, legs } = this.#bones
    const [left, right] = this.#feet as [Foot, Foot]
    const still = 1 - Math.min(1, this.speed / 0.6)
    root.position.copy(this.position)
    root.rotation.y = this.yaw
    root.updateMatrixWorld()

    // 두 발의 앞뒤 차이가 골반 · 어깨 · 팔을 함께 움직인다
    const forward = (foot: Foot): number =>
      (foot.at.x - this.position.x) * Math.sin(this.yaw) + (foot.at.z - this.position.z) * Math.cos(this.yaw)
    const spread = THREE.MathUtils.clamp(forward(left) - forward(right), -0.8, 0.8)
    this.#sway = approach(this.#sway, (right.at.y - left.at.y) * 9, 9, dt)
    const breath = Math.sin(this.#time * 1.7)
    hips.position.set(this.#sway * 0.034, 0.918 - 0.018 * Math.min(1, this.speed) - 0.1 * spread * spread, 0)
    hips.rotation.set(0.02, -spread * 0.26, -this.#sway * 0.055)
    chest.rotation.set(
      0.03 + 0.05 * Math.min(1, this.speed) + breath * 0.006 - still * 0.02,
      spread * 0.5,
      this.#sway * 0.06,
    )
    const gaze = still * (0.5 * Math.sin(this.#time * 0.75) + 0.12 * Math.sin(this.#time * 1.9))
    head.rotation.set(
      0.03 - 0.05 * Math.min(1, this.speed) + 0.02 * breath * still,
      gaze - spread * 0.2,
      -this.#sway * 0.02,
    )
    plume.rotation.set(
      -0.05 + 0.06 * Math.sin(this.#time * 3.1) + 0.1 * Math.min(1, this.speed),
      0,
      0.05 * Math.sin(this.#time * 2.3) - this.#sway * 0.12,
    )

    arms.forEach(({ upper, fore }, k) => {
      const side = k ? -1 : 1
      const swing = spread * side * 0.78
      upper.rotation.set(swing + 0.08, 0, side * (0.17 + 0.015 * breath))
      fore.rotation.set(-0.3 - Math.max(0, -swing) * 0.9 - 0.1 * still, side * -0.1, 0)
    })
    legs.forEach((leg, k) => this.#leg(leg, this.#feet[k]!, k ? -1 : 1))
    root.updateMatrixWorld(true)
  }

  /** 두 마디 다리: 엉덩관절과 발목 사이에서 무릎을 앞으로 굽힌다. */
  #leg({ thigh, shin, foot }: Bones['legs'][number], { at, yaw, pitch }: Foot, side: number): void {
    const { hips } = this.#bones
    const hip = this.#hips
      .set(side * LEG.half, -0.02, 0)
      .applyEuler(hips.rotation)
      .add(hips.position)
    // 발목: 뒤꿈치가 들리면 발볼을, 발끝이 들리면 뒤꿈치를 축으로 돈다
    const pivot = pitch > 0 ? 0.125 : -0.05
    const ankle = this.#a.set(0, LEG.ankle, -pivot).applyAxisAngle(this.#c.set(1, 0, 0), pitch)
    ankle.z += pivot
    ankle.applyAxisAngle(UP, yaw).add(at)
    this.#bones.root.worldToLocal(ankle)

    const reach = this.#b.subVectors(ankle, hip)
    const length = Math.min(reach.length(), LEG.thigh + LEG.shin - 0.002)
    reach.normalize()
    const along = (length * length + LEG.thigh ** 2 - LEG.shin ** 2) / (2 * length)
    const bend = Math.sqrt(Math.max(0, LEG.thigh ** 2 - along * along))
    const front = this.#c.set(Math.sin(side * 0.1), 0, Math.cos(side * 0.1))
    front.addScaledVector(reach, -front.dot(reach)).normalize()
    thigh.position.copy(hip)
    shin.position.copy(hip).addScaledVector(reach, along).addScaledVector(front, bend)
    foot.position.copy(hip).addScaledVector(reach, length)
    this.#aim(thigh, shin.position)
    this.#aim(shin, foot.position)
    foot.rotation.set(pitch, yaw - this.yaw, 0, 'YXZ')
  }

  /** 뼈의 −y 가 end 를, +z 가 앞을 보게 한다. */
  #aim(bone: THREE.Group, end: THREE.Vector3): void {
    const y = this.#b.subVectors(bone.position, end).normalize()
    const z = this.#front.set(0, 0, 1).addScaledVector(y, -y.z).normalize()
    const x = this.#c.crossVectors(y, z)
    bone.quaternion.setFromRotationMatrix(this.#basis.makeBasis(x, y, z))
  }
}
