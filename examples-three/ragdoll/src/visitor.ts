import * as THREE from 'three'
import { Ragdoll, RagdollHelper, type Backend, type Collider } from 'limber'
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { settings, STICK_COLOURS } from './settings'
import { groundAt } from './steps'
import { wording, type State } from './wording'
import { disposeModel, ModelProblem, problems } from '../../shared/model/model-file'

/** 계단에 어울리는 키(m)와 떨어지는 자리 */
const TALL = 1.25
const SPOT = new THREE.Vector3(0, 0, -1.5)
const ABOVE = 0.7
/** 누워 있는 시간, 서 있는 시간(초) */
const LYING = 3.2
const STANDING_BY = 4

/** 사용자의 캐릭터: 뼈대에서 래그돌을 스스로 만들어 계단에 떨어진다. */
export class Visitor {
  readonly group = new THREE.Group()
  readonly ragdoll: Ragdoll
  /** 캐릭터가 서는 자리. 일어날 때 ragdoll 이 골반 아래로 옮긴다. */
  #stand = new THREE.Group()
  #gltf: GLTF
  #mixer: THREE.AnimationMixer
  #helper: RagdollHelper
  #clock = 0

  /** @throws ModelProblem 보일 것이 없거나 스킨이 없을 때. LimberError 사람 모양이 아닐 때 */
  constructor(limber: Backend, gltf: GLTF, colliders: readonly Collider[]) {
    this.#gltf = gltf
    const { scene } = gltf
    let meshes = 0
    let body: THREE.SkinnedMesh | undefined
    scene.traverse((object) => {
      const mesh = object as THREE.SkinnedMesh
      if (!mesh.isMesh) return
      meshes++
      mesh.castShadow = mesh.receiveShadow = true
      mesh.frustumCulled = false
      // 뼈가 가장 많은 것이 몸이다
      if (mesh.isSkinnedMesh && !(body && body.skeleton.bones.length >= mesh.skeleton.bones.length)) body = mesh
    })
    this.#mixer = new THREE.AnimationMixer(scene)
    try {
      if (!meshes) throw new ModelProblem(problems.noMesh)
      if (!body) throw new ModelProblem(wording.noSkin)
      this.#fit()
      this.ragdoll = Ragdoll.fromSkeleton(limber, body, {
        root: this.#stand,
        colliders,
        iterations: settings.iterations,
        floor: 0,
      })
    } catch (error) {
      disposeModel(scene)
      throw error
    }
    this.ragdoll.onState = (_, state) => {
      if (state === 'animated') this.#clock = 0
    }
    this.#helper = new RagdollHelper(this.ragdoll, STICK_COLOURS)
    this.group.add(this.#helper)
    const clips = gltf.animations
    const clip = clips.find(({ name }) => /idle|stand/i.test(name)) ?? clips[0]
    if (clip) this.#mixer.clipAction(clip).play()
    this.apply()
    this.drop()
  }

  get phase(): State {
    if (!settings.ragdoll) return 'board'
    const { state, bodies } = this.ragdoll
    if (state === 'gettingUp') return state
    return state === 'animated' ? 'standing' : bodies[0]!.asleep ? 'resting' : 'falling'
  }

  advance(dt: number): void {
    this.#clock += dt
    if (this.ragdoll.state === 'limp') this.#stand.rotation.set(0, 0, 0) // 일어설 때는 앞을 보고 똑바로
    this.#mixer.update(dt)
    this.ragdoll.step(dt)
    // 누운 지 한참이면 스스로 일어나고, 선 지 한참이면 다시 떨어진다
    const { state, asleep } = this.ragdoll.bodies[0]!
    if (settings.repeat && state === 'limp' && this.#clock > LYING && (asleep || this.#clock > LYING * 1.6))
      this.getUp()
    else if (settings.repeat && state === 'animated' && this.#clock > STANDING_BY) this.drop()
    if (this.#helper.visible) this.#helper.update()
  }

  apply(): void {
    this.ragdoll.configure({ iterations: settings.iterations })
    this.#helper.visible = settings.sticks && settings.ragdoll
    if (!settings.ragdoll && this.ragdoll.state !== 'animated') this.drop()
  }

  /** 계단 위에서 다시 떨어뜨린다. */
  drop(): void {
    this.ragdoll.settle()
    this.#stand.position.copy(SPOT).setY(groundAt(SPOT.x, SPOT.z) + ABOVE)
    // 끄면 선 채로 계단 위에 놓인다
    if (!settings.ragdoll) {
      this.#stand.position.y -= ABOVE
      this.#stand.rotation.set(0, 0, 0)
      return
    }
    this.#stand.rotation.set(0.5, 0.4, 0.25)
    this.#stand.updateMatrixWorld(true)
    this.ragdoll.activate({ velocity: [0, -0.5, 1.2] })
    this.#clock = 0
  }

  /** 가슴을 툭 친다. */
  hit(): void {
    if (!settings.ragdoll) return
    const { points } = this.ragdoll
    const at = new THREE.Vector3()
    for (let k = 0; k < points.length; k += 3) at.add(new THREE.Vector3().fromArray(points, k))
    at.divideScalar(points.length / 3)
    at.y += 0.25
    const impulse = [settings.power * 0.7, settings.power * 0.5, settings.power * 0.25] as const
    if (this.ragdoll.state === 'animated') this.ragdoll.activate({ hit: { point: at, impulse } })
    else this.ragdoll.hit(at, impulse)
    this.#clock = 0
  }

  getUp(): void {
    if (this.ragdoll.state === 'limp') this.ragdoll.getUp()
  }

  dispose(): void {
    this.#helper.dispose()
    this.ragdoll.dispose()
    this.#mixer.stopAllAction()
    this.#mixer.uncacheRoot(this.#gltf.scene)
    disposeModel(this.#gltf.scene)
    this.group.removeFromParent()
  }

  /** 크기가 어떻든 알맞은 키로 가운데에 선다. */
  #fit(): void {
    const { scene } = this.#gltf
    this.#stand.add(scene)
    this.group.add(this.#stand)
    this.group.updateMatrixWorld(true)
    const box = new THREE.Box3().setFromObject(scene, true)
    const scale = TALL / box.getSize(new THREE.Vector3()).y || 1
    scene.scale.multiplyScalar(scale)
    const middle = box.getCenter(new THREE.Vector3()).multiplyScalar(scale)
    scene.position.multiplyScalar(scale).sub(middle.setY(box.min.y * scale))
    this.group.updateMatrixWorld(true)
  }
}
