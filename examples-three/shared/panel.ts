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
}

export function applyPalette(palette: Palette): void {
  for (const [name, value] of Object.entries(palette))
    document.documentElement.style.setProperty(`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`, value)
}

/** 두 언어 이름표가 붙는 lil-gui 판. 작은 화면에서는 접힌 채로 시작한다. */
export class Panel {
  readonly gui: GUI

  constructor(title: Text, folded: boolean) {
    this.gui = new GUI()
    this.gui.domElement.classList.add('panel')
    language.watch(() => this.gui.title(language.say(title)))
    if (folded) this.gui.close()
  }

  /** 미는 막대. changed 는 밀 때마다, finished 는 손을 뗄 때 부른다. */
  slider(
    target: object,
    key: string,
    label: Text,
    [min, max, step]: readonly [number, number, number],
    { changed, finished }: { changed?: (value: number) => void; finished?: () => void } = {},
  ): void {
    const controller = this.gui.add(target as Record<string, number>, key, min, max, step)
    if (changed) controller.onChange(changed)
    if (finished) controller.onFinishChange(finished)
    language.watch(() => void controller.name(language.say(label)))
  }

  /** 켬/끔. 돌려준 함수로 밖에서 값을 바꿀 수 있다. */
  toggle(target: object, key: string, label: Text, changed?: (on: boolean) => void): (on: boolean) => void {
    const controller = this.gui.add(target as Record<string, boolean>, key)
    if (changed) controller.onChange(changed)
    language.watch(() => void controller.name(language.say(label)))
    return (on) => void controller.setValue(on)
  }

  button(label: Text, action: () => void): void {
    const controller = this.gui.add({ action }, 'action')
    language.watch(() => void controller.name(language.say(label)))
  }
}
