import * as THREE from 'three'
import { LimberError, Ragdoll, RagdollHelper, type Backend } from 'limber'
import { Bunny, STANDING } from './bunny'
import { bunnyRagdoll } from './bunny-ragdoll'
import { settings, STICK_COLOURS, type Act } from './settings'
import { groundAt, Steps, STEPS_WIDTH } from './steps'
import { Visitor } from './visitor'
import { notHumanoid, wording, type State } from './wording'
import type { Text } from '../../shared/language'
import { blink } from '../../shared/motion'
import { disposeModel, ModelProblem, problems, readModel } from '../../shared/model/model-file'
import { seeded, smoothstep } from '../../shared/random'

const SIZE = 0.4
const TINTS = ['#ffd0c8', '#ffe8c4', '#fff8d0', '#d8f4d2', '#ccf0f6', '#d2deff', '#e8d6ff', '#ffd6ec']
/** 한 마리씩 떨어지는 사이, 누워 있다가 일어나기까지, 모두 일어선 뒤 다시 뛰어오르기까지(초) */
const BETWEEN = 0.11
const LYING = 2.6
const STANDING_BY = 1.6
const LEAP = 0.7

/** 한 마리의 차례: 하늘에서 기다림, 떨어져 구름, 일어남, 서 있음, 하늘로 뛰어오름 */
type Turn = 'waiting' | 'limp' | 'gettingUp' | 'standing' | 'leaping'

interface Figure {
  bunny: Bunny
  turn: Turn
  /** 차례가 시작된 지 몇 초인가, 언제 떨어질 것인가 */
  clock: number
  due: number
  ground: number
  fall: number
  seed: number
}

interface Host {
  note(words: Text | undefined, stay?: boolean): void
  /** 손님이 오거나 갔다 */
  changed(): void
}

/** 계단에 쏟아지는 토끼들, 또는 내 기기에서 온 캐릭터 하나. */
export class Crowd implements Act {
  readonly group = new THREE.Group()
  readonly focus = new THREE.Vector3(0, 0.45, -0.3)
  #limber: Backend
  #host: Host
  #steps = new Steps()
  #figures: Figure[] = []
  #ragdoll!: Ragdoll
  #helper!: RagdollHelper
  #visitor: Visitor | undefined
  #random = seeded(77)
  #time = 0
  #round = 0
  /** 가장 나중에 열기 시작한 파일의 차례: 늦게 끝난 앞의 파일은 버린다 */
  #latest = 0

