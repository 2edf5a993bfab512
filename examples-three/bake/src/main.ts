import * as THREE from 'three'
import { load } from 'limber'
import { Baked } from './baked'
import { Label } from './labels'
import { DURATION, FPS, Walk, WARMUP } from './walk'
import { wording } from './wording'
import { capeFastening } from '../../cloth/src/cape'
import { Hem } from '../../cloth/src/fabric'
import { createKnight, type Bones } from '../../cloth/src/knight'
import { Night } from '../../cloth/src/night'
import { createRampart } from '../../cloth/src/rampart'
import { Torches } from '../../cloth/src/torches'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language } from '../../shared/language'
import { Panel } from '../../shared/panel'
import { approach } from '../../shared/random'
import { Stage } from '../../shared/stage'

const settings = { speed: 1, playing: true, overlay: false, baked: true }

/** 두 기사 사이의 거리(m) */
const APART = 1.5
/** 끝에서 처음으로 넘어갈 때 어두워졌다 밝아지는 시간(초) */
const FADE = 0.45
const EXPOSURE = 1.2

const stage = new Stage(document.body, {
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
})

const limber = await load()
const walk = new Walk(limber)
const { knight, cape } = walk
capeFastening(knight.chest)
const night = new Night()
const torches = new Torches()
stage.castShadow(torches.key)
stage.scene.add(createRampart(), night.group, torches.group, knight.root, cape.group)

// 구울 때와 똑같이 시작한다: WARMUP 초를 먼저 걷고, 녹화 첫 장면의 상태를 간직한다
walk.drive(-WARMUP)
cape.cloth.step(0)
let frame = -WARMUP * FPS
while (frame < 0) next()
const beginning = cape.cloth.snapshot()

/** 녹화와 같은 한 장면 앞으로. */
function next(): void {
  frame++
  walk.drive(frame / FPS)
  cape.cloth.step(1 / FPS)
}

// 오른쪽 기사: 뼈는 왼쪽 기사를 그대로 따라 하고, 망토는 파일에서 온다
const baked = await Baked.load()
const twin = createKnight()
const other = new THREE.Group()
const tint = new THREE.MeshBasicMaterial({ color: '#ffd27a', wireframe: true, transparent: true, opacity: 0.55 })
let hem: Hem | undefined
let cloak: THREE.Material | undefined
if (baked) {
  capeFastening(twin.chest)
  const [live, edge] = cape.group.children as [THREE.Mesh, THREE.Mesh]
  cloak = live.material as THREE.Material
  baked.mesh.material = cloak
  baked.mesh.castShadow = baked.mesh.receiveShadow = true
  baked.mesh.frustumCulled = false
  hem = new Hem(rim(12, 17), 0.0075, edge.material as THREE.Material)
  other.add(twin.root, baked.mesh, hem.mesh)
  stage.scene.add(other)
}

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
const [own, copied] = [bones(knight), bones(twin)]

let clock = 0
let time = 0
let apart = baked ? APART : 0
let swung = 0
let millimetres = 0
let largest = 0
const centre = new THREE.Vector3()
const move = new THREE.Vector3()

/** real 초 앞으로: 녹화한 장면 수만큼 걷고, 끝나면 처음 상태로 되돌린다. */
function advance(real: number): void {
  const dt = Math.min(real, 0.05)
  time += dt
  if (settings.playing) clock += dt * settings.speed
  if (clock >= DURATION) {
    clock %= DURATION
    frame = 0
    walk.rewind()
    cape.cloth.restore(beginning)
  }
  while (frame < Math.floor(clock * FPS + 1e-6)) next()
  cape.update()

  if (baked && hem) {
    baked.show(frame / FPS)
    hem.update(baked.positions, baked.normals)
    compare(baked)
    own.forEach((bone, k) => {
      copied[k]!.position.copy(bone.position)
      copied[k]!.quaternion.copy(bone.quaternion)
    })
    apart = approach(apart, settings.overlay ? 0 : APART, 4, dt)
    other.position.x = apart
    const together = apart < 0.02
    twin.root.visible = settings.baked && !together
    hem.mesh.visible = settings.baked && !together
    baked.mesh.visible = settings.baked
    baked.mesh.material = together ? tint : cloak!
    baked.mesh.castShadow = !together
  }

  const { gait, wind } = walk
  centre.copy(gait.position).x += apart / 2
  follow()
  const ends = Math.min(1, Math.min(clock, DURATION - clock) / FADE)
  stage.renderer.toneMappingExposure = EXPOSURE * ends * ends * (3 - 2 * ends)
  torches.update(time, centre, 1, wind.atFlag.x)
  night.update(time)
}

/** 카메라는 두 기사의 가운데를 따라가고, 기사가 돌아서면 등 뒤로 돌아 나간다. */
function follow(): void {
  stage.follow(move.subVectors(centre, stage.controls.target).setY(0))
  const angle = 0.45 * ((Math.PI / 2 - walk.gait.yaw) / (Math.PI / 2))
  stage.swing(-angle - swung)
  swung = -angle
}

/** 실시간 망토와 구운 망토에서 가장 멀리 떨어진 점(mm). */
function compare({ positions }: Baked): void {
  const live = cape.cloth.positions
  let most = 0
  for (let i = 0; i < live.length; i += 3)
    most = Math.max(
      most,
      Math.hypot(live[i]! - positions[i]!, live[i + 1]! - positions[i + 1]!, live[i + 2]! - positions[i + 2]!),
    )
  millimetres = most * 1000
  largest = Math.max(largest, millimetres)
}

const hud = new Hud(wording.title, baked ? wording.sentence : wording.missing)
const labels = [new Label(wording.live), new Label(wording.baked)] as const
const chips = {
  time: hud.chip(wording.perStep),
  targets: hud.chip(wording.targets),
  size: hud.chip(wording.size),
  difference: hud.chip(wording.difference),
}
const panel = new Panel(wording.panel, stage.small)
panel.slider(settings, 'speed', wording.speed, [0.1, 2, 0.1])
panel.toggle(settings, 'playing', wording.playing)
panel.toggle(settings, 'overlay', wording.overlay)
const show = panel.toggle(settings, 'baked', wording.showBaked, (on) => showSwitch(on))
const showSwitch = hud.comparison(wording.showBaked, show)
panel.button(wording.language, () => language.toggle())

const head = new THREE.Vector3()

function render(): void {
  chips.time(cape.cloth.stats.milliseconds.toFixed(2))
  chips.targets(baked ? String(baked.report.targets) : '–')
  chips.size(baked ? Math.round(baked.report.bytes / 1024).toLocaleString() : '–')
  chips.difference(baked ? millimetres.toFixed(1) : '–')
  stage.render()
  const above = walk.gait.position
  labels[0].place(head.copy(above).setY(2.02), stage.camera, baked !== undefined && apart > 0.4)
  labels[1].place(
    head
      .copy(above)
      .setY(2.08)
      .setX(above.x + apart),
    stage.camera,
    settings.baked && apart > 0.4,
  )
}

const stats = () => ({
  milliseconds: cape.cloth.stats.milliseconds,
  targets: baked?.report.targets ?? 0,
  millimetres: largest,
  time,
})

advance(0)
const hook = expose({ advance, render, stats })
hook.start()
stage.run((dt) => {
  advance(dt)
  render()
}, hook.held)
