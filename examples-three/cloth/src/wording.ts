import type { Text } from '../../shared/language'

/** 화면의 글 */
export const wording = {
  title: { ko: '성벽 위의 기사', en: 'The knight on the rampart' },
  sentence: {
    ko: '망토와 깃발의 점 364 개가 바람과 걸음을 따라 Rust 에서 움직여요.',
    en: 'A cape and a banner of 364 points follow the wind and his stride, simulated in Rust.',
  },
  panel: { ko: '조절', en: 'Controls' },
  grid: { ko: '격자 크기', en: 'Grid size' },
  wind: { ko: '바람 (m/s)', en: 'Wind (m/s)' },
  iterations: { ko: '반복 횟수', en: 'Iterations' },
  walking: { ko: '걷기', en: 'Walk' },
  simulation: { ko: '시뮬레이션', en: 'Simulation' },
  showLinks: { ko: '제약 보기', en: 'Show links' },
  language: { ko: 'English', en: '한국어' },
  perStep: { ko: 'ms / 걸음', en: 'ms / step' },
  points: { ko: '점', en: 'points' },
  links: { ko: '제약', en: 'links' },
  state: { ko: '', en: '' },
  isWalking: { ko: '걷는 중', en: 'Walking' },
  isStanding: { ko: '멈춤', en: 'Standing' },
  isOff: { ko: '시뮬레이션 끔', en: 'Simulation off' },
} satisfies Record<string, Text>
