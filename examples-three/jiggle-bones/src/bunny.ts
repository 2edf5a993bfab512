import * as THREE from 'three'
import { bunnyGeometry, clay } from './bunny-shape'
import type { Pose } from './hop'
import { createRig, restOf, type Bones } from './rig'
import { BunnyFace } from '../../shared/clay/bunny-face'
import { ClayMaterial } from '../../shared/clay/clay-material'

/** 점토 토끼 한 마리: 스킨 메시 하나와 뼈대, 얼굴. */
export class Bunny {
  readonly group = new THREE.Group()
  readonly bones: Bones
  #material = new ClayMaterial({ skinned: true })
  #face = new BunnyFace(clay, restOf('skull'))
  #mesh: THREE.SkinnedMesh

  constructor() {
    const { bones, list } = createRig()
    this.bones = bones
    const mesh = (this.#mesh = new THREE.SkinnedMesh(bunnyGeometry(), this.#material))
    mesh.castShadow = mesh.receiveShadow = true
    mesh.frustumCulled = false
    mesh.add(bones.root)
    mesh.bind(new THREE.Skeleton(list))
    bones.skull.add(this.#face.group)
    this.group.add(mesh)
  }

  /** 자세를 뼈에 옮긴다. 흔들 뼈(귀 · 머리카락 · 꼬리)는 건드리지 않는다: 쉬는 회전이 그대로 남는다. */
  pose(pose: Pose): void {
    const { bones } = this
    const { stretch, tuck } = pose
    const wide = 1 / Math.sqrt(stretch)
    bones.root.position.y = pose.height
    bones.root.rotation.y = pose.yaw
    bones.hips.position.y = restOf('hips').y + pose.drop
    bones.hips.rotation.x = pose.pitch * 0.55
    bones.belly.scale.set(wide, stretch, wide)
    bones.chest.position.y = restOf('chest').y - restOf('hips').y + (stretch - 1) * 0.24
    bones.chest.rotation.x = pose.pitch * 0.45
    bones.head.rotation.set(pose.nod, pose.look, pose.tilt)
    const soft = 1 + (stretch - 1) * 0.42
    bones.skull.scale.set(1 / Math.sqrt(soft), soft, 1 / Math.sqrt(soft))
    for (const [foot, arm, side] of [
      [bones.footL, bones.armL, 1],
      [bones.footR, bones.armR, -1],
    ] as const) {
      foot.position.y = restOf('footL').y + tuck * 0.1
      foot.position.z = restOf('footL').z - tuck * 0.03
      foot.rotation.x = tuck * 0.62
      arm.rotation.set(-pose.arms * 0.6, side * pose.arms * 0.15, side * pose.arms * 0.3)
    }
    this.#material.flush.value = pose.flush * 0.6
    this.#face.show(pose)
  }

  dispose(): void {
    this.#face.dispose()
    this.#material.dispose()
    this.#mesh.skeleton.dispose()
    this.#mesh.geometry.dispose() // 배열은 남고 그래픽 카드의 사본만 지운다
    this.group.removeFromParent()
  }
}
