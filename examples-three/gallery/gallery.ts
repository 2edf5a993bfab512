import { cards, type Card } from './cards'
import { markdown } from './markdown'
import { language, type Text } from '../shared/language'
import '../shared/style.css'
import './gallery.css'

const pictures = import.meta.glob<string>('../*/card.jpg', { query: '?url', import: 'default', eager: true })
const readmes = import.meta.glob<string>('../*/README*.md', { query: '?raw', import: 'default' })

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.className = className
  made.append(...children)
  return made
}

function text<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, words: Text): HTMLElementTagNameMap[K] {
  const made = make(tag, className)
  language.watch(() => (made.textContent = language.say(words)))
  return made
}

const reader = make('dialog', 'reader')
const page = make('article', '')
const close = text('button', 'close', { ko: '닫기', en: 'Close' })
close.addEventListener('click', () => reader.close())
reader.append(close, page)
reader.addEventListener('click', (event) => {
  if (event.target === reader) reader.close()
})

/** 예제의 README 를 지금 언어로 펼친다. */
async function read({ folder }: Card): Promise<void> {
  const file =
    readmes[`../${folder}/README${language.current === 'ko' ? '.ko' : ''}.md`] ?? readmes[`../${folder}/README.md`]
  if (!file) return
  page.replaceChildren(markdown(await file()))
  reader.showModal()
  reader.scrollTop = 0
}

function show(card: Card): HTMLElement {
  const href = `./${card.folder}/`
  const picture = make('a', 'picture')
  picture.href = href
  const source = pictures[`../${card.folder}/card.jpg`]
  if (source) {
    const image = make('img', '')
    image.src = source
    image.width = 1280
    image.height = 720
    picture.append(image)
    language.watch(() => (image.alt = language.say(card.sentence)))
  }
  language.watch(() => (picture.ariaLabel = language.say(card.name)))
  const names = make('h2', '', make('span', 'ko', card.name.ko), make('span', 'en', card.name.en))
  const open = text('a', 'open', { ko: '열기', en: 'Open' })
  open.href = href
  const readme = make('a', 'readme', 'README')
  language.watch(() => (readme.href = `${href}README${language.current === 'ko' ? '.ko' : ''}.md`))
  readme.addEventListener('click', (event) => {
    event.preventDefault()
    void read(card)
  })
  return make(
    'li',
    'card',
    picture,
    make('div', 'words', names, text('p', '', card.sentence), make('div', 'links', open, readme)),
  )
}

const button = make('button', 'language')
button.type = 'button'
button.addEventListener('click', () => language.toggle())
language.watch(() => {
  button.textContent = language.say({ ko: 'EN', en: '한' })
  button.ariaLabel = language.say({ ko: 'Switch to English', en: '한국어로 보기' })
})

document.body.append(
  make(
    'header',
    'top',
    make(
      'div',
      '',
      make('h1', '', 'Limber'),
      text('p', '', {
        ko: 'Rust 로 움직이고 three.js 로 그리는 부드러운 것들. 카드를 눌러 열어 보세요.',
        en: 'Soft things, moved by Rust and drawn by three.js. Pick a card to open it.',
      }),
    ),
    button,
  ),
  make('ul', 'cards', ...cards.map(show)),
  reader,
)
