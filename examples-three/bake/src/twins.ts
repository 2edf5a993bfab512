import * as THREE from 'three'
import type { Backend } from 'limber'
import { NIGHT, type Act } from './act'
import { Baked } from './baked'
import { kib, mm } from './files'
import { Label } from './labels'
import { DURATION, FPS, Walk, WARMUP } from './walk'
import { wording } from './wording'
import { capeFastening } from '../../cloth/src/cape'
import { Hem } from '../../cloth/src/fabric'
import { createKnight, type Bones } from '../../cloth/src/knight'
import { Night } from '../../cloth/src/night'
import { createRampart } from '../../cloth/src/rampart'
import { Torches } from '../../cloth/src/torches'
import { approach } from '../../shared/random'
import type { Stage, StageOptions } from '../../shared/stage'

/** 두 기사 사이의 거리(m) */
const APART = 1.5
/** 끝에서 처음으로 넘어갈 때 어두워졌다 밝아지는 시간(초) */
const FADE = 0.45
const EXPOSURE = 1.2

export const RAMPART: StageOptions = {
  sky: [
    [-0.2, '#27375f'],
    [0, '#31436f'],
    [0.1, '#1f2d52'],
    [0.32, '#131c3a'],
    [1, '#0b1226'],
  ],
  fog: { colour: '#1b2950', near: 9, far: 62 },
  exposure: EXPOSURE,
  toneMapping: THREE.ACESFilmicToneMapping,
  environment: 0.16,
  subject: { width: 3, height: 3.05, centre: new THREE.Vector3(0, 0.98, 0) },
  view: { azimuth: -0.5, elevation: 0.02 },
  limits: { elevation: [-0.12, 0.75], zoom: [0.5, 1.9] },
}

/** 첫 화면: 왼쪽은 지금 시뮬레이션하는 망토, 오른쪽은 구운 망토. */
export class Twins implements Act {
  readonly group = new THREE.Group()
  readonly stage = RAMPART
  readonly palette = NIGHT
  readonly title = wording.title
  readonly chipNames = [wording.perStep, wording.targets, wording.size, wording.difference]
  readonly settings = { speed: 1, playing: true, overlay: false, baked: true }
  #stage: Stage
  #walk: Walk
  #beginning: ReturnType<Walk['cape']['cloth']['snapshot']>
  #night = new Night()
  #torches = new Torches()
  #baked: Baked | undefined
  #twin = createKnight()
  #other = new THREE.Group()
  #net = new THREE.MeshBasicMaterial({ color: '#ffd27a', wireframe: true, transparent: true, opacity: 0.55 })
  #cloak: THREE.Material
  #hem: Hem | undefined
  #labels = [new Label(wording.live), new Label(wording.baked)] as const
  #bones: readonly [own: THREE.Object3D[], copied: THREE.Object3D[]]
  #frame = -WARMUP * FPS
  #clock = 0
  #time = 0
  #apart: number
  #swung = 0
  #millimetres = 0
  #largest = 0
  #centre = new THREE.Vector3()
  #move = new THREE.Vector3()

  static async load(stage: Stage, limber: Backend): Promise<Twins> {
    return new Twins(stage, limber, await Baked.load())
  }

