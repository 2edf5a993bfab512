import { load } from 'limber'
import type { Act } from './act'
import { Crowd } from './crowd'
import { Hero } from './hero'
import { Pills } from './pills'
import { RAMPART, Twins } from './twins'
import { wording } from './wording'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language, type Text } from '../../shared/language'
import { applyPalette, Panel } from '../../shared/panel'
import { Stage } from '../../shared/stage'
import './page.css'

const stage = new Stage(document.body, RAMPART)
const limber = await load()

/** 탭마다 처음 볼 때 만든다: 두 망토, 캐릭터 파일, 깃발들 */
const makers = [() => Twins.load(stage, limber), () => Hero.load(stage), () => Crowd.load(stage)] as const
const made: (Promise<Act> | undefined)[] = []
/** 한 장면을 그리는 데 걸린 시간(ms), 고르게 한 값 */
let spent = 0
let drawn = 0
const acts: { twins?: Twins; hero?: Hero; crowd?: Crowd } = {}

const asked = ['cape', 'hero', 'crowd'].indexOf(new URLSearchParams(location.search).get('tab') ?? 'cape')
let chosen = Math.max(0, asked)
let act = await actOf(chosen)

/** 탭의 화면. 한 번 만든 것은 다시 쓴다. */
function actOf(tab: number): Promise<Act> {
  return (made[tab] ??= makers[tab]!().then((one) => {
    if (one instanceof Twins) acts.twins = one
    else if (one instanceof Hero) acts.hero = one
    else {
      acts.crowd = one
      one.milliseconds = () => spent
    }
    return one
  }))
}

const hud = new Hud(act.title, act.sentence)
/** 칩의 이름은 탭을 따라 바뀐다. */
const chipName = (k: number): Text => ({
  get ko() {
    return act.chipNames[k]!.ko
  },
  get en() {
    return act.chipNames[k]!.en
  },
})
const chips = [0, 1, 2, 3].map((k) => hud.chip(chipName(k)))
const selectTab = hud.tabs([wording.capeTab, wording.heroTab, wording.crowdTab], (tab) => void show(tab))

const panel = new Panel(wording.panel, stage.small)
/** 세 화면이 함께 쓰는 빠르기와 재생 */
const shared = { speed: 1, playing: true }
const settings = { overlay: false, baked: true, net: false, inStep: false, count: 200 }
panel.slider(shared, 'speed', wording.speed, [0.1, 2, 0.1], { changed: apply })
panel.toggle(shared, 'playing', wording.playing, apply)
const rows = [panel.folder(wording.capeTab), panel.folder(wording.heroTab), panel.folder(wording.crowdTab)] as const
rows[0].toggle(settings, 'overlay', wording.overlay, apply)
const showBaked = rows[0].toggle(settings, 'baked', wording.showBaked, (on) => {
  apply()
  showSwitch(on)
})
const showSwitch = hud.comparison(wording.showBaked, showBaked)
rows[1].toggle(settings, 'net', wording.net, apply)
rows[2].toggle(settings, 'inStep', wording.inStep, apply)
rows[2].slider(settings, 'count', wording.count, [20, 200, 20], { changed: apply })
panel.button(wording.language, () => language.toggle())

const pills = new Pills(wording.wind, [wording.raw, wording.calm, wording.storm], 1, (index) => {
  acts.hero?.choose(index)
  refresh()
})

/** 판의 값을 화면에 옮긴다. */
function apply(): void {
  const { twins, hero, crowd } = acts
  for (const one of [twins, hero, crowd]) if (one) Object.assign(one.settings, shared)
  if (twins) Object.assign(twins.settings, { overlay: settings.overlay, baked: settings.baked })
  hero?.net(settings.net)
  if (!crowd) return
  crowd.settings.count = settings.count
  crowd.show()
  crowd.step(settings.inStep)
}

/** 다른 탭으로: 늦게 만들어진 앞의 탭은 버린다. */
async function show(tab: number): Promise<void> {
  chosen = tab
  const next = await actOf(tab)
  if (chosen !== tab || next === act) return
  act.leave()
  stage.scene.remove(act.group)
  act = next
  mount()
}

function mount(): void {
  applyPalette(act.palette)
  document.body.dataset.act = String(chosen)
  stage.scene.add(act.group)
  stage.change(act.stage)
  apply()
  act.enter()
  selectTab(chosen)
  rows.forEach(({ gui }, k) => gui.show(k === chosen))
  if (acts.hero) pills.choose(acts.hero.chosen)
  drawn = 0
  refresh()
}

/** 탭과 고른 것에 따라 바뀌는 글 */
function refresh(): void {
  hud.caption(act.title, act.sentence)
  language.refresh()
}

function render(): void {
  const began = performance.now()
  act.chips().forEach((value, k) => chips[k]!(value))
  stage.render()
  act.render()
  const now = performance.now() - began
  // 처음 몇 장면은 셰이더를 만드느라 오래 걸린다
  spent = ++drawn > 3 ? spent + (now - spent) * 0.1 : now
}

mount()
const hook = expose({
  advance: (dt) => act.advance(dt),
  render,
  stats: () => ({ tab: chosen, ...act.stats() }),
})
hook.start()
stage.run((dt) => {
  act.advance(dt)
  render()
}, hook.held)
