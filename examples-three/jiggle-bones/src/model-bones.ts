import * as THREE from 'three'

/** 이름에 이런 낱말이 있으면 흔들 뼈로 미리 고른다. */
const SOFT =
  /^(hair|bangs?|ahoge|braid|pony|ponytail|pigtail|twintail|ears?|tail|skirt|cloth|cape|cloak|coat|ribbon|scarf|tie|sleeve|tassel|belt|strap|antennas?|antennae|feather|whisker|horn|fin|beard|mane|tentacle|jiggle|spring|dangle|chain|귀|머리카락|꼬리|치마|리본|망토)$/
/** 이런 낱말이 있으면 고르지 않는다. */
const STIFF = /^(breast|breasts|bust|boob|boobs|chest|ik|pole|target|ctrl|control|end)$/

/** EarL_01 → ear, l, 01 */
const words = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z가-힣]+/)
    .filter(Boolean)

/** 고를 수 있는 뼈: 끝 표시 뼈는 뺀다. */
export function jiggleCandidates(root: THREE.Object3D): THREE.Bone[] {
  const bones: THREE.Bone[] = []
  root.traverse((object) => {
    if ((object as THREE.Bone).isBone && !/(_|\.)end$|_?end_?\d*$/i.test(object.name) && object.position.lengthSq() > 0)
      bones.push(object as THREE.Bone)
  })
  return bones
}

/** 이름으로 미리 고른다. preferred 가 모델에 다 있으면 그것을 쓴다. */
export function preselect(bones: readonly THREE.Bone[], preferred: readonly string[] = []): Set<THREE.Bone> {
  const named = bones.filter(({ name }) => preferred.includes(name))
  if (preferred.length && named.length === preferred.length) return new Set(named)
  return new Set(
    chainRoots(
      new Set(
        bones.filter(({ name }) => {
          const parts = words(name)
          return parts.some((part) => SOFT.test(part)) && !parts.some((part) => STIFF.test(part))
        }),
      ),
    ),
  )
}

/** 고른 뼈 가운데 다른 고른 뼈 아래에 있지 않은 것: 사슬의 뿌리 */
export function chainRoots(chosen: ReadonlySet<THREE.Bone>): THREE.Bone[] {
  return [...chosen].filter((bone) => {
    for (let above = bone.parent; above; above = above.parent) if (chosen.has(above as THREE.Bone)) return false
    return true
  })
}
