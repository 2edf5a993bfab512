import type { Text } from '../shared/language'

export interface Card {
  /** 예제의 폴더 이름. 그림은 폴더/card.jpg, 설명은 폴더/README.md · README.ko.md */
  folder: string
  name: Text
  sentence: Text
}

/** 목록에 보일 예제. 새 예제는 여기에 한 줄을 더하면 된다. */
export const cards: readonly Card[] = [
  {
    folder: 'cloth',
    name: { ko: '천', en: 'Cloth' },
    sentence: {
      ko: '밤 성벽을 걷는 기사의 망토와 깃발이 바람과 걸음을 따라 펄럭여요.',
      en: 'A knight walks the rampart at night; his cape and banner answer the wind and his stride.',
    },
  },
  {
    folder: 'jiggle-bones',
    name: { ko: '흔들리는 뼈', en: 'Jiggle bones' },
    sentence: {
      ko: '점토 토끼 둘이 폴짝 뛰고, 한 마리만 귀와 머리카락과 꼬리가 늦게 따라와 출렁여요. 내 모델도 넣어 보세요.',
      en: 'Two clay bunnies hop; only one has ears, hair and a tail that come late and wobble. Try it on your own model.',
    },
  },
  {
    folder: 'ragdoll',
    name: { ko: '래그돌', en: 'Ragdoll' },
    sentence: {
      ko: '장난감 극장의 토끼가 비치볼에 맞아 흐물흐물 넘어졌다가 일어나 돌아와요. 계단에는 서른 마리가 쏟아져요.',
      en: 'In a toy theatre a beach ball knocks a bunny limp; it gets up and hops home. Thirty more rain onto the steps.',
    },
  },
  {
    folder: 'boids',
    name: { ko: '무리 짓기', en: 'Boids' },
    sentence: {
      ko: '열대 바다의 물고기가 분리 · 정렬 · 결집 세 규칙만으로 떼를 지어요. 3D 산호초에서는 상어가 수천 마리를 가르고 지나가요.',
      en: 'Fish of a tropical sea school by three rules alone: separation, alignment, cohesion. In 3D a shark parts thousands.',
    },
  },
  {
    folder: 'bake',
    name: { ko: '굽기', en: 'Bake' },
    sentence: {
      ko: 'Node 에서 구운 망토를 살아 있는 시뮬레이션 옆에서 틀어요. GLB 에서 나온 캐릭터가 폭풍 속을 걷고, 깃발 200장이 텍스처 한 장으로 펄럭여요.',
      en: 'A cape baked in Node plays beside the live simulation; a character from a GLB walks into a storm; one texture waves 200 flags.',
    },
  },
]
