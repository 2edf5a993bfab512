import * as THREE from 'three'
import { bakedFile, loadGLB, type BakedFile } from './files'

/** 구운 망토: three.js 의 GLTFLoader 와 AnimationMixer 만으로 재생한다. */
export class Baked {
  readonly mesh: THREE.Mesh
  readonly file: BakedFile
  /** 지금 보이는 점과 법선, [x, y, z] × 점 */
  readonly positions: Float32Array
  readonly normals: Float32Array
  #mixer: THREE.AnimationMixer
  #clip: THREE.AnimationClip
  #shapes: Record<'position' | 'normal', { base: Float32Array; targets: Float32Array[] }>

  /** 파일을 불러온다. 아직 굽지 않았으면 undefined. */
  static async load(): Promise<Baked | undefined> {
    const file = bakedFile('cape')
    if (!file) return undefined
    const { scene, animations } = await loadGLB(file.url)
    return new Baked(scene, animations[0]!, file)
  }

  private constructor(scene: THREE.Group, clip: THREE.AnimationClip, file: BakedFile) {
    this.mesh = scene.getObjectByName('cape') as THREE.Mesh
    this.file = file
    this.#clip = clip
    this.#mixer = new THREE.AnimationMixer(scene)
    this.#mixer.clipAction(clip).play()
    const { geometry } = this.mesh
    const shape = (name: 'position' | 'normal') => ({
      base: decoded(geometry.getAttribute(name)),
      targets: geometry.morphAttributes[name]!.map(decoded),
    })
    this.#shapes = { position: shape('position'), normal: shape('normal') }
    this.positions = this.#shapes.position.base.slice()
    this.normals = this.#shapes.normal.base.slice()
  }

  /** time 초의 모습으로. 마지막 장면을 지나 처음으로 넘어가지 않게 멈춘다. */
  show(time: number): void {
    this.#mixer.setTime(Math.min(time, this.#clip.duration * (1 - 1e-6)))
    this.#read('position', this.positions)
    this.#read('normal', this.normals)
    // 파일 속의 수는 정수다: 노드의 크기 배수를 곱해야 미터가 된다
    const { scale, position } = this.mesh
    const [size, at] = [scale.toArray(), position.toArray()]
    for (let i = 0; i < this.positions.length; i++) this.positions[i] = this.positions[i]! * size[i % 3]! + at[i % 3]!
    for (let i = 0; i < this.normals.length; i += 3) {
      const length = Math.hypot(this.normals[i]!, this.normals[i + 1]!, this.normals[i + 2]!) || 1
      for (let c = i; c < i + 3; c++) this.normals[c]! /= length
    }
  }

  /** 모프 타깃을 섞는다: 가장자리 끈을 두르고 실시간 망토와 견주기 위해서다. 그리는 데에는 필요 없다. */
  #read(name: 'position' | 'normal', out: Float32Array): void {
    const { base, targets } = this.#shapes[name]
    out.set(base)
    targets.forEach((target, k) => {
      const weight = this.mesh.morphTargetInfluences![k]!
      if (weight) for (let i = 0; i < out.length; i++) out[i]! += weight * target[i]!
    })
  }
}

/** 정수로 담긴 값도 제 값으로 읽는다. */
function decoded(attribute: THREE.BufferAttribute | THREE.InterleavedBufferAttribute): Float32Array {
  const { count, itemSize } = attribute
  return Float32Array.from({ length: count * itemSize }, (_, i) =>
    attribute.getComponent(Math.floor(i / itemSize), i % itemSize),
  )
}
