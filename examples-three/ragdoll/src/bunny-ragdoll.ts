import { Vector3, type Bone } from 'three'
import type { RagdollBodySetup, RagdollBone, RagdollLimit, RagdollLink, RagdollPoint, RagdollSetup } from 'limber'
import { restOf, TIPS, type BoneName, type Bones } from './rig'

type Spot = readonly [number, number, number]
type Side = 'L' | 'R'
const SIDES = ['L', 'R'] as const
const left = (name: BoneName): Spot => restOf(name).toArray()

/** 점: 이름, 붙은 뼈, 쉬는 자리(m), 반지름(m): 그만큼 바닥에서 뜬다 */
type Row = readonly [name: string, bone: BoneName, at: Spot, radius: number]

const MIDDLE: readonly Row[] = [
  ['P', 'hips', left('hips'), 0.2], // 골반
  ['N', 'hips', left('head'), 0.1], // 목
  ['B', 'hips', [0, 0.57, 0.19], 0.1], // 배
  ['Y', 'hips', [0, 0.43, -0.27], 0.12], // 꼬리
  ['HC', 'head', [0, 1.04, 0.02], 0.29], // 머리 가운데
  ['HT', 'head', [0, 1.33, 0.03], 0.06], // 정수리
  ['HF', 'head', [0, 1.0, 0.3], 0.14], // 얼굴
]
/** 무릎이 도는 축의 끝. 두 무릎 다 +x 쪽이라 뒤로 굽는 것이 양(+)의 각이다. */
const kneeAxis = (side: Side): Spot => {
  const [x, y, z] = left('shinL')
  return [x + (side === 'L' ? KNEE : -KNEE), y, z]
}
const KNEE = 0.09

/** 한쪽의 점들. 오른쪽은 x 를 뒤집는다. */
const BESIDE = (side: Side): readonly Row[] => [
  [`S${side}`, 'hips', left('armL'), 0.07], // 어깨
  [`H${side}`, 'hips', left('thighL'), 0.11], // 다리뿌리
  [`K${side}`, `thigh${side}`, left('shinL'), 0.09], // 무릎
  [`X${side}`, `thigh${side}`, kneeAxis(side), 0.05], // 무릎 축: 무릎에서 +x 로
  [`F${side}`, `shin${side}`, left('footL'), 0.08], // 발
  [`T${side}`, `foot${side}`, TIPS.footL, 0.055], // 발끝
  [`A${side}`, `arm${side}`, TIPS.armL, 0.085], // 팔끝
  [`EB${side}`, 'head', left('earL1'), 0.06], // 귀: 밑, 가운데, 끝
  [`EM${side}`, `ear${side}1`, left('earL2'), 0.055],
  [`ET${side}`, `ear${side}2`, TIPS.earL, 0.05],
]
const ROWS: readonly Row[] = [
  ...MIDDLE,
  ...SIDES.flatMap((side) =>
    BESIDE(side).map(([name, bone, [x, y, z], radius]): Row => [name, bone, [side === 'L' ? x : -x, y, z], radius]),
  ),
]

/** 서로 모두 이어 단단한 덩어리가 되는 점들 */
const TORSO = ['P', 'N', 'B', 'Y', 'SL', 'SR', 'HL', 'HR']
const HEAD = ['N', 'HC', 'HT', 'HF', 'EBL', 'EBR']
/** 사슬로만 이어지는 팔다리와 귀. # 은 L 과 R */
const CHAINS = [
  ['S#', 'A#'],
  ['H#', 'K#', 'F#', 'T#'],
  ['H#', 'X#', 'F#'],
  ['K#', 'X#'],
  ['EB#', 'EM#', 'ET#'],
]
/** 이보다 가까워지지 않는 사이(m): 무릎이 거꾸로 꺾이거나 팔다리가 몸을 뚫지 않게. $ 는 # 의 반대쪽 */
const APART: readonly (readonly [a: string, b: string, least: number])[] = [
  // 고개: 옆 · 앞 · 뒤로 숙이는 한계, 좌우로 도는 한계
  ['HT', 'S#', 0.43],
  ['HF', 'B', 0.3],
  ['HT', 'Y', 0.74],
  ['HF', 'S#', 0.375],
  // 팔
  ['A#', 'N', 0.22],
  ['A#', 'P', 0.3],
  ['A#', 'B', 0.24],
  ['A#', 'Y', 0.26],
  ['A#', 'HC', 0.36],
  ['A#', 'HF', 0.16],
  ['A#', 'S$', 0.3],
  ['A#', 'H#', 0.17],
  ['A#', 'H$', 0.24],
  ['A#', 'K#', 0.15],
  ['AL', 'AR', 0.17],
  // 다리
  ['H#', 'F#', 0.24],
  ['H#', 'T#', 0.34],
  ['P', 'K#', 0.2],
  ['P', 'F#', 0.28],
  ['B', 'K#', 0.25],
  ['Y', 'K#', 0.26],
  ['N', 'K#', 0.34],
  ['K#', 'T#', 0.22],
  ['H$', 'K#', 0.21],
  ['KL', 'KR', 0.18],
  ['FL', 'FR', 0.17],
  ['K#', 'F$', 0.17],
  ['TL', 'TR', 0.16],
  ['T#', 'B', 0.26],
  // 귀
  ['EB#', 'ET#', 0.36],
  ['HC', 'EM#', 0.42],
  ['HC', 'ET#', 0.37],
  ['HT', 'EM#', 0.2],
  ['HF', 'EM#', 0.34],
  ['HF', 'ET#', 0.3],
  ['EB$', 'EM#', 0.24],
  ['N', 'ET#', 0.3],
  ['EML', 'EMR', 0.2],
  ['ETL', 'ETR', 0.16],
]

