import * as THREE from 'three'

type Spot = readonly [number, number, number]

/** 뼈: 이름, 부모, 쉬는 자리(m, 발밑이 원점). skull 은 눌리고 늘어나는 끝 뼈라 자식이 없다. */
const JOINTS = [
  ['root', '', [0, 0, 0]],
  ['hips', 'root', [0, 0.47, 0]],
  ['chest', 'hips', [0, 0.62, 0]],
  ['tail', 'hips', [0, 0.42, -0.2]],
  ['head', 'chest', [0, 0.8, 0]],
  ['skull', 'head', [0, 0.84, 0]],
  ['earL1', 'head', [0.14, 1.28, -0.03]],
  ['earL2', 'earL1', [0.26, 1.57, -0.1]],
  ['earR1', 'head', [-0.14, 1.28, -0.03]],
  ['earR2', 'earR1', [-0.26, 1.57, -0.1]],
  ['armL', 'chest', [0.19, 0.745, 0.01]],
  ['armR', 'chest', [-0.19, 0.745, 0.01]],
  ['thighL', 'hips', [0.125, 0.45, 0]],
  ['shinL', 'thighL', [0.135, 0.27, 0.012]],
  ['footL', 'shinL', [0.14, 0.1, 0]],
  ['thighR', 'hips', [-0.125, 0.45, 0]],
  ['shinR', 'thighR', [-0.135, 0.27, 0.012]],
  ['footR', 'shinR', [-0.14, 0.1, 0]],
] as const satisfies readonly (readonly [string, string, Spot])[]

export type BoneName = (typeof JOINTS)[number][0]
export type Bones = Record<BoneName, THREE.Bone>

/** 머리가 「흔들리는 뼈」의 토끼보다 높은 만큼(m) */
export const HEAD_LIFT = 0.17
/** 마지막 마디의 끝 */
export const TIPS = {
  earL: [0.385, 1.86, -0.15],
  armL: [0.42, 0.54, 0.07],
  footL: [0.155, 0.06, 0.2],
} as const satisfies Record<string, Spot>
/** 허벅지와 정강이의 길이를 더한 것: 쪼그려 앉는 만큼 무릎을 굽힐 때 쓴다 */
export const LEG = 0.35

const INDEX = new Map<string, number>(JOINTS.map(([name], index) => [name, index]))
export const boneIndex = (name: string): number => INDEX.get(name)!
/** 쉬는 자리 */
export const restOf = (name: BoneName): THREE.Vector3 => new THREE.Vector3(...JOINTS[boneIndex(name)]![2])

/** 뼈대 하나를 새로 만든다. ▶ 진짜 모델을 쓰려면 GLTFLoader 로 읽은 같은 이름의 뼈로 바꾼다. */
export function createRig(): { bones: Bones; list: THREE.Bone[] } {
  const list: THREE.Bone[] = []
  for (const [name, parent] of JOINTS) {
    const bone = new THREE.Bone()
    bone.name = name
    bone.position.copy(restOf(name))
    if (parent) {
      bone.position.sub(restOf(parent))
      list[boneIndex(parent)]!.add(bone)
    }
    list.push(bone)
  }
  return { bones: Object.fromEntries(list.map((bone) => [bone.name, bone])) as Bones, list }
}
