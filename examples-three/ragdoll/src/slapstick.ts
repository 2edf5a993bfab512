import * as THREE from 'three'
import { Ragdoll, RagdollHelper, type Backend } from 'limber'
import { Ball, BALL_RADIUS } from './ball'
import { Bunny, STANDING, type Pose } from './bunny'
import { bunnyRagdoll, POINT_RADII } from './bunny-ragdoll'
import { Dust, Stars } from './effects'
import { settings, STICK_COLOURS, type Act } from './settings'
import { STAGE_RADIUS } from './theatre'
import type { State } from './wording'
import { blink, track } from '../../shared/motion'
import { approach, seeded, smoothstep } from '../../shared/random'

/** 차례: 서 있기, 공이 날아옴, 맞아서 흐물(끄면 널빤지), 일어나기, 제자리로 */
type Phase = 'calm' | 'fright' | 'limp' | 'board' | 'gettingUp' | 'home'

/** 공을 던지는 곳, 닿는 곳(토끼의 왼뺨 옆), 날아오는 시간(초) */
const THROWN = new THREE.Vector3(-4.2, 1.15, 1.3)
const HIT = new THREE.Vector3(-0.3, 0.95, 0.1)
/** 닿을 때 공의 가운데: HIT 에서 이만큼 */
const BESIDE = new THREE.Vector3(BALL_RADIUS * -0.82, 0.05, 0.07)
/** 던질 때마다 조금씩 다르게: 처음은 한가운데, 그다음부터 이 안에서(m) */
const SPREAD = { y: 0.1, z: 0.06 }
const FLIGHT = 0.8
/** 다음 공까지 서 있는 시간, 누워 있는 시간(초) */
const CALM = 1.5
const LYING = [2.3, 2.7] as const
const GET_UP = 0.9
/** 한 번 뛰는 시간(초)과 거리(m) */
const HOP = 0.46
const STRIDE = 0.55

const squash = track([0, 1], [0.1, 0.86], [0.22, 1.1], [0.5, 1], [0.76, 1.06], [0.88, 0.84], [1, 1])
const shake = track([0, 0], [0.12, 1], [0.24, -1], [0.36, 0.8], [0.48, -0.6], [0.6, 0.3], [0.72, 0])

/** 공에 맞아 흐물흐물 넘어졌다가 일어나 제자리로 돌아오는 토끼. */
export class Slapstick implements Act {
  readonly group = new THREE.Group()
  readonly ragdoll: Ragdoll
  /** 조명과 카메라가 따라갈 곳 */
  readonly focus = new THREE.Vector3(0, 0.7, 0)
  #bunny = new Bunny()
  #ball = new Ball(STAGE_RADIUS)
  #stars = new Stars()
  #dust = new Dust()
  #helper: RagdollHelper
  #pose: Pose = { ...STANDING }
  #phase: Phase = 'calm'
  /** 지금 차례가 시작된 지, 맞은 지 몇 초인가 */
  #clock = CALM - 0.3
  #sinceHit = 9
  #time = 0
  /** 맞는 순간 잠깐 느려진다(초) */
  #stop = 0
  /** 이번에 맞을 곳, 던진 횟수 */
  #aim = HIT.clone()
  #throws = 0
  #random = seeded(5)
  #from = new THREE.Vector2()
  #hops = 1
  #dazed = 0
  #last = new Float32Array(0)
  #spot = new THREE.Vector3()
  #middle = new THREE.Vector3()
  /** 널빤지로 넘어간 각(라디안), 밀린 거리(m), 먼지가 일었는가 */
  #tilt = 0
  #slide = 0
  #puffed = false

