import * as THREE from 'three'
import { approach } from '../../shared/random'
import type { Gait } from './gait'

/** 밤바람: 돌풍이 몰려왔다 잦아들고, 순찰 방향에 따라 천천히 돈다. */
export class Wind {
  /** 깃발이 받는 바람과, 성가퀴에 가려 약해진 기사의 바람 (m/s) */
  readonly atFlag = new THREE.Vector3()
  readonly atKnight = new THREE.Vector3()
  #toward = -1
  #open = 1

  update(time: number, dt: number, strength: number, gait: Gait): void {
    this.#toward = approach(this.#toward, -gait.heading, 0.9, dt)
    // 멈춰 서면 성가퀴가 바람을 막아 망토가 등에 내려앉는다
    this.#open = approach(this.#open, Math.min(1, gait.speed), gait.speed > 0.3 ? 1.5 : 1.1, dt)
    const gust = 0.72 + 0.28 * Math.sin(time * 0.9) + 0.16 * Math.sin(time * 2.3 + 1) + 0.07 * Math.sin(time * 5.1)
    const sideways = 0.42 + 0.2 * Math.sin(time * 0.7)
    this.atFlag.set(this.#toward * strength * gust, strength * 0.05 * Math.sin(time * 3.1), strength * gust * sideways)
    this.atKnight.copy(this.atFlag).multiplyScalar(0.16 + 0.6 * this.#open)
  }
}