  constructor(limber: Backend, host: Host) {
    this.#limber = limber
    this.#host = host
    this.group.add(this.#steps.group)
    this.#gather()
  }

  get ragdoll(): Ragdoll {
    return this.#visitor?.ragdoll ?? this.#ragdoll
  }

  get visited(): boolean {
    return !!this.#visitor
  }

  get phase(): State {
    if (this.#visitor) return this.#visitor.phase
    if (!settings.ragdoll) return 'board'
    const limp = this.#count('limp')
    if (limp + this.#count('waiting') > this.#figures.length / 2) return 'falling'
    return this.#count('gettingUp') || limp ? 'rising' : 'standing'
  }

  /** 흐물거리는 몸의 수 */
  get reach(): number {
    return this.ragdoll.bodies.filter(({ state }) => state === 'limp').length
  }

  advance(dt: number): void {
    this.#time += dt
    if (this.#visitor) return this.#visitor.advance(dt)
    this.#figures.forEach((figure, k) => this.#live(figure, k, dt))
    if (settings.ragdoll) this.#ragdoll.step(dt)
    if (this.#figures.every(({ turn, clock }) => turn === 'standing' && clock > STANDING_BY) && settings.repeat)
      this.#rain(true)
    if (this.#helper.visible) this.#helper.update()
  }

  apply(): void {
    if (this.#figures.length !== settings.count) this.#gather()
    const { iterations, ragdoll } = settings
    this.#ragdoll.configure({ iterations })
    this.#visitor?.apply()
    this.#helper.visible = settings.sticks && ragdoll && !this.#visitor
    if (!ragdoll)
      this.#figures.forEach((figure, k) => {
        this.#ragdoll.bodies[k]!.settle()
        if (figure.turn === 'limp' || figure.turn === 'gettingUp') this.#stand(figure)
      })
  }

  dispose(): void {
    this.#latest++
    this.#visitor?.dispose()
    this.#clear()
    this.#steps.dispose()
    this.group.removeFromParent()
  }

  // ── 손님

  /** 파일의 캐릭터를 떨어뜨린다. 문제가 있으면 말로 알리고, 앞의 것을 그대로 둔다. */
  async open(files: readonly File[]): Promise<void> {
    const mine = ++this.#latest
    this.#host.note(wording.loading, true)
    try {
      const gltf = await readModel(files)
      if (mine !== this.#latest) return disposeModel(gltf.scene)
      const visitor = new Visitor(this.#limber, gltf, this.#steps.colliders)
      this.#visitor?.dispose()
      this.#visitor = visitor
      this.group.add(visitor.group)
      this.#show()
      this.#host.note(undefined)
    } catch (error) {
      if (mine !== this.#latest) return
      this.#host.note(
        error instanceof ModelProblem
          ? error.words
          : error instanceof LimberError
            ? notHumanoid(error.message)
            : problems.broken,
      )
    }
  }

  hit(): void {
    this.#visitor?.hit()
  }

  getUp(): void {
    this.#visitor?.getUp()
  }

  drop(): void {
    this.#visitor?.drop()
  }

  /** 손님을 보내고 토끼들이 돌아온다. */
  leave(): void {
    this.#visitor?.dispose()
    this.#visitor = undefined
    this.#show()
    this.#rain(false)
  }

  #show(): void {
    for (const { bunny } of this.#figures) bunny.group.visible = !this.#visitor
    this.#helper.visible = settings.sticks && !this.#visitor
    this.#host.changed()
  }

  // ── 토끼들

  /** 토끼를 새로 모으고, 한 래그돌에 몸을 모두 넣는다. */
  #gather(): void {
    this.#clear()
    this.#figures = Array.from({ length: settings.count }, (_, k) => {
      const bunny = new Bunny({ cell: 0.05, tint: TINTS[k % TINTS.length]!, plain: true })
      bunny.group.scale.setScalar(SIZE)
      bunny.group.visible = !this.#visitor
      bunny.group.updateMatrixWorld(true)
      this.group.add(bunny.group)
      return { bunny, turn: 'waiting', clock: 0, due: 0, ground: 0, fall: 0, seed: this.#random() }
    })
    this.#ragdoll = new Ragdoll(this.#limber, {
      ...bunnyRagdoll(this.#figures.map(({ bunny }) => bunny.bones)),
      colliders: this.#steps.colliders,
      iterations: settings.iterations,
      classic: false,
    })
    this.#ragdoll.onState = (body, state) => {
      const figure = this.#figures[body.index]!
      if (state === 'animated' && figure.turn === 'gettingUp') this.#stand(figure)
    }
    this.#helper = new RagdollHelper(this.#ragdoll, STICK_COLOURS)
    this.#helper.visible = settings.sticks && !this.#visitor
    this.group.add(this.#helper)
    this.#rain(false)
  }

  #clear(): void {
    this.#helper?.removeFromParent()
    this.#helper?.dispose()
    this.#ragdoll?.dispose()
    for (const { bunny } of this.#figures) bunny.dispose()
    this.#figures = []
  }

  #count(turn: Turn): number {
    return this.#figures.filter((figure) => figure.turn === turn).length
  }

  /** 다시 쏟아진다. leap: 서 있던 자리에서 뛰어올라 사라진 뒤 */
  #rain(leap: boolean): void {
    this.#round++
    this.#figures.forEach((figure, k) => {
      figure.turn = leap ? 'leaping' : 'waiting'
      figure.clock = leap ? -k * 0.05 : 0
      figure.due = (leap ? LEAP + 0.4 : 0.1) + k * BETWEEN
      if (!leap) this.#place(figure)
    })
  }

