import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  title: { ko: '래그돌', en: 'Ragdoll' },
  sentence: {
    ko: '공에 맞은 토끼가 흐물흐물 넘어졌다가, 정신을 차리고 일어나 제자리로 폴짝 돌아와요.',
    en: 'Hit by the ball, the bunny goes limp and tumbles, comes to its senses, gets up and hops home.',
  },
  crowdTitle: { ko: '우르르', en: 'A rain of bunnies' },
  crowdSentence: {
    ko: '계단에 쏟아졌다가 하나씩 일어나요. 사람 모양 GLB 를 끌어다 놓으면 그 캐릭터가 떨어져요. 파일은 이 기기를 떠나지 않아요.',
    en: 'They tumble down the steps and get up in turn. Drop a humanoid GLB and it falls instead. It never leaves this device.',
  },
  showTab: { ko: '슬랩스틱', en: 'Slapstick' },
  crowdTab: { ko: '우르르', en: 'The crowd' },
  panel: { ko: '조절', en: 'Controls' },
  ragdoll: { ko: '래그돌', en: 'Ragdoll' },
  throw: { ko: '공 던지기', en: 'Throw the ball' },
  power: { ko: '공 세기', en: 'Power' },
  iterations: { ko: '제약 반복', en: 'Iterations' },
  sticks: { ko: '점 · 막대 보기', en: 'Points and sticks' },
  repeat: { ko: '자동 반복', en: 'Repeat by itself' },
  count: { ko: '몇 마리', en: 'How many' },
  language: { ko: 'English', en: '한국어' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  points: { ko: '점', en: 'points' },
  links: { ko: '제약', en: 'links' },
  state: { ko: '', en: '' },
  hit: { ko: '툭 치기', en: 'Hit it' },
  up: { ko: '일어나기', en: 'Get up' },
  drop: { ko: '다시 떨어뜨리기', en: 'Drop again' },
  back: { ko: '토끼들', en: 'The bunnies' },
  loading: { ko: '읽는 중…', en: 'Reading…' },
  noSkin: {
    ko: '이 모델에는 뼈대를 따라가는 몸이 없어요. 스킨이 있는 사람 모양 모델을 골라 주세요.',
    en: 'No body here follows a skeleton. Please choose a skinned humanoid model.',
  },
} satisfies Record<string, Text>

/** 칩에 보일 상태 */
export const states = {
  calm: { ko: '서 있기', en: 'Standing' },
  fright: { ko: '공이 날아온다!', en: 'Here comes the ball!' },
  limp: { ko: '맞았다! 흐물흐물', en: 'Hit! Limp' },
  dizzy: { ko: '어질어질', en: 'Dizzy' },
  gettingUp: { ko: '일어나기', en: 'Getting up' },
  home: { ko: '제자리로 폴짝', en: 'Hopping home' },
  board: { ko: '래그돌 끔: 뻣뻣하게', en: 'Ragdoll off: stiff' },
  falling: { ko: '우르르', en: 'Tumbling' },
  resting: { ko: '누워 있기', en: 'Lying still' },
  rising: { ko: '하나씩 일어나기', en: 'Getting up in turn' },
  standing: { ko: '서 있기', en: 'Standing' },
} satisfies Record<string, Text>
export type State = keyof typeof states

/** 사람의 뼈대를 찾지 못한 모델. detail 은 라이브러리가 알려 준 까닭 */
export const notHumanoid = (detail: string): Text => ({
  ko: `사람 모양의 뼈대를 찾지 못했어요. (${detail})`,
  en: `No humanoid was found in its bones. (${detail})`,
})
