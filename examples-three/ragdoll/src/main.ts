import * as THREE from 'three'
import { load } from 'limber'
import { Crowd } from './crowd'
import { settings } from './settings'
import { Slapstick } from './slapstick'
import { SKY, Theatre } from './theatre'
import { states, wording } from './wording'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language } from '../../shared/language'
import { ModelDesk } from '../../shared/model/model-desk'
import { applyPalette, Panel } from '../../shared/panel'
import { approach } from '../../shared/random'
import { Stage } from '../../shared/stage'
import './page.css'

applyPalette({
  surface: 'rgb(34 29 70 / 0.74)',
  ink: '#fdf3e4',
  muted: '#d5cff2',
  accent: '#ffc766',
  onAccent: '#3a2208',
  shade: '19 16 42',
  line: '214 204 255',
  backdrop: '#171530',
})

const portrait = innerHeight > innerWidth
const SHOW = { width: portrait ? 2.2 : 4.2, height: 3.3, centre: new THREE.Vector3(portrait ? 0.1 : 0.3, 0.9, 0) }
const STEPS = { width: portrait ? 3.95 : 4.6, height: 3.1, centre: new THREE.Vector3(0, 0.95, 0) }

const stage = new Stage(document.body, {
  sky: SKY,
  fog: { colour: '#221e47', near: 9, far: 26 },
  exposure: 1,
  toneMapping: THREE.NeutralToneMapping,
  environment: 0.22,
  fov: 30,
  subject: SHOW,
  view: { azimuth: 0, elevation: 0.17 },
  limits: { elevation: [0.01, 0.6], zoom: [0.6, 1.4] },
})
const theatre = new Theatre()
stage.castShadow(theatre.spot, 5)
Object.assign(theatre.spot.shadow, { bias: -0.0015, normalBias: 0.03 })
stage.scene.add(theatre.group)

const limber = await load()
let act: Slapstick | Crowd = new Slapstick(limber)
stage.scene.add(act.group)
let time = 0

/** 카메라가 주인공을 따라간 만큼(m) */
const followed = new THREE.Vector3()
const wanted = new THREE.Vector3()

/** dt 초 앞으로: 자세 → 래그돌 → 조명과 카메라. */
function advance(real: number): void {
  const dt = Math.min(real, 1 / 20) // 래그돌이 한 번에 따라갈 수 있는 만큼만 (120Hz 로 6 걸음)
  time += dt
  act.advance(dt)
  theatre.light(act.focus, dt, act instanceof Crowd ? 2.1 : 1)
  theatre.update(time)
  wanted.set(act instanceof Slapstick ? act.focus.x * (portrait ? 1 : 0.6) : 0, 0, 0).sub(followed)
  wanted.multiplyScalar(approach(0, 1, portrait ? 5 : 2.5, dt))
  followed.add(wanted)
  stage.follow(wanted)
}

const hud = new Hud(wording.title, wording.sentence)
const chips = {
  time: hud.chip(wording.perStep),
  points: hud.chip(wording.points),
  links: hud.chip(wording.links),
  state: hud.chip(wording.state),
}
const selectTab = hud.tabs([wording.showTab, wording.crowdTab], (tab) => show(tab === 1))

const panel = new Panel(wording.panel, stage.small)
const apply = (): void => act.apply()
const showThrow = panel.button(wording.throw, () => act instanceof Slapstick && act.throw())
const ragdoll = panel.toggle(settings, 'ragdoll', wording.ragdoll, (on) => {
  apply()
  showSwitch(on)
})
const showSwitch = hud.comparison(wording.ragdoll, ragdoll)
const showPower = panel.slider(settings, 'power', wording.power, [1, 6, 0.1])
panel.slider(settings, 'iterations', wording.iterations, [1, 20, 1], { changed: apply })
const showCount = panel.slider(settings, 'count', wording.count, [1, 60, 1], { finished: apply })
const setSticks = panel.toggle(settings, 'sticks', wording.sticks, apply)
/** 「점 · 막대 보기」는 화면마다 따로 기억한다: 여럿일 때는 꺼 둔 채로 시작한다. */
const sticks = { show: settings.sticks, crowd: false }
panel.toggle(settings, 'repeat', wording.repeat)
panel.button(wording.language, () => language.toggle())

const desk = new ModelDesk(hud, (files) => {
  show(true)
  if (act instanceof Crowd) void act.open(files)
})
const visitorButtons = (
  [
    [wording.hit, 'hit'],
    [wording.up, 'getUp'],
    [wording.drop, 'drop'],
    [wording.back, 'leave'],
  ] as const
).map(([text, deed]) => desk.button(text, () => act instanceof Crowd && act[deed]()))

function showDesk(): void {
  const crowd = act instanceof Crowd
  desk.show(crowd)
  showCount(crowd)
  showPower(!crowd)
  showThrow(!crowd)
  for (const shown of visitorButtons) shown(act instanceof Crowd && act.visited)
}
showDesk()

/** 두 화면을 오간다. 앞의 것은 모두 치운다. */
function show(crowd: boolean): void {
  if (crowd === act instanceof Crowd) return
  act.dispose()
  sticks[crowd ? 'show' : 'crowd'] = settings.sticks
  act = crowd
    ? new Crowd(limber, { note: (words, stay) => desk.note(words, stay), changed: showDesk })
    : new Slapstick(limber)
  stage.scene.add(act.group)
  stage.follow(followed.negate())
  followed.set(0, 0, 0)
  stage.frame(crowd ? STEPS : SHOW)
  selectTab(crowd ? 1 : 0)
  showDesk()
  setSticks(sticks[crowd ? 'crowd' : 'show'])
  hud.caption(crowd ? wording.crowdTitle : wording.title, crowd ? wording.crowdSentence : wording.sentence)
}

function stats() {
  const { ragdoll } = act
  return {
    milliseconds: ragdoll?.stats.milliseconds ?? 0,
    points: ragdoll ? ragdoll.pointCount * ragdoll.bodies.length : 0,
    links: ragdoll ? ragdoll.linkCount * ragdoll.bodies.length : 0,
    phase: act.phase,
    reach: act.reach,
    time,
  }
}

function render(): void {
  const { milliseconds, points, links } = stats()
  chips.time(settings.ragdoll ? milliseconds.toFixed(2) : '–')
  chips.points(String(points))
  chips.links(String(links))
  chips.state(language.say(states[act.phase]))
  stage.render()
}

const hook = expose({ advance, render, stats })
if (new URLSearchParams(location.search).get('tab') === 'crowd') show(true)
hook.start()
stage.run((dt) => {
  advance(dt)
  render()
}, hook.held)