  /** 하늘의 새 자리로 */
  #place(figure: Figure): void {
    const random = this.#random
    const { root } = figure.bunny.bones
    root.position.set((random() - 0.5) * (STEPS_WIDTH - 0.7), 3.4 / SIZE + random() * 1.5, -1.75 + random() * 1.35)
    root.position.x /= SIZE
    root.position.z /= SIZE
    figure.fall = 0
    figure.ground = 0
  }

  #stand(figure: Figure): void {
    figure.turn = 'standing'
    figure.clock = 0
  }

  #live(figure: Figure, index: number, dt: number): void {
    const { bunny } = figure
    const { root } = bunny.bones
    const body = this.#ragdoll.bodies[index]!
    figure.clock += dt
    const { clock, seed, turn } = figure
    const t = this.#time + seed * 20
    const pose = { ...STANDING, stretch: 1 + Math.sin(t * 2.6) * 0.014, look: Math.sin(t * 0.8) * 0.4 }
    pose.yaw = (seed - 0.5) * 0.9
    const face = { blink: blink(t), wide: 0, happy: 0, dizzy: 0 }
    switch (turn) {
      case 'waiting':
        if (clock > figure.due) {
          if (settings.ragdoll) this.#letGo(figure, index)
          else this.#dropStiff(figure, dt)
        }
        pose.height = root.position.y
        break
      case 'limp': {
        face.dizzy = clock > 0.3 ? 1 : 0
        // 차례대로: 먼저 떨어진 토끼가 먼저 일어난다
        if (clock > LYING && (body.asleep || clock > LYING + 2)) {
          figure.turn = 'gettingUp'
          figure.clock = 0
          body.getUp({ duration: 0.9 })
        }
        break
      }
      case 'gettingUp':
        face.dizzy = clock < 0.4 ? 1 : 0
        break
      case 'leaping': {
        const crouch = smoothstep(0, 0.2, clock)
        const up = Math.max(0, clock - 0.2)
        pose.drop = 0.1 * crouch * (1 - smoothstep(0.2, 0.3, clock))
        pose.height = figure.ground + (up * 9 + up * up * 8) / SIZE / 2
        pose.arms = up > 0 ? 1.2 : -0.3
        if (clock > LEAP) {
          figure.turn = 'waiting'
          figure.due -= LEAP
          figure.clock = 0
          this.#place(figure)
          pose.height = root.position.y
        }
        break
      }
      case 'standing': {
        const hop = Math.max(0, Math.sin((clock - 0.3) * 9)) * smoothstep(1.05, 0.7, clock)
        pose.height = figure.ground + hop * 0.16
        pose.tuck = hop * 0.5
        pose.arms += hop * 1.1
      }
    }
    if (turn === 'limp' || turn === 'gettingUp') {
      const { x, z } = root.position
      if (turn === 'gettingUp') figure.ground = groundAt(x * SIZE, z * SIZE) / SIZE
      pose.height = figure.ground
    }
    bunny.pose(pose)
    bunny.express(face, t)
  }

  /** 아무 쪽으로나 돌려 놓고 힘을 뺀다. */
  #letGo(figure: Figure, index: number): void {
    const random = this.#random
    const { root } = figure.bunny.bones
    root.rotation.set(random() * 6, random() * 6, random() * 6)
    root.updateWorldMatrix(true, true)
    this.#ragdoll.bodies[index]!.activate({ velocity: [(random() - 0.5) * 1.6, -1.5, 0.4 + random() * 1.4] })
    figure.turn = 'limp'
    figure.clock = 0
  }

  /** 래그돌을 껐을 때: 선 채로 뚝 떨어진다. */
  #dropStiff(figure: Figure, dt: number): void {
    const { position } = figure.bunny.bones.root
    const ground = groundAt(position.x * SIZE, position.z * SIZE) / SIZE
    figure.fall += (9.8 / SIZE) * dt
    position.y -= figure.fall * dt
    figure.ground = ground
    if (position.y > ground) return
    position.y = ground
    if (figure.fall < 2.5) return this.#stand(figure)
    figure.fall *= -0.28
  }
}
