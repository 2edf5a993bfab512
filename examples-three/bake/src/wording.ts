import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  capeTab: { ko: '두 망토', en: 'Two capes' },
  heroTab: { ko: '캐릭터 파일', en: 'A character' },
  crowdTab: { ko: '깃발 200', en: '200 flags' },

  title: { ko: '구운 망토', en: 'The baked cape' },
  sentence: (kib: string, seconds: number, targets: number, mm: string): Text => ({
    ko: `왼쪽은 지금 시뮬레이션, 오른쪽은 ${kib} KiB 파일의 재생이에요. ${seconds}초의 펄럭임을 모양 ${targets}개를 섞어 되살리고, 어느 점도 ${mm} mm 넘게 어긋나지 않아요.`,
    en: `Left: simulated as you watch. Right: played from a file of ${kib} KiB, which blends ${targets} shapes into ${seconds} seconds of cloth, no point more than ${mm} mm off.`,
  }),
  missing: {
    ko: '구운 파일이 아직 없어요. 저장소에서 npm run bake 를 한 번 실행해 주세요.',
    en: 'There is no baked file yet: run npm run bake once in the repository.',
  },
  live: { ko: '실시간', en: 'Live' },
  baked: { ko: '구운 파일', en: 'Baked' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  targets: { ko: '섞는 모양', en: 'shapes blended' },
  size: { ko: 'KiB 파일', en: 'KiB file' },
  difference: { ko: 'mm 차이', en: 'mm apart' },

  heroTitle: { ko: '파일 하나에서 나온 캐릭터', en: 'A character from a file' },
  heroRaw: {
    ko: '굽기 전의 걷기 동작이에요. 망토는 판자처럼 뻣뻣하고 땋은 머리는 막대 같아요.',
    en: 'The walk before baking: the cape is stiff as a board, and the braid a stick.',
  },
  heroBaked: (kib: string, targets: number, mm: string): Text => ({
    ko: `같은 동작에 망토와 머리를 구워 넣은 ${kib} KiB 파일이에요. 시뮬레이션 없이 재생만 하고, 망토는 모양 ${targets}개로 ${mm} mm 안에 들어요.`,
    en: `The same walk with cape and braid baked in: ${kib} KiB, played without any simulation. The cape blends ${targets} shapes and is within ${mm} mm.`,
  }),
  raw: { ko: '굽기 전', en: 'Before' },
  calm: { ko: '잔잔', en: 'Calm' },
  storm: { ko: '폭풍', en: 'Storm' },
  wind: { ko: '바람', en: 'Wind' },
  largest: { ko: 'mm 가장 큰 오차', en: 'mm error at most' },
  seam: { ko: 'mm 이음매', en: 'mm loop seam' },

  crowdTitle: { ko: '깃발 200장, 텍스처 한 장', en: 'Two hundred flags, one texture' },
  crowdSentence: (kib: string, mm: string): Text => ({
    ko: `깃발 하나를 구운 ${kib} KiB 파일을 그래픽 카드가 읽어, 장마다 다른 박자로 펄럭여요. 오차는 ${mm} mm 안이에요.`,
    en: `One flag, baked to ${kib} KiB, is read by the graphics card and waves out of step everywhere, within ${mm} mm.`,
  }),
  flags: { ko: '깃발', en: 'flags' },
  perFrame: { ko: 'ms / 장면', en: 'ms / frame' },
  inStep: { ko: '박자 맞추기', en: 'All in step' },
  count: { ko: '깃발 수', en: 'Flags' },

  panel: { ko: '조절', en: 'Controls' },
  speed: { ko: '빠르기', en: 'Speed' },
  playing: { ko: '재생', en: 'Play' },
  overlay: { ko: '겹쳐 보기', en: 'Overlay' },
  net: { ko: '망토의 그물', en: 'Net of the cape' },
  showBaked: { ko: '구운 망토', en: 'Baked cape' },
  language: { ko: 'English', en: '한국어' },
} satisfies Record<string, Text | ((...numbers: never[]) => Text)>
