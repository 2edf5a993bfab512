import * as THREE from 'three'
import { JiggleBones, JiggleBonesHelper, type Backend } from 'limber'
import { Bunny } from './bunny'
import { Hop } from './hop'
import { restOf, TIPS, type BoneName } from './rig'
import { BONE_COLOURS, settings, type Act } from './settings'
import { Pedestal, PEDESTAL_HEIGHT } from './studio'
import { wording } from './wording'

/** 처음 보이는 때: 내려앉은 바로 뒤, 귀가 넘어간 순간(초) */
const START = 1.33
/** 가운데에서 두 토끼까지의 거리(m) */
const APART = 0.64

const JIGGLED = ['earL1', 'earL2', 'earR1', 'earR2', 'hair1', 'hair2', 'tail'] as const
/** 마디마다 이만큼까지만 꺾인다: 귀가 머리를 뚫고 지나가지 않게 */
const LIMIT = { kind: 'cone', angle: 0.9 } as const

const tip = (of: keyof typeof TIPS, bone: BoneName): THREE.Vector3 => new THREE.Vector3(...TIPS[of]).sub(restOf(bone))

/** 똑같이 뛰는 두 토끼. 오른쪽만 귀 · 머리카락 · 꼬리가 늦게 따라온다. */
export class Bunnies implements Act {
  readonly group = new THREE.Group()
  readonly jiggle: JiggleBones
  readonly hop = new Hop(START)
  #pair = [new Bunny(), new Bunny()] as const
  #pedestals = [
    new Pedestal(0.56, '#c3b3ee', '#5a4a8f', wording.labelOff),
    new Pedestal(0.56, '#a6dfc4', '#2f7058', wording.labelOn),
  ] as const
  #helper: JiggleBonesHelper

  constructor(limber: Backend) {
    this.#pair.forEach((bunny, side) => {
      const x = side ? APART : -APART
      bunny.group.position.set(x, PEDESTAL_HEIGHT, 0)
      this.#pedestals[side]!.group.position.x = x
      this.group.add(bunny.group, this.#pedestals[side]!.group)
    })
    const { earL1, earL2, earR1, earR2, hair1, hair2, tail } = this.#pair[1].bones
    this.#move(0)
    this.jiggle = new JiggleBones(
      limber,
      [
        { bones: [earL1, earL2], tip: tip('earL', 'earL2'), limit: LIMIT },
        { bones: [earR1, earR2], tip: tip('earR', 'earR2'), limit: LIMIT },
        { bones: [hair1, hair2], tip: tip('hair', 'hair2'), multiplier: 1.3, limit: { kind: 'cone', angle: 0.6 } },
        { bones: tail, tip: tip('tail', 'tail'), multiplier: 1.6 },
      ],
      { stiffness: settings.stiffness, damping: settings.damping },
    )
    this.#helper = new JiggleBonesHelper(this.jiggle, BONE_COLOURS)
    this.group.add(this.#helper)
    this.apply()
  }

  get state(): Act['state'] {
    const { grounded, sinceLanding } = this.hop.pose
    return !grounded ? 'hop' : sinceLanding < 1 ? 'settle' : 'rest'
  }

  /** 왼쪽과 오른쪽의 흔들 뼈가 가장 크게 벌어진 각(라디안). 끄면 0 */
  get difference(): number {
    const [left, right] = this.#pair
    return Math.max(...JIGGLED.map((name) => left.bones[name].quaternion.angleTo(right.bones[name].quaternion)))
  }

  /** 자세를 먼저 정하고, 그다음 흔든다. */
  advance(dt: number): void {
    this.#move(dt)
    this.jiggle.step(dt)
    if (this.#helper.visible) this.#helper.update()
  }

  apply(): void {
    const { jiggle, stiffness, damping, bones, pause } = settings
    this.hop.pause = pause
    this.jiggle.enabled = jiggle
    this.jiggle.configure({ stiffness, damping })
    this.#helper.visible = bones
    if (bones) this.#helper.update()
    this.#pedestals[1].label(jiggle ? wording.labelOn : wording.labelOff)
  }

  translate(): void {
    for (const pedestal of this.#pedestals) pedestal.write()
  }

  dispose(): void {
    this.#helper.dispose()
    this.jiggle.dispose()
    for (const thing of [...this.#pair, ...this.#pedestals]) thing.dispose()
    this.group.removeFromParent()
  }

  #move(dt: number): void {
    const pose = this.hop.update(dt)
    for (const bunny of this.#pair) bunny.pose(pose)
    for (const pedestal of this.#pedestals) pedestal.shade(pose.height, 1.02)
  }
}
