import * as THREE from 'three'
import { DAY, type Act } from './act'
import { bakedFile, kib, loadGLB, mm, type BakedFile } from './files'
import { Meadow, MEADOW } from './meadow'
import { wording } from './wording'
import type { Stage } from '../../shared/stage'

/** 굽기 전의 파일. ▶ 다른 캐릭터로 바꾸려면 이 파일과 limber.config.json 의 이름들을 바꾼다. */
const RAW = new URL('../models/hero.glb', import.meta.url).href

/** 파일 하나에서 나온 주인공: 읽은 그대로, 애니메이션 하나를 재생한다. */
class Take {
  readonly scene: THREE.Group
  readonly file: BakedFile | undefined
  readonly cape: THREE.Mesh
  readonly duration: number
  #mixer: THREE.AnimationMixer
  #look: THREE.Material

  static async load(url: string, clip: string, file?: BakedFile): Promise<Take> {
    const { scene, animations } = await loadGLB(url)
    return new Take(scene, THREE.AnimationClip.findByName(animations, clip)!, file)
  }

  private constructor(scene: THREE.Group, clip: THREE.AnimationClip, file: BakedFile | undefined) {
    this.scene = scene
    this.file = file
    this.cape = scene.getObjectByName('Cape') as THREE.Mesh
    this.duration = clip.duration
    this.#look = this.cape.material as THREE.Material
    // 굽기 전의 망토에는 고정할 점을 칠한 빛깔이 남아 있다: 표시일 뿐 무늬가 아니다
    if (!file) this.#look.vertexColors = false
    scene.traverse((object) => {
      if (!(object as THREE.Mesh).isMesh) return
      object.castShadow = object.receiveShadow = true
      object.frustumCulled = false
    })
    this.#mixer = new THREE.AnimationMixer(scene)
    this.#mixer.clipAction(clip).play()
  }

  show(time: number): void {
    this.#mixer.setTime(time)
  }

  /** 망토를 그물로 */
  net(on: boolean): void {
    this.cape.material = on ? NET : this.#look
  }

  /** time 초의 망토의 점, [x, y, z] × 점 (m) */
  shape(time: number): Float32Array {
    this.show(time)
    this.scene.updateWorldMatrix(true, true)
    if ((this.cape as THREE.SkinnedMesh).isSkinnedMesh) (this.cape as THREE.SkinnedMesh).skeleton.update()
    const { count } = this.cape.geometry.getAttribute('position')
    const out = new Float32Array(count * 3)
    for (let v = 0; v < count; v++)
      this.cape
        .getVertexPosition(v, point)
        .applyMatrix4(this.cape.matrixWorld)
        .toArray(out, v * 3)
    return out
  }
}

const NET = new THREE.MeshBasicMaterial({ color: '#b3202f', wireframe: true })
const point = new THREE.Vector3()

/** 둘째 화면: 들길을 걷는 주인공. 굽기 전, 잔잔한 바람, 폭풍을 오간다. */
export class Hero implements Act {
  readonly group = new THREE.Group()
  readonly stage = MEADOW
  readonly palette = DAY
  readonly title = wording.heroTitle
  readonly chipNames = [wording.size, wording.targets, wording.largest, wording.seam]
  readonly settings = { speed: 1, playing: true, net: false }
  /** 굽기 전, 잔잔, 폭풍 가운데 지금의 것 */
  chosen = 1
  #stage: Stage
  #takes: readonly Take[]
  #meadow = new Meadow()
  #clock = 1.5
  #time = 0
  #swung = 0

  static async load(stage: Stage): Promise<Hero> {
    const baked = [bakedFile('hero.Walk.calm'), bakedFile('hero.Walk.storm')]
    const takes = await Promise.all([
      Take.load(RAW, 'Walk'),
      ...baked.map((file) => (file ? Take.load(file.url, 'baked', file) : Take.load(RAW, 'Walk'))),
    ])
    return new Hero(stage, takes)
  }

  private constructor(stage: Stage, takes: readonly Take[]) {
    this.#stage = stage
    this.#takes = takes
    stage.castShadow(this.#meadow.key, 5)
    Object.assign(this.#meadow.key.shadow, { bias: -0.0008, normalBias: 0.018 })
    this.group.add(this.#meadow.group, ...takes.map(({ scene }) => scene))
    this.choose(1)
  }

  get sentence() {
    const { file } = this.#take
    if (file) return wording.heroBaked(kib(file), file.report.targets, mm(file.report.maxError))
    return this.chosen ? wording.missing : wording.heroRaw
  }

  chips(): string[] {
    const { file } = this.#take
    const targets = file ? String(file.report.targets) : '0'
    return [kib(file), targets, mm(file?.report.maxError), mm(file?.report.seam?.distance)]
  }

  choose(index: number): void {
    this.chosen = index
    this.#takes.forEach(({ scene }, k) => (scene.visible = k === index))
    this.#take.show(this.#clock % this.#take.duration)
  }

  net(on: boolean): void {
    for (const take of this.#takes) take.net(on)
  }

  enter(): void {
    this.#swung = 0
    this.advance(0)
  }

  leave(): void {}

  advance(dt: number): void {
    const { settings } = this
    const walked = settings.playing ? dt * settings.speed : 0
    this.#time += dt
    this.#clock += walked
    this.#take.show(this.#clock % this.#take.duration)
    this.#meadow.update(this.#stage, dt, walked, this.chosen === 2, this.chosen > 0)
    // 카메라는 얼굴이 보이는 옆에서 망토가 보이는 뒤로 천천히 오간다
    const angle = -0.33 * (1 - Math.cos(this.#time * 0.24))
    this.#stage.swing(angle - this.#swung)
    this.#swung = angle
  }

  render(): void {}

  /** 이음매와 한 장면의 움직임은 지금 고른 파일을 그리는 그대로 잰다(mm). */
  stats() {
    const take = this.#take
    const frame = 1 / 30
    const [first, second] = [take.shape(0), take.shape(frame)]
    const middle = take.shape(take.duration / 2)
    const last = take.shape(take.duration * (1 - 1e-6))
    const before = take.shape(take.duration - frame)
    this.#take.show(this.#clock % take.duration)
    const { report } = take.file ?? {}
    return {
      chosen: this.chosen,
      targets: report?.targets ?? 0,
      millimetres: (report?.maxError ?? 0) * 1000,
      seam: furthest(first, last),
      step: Math.max(furthest(first, second), furthest(before, last)),
      moved: furthest(first, middle),
      high: Math.max(...first.filter((_, i) => i % 3 === 1)),
      low: Math.min(...first.filter((_, i) => i % 3 === 1)),
      time: this.#time,
    }
  }

  get #take(): Take {
    return this.#takes[this.chosen]!
  }
}

/** 두 모양에서 가장 멀리 떨어진 점(mm) */
function furthest(a: Float32Array, b: Float32Array): number {
  let most = 0
  for (let i = 0; i < a.length; i += 3)
    most = Math.max(most, Math.hypot(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!, a[i + 2]! - b[i + 2]!))
  return most * 1000
}