  constructor(limber: Backend) {
    this.group.add(this.#bunny.group, this.#ball.mesh, this.#stars.group, this.#dust.group)
    this.ragdoll = new Ragdoll(limber, {
      ...bunnyRagdoll([this.#bunny.bones]),
      iterations: settings.iterations,
      classic: false, // 되풀이마다 작은 한 걸음: 막대가 덜 늘어난다
      damping: 0.01,
    })
    this.ragdoll.onState = (_, state) => {
      if (state === 'animated' && this.#phase === 'gettingUp') this.#goHome()
    }
    this.#helper = new RagdollHelper(this.ragdoll, STICK_COLOURS)
    this.group.add(this.#helper)
    this.#animate(0)
    this.ragdoll.step(0)
    this.apply()
  }

  get phase(): State {
    return this.#phase === 'limp' && this.#sinceHit > 1.1 ? 'dizzy' : this.#phase
  }

  get reach(): number {
    const { x, z } = this.#bunny.bones.hips.getWorldPosition(this.#spot)
    return Math.hypot(x, z)
  }

  /** 서 있을 때만 던진다. */
  throw(): void {
    if (this.#phase !== 'calm') return
    this.#aim.copy(HIT)
    if (this.#throws++) {
      this.#aim.y += (this.#random() * 2 - 1) * SPREAD.y
      this.#aim.z += (this.#random() * 2 - 1) * SPREAD.z
    }
    this.#ball.throw(THROWN, this.#spot.copy(this.#aim).add(BESIDE), FLIGHT)
    this.#enter('fright')
  }

  advance(real: number): void {
    this.#stop = Math.max(0, this.#stop - real)
    const dt = this.#stop > 0 ? real * 0.12 : real
    this.#time += dt
    this.#clock += dt
    this.#sinceHit += dt
    if (this.#ball.advance(dt) && this.#phase === 'fright') this.#hit()
    if (this.#phase === 'calm' && settings.repeat && this.#clock > CALM) this.throw()
    if (this.#phase === 'limp' && this.#clock > LYING[0])
      if (this.ragdoll.bodies[0]!.asleep || this.#clock > LYING[1]) {
        this.#enter('gettingUp')
        this.ragdoll.getUp({ duration: GET_UP })
      }
    this.#animate(dt)
    this.ragdoll.step(dt)
    this.#raiseDust(dt)
    this.#follow(dt)
    this.#stars.advance(dt, this.#time)
    this.#dust.advance(dt)
    this.#showSticks()
  }

  apply(): void {
    this.ragdoll.configure({ iterations: settings.iterations })
    this.#showSticks()
  }

  dispose(): void {
    this.#helper.dispose()
    this.ragdoll.dispose()
    for (const thing of [this.#bunny, this.#ball, this.#stars, this.#dust]) thing.dispose()
    this.group.removeFromParent()
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#clock = 0
  }

  /** 맞은 곳에 가까운 점일수록 빠르게 튕긴다. */
  #hit(): void {
    const { power } = settings
    this.#ball.bounce(power)
    this.#stars.burst(this.#aim.clone().add(new THREE.Vector3(0.05, 0.25, 0.35)), power)
    this.#sinceHit = 0
    this.#stop = 0.07
    if (!settings.ragdoll) return this.#enter('board')
    this.#enter('limp')
    this.#last = new Float32Array(0)
    this.ragdoll.activate({
      hit: { point: this.#aim, impulse: [power * 1.1, power * 0.33, power * -0.07], falloff: 0.35 },
    })
    // 온몸이 함께 얻는 몫
    this.ragdoll.hit(this.#aim, [power * 0.21, power * 0.15, 0], Infinity)
  }

  #goHome(): void {
    const { position } = this.#bunny.bones.root
    this.#from.set(position.x, position.z)
    this.#hops = Math.max(1, Math.ceil(this.#from.length() / STRIDE))
    this.#enter('home')
  }

  /** 자세와 표정을 정한다. 흐물거리는 동안의 자세는 일어날 때의 목표다. */
  #animate(dt: number): void {
    const pose = Object.assign(this.#pose, STANDING)
    const t = this.#time
    const breath = Math.sin(t * 2.4)
    pose.stretch = 1 + breath * 0.012
    pose.nod = breath * 0.015
    pose.arms += breath * 0.03
    pose.look = Math.sin(t * 0.9) * 0.12
    pose.tilt = Math.sin(t * 0.63 + 1) * 0.06
    const face = { blink: blink(t), wide: 0, happy: 0, fright: 0, dizzy: 0 }
    const clock = this.#clock
    switch (this.#phase) {
      case 'calm':
        face.happy = clock < 0.9 && this.#sinceHit < 8 ? 1 : 0
        break
      case 'fright':
        this.#brace(smoothstep(0.08, 0.4, clock), face)
        break
      case 'limp':
        face.blink = 0
        face.wide = face.fright = smoothstep(0.5, 0.2, clock)
        face.dizzy = clock > 0.45 ? 1 : 0
        pose.flush = 0.7
        break
      case 'board': {
        this.#brace(1, face)
        const up = smoothstep(2.1, 2.9, clock)
        face.fright *= 1 - up
        this.#tip(clock, up)
        if (clock > 3.1) this.#goHome()
        break
      }
      case 'gettingUp': {
        const k = clock / GET_UP
        face.dizzy = k < 0.45 ? 1 : 0
        face.blink = k < 0.8 ? 1 : 0
        pose.flush = 0.6
        pose.height = 0.14 * Math.sin(Math.PI * Math.min(1, k))
        pose.tuck = Math.sin(Math.PI * Math.min(1, k))
        pose.arms = -0.3 + 0.3 * smoothstep(0.3, 0.7, k)
        break
      }
      case 'home':
        this.#hopHome(face)
        break
    }
    this.#bunny.pose(pose)
    if (this.#phase === 'board') this.#lean()
    this.#bunny.express(face, t)
    const daze = this.#phase === 'limp' && this.#sinceHit > 0.8 ? 1 : 0
    this.#dazed = approach(this.#dazed, daze, daze ? 6 : 9, dt)
  }

  /** 공을 보고 움찔: 팔을 들고 귀를 눕히고 뒤로 젖힌다. */
  #brace(k: number, face: { wide: number; fright: number; blink: number }): void {
    const pose = this.#pose
    const quake = Math.sin(this.#time * 46) * 0.012 * k
    face.wide = face.fright = k
    face.blink *= 1 - k
    pose.look = pose.look * (1 - k) - 0.5 * k + quake
    pose.tilt = 0.16 * k
    pose.nod = -0.1 * k
    pose.pitch = -0.09 * k
    pose.yaw = -0.22 * k
    pose.arms = -0.3 + 0.95 * k + quake * 3
    pose.reach = 0.55 * k
    pose.ears = 0.45 * k
    pose.stretch = 1 + 0.06 * k
    pose.flush = 0.35 * (1 - k)
  }

  /** 래그돌을 껐을 때: 뻣뻣한 널빤지처럼 넘어갔다가 도로 선다. */
  #tip(clock: number, up: number): void {
    const fall = Math.min(1, clock / (0.85 - settings.power * 0.07))
    const rest = clock - (0.85 - settings.power * 0.07)
    const bounce = rest > 0 ? Math.abs(Math.sin(rest * 9)) * 0.11 * Math.exp(-rest * 5.5) : 0
    this.#tilt = (FLAT * fall * fall - bounce) * (1 - up)
    this.#slide = (fall * 0.1 + smoothstep(0, 0.5, rest) * 0.12) * settings.power * 0.6
    if (fall < 1) this.#puffed = false
    else if (!this.#puffed) {
      this.#puffed = true
      for (let k = 0; k < 5; k++) this.#dust.puff(this.#spot.set(this.#slide + 0.3 + k * 0.25, 0, 0.1), 0.8)
    }
  }
  #lean(): void {
    const { root } = this.#bunny.bones
    const pivot = 0.18
    root.rotation.order = 'ZYX' // 몸을 돌린 채로 옆으로 넘어간다
    root.rotation.z = -this.#tilt
    root.position.set(this.#slide + pivot - pivot * Math.cos(this.#tilt), pivot * Math.sin(this.#tilt), 0)
  }

  #hopHome(face: { happy: number; blink: number }): void {
    const pose = this.#pose
    const { position } = this.#bunny.bones.root
    const t = this.#clock
    // 먼저 고개를 털고
    const shaking = 0.72
    pose.look = shake(t) * 0.55
    pose.ears = Math.abs(shake(t)) * 0.3
    if (t < shaking) face.blink = t < 0.55 ? 1 : face.blink
    // 그다음 폴짝폴짝
    const way = (t - shaking) / HOP
    const hop = Math.min(Math.floor(way), this.#hops - 1)
    if (way < 0) return
    const k = Math.min(1, way - hop)
    const air = THREE.MathUtils.clamp((k - 0.2) / 0.62, 0, 1)
    const done = (hop + smoothstep(0, 1, air)) / this.#hops
    position.x = this.#from.x * (1 - done)
    position.z = this.#from.y * (1 - done)
    pose.height = 4 * 0.26 * air * (1 - air)
    pose.stretch = squash(k)
    pose.drop = Math.max(0, 1 - squash(k)) * 0.45
    pose.tuck = Math.sin(Math.PI * air)
    pose.arms = -0.3 + 0.9 * Math.sin(Math.PI * air)
    pose.ears = 0.35 * (1 - 2 * air) * Math.sin(Math.PI * k)
    const turn = smoothstep(0, 0.3, way) * smoothstep(this.#hops, this.#hops - 0.35, way)
    pose.yaw = this.#from.length() < 0.15 ? 0 : Math.atan2(-this.#from.x, -this.#from.y) * 0.62 * turn
    face.happy = way > 0.3 ? 1 : 0
    if (way >= this.#hops) {
      position.x = position.z = 0
      this.#enter('calm')
    }
  }

  /** 바닥에 세게 닿거나 미끄러지는 점에서 먼지가 인다. */
  #raiseDust(dt: number): void {
    if (this.#phase !== 'limp' || dt <= 0) return
    const { points } = this.ragdoll
    const last = this.#last
    let raised = 0
    for (let k = 0; last.length && k < POINT_RADII.length && raised < 3; k++) {
      const [x, y, z] = points.subarray(k * 3, k * 3 + 3) as unknown as [number, number, number]
      if (y > POINT_RADII[k]! + 0.02) continue
      const fall = (last[k * 3 + 1]! - y) / dt
      const slide = Math.hypot(x - last[k * 3]!, z - last[k * 3 + 2]!) / dt
      const strength = Math.max((fall - 0.6) * 0.5, (slide - 0.7) * 0.3)
      // 미끄러질 때는 점마다 차례로
      if (strength <= 0 || (fall < 0.6 && (k + Math.floor(this.#time * 60)) % 7)) continue
      this.#dust.puff(this.#spot.set(x, 0, z), Math.min(1, strength))
      raised++
    }
    this.#last = points.slice()
  }

  #follow(dt: number): void {
    const { hips, head } = this.#bunny.bones
    hips.getWorldPosition(this.#spot)
    // 쓰러지면 머리가 골반에서 멀다: 둘의 가운데를 본다
    this.#middle.setFromMatrixPosition(head.matrixWorld).add(this.#spot).multiplyScalar(0.5)
    for (const axis of ['x', 'z'] as const) this.focus[axis] = approach(this.focus[axis], this.#middle[axis], 3, dt)
    this.focus.y = approach(this.focus.y, 0.3 + this.#spot.y * 0.8, 3, dt)
    head.localToWorld(this.#spot.set(0, 0.3, 0))
    this.#stars.circle(this.#spot.setY(this.#spot.y + 0.42), this.#dazed)
  }

  #showSticks(): void {
    this.#helper.visible = settings.sticks && (this.#phase === 'limp' || this.#phase === 'gettingUp')
    if (this.#helper.visible) this.#helper.update()
  }
}

/** 널빤지가 머리로 바닥에 닿는 각(라디안) */
const FLAT = 1.4