/** 두 점이면 휘두르기만, 세 점이면 몸통처럼 [밑, 위, 옆] 기저로 돈다. */
const TURNED: readonly (readonly [bone: string, ...points: string[]])[] = [
  ['hips', 'P', 'N', 'SR'],
  ['head', 'N', 'HT', 'HF'],
  ['arm#', 'S#', 'A#'],
  ['thigh#', 'H#', 'K#', 'X#'],
  ['shin#', 'K#', 'F#', 'X#'],
  ['foot#', 'F#', 'T#'],
  ['ear#1', 'EB#', 'EM#'],
  ['ear#2', 'EM#', 'ET#'],
]

const named = (name: string, side: Side): string => name.replace('#', side).replace('$', side === 'L' ? 'R' : 'L')
/** # 이 있으면 양쪽으로 한 줄씩 */
function bothSides<Line extends readonly (string | number)[]>(lines: readonly Line[]): Line[] {
  return lines.flatMap((line) =>
    line.some((word) => typeof word === 'string' && word.includes('#'))
      ? SIDES.map((side) => line.map((word) => (typeof word === 'string' ? named(word, side) : word)) as never as Line)
      : [line],
  )
}
const pairs = (names: readonly string[]): [string, string][] =>
  names.flatMap((a, k) => names.slice(k + 1).map((b): [string, string] => [a, b]))

/** 토끼 여럿의 래그돌: 점과 막대는 첫 토끼의 쉬는 자세에서 재고, 나머지는 같은 이름의 뼈를 쓴다. */
export function bunnyRagdoll(
  bunnies: readonly Bones[],
): Pick<RagdollSetup, 'points' | 'links' | 'bones' | 'limits' | 'bodies'> {
  const first = bunnies[0]!
  first.root.updateWorldMatrix(true, true)
  const scale = new Vector3().setFromMatrixScale(first.root.matrixWorld).y
  const points = ROWS.map(([name, bone, at, radius]): RagdollPoint => ({
    name,
    bone: first[bone],
    position: new Vector3(...at).applyMatrix4(first.root.matrixWorld),
    radius: radius * scale,
    inverseMass: name === 'HC' ? 0.5 : 1,
  }))
  const links: RagdollLink[] = [
    ...pairs(TORSO),
    ...pairs(HEAD),
    ...bothSides(CHAINS).flatMap((chain) => chain.slice(1).map((b, k): [string, string] => [chain[k]!, b])),
    ...bothSides(APART).map(([a, b, least]) => ({ a, b, rest: least * scale, minOnly: true })),
  ]
  const bones = bothSides(TURNED).map(([bone, ...along]): RagdollBone => ({
    bone: first[bone as BoneName],
    points: along as unknown as RagdollBone['points'],
  }))
  // 무릎은 뒤로만 굽고, 허벅지는 조금만 비틀린다
  const limits = SIDES.flatMap((side): RagdollLimit[] => [
    { kind: 'hinge', points: [`H${side}`, `K${side}`, `X${side}`, `F${side}`], min: 0, max: 2.3 },
    { kind: 'twist', frame: ['P', 'N', 'SR'], points: [`H${side}`, `K${side}`, `X${side}`], angle: 0.5 },
  ])
  // 뼈의 차례: 점에서 처음 나온 순서, 그다음 bones 에서
  const order = [...new Set([...points, ...bones].map(({ bone }) => (bone as Bone).name as BoneName))]
  const bodies = bunnies.map((own): RagdollBodySetup => ({ bones: order.map((name) => own[name]), root: own.root }))
  return { points, links, bones, limits, bodies }
}

/** 점의 차례대로 반지름(m) */
export const POINT_RADII = ROWS.map(([, , , radius]) => radius)
