import type { Ragdoll } from 'limber'
import type { Object3D, Vector3 } from 'three'
import type { State } from './wording'

/** 판에서 바꾸는 값. 두 화면이 함께 쓴다. */
export const settings = { ragdoll: true, power: 3.2, iterations: 10, sticks: true, repeat: true, count: 30 }

/** 「점 · 막대 보기」의 빛깔 */
export const STICK_COLOURS = { color: '#ffe27a', pointColor: '#fff3b0' } as const

/** 화면 하나: 슬랩스틱, 또는 우르르. */
export interface Act {
  readonly group: Object3D
  /** 지금 움직이는 래그돌 */
  readonly ragdoll: Ragdoll | undefined
  /** 칩에 보일 상태의 이름 */
  readonly phase: State
  /** 조명이 따라갈 곳 */
  readonly focus: Vector3
  /** 시험이 보는 수: 슬랩스틱은 골반이 제자리에서 벗어난 거리(m), 우르르는 흐물거리는 몸의 수 */
  readonly reach: number
  advance(dt: number): void
  /** 판의 값이 바뀌었을 때 */
  apply(): void
  dispose(): void
}
