import type * as THREE from 'three'
import type { JiggleBones } from 'limber'

/** 견본의 단단함 */
export const STIFFNESS = 0.028

/** 판에서 바꾸는 값. 두 화면이 함께 쓴다. */
export const settings = { jiggle: true, stiffness: STIFFNESS, damping: 0.04, bones: false, pause: 1 }

/** 「뼈 보기」의 빛깔: 뼈와 끝점 */
export const BONE_COLOURS = { color: '#3d2f57', tipColor: '#cf2f5c', colliderColor: '#2a8f88' } as const

/** 화면 하나: 두 토끼, 또는 내 모델. */
export interface Act {
  readonly group: THREE.Object3D
  /** 지금 흔들고 있는 뼈들. 모델이 아직 없으면 undefined */
  readonly jiggle: JiggleBones | undefined
  /** 칩에 보일 상태 */
  readonly state: 'hop' | 'settle' | 'rest' | 'model' | 'empty'
  advance(dt: number): void
  /** 판의 값이 바뀌었을 때 */
  apply(): void
  /** 언어가 바뀌었을 때 */
  translate(): void
  dispose(): void
}
