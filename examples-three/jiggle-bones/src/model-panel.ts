import type { Bone } from 'three'
import type { OwnModel } from './own-model'
import { wording } from './wording'
import type { Hud } from '../../shared/hud'
import type { Text } from '../../shared/language'
import { ModelDesk } from '../../shared/model/model-desk'
import type { Panel } from '../../shared/panel'

/** 내 모델 화면의 단추와 목록: 파일 열기, 견본, 동작, 흔들 뼈. */
export class ModelPanel {
  #desk: ModelDesk
  #clips: (options: readonly string[], chosen: string) => void
  #bones: Panel
  #model: OwnModel | undefined
  #choose: (bone: Bone, on: boolean) => void
  #shown = false

  constructor(
    hud: Hud,
    panel: Panel,
    act: { open(files: File[]): void; sample(): void; clip(name: string): void; choose(bone: Bone, on: boolean): void },
  ) {
    this.#desk = new ModelDesk(hud, act.open)
    this.#desk.button(wording.sample, act.sample)
    this.#clips = panel.choice(wording.clip, act.clip)
    this.#bones = panel.folder(wording.roots, true)
    this.#choose = act.choose
    this.show(false)
  }

  /** 이 화면이 보이는가 */
  show(on: boolean): void {
    this.#shown = on
    this.#desk.show(on)
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
    this.#desk.note(words, stay)
  }
}
