import * as THREE from 'three'

type Spot = readonly [number, number, number]

/** 뼈: 이름, 부모, 쉬는 자리(m, 발밑이 원점). belly 와 skull 은 눌리고 늘어나는 끝 뼈라 자식이 없다. */
const JOINTS = [
  ['root', '', [0, 0, 0]],
  ['hips', 'root', [0, 0.24, -0.04]],
  ['belly', 'hips', [0, 0.3, -0.04]],
  ['tail', 'hips', [0, 0.29, -0.3]],
  ['chest', 'hips', [0, 0.47, -0.02]],
  ['armL', 'chest', [0.2, 0.55, 0.06]],
  ['armR', 'chest', [-0.2, 0.55, 0.06]],
  ['head', 'chest', [0, 0.63, 0]],
  ['skull', 'head', [0, 0.67, 0]],
  ['earL1', 'head', [0.14, 1.11, -0.03]],
  ['earL2', 'earL1', [0.26, 1.4, -0.1]],
  ['earR1', 'head', [-0.14, 1.11, -0.03]],
  ['earR2', 'earR1', [-0.26, 1.4, -0.1]],
  ['hair1', 'head', [0, 1.16, 0.06]],
  ['hair2', 'hair1', [0.01, 1.3, 0.1]],
  ['footL', 'root', [0.17, 0.08, 0.04]],
  ['footR', 'root', [-0.17, 0.08, 0.04]],
] as const satisfies readonly (readonly [string, string, Spot])[]

export type BoneName = (typeof JOINTS)[number][0]
export type Bones = Record<BoneName, THREE.Bone>

/** 마지막 마디의 끝 */
export const TIPS = {
  earL: [0.385, 1.69, -0.15],
  earR: [-0.385, 1.69, -0.15],
  hair: [0.05, 1.38, 0.24],
  tail: [0, 0.35, -0.6],
} as const satisfies Record<string, Spot>

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
