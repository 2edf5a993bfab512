import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { bunnyGeometry, clay } from './bunny-shape'
import { createRig, HEAD_LIFT, LEG, restOf, type Bones } from './rig'
import { BunnyFace, type Expression } from '../../shared/clay/bunny-face'
import { ClayMaterial } from '../../shared/clay/clay-material'

/** 서 있거나 뛰는 토끼의 자세 */
export interface Pose {
  /** 뛰어오른 높이, 쪼그린 깊이(m), 몸의 세로 늘어남(1 이 그대로) */
  height: number
  drop: number
  stretch: number
  /** 바라보는 방향, 몸과 고개의 숙임, 고개의 좌우와 갸웃(라디안) */
  yaw: number
  pitch: number
  nod: number
  look: number
  tilt: number
  /** 팔을 옆으로 든 각, 앞으로 내민 각, 뒤로 누운 귀(라디안). 음수면 내린다 */
  arms: number
  reach: number
  ears: number
  /** 공중에서 접은 다리, 볼 붉음 (0~1) */
  tuck: number
  flush: number
}

export const STANDING: Readonly<Pose> = {
  height: 0,
  drop: 0,
  stretch: 1,
  yaw: 0,
  pitch: 0,
  nod: 0,
  look: 0,
  tilt: 0,
  arms: -0.3,
  reach: 0,
  ears: 0,
  tuck: 0,
  flush: 0.35,
}

/** 점토 토끼 한 마리: 스킨 메시 하나와 뼈대. 주인공은 표정을 짓고, 여럿이 나올 때는 얼굴도 한 덩이다. */
export class Bunny {
  readonly group = new THREE.Group()
  readonly bones: Bones
  readonly mesh: THREE.SkinnedMesh
  #material: ClayMaterial
  #face: BunnyFace | undefined
  #mask: THREE.Mesh | undefined

  constructor({ cell = 0.028, tint = '#ffffff', plain = false } = {}) {
    const { bones, list } = createRig()
    this.bones = bones
    this.#material = new ClayMaterial({ skinned: true, color: tint })
    const mesh = (this.mesh = new THREE.SkinnedMesh(bunnyGeometry(cell), this.#material))
    mesh.castShadow = mesh.receiveShadow = true
    mesh.frustumCulled = false
    mesh.add(bones.root)
    mesh.bind(new THREE.Skeleton(list))
    this.group.add(mesh)
    if (plain) bones.skull.add((this.#mask = new THREE.Mesh(masks().calm, maskMaterial)))
    else bones.skull.add((this.#face = comicFace()).group)
  }

  /** 자세를 뼈에 옮긴다. 뿌리의 x · z 는 건드리지 않는다: 넘어진 자리에서 일어난다. */
  pose(pose: Pose): void {
    const { bones } = this
    const { drop, stretch, tuck } = pose
    bones.root.position.y = pose.height
    bones.root.rotation.set(0, pose.yaw, 0)
    bones.hips.position.copy(restOf('hips'))
    bones.hips.position.y -= drop
    bones.hips.rotation.set(pose.pitch, 0, 0)
    bones.chest.position.copy(restOf('chest')).sub(restOf('hips'))
    bones.chest.position.y += (stretch - 1) * 0.2
    bones.head.rotation.set(pose.nod, pose.look, pose.tilt)
    const soft = 1 + (stretch - 1) * 0.5
    bones.skull.scale.set(1 / Math.sqrt(soft), soft, 1 / Math.sqrt(soft))
    bones.tail.rotation.set(0, 0, 0)
    // 엉덩이가 내려온 만큼 무릎이 굽는다
    const knee = Math.acos(THREE.MathUtils.clamp(1 - drop / LEG, -1, 1)) + tuck * 0.75
    for (const [arm, ear1, ear2, thigh, shin, foot, side] of [
      [bones.armL, bones.earL1, bones.earL2, bones.thighL, bones.shinL, bones.footL, 1],
      [bones.armR, bones.earR1, bones.earR2, bones.thighR, bones.shinR, bones.footR, -1],
    ] as const) {
      arm.rotation.set(-pose.reach, 0, side * pose.arms)
      ear1.rotation.set(-pose.ears * 0.5, 0, side * -pose.ears * 0.35)
      ear2.rotation.set(-pose.ears * 0.5, 0, side * -pose.ears * 0.3)
      thigh.rotation.set(-knee - pose.pitch, 0, 0)
      shin.rotation.set(knee * 2, 0, 0)
      foot.rotation.set(tuck * 0.5 - knee, 0, 0)
    }
    this.#material.flush.value = pose.flush * 0.6
  }

  /** 표정. time(초)은 소용돌이를 돌린다. */
  express(expression: Expression, time: number): void {
    this.#face?.show(expression, time)
    if (this.#mask) this.#mask.geometry = (expression.dizzy ?? 0) > 0.5 ? masks().dizzy : masks().calm
  }

  dispose(): void {
    this.#face?.dispose()
    this.#material.dispose()
    this.mesh.skeleton.dispose()
    this.mesh.geometry.dispose() // 배열은 남고 그래픽 카드의 사본만 지운다
    this.group.removeFromParent()
  }
}

const comicFace = (): BunnyFace => new BunnyFace(clay, restOf('skull'), { lift: HEAD_LIFT, comic: true })

const maskMaterial = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.4 })

/** 표정마다 한 덩이로 모은 얼굴: 여럿이 나와도 그리는 횟수가 적다. */
let moulds: { calm: THREE.BufferGeometry; dizzy: THREE.BufferGeometry } | undefined
function masks(): NonNullable<typeof moulds> {
  if (moulds) return moulds
  const face = comicFace()
  const mould = (expression: Expression): THREE.BufferGeometry => {
    face.show(expression)
    face.group.updateMatrixWorld(true)
    const parts: THREE.BufferGeometry[] = []
    face.group.traverseVisible((object) => {
      if (!(object instanceof THREE.Mesh)) return
      const part = (object.geometry as THREE.BufferGeometry).clone().applyMatrix4(object.matrixWorld)
      part.deleteAttribute('uv')
      const { color } = object.material as THREE.MeshStandardMaterial
      const { count } = part.attributes.position!
      const colours = new Float32Array(count * 3)
      for (let k = 0; k < count; k++) color.toArray(colours, k * 3)
      part.setAttribute('color', new THREE.BufferAttribute(colours, 3))
      parts.push(part)
    })
    return mergeGeometries(parts)
  }
  moulds = {
    calm: mould({ blink: 0, wide: 0, happy: 0 }),
    dizzy: mould({ blink: 0, wide: 0, happy: 0, dizzy: 1 }),
  }
  face.dispose()
  return moulds
}
