import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  title: { ko: '흔들리는 뼈', en: 'Jiggle bones' },
  sentence: {
    ko: '두 토끼가 똑같이 폴짝 뛰어요. 오른쪽만 귀, 머리카락, 꼬리가 늦게 따라와 출렁여요.',
    en: 'Two bunnies hop alike. Only the right one’s ears, hair and tail come late, and wobble.',
  },
  modelTitle: { ko: '내 모델을 출렁이게', en: 'Your own model' },
  modelSentence: {
    ko: 'GLB, glTF, VRM 파일을 끌어다 놓으세요. 파일은 이 기기를 떠나지 않아요.',
    en: 'Drop a GLB, glTF or VRM file here. It never leaves this device.',
  },
  bunniesTab: { ko: '두 토끼', en: 'Bunnies' },
  modelTab: { ko: '내 모델', en: 'Your model' },
  labelOff: { ko: '흔들림 끔', en: 'Jiggle off' },
  labelOn: { ko: '흔들림 켬', en: 'Jiggle on' },
  jiggle: { ko: '흔들림', en: 'Jiggle' },
  jiggleRight: { ko: '흔들림 (오른쪽 토끼)', en: 'Jiggle (right bunny)' },
  panel: { ko: '조절', en: 'Controls' },
  stiffness: { ko: '단단함', en: 'Stiffness' },
  damping: { ko: '감쇠 (멈추는 빠르기)', en: 'Damping' },
  showBones: { ko: '뼈 보기', en: 'Show bones' },
  pause: { ko: '쉬는 시간 (초)', en: 'Pause (s)' },
  language: { ko: 'English', en: '한국어' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  bones: { ko: '흔들 뼈', en: 'jiggle bones' },
  state: { ko: '', en: '' },
  hop: { ko: '폴짝', en: 'In the air' },
  settle: { ko: '출렁', en: 'Wobbling' },
  rest: { ko: '쉬는 중', en: 'Resting' },
  off: { ko: '흔들림 끔', en: 'Jiggle off' },
  model: { ko: '움직이는 중', en: 'Playing' },
  empty: { ko: '파일을 기다려요', en: 'Waiting for a file' },
  sample: { ko: '견본 로봇', en: 'Sample robot' },
  loading: { ko: '읽는 중…', en: 'Reading…' },
  clip: { ko: '동작', en: 'Clip' },
  roots: { ko: '흔들 뼈 고르기', en: 'Bones that jiggle' },
  noBones: {
    ko: '이 모델에는 뼈가 없어서 출렁일 것이 없어요. 뼈대가 있는 모델을 골라 주세요.',
    en: 'This model has no bones, so nothing can jiggle. Please choose a rigged model.',
  },
  noneChosen: {
    ko: '이름으로 고를 만한 뼈가 없었어요. 판의 「흔들 뼈 고르기」에서 골라 보세요.',
    en: 'No bone has a telling name. Choose some in the panel under “Bones that jiggle”.',
  },
} satisfies Record<string, Text>
