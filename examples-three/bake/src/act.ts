import type * as THREE from 'three'
import type { Palette } from '../../shared/panel'
import type { StageOptions } from '../../shared/stage'
import type { Text } from '../../shared/language'

/** 탭 하나의 화면 */
export interface Act {
  readonly group: THREE.Object3D
  /** 무대와 글의 빛깔 */
  readonly stage: StageOptions
  readonly palette: Palette
  /** 제목과 한 문장, 칩의 이름 */
  readonly title: Text
  readonly sentence: Text
  readonly chipNames: readonly Text[]
  /** 칩의 값 */
  chips(): readonly string[]
  /** 무대에 오를 때와 내려갈 때 */
  enter(): void
  leave(): void
  advance(dt: number): void
  render(): void
  stats(): Record<string, number>
}

/** 밤과 낮의 글자 빛깔 */
export const NIGHT: Palette = {
  surface: 'rgb(11 18 38 / 0.72)',
  ink: '#f3ede2',
  muted: '#b9c0d6',
  accent: '#ffb066',
  onAccent: '#2a1405',
  shade: '5 8 18',
  line: '255 255 255',
  backdrop: '#0b1226',
}
export const DAY: Palette = {
  surface: 'rgb(255 255 255 / 0.82)',
  ink: '#2c3a4f',
  muted: '#50617a',
  accent: '#d6454f',
  onAccent: '#ffffff',
  shade: '246 250 240',
  line: '44 58 79',
  backdrop: '#cfeafc',
}
