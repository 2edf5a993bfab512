import * as THREE from 'three'
import { JiggleBones, JiggleBonesHelper, type Backend } from 'limber'
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { chainRoots, jiggleCandidates, preselect } from './model-bones'
import { BONE_COLOURS, settings, STIFFNESS, type Act } from './settings'
import { Pedestal, PEDESTAL_HEIGHT } from './studio'
import { disposeModel, ModelProblem, problems } from '../../shared/model/model-file'

/** 받침 위에서 모델이 차지할 크기(m) */
const TALL = 2
const WIDE = 2.1

/** 잘 아는 모델에 미리 정해 둔 것: 흔들 뼈와 단단함의 배수, 동작 */
export interface Preferred {
  bones?: Readonly<Record<string, number>>
  clip?: string
}

interface Loaded {
  gltf: GLTF
  mixer: THREE.AnimationMixer
  action: THREE.AnimationAction | undefined
  bones: THREE.Bone[]
  chosen: Set<THREE.Bone>
  preferred: Preferred
  /** VRM 처럼 흔들 뼈가 파일에 적혀 있고, 아직 손으로 바꾸지 않았는가 */
  written: boolean
}

/** 사용자의 모델을 스튜디오에 세우고, 동작 위에 흔들림을 얹는다. */
export class OwnModel implements Act {
  readonly group = new THREE.Group()
  jiggle: JiggleBones | undefined
  #limber: Backend
  #holder = new THREE.Group()
  #pedestal = new Pedestal(0.86, '#f3c2b4', '#a5533f')
  #loaded: Loaded | undefined
  #helper: JiggleBonesHelper | undefined
  #time = 0

  constructor(limber: Backend) {
    this.#limber = limber
    this.#holder.position.y = PEDESTAL_HEIGHT
    this.#pedestal.shade(0, 0)
    this.group.add(this.#pedestal.group, this.#holder)
  }

  get state(): Act['state'] {
    return this.#loaded ? 'model' : 'empty'
  }

  get clips(): string[] {
    return this.#loaded?.gltf.animations.map(({ name }) => name) ?? []
  }

  get clip(): string {
    return this.#loaded?.action?.getClip().name ?? ''
  }

  get bones(): readonly THREE.Bone[] {
    return this.#loaded?.bones ?? []
  }

  get chosen(): ReadonlySet<THREE.Bone> {
    return this.#loaded?.chosen ?? new Set()
  }

  /** 읽은 모델을 세운다. 앞의 모델은 치운다. */
  show(gltf: GLTF, preferred: Preferred = {}): void {
    const { scene } = gltf
    let meshes = 0
    scene.traverse((object) => {
      const mesh = object as THREE.Mesh
      if (!mesh.isMesh) return
      meshes++
      mesh.castShadow = mesh.receiveShadow = true
      mesh.frustumCulled = false
    })
    if (!meshes) throw new ModelProblem(problems.noMesh)
    this.#clear()
    const json = gltf.parser.json as { extensions?: Record<string, { secondaryAnimation?: unknown } | undefined> }
    if (json.extensions?.VRM) scene.rotation.y = Math.PI // VRM 0 은 뒤를 본다
    const bones = jiggleCandidates(scene)
    this.#loaded = {
      gltf,
      mixer: new THREE.AnimationMixer(scene),
      action: undefined,
      bones,
      chosen: preselect(bones, Object.keys(preferred.bones ?? {})),
      preferred,
      written: !!(json.extensions?.VRMC_springBone ?? json.extensions?.VRM?.secondaryAnimation),
    }
    const names = this.clips
    this.play(
      names.find((name) => name === preferred.clip) ??
        names.find((name) => /dance|walk|run|idle/i.test(name)) ??
        names[0],
    )
    this.#loaded.mixer.update(0)
    this.#fit(scene)
    this.#rig()
  }

  /** 동작을 부드럽게 바꾼다. */
  play(name: string | undefined): void {
    const loaded = this.#loaded
    const clip = loaded?.gltf.animations.find((candidate) => candidate.name === name)
    if (!loaded || !clip) return
    const next = loaded.mixer.clipAction(clip)
    if (next === loaded.action) return
    next.reset().play()
    if (loaded.action) next.crossFadeFrom(loaded.action, 0.35, false)
    loaded.action = next
  }

