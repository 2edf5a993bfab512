import { GUI } from 'three/addons/libs/lil-gui.module.min.js'
import { language, type Text } from './language'
import './style.css'

/** 예제의 빛깔. 판과 글, 단추가 함께 쓴다. */
export interface Palette {
  /** 판 바탕(반투명), 글, 흐린 글, 강조, 강조 위의 글 */
  surface: string
  ink: string
  muted: string
  accent: string
  onAccent: string
  /** 글 뒤의 그늘과 테두리: 'r g b'. 페이지 바탕 */
  shade: string
  line: string
  backdrop: string
}

export function applyPalette(palette: Palette): void {
  for (const [name, value] of Object.entries(palette))
    document.documentElement.style.setProperty(`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`, value)
}

/** 두 언어 이름표가 붙는 lil-gui 판. 작은 화면에서는 접힌 채로 시작한다. */
export class Panel {
  readonly gui: GUI

  constructor(title: Text, folded: boolean, parent?: GUI) {
    this.gui = parent ? parent.addFolder('') : new GUI()
    if (!parent) this.gui.domElement.classList.add('panel')
    language.watch(() => this.gui.title(language.say(title)))
    if (folded) this.gui.close()
  }

  /** 미는 막대. changed 는 밀 때마다, finished 는 손을 뗄 때 부른다. 돌려준 함수로 보이고 감춘다. */
  slider(
    target: object,
    key: string,
    label: Text,
    [min, max, step]: readonly [number, number, number],
    { changed, finished }: { changed?: (value: number) => void; finished?: () => void } = {},
  ): (shown: boolean) => void {
    const controller = this.gui.add(target as Record<string, number>, key, min, max, step)
    if (changed) controller.onChange(changed)
    if (finished) controller.onFinishChange(finished)
    language.watch(() => void controller.name(language.say(label)))
    return (shown) => void controller.show(shown)
  }

  /** 켬/끔. 이름표가 바뀌는 것이면 함수로 준다. 돌려준 함수로 밖에서 값을 바꿀 수 있다. */
  toggle(
    target: object,
    key: string,
    label: Text | (() => Text),
    changed?: (on: boolean) => void,
  ): (on: boolean) => void {
    const controller = this.gui.add(target as Record<string, boolean>, key)
    if (changed) controller.onChange(changed)
    language.watch(() => void controller.name(language.say(typeof label === 'function' ? label() : label)))
    return (on) => void controller.setValue(on)
  }

  /** 접히는 묶음. 판과 같은 방법으로 채운다. */
  folder(title: Text, folded = false): Panel {
    return new Panel(title, folded, this.gui)
  }

  /** 목록에서 하나 고르기. 돌려준 함수로 목록과 고른 것을 바꾼다. */
  choice(label: Text, changed: (value: string) => void): (options: readonly string[], chosen: string) => void {
    const target = { value: '' }
    const place = this.gui.$children.appendChild(document.createElement('div'))
    let controller: { destroy(): void; name(name: string): unknown } | undefined
    language.watch(() => controller?.name(language.say(label)))
    return (options, chosen) => {
      controller?.destroy()
      controller = undefined
      if (!options.length) return
      target.value = chosen
      const made = this.gui
        .add(target, 'value', [...options])
        .name(language.say(label))
        .onChange(changed)
      place.before(made.domElement) // 처음 놓은 차례를 지킨다
      controller = made
    }
  }

  /** 단추. 돌려준 함수로 보이고 감춘다. */
  button(label: Text, action: () => void): (shown: boolean) => void {
    const controller = this.gui.add({ action }, 'action')
    language.watch(() => void controller.name(language.say(label)))
    return (shown) => void controller.show(shown)
  }
}
