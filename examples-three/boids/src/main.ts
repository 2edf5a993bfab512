import { load } from 'limber'
import { measure } from './measure'
import { Pills } from './pills'
import { reefSettings } from './reef/settings'
import type { Reef } from './reef/reef'
import { Rules } from './rules'
import { Sea } from './sea/sea'
import { states, wording } from './wording'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language } from '../../shared/language'
import { applyPalette, Panel } from '../../shared/panel'
import './page.css'

applyPalette({
  surface: 'rgb(7 52 104 / 0.66)',
  ink: '#f6fdff',
  muted: '#c9ecfa',
  accent: '#ffd23c',
  onAccent: '#3a2400',
  shade: '0 62 118',
  line: '196 240 255',
  backdrop: '#1b82c4',
})

const place = (): HTMLElement => document.body.appendChild(document.createElement('div'))
const places = { sea: place(), reef: place() }
const query = new URLSearchParams(location.search)
const limber = await load()
const sea = new Sea(places.sea, limber)
let reef: Reef | undefined
let tab: keyof typeof places = 'sea'
/** 규칙의 켬/끔은 화면마다 따로 기억한다: 3D 는 저절로 바뀌지 않은 채로 시작한다. */
const rules = { sea: new Rules(true), reef: new Rules(false) }

const act = (): Sea | Reef | undefined => (tab === 'sea' ? sea : reef)

/** dt 초 앞으로: 규칙을 정하고, 모두 방향을 고친 뒤에 옮긴다. */
function advance(real: number): void {
  const dt = Math.min(real, 1 / 20) // 물고기가 한 번에 따라갈 수 있는 만큼만 (60Hz 로 3 걸음)
  const shown = act()
  if (!shown) return
  rules[tab].advance(dt)
  rules[tab].apply(shown.boids)
  shown.advance(dt)
}

const hud = new Hud(wording.title, wording.sentence)
const chips = { time: hud.chip(wording.perStep), fish: hud.chip(wording.fish), state: hud.chip(wording.state) }
const selectTab = hud.tabs([wording.seaTab, wording.reefTab], (index) => void show(index ? 'reef' : 'sea'))
const pills = new Pills(hud.root.querySelector<HTMLElement>('.caption')!, (pill) => {
  if (pill === 'auto') rules[tab].auto = !rules[tab].auto
  else rules[tab].toggle(pill)
  showRules()
})
let switched = true
const setSwitch = hud.comparison(wording.flocking, (on) => {
  rules[tab].flocking = switched = on
  showRules()
})

const panel = new Panel(wording.panel, Math.min(innerWidth, innerHeight) < 500)
const auto = { on: true }
const setAuto = panel.toggle(auto, 'on', wording.autoSwitch, (on) => (rules[tab].auto = on))
const folders = { sea: panel.folder(wording.seaTab), reef: panel.folder(wording.reefTab) }
const { separation, alignment, cohesion } = sea.boids.rules
const { speed, wander } = sea.boids.options
folders.sea.slider(separation, 'weight', wording.separationWeight, [0, 1, 0.01])
folders.sea.slider(separation, 'radius', wording.separationRadius, [0.01, 0.1, 0.001])
folders.sea.slider(alignment, 'weight', wording.alignmentWeight, [0, 0.3, 0.005])
folders.sea.slider(cohesion, 'weight', wording.cohesionWeight, [0, 0.3, 0.005])
folders.sea.slider({ sight: alignment.radius }, 'sight', wording.sight, [0.04, 0.3, 0.005], {
  changed: (radius) => (alignment.radius = cohesion.radius = radius),
})
folders.sea.slider({ speed: speed.max }, 'speed', wording.speed, [0.1, 0.6, 0.01], {
  changed: (max) => sea.boids.configure({ speed: { min: (max * 3) / 7, max } }),
})
folders.sea.slider({ wander }, 'wander', wording.wander, [0, 0.15, 0.005], {
  changed: (wander) => sea.boids.configure({ wander }),
})
folders.sea.slider(sea.pointer, 'radius', wording.pointerRadius, [0.05, 0.4, 0.01])
const applyReef = (): void => reef?.apply()
folders.reef.slider(reefSettings, 'count', wording.count, [500, 50_000, 500], { finished: applyReef })
folders.reef.toggle(reefSettings, 'shark', wording.shark, applyReef)
folders.reef.toggle(reefSettings, 'pointer', wording.pointer, applyReef)
panel.button(wording.language, () => language.toggle())

/** 켜고 꺼진 것을 단추와 스위치와 판에 맞춘다. */
function showRules(): void {
  const shown = rules[tab]
  pills.show(shown)
  if (shown.flocking !== switched) setSwitch((switched = shown.flocking))
  if (shown.auto !== auto.on) setAuto(shown.auto)
}

/** 두 화면을 오간다. 3D 는 처음 열 때 읽는다. */
async function show(next: typeof tab): Promise<void> {
  tab = next
  selectTab(tab === 'reef' ? 1 : 0)
  for (const name of ['sea', 'reef'] as const) {
    places[name].hidden = name !== tab
    folders[name].gui.show(name === tab)
  }
  if (tab === 'sea') hud.caption(wording.title, wording.sentence)
  else hud.caption(wording.reefTitle, wording.reefSentence)
  showRules()
  if (tab === 'sea') return
  const { Reef } = await import('./reef/reef')
  reef ??= new Reef(places.reef, limber, innerHeight > innerWidth)
}

function phase(): string {
  const own = rules[tab].phase
  if (tab === 'sea' || own !== 'school') return own
  return reef?.phase ?? 'loading'
}

function stats() {
  const { boids, pointer } = sea
  return {
    tab,
    phase: phase(),
    milliseconds: act()?.boids.stats.milliseconds ?? 0,
    fish: tab === 'sea' ? boids.stats.boids : reefSettings.count,
    /** 2D 의 무리 수, 이웃과 같은 쪽을 보는 정도, 포인터 바로 곁의 물고기 수 */
    ...(tab === 'sea' && { ...measure(boids), near: boids.query(pointer.position, pointer.radius / 2).length }),
  }
}

function render(): void {
  const shown = act()
  chips.time(shown ? shown.boids.stats.milliseconds.toFixed(2) : '–')
  chips.fish((tab === 'sea' ? sea.boids.stats.boids : reefSettings.count).toLocaleString('en'))
  chips.state(language.say(states[phase()] ?? wording.state))
  showRules()
  shown?.render()
}

await show(query.get('tab') === 'reef' ? 'reef' : 'sea')
const hook = expose({ advance, render, stats })
hook.start()
let last = performance.now()
requestAnimationFrame(function frame(now) {
  requestAnimationFrame(frame)
  const dt = Math.max(0, now - last) / 1000
  last = now
  if (hook.held()) return
  advance(dt)
  render()
})