  /** 흔들 뼈를 고르거나 뺀다. */
  choose(bone: THREE.Bone, on: boolean): void {
    const loaded = this.#loaded
    if (!loaded) return
    if (on) loaded.chosen.add(bone)
    else loaded.chosen.delete(bone)
    loaded.written = false
    this.#rig()
  }

  advance(dt: number): void {
    this.#time += dt
    const loaded = this.#loaded
    if (!loaded) return
    // 동작이 없는 모델은 좌우로 돌려 보여 준다: 멈출 때 출렁인다
    this.#holder.rotation.y = loaded.action ? 0 : 0.6 * sway(this.#time)
    loaded.mixer.update(dt)
    this.jiggle?.step(dt)
    if (this.#helper?.visible) this.#helper.update()
  }

  apply(): void {
    const { jiggle, stiffness, damping, bones } = settings
    if (!this.jiggle || !this.#helper) return
    this.jiggle.enabled = jiggle
    // VRM 파일의 단단함과 감쇠는 파일의 것이라 배수만 바꾼다
    if (this.#loaded?.written)
      for (const chain of this.jiggle.chains) chain.configure({ multiplier: stiffness / STIFFNESS })
    else this.jiggle.configure({ stiffness, damping })
    this.#helper.visible = bones
    if (bones) this.#helper.update()
  }

  translate(): void {}

  dispose(): void {
    this.#clear()
    this.#pedestal.dispose()
    this.group.removeFromParent()
  }

  /** 고른 뼈들로 흔들림을 새로 만든다. */
  #rig(): void {
    const loaded = this.#loaded
    this.#unrig()
    if (!loaded) return
    if (loaded.written)
      try {
        this.jiggle = JiggleBones.fromGLTF(this.#limber, loaded.gltf)
        loaded.chosen = new Set(chainRoots(new Set(this.jiggle.bones as THREE.Bone[])))
      } catch {
        loaded.written = false // 파일에 적힌 것이 깨졌으면 이름으로 고른 것을 쓴다
      }
    if (!loaded.written && loaded.chosen.size)
      this.jiggle = new JiggleBones(
        this.#limber,
        chainRoots(loaded.chosen).map((bones) => ({ bones, multiplier: loaded.preferred.bones?.[bones.name] ?? 1 })),
      )
    if (!this.jiggle) return
    this.#helper = new JiggleBonesHelper(this.jiggle, BONE_COLOURS)
    this.group.add(this.#helper)
    this.apply()
  }

  #unrig(): void {
    this.#helper?.removeFromParent()
    this.#helper?.dispose()
    this.jiggle?.dispose()
    this.#helper = this.jiggle = undefined
  }

  #clear(): void {
    this.#unrig()
    if (!this.#loaded) return
    const { mixer, gltf } = this.#loaded
    mixer.stopAllAction()
    mixer.uncacheRoot(gltf.scene)
    disposeModel(gltf.scene)
    this.#loaded = undefined
  }

  /** 크기가 어떻든 받침 위에 알맞게 선다. */
  #fit(scene: THREE.Object3D): void {
    this.#holder.rotation.y = 0
    this.#holder.scale.setScalar(1)
    this.#holder.add(scene)
    this.group.updateWorldMatrix(true, true)
    const box = new THREE.Box3().setFromObject(scene, true)
    const size = box.getSize(new THREE.Vector3())
    const scale = Math.min(TALL / size.y, WIDE / Math.max(size.x, size.z)) || 1
    const middle = box.getCenter(new THREE.Vector3())
    scene.position.x -= middle.x
    scene.position.z -= middle.z
    scene.position.y -= box.min.y - PEDESTAL_HEIGHT
    this.#holder.scale.setScalar(scale)
    this.#pedestal.shade(
      0,
      Math.min(1.7, size.x * scale * 1.2),
      Math.min(1.7, Math.max(size.z, size.x * 0.6) * scale * 1.2),
    )
    this.group.updateWorldMatrix(true, true)
  }
}

/** 한쪽을 보고 멈췄다가 다른 쪽으로 (−1~1) */
function sway(time: number): number {
  const s = Math.sin(time * 1.7)
  return Math.sign(s) * Math.min(1, Math.abs(s) * 1.6) ** 0.8
}
