import { RULES, type Rule, type Rules } from './rules'
import { wording } from './wording'
import { language, type Text } from '../../shared/language'

interface Pill {
  button: HTMLButtonElement
  state: HTMLElement
}

/** 규칙마다 하나씩, 켜지면 밝고 꺼지면 어두운 단추. 끝의 「자동」은 고리로 다음에 바뀔 때를 알린다. */
export class Pills {
  #root = document.createElement('div')
  #rules = {} as Record<Rule, Pill>
  #auto: Pill

  constructor(parent: HTMLElement, changed: (rule: Rule | 'auto') => void) {
    this.#root.className = 'pills'
    for (const rule of RULES) this.#rules[rule] = this.#make(wording[rule], () => changed(rule))
    this.#auto = this.#make(wording.auto, () => changed('auto'))
    this.#auto.button.classList.add('auto')
    const ring = document.createElement('i')
    this.#auto.button.prepend(ring)
    parent.prepend(this.#root)
  }

  show(rules: Rules): void {
    for (const rule of RULES) set(this.#rules[rule], rules[rule], language.say(rules[rule] ? wording.on : wording.off))
    const { auto, left, share } = rules
    const seconds = `${Math.ceil(left - 1e-6)}${language.say(wording.seconds)}`
    set(this.#auto, auto, auto ? seconds : language.say(wording.off))
    this.#auto.button.style.setProperty('--share', (auto ? share : 0).toFixed(3))
  }

  #make(name: Text, clicked: () => void): Pill {
    const button = document.createElement('button')
    button.type = 'button'
    button.addEventListener('click', clicked)
    const label = document.createElement('span')
    const state = document.createElement('small')
    language.watch(() => (label.textContent = language.say(name)))
    button.append(label, state)
    this.#root.append(button)
    return { button, state }
  }
}

function set({ button, state }: Pill, on: boolean, words: string): void {
  if (button.ariaPressed !== String(on)) button.ariaPressed = String(on)
  if (state.textContent !== words) state.textContent = words
}
