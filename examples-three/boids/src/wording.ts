import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  title: { ko: '무리 짓기', en: 'Boids' },
  sentence: {
    ko: '저마다 가까운 이웃만 보고 세 규칙을 따를 뿐인데 떼가 생겨요. 손가락이나 포인터를 가까이 대 보세요.',
    en: 'Each fish sees only its neighbours and follows three rules, and schools appear. Bring a finger or the pointer near.',
  },
  reefTitle: { ko: '산호초의 큰 떼', en: 'The great school' },
  reefSentence: {
    ko: '같은 세 규칙으로 수천 마리가 헤엄치고, 상어가 떼를 가르고 지나가요.',
    en: 'The same three rules for thousands of fish, and a shark that parts the school.',
  },
  seaTab: { ko: '2D', en: '2D' },
  reefTab: { ko: '3D', en: '3D' },
  separation: { ko: '분리', en: 'Separation' },
  alignment: { ko: '정렬', en: 'Alignment' },
  cohesion: { ko: '결집', en: 'Cohesion' },
  auto: { ko: '자동', en: 'Auto' },
  on: { ko: '켬', en: 'on' },
  off: { ko: '끔', en: 'off' },
  seconds: { ko: '초', en: ' s' },
  flocking: { ko: '무리 규칙', en: 'Flocking' },
  panel: { ko: '조절', en: 'Controls' },
  separationWeight: { ko: '분리 세기', en: 'Separation' },
  separationRadius: { ko: '분리 거리', en: 'Keep apart' },
  alignmentWeight: { ko: '정렬 세기', en: 'Alignment' },
  cohesionWeight: { ko: '결집 세기', en: 'Cohesion' },
  sight: { ko: '보는 거리', en: 'Sight' },
  speed: { ko: '빠르기', en: 'Speed' },
  wander: { ko: '흔들림', en: 'Wander' },
  pointerRadius: { ko: '포인터 거리', en: 'Pointer reach' },
  count: { ko: '몇 마리', en: 'How many' },
  shark: { ko: '상어', en: 'Shark' },
  pointer: { ko: '포인터 피하기', en: 'Flee the pointer' },
  autoSwitch: { ko: '14초마다 저절로', en: 'Switch every 14 s' },
  language: { ko: 'English', en: '한국어' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  fish: { ko: '마리', en: 'fish' },
  state: { ko: '', en: '' },
} satisfies Record<string, Text>

/** 칩에 보일 상태 */
export const states: Readonly<Record<string, Text>> = {
  loading: { ko: '바다를 여는 중…', en: 'Opening the sea…' },
  school: { ko: '떼 지음', en: 'Schooling' },
  aligned: { ko: '방향만 맞춤', en: 'Aligned only' },
  gathering: { ko: '모이기만 함', en: 'Gathering only' },
  scatter: { ko: '흩어짐', en: 'Scattered' },
  fleeing: { ko: '상어다! 갈라짐', en: 'Shark! Parting' },
  avoiding: { ko: '물결을 피함', en: 'Avoiding the ripple' },
}
