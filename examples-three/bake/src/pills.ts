import { language, type Text } from '../../shared/language'

/** 하나를 고르는 알약 단추들. 언어 단추 옆에 놓인다. */
export class Pills {
  readonly element = document.createElement('div')
  #buttons: HTMLButtonElement[]

  constructor(name: Text, choices: readonly Text[], chosen: number, changed: (index: number) => void) {
    this.element.className = 'pills'
    this.element.setAttribute('role', 'radiogroup')
    this.#buttons = choices.map((choice, index) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.setAttribute('role', 'radio')
      button.addEventListener('click', () => {
        this.choose(index)
        changed(index)
      })
      language.watch(() => (button.textContent = language.say(choice)))
      this.element.append(button)
      return button
    })
    language.watch(() => (this.element.ariaLabel = language.say(name)))
    this.choose(chosen)
    document.querySelector('.controls')!.prepend(this.element)
  }

  choose(index: number): void {
    this.#buttons.forEach((button, k) => (button.ariaChecked = String(k === index)))
  }
}
