import * as THREE from 'three'
import { load } from 'limber'
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { Bunnies } from './bunnies'
import { ModelPanel } from './model-panel'
import { OwnModel, type Preferred } from './own-model'
import { settings } from './settings'
import { SKY, Studio } from './studio'
import { wording } from './wording'
import { expose } from '../../shared/hook'
import { Hud } from '../../shared/hud'
import { language } from '../../shared/language'
import { disposeModel, ModelProblem, problems, readModel, readURL } from '../../shared/model/model-file'
import { applyPalette, Panel } from '../../shared/panel'
import { Stage } from '../../shared/stage'
import './page.css'

applyPalette({
  surface: 'rgb(255 255 255 / 0.74)',
  ink: '#3d2f57',
  muted: '#6c5d86',
  accent: '#cf4f70',
  onAccent: '#ffffff',
  shade: '247 236 244',
  line: '92 70 132',
  backdrop: '#f6e9f2',
})

const PAIR = { width: 2.76, height: 2.9, centre: new THREE.Vector3(0, 1.24, 0) }
const ALONE = { width: 2.2, height: 3.2, centre: new THREE.Vector3(0, 1.24, 0) }
/** 견본: RobotExpressive (Tomás Laulhé, Don McCurdy 고침, CC0 1.0). ▶ 다른 모델을 기본으로 하려면 여기를 바꾼다. */
const SAMPLE = new URL('../models/RobotExpressive.glb', import.meta.url).href
/** 견본 로봇에서 흔들면 어울리는 뼈(와 그 단단함의 배수)와 동작 */
const ROBOT: Preferred = { bones: { Head: 1.6, LowerArmL: 1.6, LowerArmR: 1.6 }, clip: 'Dance' }

const stage = new Stage(document.body, {
  sky: SKY,
  fog: { colour: '#eae4f5', near: 14, far: 60 },
  exposure: 1,
  toneMapping: THREE.NeutralToneMapping,
  environment: 0.32,
  fov: 26,
  subject: PAIR,
  view: { azimuth: 0, elevation: 0.1 },
  limits: { elevation: [0, 0.6], zoom: [0.6, 1.5] },
})
const studio = new Studio()
stage.castShadow(studio.key, 6)
Object.assign(studio.key.shadow, { bias: -0.002, normalBias: 0.035 })
stage.scene.add(studio.group)

const limber = await load()
let act: Bunnies | OwnModel = new Bunnies(limber)
stage.scene.add(act.group)
let time = 0
/** 가장 나중에 열기 시작한 파일의 차례: 늦게 끝난 앞의 파일은 버린다 */
let latest = 0

/** dt 초 앞으로: 자세 → 흔들림 → 스튜디오. */
function advance(real: number): void {
  const dt = Math.min(real, 1 / 15) // 흔들림이 한 번에 따라갈 수 있는 만큼만 (120Hz 로 8 걸음)
  time += dt
  act.advance(dt)
  studio.update(time)
}

// 처음 화면은 막 내려앉은 때: 차이가 바로 보인다
const warm = new URLSearchParams(location.search).has('cold') ? 0 : 174
for (let frame = 0; frame < warm; frame++) advance(1 / 60)

const hud = new Hud(wording.title, wording.sentence)
const chips = { time: hud.chip(wording.perStep), bones: hud.chip(wording.bones), state: hud.chip(wording.state) }
const selectTab = hud.tabs([wording.bunniesTab, wording.modelTab], (tab) => {
  if (tab === 0) show(false)
  else if (!(act instanceof OwnModel)) void openSample()
})

const panel = new Panel(wording.panel, stage.small)
const apply = (): void => act.apply()
const jiggleLabel = () => (act instanceof OwnModel ? wording.jiggle : wording.jiggleRight)
const jiggle = panel.toggle(settings, 'jiggle', jiggleLabel, (on) => {
  apply()
  showSwitch(on)
})
const showSwitch = hud.comparison(wording.jiggle, jiggle)
panel.slider(settings, 'stiffness', wording.stiffness, [0.004, 0.1, 0.002], { changed: apply })
panel.slider(settings, 'damping', wording.damping, [0.005, 0.2, 0.005], { changed: apply })
const showPause = panel.slider(settings, 'pause', wording.pause, [0.2, 3, 0.1], { changed: apply })
panel.toggle(settings, 'bones', wording.showBones, apply)
const files = new ModelPanel(hud, panel, {
  open: (list) => void open(readModel(list)),
  sample: () => void openSample(),
  clip: (name) => act instanceof OwnModel && act.play(name),
  choose: (bone, on) => act instanceof OwnModel && act.choose(bone, on),
})
panel.button(wording.language, () => language.toggle())
language.watch(() => act.translate())

/** 두 토끼와 내 모델을 오간다. 앞의 것은 모두 치운다. */
function show(own: boolean): void {
  if (own === act instanceof OwnModel) return
  latest++
  act.dispose()
  act = own ? new OwnModel(limber) : new Bunnies(limber)
  stage.scene.add(act.group)
  stage.frame(own ? ALONE : PAIR)
  selectTab(own ? 1 : 0)
  files.show(own)
  showPause(!own)
  language.refresh()
  hud.caption(own ? wording.modelTitle : wording.title, own ? wording.modelSentence : wording.sentence)
}

/** 모델을 읽어 세운다. 문제가 있으면 말로 알리고, 앞의 모델을 그대로 둔다. */
async function open(reading: Promise<GLTF>, preferred?: Preferred): Promise<void> {
  show(true)
  const mine = ++latest
  files.note(wording.loading, true)
  try {
    const gltf = await reading
    if (mine !== latest || !(act instanceof OwnModel)) return disposeModel(gltf.scene)
    act.show(gltf, preferred)
    files.fill(act)
    files.note(act.jiggle ? undefined : act.bones.length ? wording.noneChosen : wording.noBones)
  } catch (error) {
    if (mine === latest) files.note(error instanceof ModelProblem ? error.words : problems.broken)
  }
}
const openSample = (): Promise<void> => open(readURL(SAMPLE), ROBOT)

function stats(): { milliseconds: number; bones: number; state: string; difference: number; time: number } {
  const { jiggle } = act
  return {
    milliseconds: jiggle?.stats.milliseconds ?? 0,
    bones: jiggle?.stats.bones ?? 0,
    state: act.state,
    difference: act instanceof Bunnies ? act.difference : 0,
    time,
  }
}

function render(): void {
  const { milliseconds, bones } = stats()
  chips.time(settings.jiggle && bones ? milliseconds.toFixed(2) : '–')
  chips.bones(String(bones))
  chips.state(language.say(settings.jiggle || act.state === 'empty' ? wording[act.state] : wording.off))
  stage.render()
}

const hook = expose({ advance, render, stats })
if (new URLSearchParams(location.search).get('model') === 'robot') await openSample()
hook.start()
stage.run((dt) => {
  advance(dt)
  render()
}, hook.held)
