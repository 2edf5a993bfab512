import * as THREE from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'

/** bake.mjs 가 쓴 보고서 가운데 화면에 보이는 것 */
export interface Report {
  bytes: number
  targets: number
  /** 가장 큰 오차(m) */
  maxError: number
}

// 아직 굽지 않았으면 빈 목록이다
const files = import.meta.glob<string>('../baked/cape.glb', { query: '?url', import: 'default', eager: true })
const reports = import.meta.glob<Report>('../baked/report.json', { import: 'default', eager: true })

/** 구운 파일: three.js 의 GLTFLoader 와 AnimationMixer 만으로 재생한다. */
export class Baked {
  readonly mesh: THREE.Mesh
  readonly report: Report
  /** 지금 보이는 점과 법선, [x, y, z] × 점 */
  readonly positions: Float32Array
  readonly normals: Float32Array
  #mixer: THREE.AnimationMixer
  #clip: THREE.AnimationClip

  /** 파일을 불러온다. 아직 굽지 않았으면 undefined. */
  static async load(): Promise<Baked | undefined> {
    const url = Object.values(files)[0]
    const report = Object.values(reports)[0]
    if (!url || !report) return undefined
    const { scene, animations } = await new GLTFLoader().loadAsync(url)
    return new Baked(scene, animations[0]!, report)
  }

  private constructor(scene: THREE.Group, clip: THREE.AnimationClip, report: Report) {
    this.mesh = scene.getObjectByName('cape') as THREE.Mesh
    this.report = report
    this.#clip = clip
    this.#mixer = new THREE.AnimationMixer(scene)
    this.#mixer.clipAction(clip).play()
    const { count } = this.mesh.geometry.attributes.position!
    this.positions = new Float32Array(count * 3)
    this.normals = new Float32Array(count * 3)
  }

  /** time 초의 모습으로. 마지막 장면을 지나 처음으로 넘어가지 않게 멈춘다. */
  show(time: number): void {
    this.#mixer.setTime(Math.min(time, this.#clip.duration * (1 - 1e-6)))
    this.#read('position', this.positions)
    this.#read('normal', this.normals)
  }

  /** 모프 타깃이 섞인 값을 읽는다: 가장자리 끈을 두르고 실시간 망토와 견주기 위해서다. */
  #read(name: 'position' | 'normal', out: Float32Array): void {
    const { geometry, morphTargetInfluences } = this.mesh
    out.set(geometry.getAttribute(name).array)
    geometry.morphAttributes[name]!.forEach(({ array }, target) => {
      const weight = morphTargetInfluences![target]!
      if (weight) for (let i = 0; i < out.length; i++) out[i]! += weight * array[i]!
    })
  }
}
