import type { Hud } from '../hud'
import { language, type Text } from '../language'
import './model-desk.css'

const ACCEPT = '.glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.webp'
const words = {
  choose: { ko: '파일 열기', en: 'Open a file' },
  drop: { ko: '여기에 놓으세요', en: 'Drop it here' },
} satisfies Record<string, Text>

/** 사용자의 모델을 받는 자리: 파일 열기 단추와 그 옆의 단추들, 어디에나 놓기, 알림 한 줄. */
export class ModelDesk {
  #bar = document.createElement('div')
  #note = document.createElement('p')
  #words: Text | undefined
  #fading: ReturnType<typeof setTimeout> | undefined

  constructor(hud: Hud, open: (files: File[]) => void) {
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
      open([...(input.files ?? [])])
      input.value = ''
    })
    this.#bar.append(input)
    this.button(words.choose, () => input.click())
    // 어디에 놓아도 열린다
    const zone = document.createElement('div')
    zone.className = 'model-drop'
    document.body.append(zone)
    language.watch(() => {
      zone.textContent = language.say(words.drop)
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
      if (files.length) open(files)
    })
  }

  /** 단추들이 보이는가. 감추면 알림도 지운다. */
  show(on: boolean): void {
    this.#bar.hidden = !on
    if (!on) this.note(undefined)
  }

  /** 파일 열기 옆에 단추를 더한다. 돌려준 함수로 보이고 감춘다. */
  button(text: Text, pressed: () => void): (shown: boolean) => void {
    const button = document.createElement('button')
    button.type = 'button'
    button.addEventListener('click', pressed)
    language.watch(() => (button.textContent = language.say(text)))
    this.#bar.append(button)
    return (shown) => void (button.hidden = !shown)
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
