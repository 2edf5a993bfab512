import * as THREE from 'three'
import { load } from 'limber'
import { Cape, capeFastening, stiffCape } from './cape'
import { Flag, flagPole } from './flag'
import { Gait } from './gait'
import { createKnight } from './knight'
import { disposeOverlay, linkOverlay } from './links'
import { Night } from './night'
import { createRampart } from './rampart'
import { Torches } from './torches'
import { wording } from './wording'
import { Wind } from './wind'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language } from '../../shared/language'
import { Panel } from '../../shared/panel'
import { approach } from '../../shared/random'
import { Stage } from '../../shared/stage'

const settings = { grid: 12, wind: 6, iterations: 8, simulation: true, links: false }

const stage = new Stage(document.body, {
  sky: [
    [-0.2, '#27375f'],
    [0, '#31436f'],
    [0.1, '#1f2d52'],
    [0.32, '#131c3a'],
    [1, '#0b1226'],
  ],
  fog: { colour: '#1b2950', near: 9, far: 62 },
  exposure: 1.15,
  toneMapping: THREE.ACESFilmicToneMapping,
  environment: 0.16,
  subject: { width: 1.75, height: 2.85, centre: new THREE.Vector3(0, 1.14, 0) },
  view: { azimuth: 0, elevation: -0.02 },
  limits: { elevation: [-0.12, 0.75], zoom: [0.55, 1.9] },
})

const knight = createKnight()
capeFastening(knight.chest)
const gait = new Gait(knight)
const night = new Night()
const torches = new Torches()
const wind = new Wind()
stage.castShadow(torches.key)
stage.scene.add(createRampart(), night.group, torches.group, flagPole(), knight.root)

// 비교용 뻣뻣한 망토는 가슴에 붙어 있다가 시뮬레이션을 끌 때만 보인다
const stiff = stiffCape()
knight.chest.add(stiff)

const limber = await load()
let cape: Cape
let flag: Flag
let overlays: THREE.Group[] = []

/** 망토와 깃발을 지금 자세에서 새로 만든다. 견본은 망토 12×17, 깃발 16×10. */
function weave(): void {
  cape?.dispose()
  flag?.dispose()
  const scaled = (count: number): number => Math.round((settings.grid * count) / 12)
  cape = new Cape(limber, knight, settings.grid, scaled(17), settings.iterations)
  flag = new Flag(limber, scaled(16), scaled(10), settings.iterations)
  cape.group.visible = settings.simulation
  stiff.visible = !settings.simulation
  stage.scene.add(cape.group, flag.group)
  showLinks()
}

function showLinks(): void {
  overlays.forEach(disposeOverlay)
  overlays =
    settings.links && settings.simulation
      ? [linkOverlay(cape.cloth, settings.grid), linkOverlay(flag.cloth, Math.round((settings.grid * 16) / 12))]
      : []
  if (overlays.length) stage.scene.add(...overlays)
}

let time = 0
let heading = 1
let turned = 1
let swung = 0
const move = new THREE.Vector3()

/** dt 초 앞으로: 기사 → 바람 → 망토와 깃발 → 빛과 카메라. */
function advance(real: number): void {
  const dt = Math.min(real, 0.05) // 천과 같은 만큼만: 한 장면에 3걸음까지
  time += dt
  move.copy(gait.position)
  gait.update(dt)
  move.subVectors(gait.position, move)

  wind.update(time, dt, settings.wind, gait)
  cape.cloth.wind.copy(wind.atKnight)
  flag.cloth.wind.copy(wind.atFlag)
  if (settings.simulation) {
    cape.cloth.step(dt)
    flag.cloth.step(dt)
    cape.update()
    flag.update()
  }

  heading = approach(heading, gait.heading, 1.5, dt)
  torches.update(time, gait.position, heading, wind.atFlag.x)
  night.update(time)
  // 카메라는 늘 조금 뒤에서: 기사가 돌면 등 뒤로 돌아 나간다
  turned = approach(turned, (Math.PI - gait.yaw) / (Math.PI / 2), 1.1, dt)
  const angle = -0.74 * turned - 0.2 * (1 - turned * turned)
  stage.follow(move)
  stage.swing(angle - swung)
  swung = angle
}

stage.follow(gait.position)
weave()
const warm = new URLSearchParams(location.search).has('cold') ? 0 : 180
for (let frame = 0; frame < warm; frame++) advance(1 / 60) // 처음 화면부터 바람을 탄 모습

const hud = new Hud(wording.title, wording.sentence)
const chips = {
  time: hud.chip(wording.perStep),
  points: hud.chip(wording.points),
  links: hud.chip(wording.links),
  state: hud.chip(wording.state),
}
const panel = new Panel(wording.panel, stage.small)
panel.slider(settings, 'grid', wording.grid, [8, 40, 1], { finished: weave })
panel.slider(settings, 'wind', wording.wind, [0, 12, 0.1])
panel.slider(settings, 'iterations', wording.iterations, [1, 20, 1], {
  changed: (iterations) => [cape, flag].forEach(({ cloth }) => cloth.configure({ iterations })),
})
panel.toggle(gait, 'walking', wording.walking)
const simulate = panel.toggle(settings, 'simulation', wording.simulation, (on) => {
  weave() // 켤 때는 지금 자세에서 새로 시작한다
  showSwitch(on)
})
const showSwitch = hud.comparison(wording.simulation, simulate)
panel.toggle(settings, 'links', wording.showLinks, showLinks)
panel.button(wording.language, () => language.toggle())

function stats(): { milliseconds: number; points: number; links: number; time: number } {
  const [a, b] = [cape.cloth.stats, flag.cloth.stats]
  return {
    milliseconds: a.milliseconds + b.milliseconds,
    points: a.particles + b.particles,
    links: a.links + b.links,
    time,
  }
}

function render(): void {
  const { milliseconds, points, links } = stats()
  chips.time(settings.simulation ? milliseconds.toFixed(2) : '–')
  chips.points(points.toLocaleString())
  chips.links(links.toLocaleString())
  chips.state(
    language.say(settings.simulation ? (gait.speed > 0.1 ? wording.isWalking : wording.isStanding) : wording.isOff),
  )
  stage.render()
}

const hook = expose({ advance, render, stats })
hook.start()
stage.run((dt) => {
  advance(dt)
  render()
}, hook.held)