  private constructor(stage: Stage, limber: Backend, baked: Baked | undefined) {
    this.#stage = stage
    this.#baked = baked
    this.#apart = baked ? APART : 0
    const walk = (this.#walk = new Walk(limber))
    const { knight, cape } = walk
    capeFastening(knight.chest)
    stage.castShadow(this.#torches.key)
    this.group.add(createRampart(), this.#night.group, this.#torches.group, knight.root, cape.group)

    // 구울 때와 똑같이 시작한다: WARMUP 초를 먼저 걷고, 녹화 첫 장면의 상태를 간직한다
    walk.drive(-WARMUP)
    cape.cloth.step(0)
    while (this.#frame < 0) this.#next()
    this.#beginning = cape.cloth.snapshot()

    // 오른쪽 기사: 뼈는 왼쪽 기사를 그대로 따라 하고, 망토는 파일에서 온다
    const [live, edge] = cape.group.children as [THREE.Mesh, THREE.Mesh]
    this.#cloak = live.material as THREE.Material
    if (baked) {
      capeFastening(this.#twin.chest)
      baked.mesh.material = this.#cloak
      baked.mesh.castShadow = baked.mesh.receiveShadow = true
      baked.mesh.frustumCulled = false
      this.#hem = new Hem(rim(12, 17), 0.0075, edge.material as THREE.Material)
      this.#other.add(this.#twin.root, baked.mesh, this.#hem.mesh)
      this.group.add(this.#other)
    }
    this.#bones = [bones(knight), bones(this.#twin)]
  }

  get sentence() {
    const { file } = this.#baked ?? {}
    return file ? wording.sentence(kib(file), DURATION, file.report.targets, mm(file.report.maxError)) : wording.missing
  }

  chips(): string[] {
    const { file } = this.#baked ?? {}
    return [
      this.#walk.cape.cloth.stats.milliseconds.toFixed(2),
      file ? String(file.report.targets) : '–',
      kib(file),
      file ? this.#millimetres.toFixed(1) : '–',
    ]
  }

  enter(): void {
    this.#swung = 0
    this.advance(0)
  }

  leave(): void {
    for (const label of this.#labels) label.hide()
  }

  /** real 초 앞으로: 녹화한 장면 수만큼 걷고, 끝나면 처음 상태로 되돌린다. */
  advance(real: number): void {
    const { settings } = this
    const { cape } = this.#walk
    const dt = Math.min(real, 0.05)
    this.#time += dt
    if (settings.playing) this.#clock += dt * settings.speed
    if (this.#clock >= DURATION) {
      this.#clock %= DURATION
      this.#frame = 0
      this.#walk.rewind()
      cape.cloth.restore(this.#beginning)
    }
    while (this.#frame < Math.floor(this.#clock * FPS + 1e-6)) this.#next()
    cape.update()
    if (this.#baked && this.#hem) this.#showBaked(this.#baked, this.#hem, dt)

    const { gait, wind } = this.#walk
    this.#centre.copy(gait.position).x += this.#apart / 2
    this.#follow()
    const ends = Math.min(1, Math.min(this.#clock, DURATION - this.#clock) / FADE)
    this.#stage.renderer.toneMappingExposure = EXPOSURE * ends * ends * (3 - 2 * ends)
    this.#torches.update(this.#time, this.#centre, 1, wind.atFlag.x)
    this.#night.update(this.#time)
  }

  render(): void {
    const above = this.#walk.gait.position
    const [live, baked] = this.#labels
    const { camera } = this.#stage
    live.place(head.copy(above).setY(2.02), camera, this.#baked !== undefined && this.#apart > 0.4)
    head.copy(above).setY(2.08).x += this.#apart
    baked.place(head, camera, this.settings.baked && this.#apart > 0.4)
  }

  stats() {
    return {
      milliseconds: this.#walk.cape.cloth.stats.milliseconds,
      targets: this.#baked?.file.report.targets ?? 0,
      millimetres: this.#largest,
      time: this.#time,
    }
  }

  /** 녹화와 같은 한 장면 앞으로. */
  #next(): void {
    this.#frame++
    this.#walk.drive(this.#frame / FPS)
    this.#walk.cape.cloth.step(1 / FPS)
  }

  #showBaked(baked: Baked, hem: Hem, dt: number): void {
    const { settings } = this
    baked.show(this.#frame / FPS)
    hem.update(baked.positions, baked.normals)
    this.#compare(baked)
    const [own, copied] = this.#bones
    own.forEach((bone, k) => {
      copied[k]!.position.copy(bone.position)
      copied[k]!.quaternion.copy(bone.quaternion)
    })
    this.#apart = approach(this.#apart, settings.overlay ? 0 : APART, 4, dt)
    this.#other.position.x = this.#apart
    const together = this.#apart < 0.02
    this.#twin.root.visible = settings.baked && !together
    hem.mesh.visible = settings.baked && !together
    baked.mesh.visible = settings.baked
    baked.mesh.material = together ? this.#net : this.#cloak
    baked.mesh.castShadow = !together
  }

  /** 카메라는 두 기사의 가운데를 따라가고, 기사가 돌아서면 등 뒤로 돌아 나간다. */
  #follow(): void {
    const stage = this.#stage
    stage.follow(this.#move.subVectors(this.#centre, stage.controls.target).setY(0))
    const angle = 0.45 * ((Math.PI / 2 - this.#walk.gait.yaw) / (Math.PI / 2))
    stage.swing(-angle - this.#swung)
    this.#swung = -angle
  }

  /** 실시간 망토와 구운 망토에서 가장 멀리 떨어진 점(mm). */
  #compare({ positions }: Baked): void {
    const live = this.#walk.cape.cloth.positions
    let most = 0
    for (let i = 0; i < live.length; i += 3)
      most = Math.max(
        most,
        Math.hypot(live[i]! - positions[i]!, live[i + 1]! - positions[i + 1]!, live[i + 2]! - positions[i + 2]!),
      )
    this.#millimetres = most * 1000
    this.#largest = Math.max(this.#largest, this.#millimetres)
  }
}

const head = new THREE.Vector3()

/** 격자의 둘레 가운데 윗단을 뺀 세 변의 점. */
function rim(columns: number, rows: number): number[] {
  const down = Array.from({ length: rows }, (_, j) => j * columns)
  const bottom = Array.from({ length: columns - 2 }, (_, i) => (rows - 1) * columns + i + 1)
  return [...down, ...bottom, ...down.map((vertex) => vertex + columns - 1).reverse()]
}

const bones = ({ root, hips, chest, head, plume, arms, legs }: Bones): THREE.Object3D[] => [
  root,
  hips,
  chest,
  head,
  plume,
  ...arms.flatMap(({ upper, fore }) => [upper, fore]),
  ...legs.flatMap(({ thigh, shin, foot }) => [thigh, shin, foot]),
]
