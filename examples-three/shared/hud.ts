import { language, type Text } from './language'
import './style.css'

const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  parent: HTMLElement,
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  made.className = className
  parent.append(made)
  return made
}

/** 화면 위의 글: 왼쪽 위 칩과 탭, 아래 제목과 한 문장, 언어 단추, 켬/끔 비교. */
export class Hud {
  readonly root = element('div', 'hud', document.body)
  /** 왼쪽 위에 차례로 쌓이는 자리. 예제가 제 것을 더해도 된다. */
  readonly top = element('div', 'top', this.root)
  #chips = element('ul', 'chips', this.top)
  #foot = element('footer', 'foot', this.root)
  #controls: HTMLElement
  #words: readonly [title: Text, sentence: Text]
  #write: () => void

  constructor(title: Text, sentence: Text) {
    this.#words = [title, sentence]
    const caption = element('div', 'caption', this.#foot)
    const heading = element('h1', '', caption)
    const line = element('p', '', caption)
    this.#controls = element('div', 'controls', this.#foot)
    const button = element('button', 'language', this.#controls)
    button.type = 'button'
    button.addEventListener('click', () => language.toggle())
    this.#write = () => {
      heading.textContent = language.say(this.#words[0])
      line.textContent = language.say(this.#words[1])
      document.title = `${heading.textContent} · Limber`
    }
    language.watch(() => {
      this.#write()
      button.textContent = language.say({ ko: 'EN', en: '한' })
      button.ariaLabel = language.say({ ko: 'Switch to English', en: '한국어로 보기' })
    })
  }

  /** 제목과 한 문장을 바꾼다. */
  caption(title: Text, sentence: Text): void {
    this.#words = [title, sentence]
    this.#write()
  }

  /** 화면을 고르는 탭. 고르면 changed 를 부르고, 돌려준 함수로 밖에서 고를 수 있다 (그때는 부르지 않는다). */
  tabs(names: readonly Text[], changed: (index: number) => void): (index: number) => void {
    const list = element('div', 'tabs', this.top)
    list.setAttribute('role', 'tablist')
    const select = (chosen: number): void =>
      buttons.forEach((button, k) => (button.ariaSelected = String(k === chosen)))
    const buttons = names.map((name, index) => {
      const button = element('button', '', list)
      button.type = 'button'
      button.setAttribute('role', 'tab')
      button.addEventListener('click', () => {
        select(index)
        changed(index)
      })
      language.watch(() => (button.textContent = language.say(name)))
      return button
    })
    select(0)
    return select
  }

  /** 칩 하나: 이름과 바뀌는 값. 돌려준 함수로 값을 쓴다. */
  chip(name: Text): (value: string) => void {
    const chip = element('li', 'chip', this.#chips)
    const value = element('b', '', chip)
    const label = element('span', '', chip)
    language.watch(() => (label.textContent = language.say(name)))
    return (text) => {
      if (value.textContent !== text) value.textContent = text
    }
  }

  /** 켬/끔 비교 스위치. 바뀌면 changed 를 부르고, 돌려준 함수로 밖에서 맞출 수 있다. */
  comparison(name: Text, changed: (on: boolean) => void): (on: boolean) => void {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'switch'
    button.setAttribute('role', 'switch')
    this.#controls.prepend(button)
    const label = element('span', 'name', button)
    element('i', 'track', button)
    const state = element('span', 'state', button)
    let on = true
    const show = (): void => {
      button.ariaChecked = String(on)
      label.textContent = language.say(name)
      state.textContent = language.say(on ? { ko: '켬', en: 'On' } : { ko: '끔', en: 'Off' })
    }
    language.watch(show)
    button.addEventListener('click', () => {
      on = !on
      show()
      changed(on)
    })
    return (next) => {
      on = next
      show()
    }
  }
}
