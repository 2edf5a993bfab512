import type { Bone } from 'three'
import type { OwnModel } from './own-model'
import { wording } from './wording'
import type { Hud } from '../../shared/hud'
import { language, type Text } from '../../shared/language'
import type { Panel } from '../../shared/panel'
import './model-panel.css'

const ACCEPT = '.glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.webp'

/** 내 모델 화면의 단추와 목록: 파일 열기, 견본, 동작, 흔들 뼈. */
export class ModelPanel {
  #bar = document.createElement('div')
  #note = document.createElement('p')
  #words: Text | undefined
  #clips: (options: readonly string[], chosen: string) => void
  #bones: Panel
  #model: OwnModel | undefined
  #choose: (bone: Bone, on: boolean) => void
  #shown = false
  #fading: ReturnType<typeof setTimeout> | undefined

  constructor(
    hud: Hud,
    panel: Panel,
    act: { open(files: File[]): void; sample(): void; clip(name: string): void; choose(bone: Bone, on: boolean): void },
  ) {
    this.#bar.className = 'model-bar'
    this.#note.className = 'model-note'
    this.#note.role = 'alert'
    hud.top.append(this.#bar)
    document.body.append(this.#note)
    const input = Object.assign(document.createElement('input'), {
      type: 'file',
      multiple: true,
      accept: ACCEPT,
      hidden: true,
    })
    input.addEventListener('change', () => {
      act.open([...(input.files ?? [])])
      input.value = ''
    })
    this.#bar.append(input)
    for (const [text, pressed] of [
      [wording.choose, () => input.click()],
      [wording.sample, act.sample],
    ] as const) {
      const button = document.createElement('button')
      button.type = 'button'
      button.addEventListener('click', pressed)
      language.watch(() => (button.textContent = language.say(text)))
      this.#bar.append(button)
    }
    // 어디에 놓아도 열린다
    const zone = document.createElement('div')
    zone.className = 'model-drop'
    document.body.append(zone)
    language.watch(() => {
      zone.textContent = language.say(wording.drop)
      this.#write()
    })
    addEventListener('dragover', (event) => {
      event.preventDefault()
      zone.classList.add('over')
    })
    addEventListener('dragleave', (event) => event.relatedTarget === null && zone.classList.remove('over'))
    addEventListener('drop', (event) => {
      event.preventDefault()
      zone.classList.remove('over')
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length) act.open(files)
    })

    this.#clips = panel.choice(wording.clip, act.clip)
    this.#bones = panel.folder(wording.roots, true)
    this.#choose = act.choose
    this.show(false)
  }

  /** 이 화면이 보이는가 */
  show(on: boolean): void {
    this.#shown = on
    this.#bar.hidden = !on
    if (!on) this.note(undefined)
    this.fill(on ? this.#model : undefined)
  }

  /** 모델의 동작과 뼈로 목록을 채운다. */
  fill(model: OwnModel | undefined): void {
    this.#model = model
    this.#clips(model?.clips ?? [], model?.clip ?? '')
    const { gui } = this.#bones
    for (const controller of [...gui.controllers]) controller.destroy()
    for (const bone of model?.bones ?? []) {
      const row = { on: model!.chosen.has(bone) }
      gui
        .add(row, 'on')
        .name(bone.name)
        .onChange((on: boolean) => this.#choose(bone, on))
    }
    gui.show(!!model?.bones.length && this.#shown)
  }

  /** 알림 한 줄. 조금 뒤에 사라진다 (stay 면 남는다). undefined 면 지운다. */
  note(words: Text | undefined, stay = false): void {
    clearTimeout(this.#fading)
    if (words && !stay) this.#fading = setTimeout(() => this.note(undefined), 9000)
    this.#words = words
    this.#write()
  }

  #write(): void {
    this.#note.hidden = !this.#words
    this.#note.textContent = this.#words ? language.say(this.#words) : ''
  }
}
