import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  title: { ko: '구운 망토', en: 'The baked cape' },
  sentence: {
    ko: '왼쪽은 지금 시뮬레이션하는 망토, 오른쪽은 Node 에서 구운 GLB 파일을 재생하는 망토예요.',
    en: 'On the left a cape simulated now, on the right the same walk played from a GLB baked in Node.',
  },
  missing: {
    ko: '구운 파일이 아직 없어요. 저장소에서 npm run bake 를 한 번 실행해 주세요.',
    en: 'There is no baked file yet: run npm run bake once in the repository.',
  },
  live: { ko: '실시간', en: 'Live' },
  baked: { ko: '구운 파일', en: 'Baked' },
  panel: { ko: '조절', en: 'Controls' },
  speed: { ko: '빠르기', en: 'Speed' },
  playing: { ko: '재생', en: 'Play' },
  overlay: { ko: '겹쳐 보기', en: 'Overlay' },
  showBaked: { ko: '구운 망토', en: 'Baked cape' },
  language: { ko: 'English', en: '한국어' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  targets: { ko: '모프 타깃', en: 'morph targets' },
  size: { ko: 'KiB 파일', en: 'KiB file' },
  difference: { ko: 'mm 차이', en: 'mm apart' },
} satisfies Record<string, Text>
