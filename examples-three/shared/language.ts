/** 화면에 쓰는 말. 모든 글은 두 언어로 적는다. */
export type Language = 'ko' | 'en'
export type Text = Readonly<Record<Language, string>>

const listeners = new Set<() => void>()
const asked = new URLSearchParams(location.search).get('lang')
let current: Language = asked === 'ko' || asked === 'en' ? asked : navigator.language.startsWith('ko') ? 'ko' : 'en'
document.documentElement.lang = current

export const language = {
  get current(): Language {
    return current
  },
  /** 지금 언어로 읽는다. */
  say(text: Text): string {
    return text[current]
  },
  toggle(): void {
    current = current === 'ko' ? 'en' : 'ko'
    document.documentElement.lang = current
    this.refresh()
  },
  /** 화면의 글을 모두 다시 쓴다. */
  refresh(): void {
    for (const listener of listeners) listener()
  },
  /** 지금 한 번, 그리고 언어가 바뀔 때마다 부른다. */
  watch(listener: () => void): void {
    listeners.add(listener)
    listener()
  },
}
