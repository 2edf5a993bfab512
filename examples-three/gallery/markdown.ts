/** README 에 쓰는 만큼만 읽는 작은 마크다운: 제목, 문단, 목록, 표, 코드, 굵게, 링크. */
export function markdown(source: string): DocumentFragment {
  const out = document.createDocumentFragment()
  const lines = source.replaceAll('\r', '').split('\n')
  const block = (tag: string, words = ''): HTMLElement => {
    const made = document.createElement(tag)
    inline(made, words)
    out.append(made)
    return made
  }
  for (let k = 0; k < lines.length;) {
    const line = lines[k]!
    const heading = /^(#{1,4}) (.*)/.exec(line)
    if (line.startsWith('```')) {
      const code: string[] = []
      for (k++; k < lines.length && !lines[k]!.startsWith('```'); k++) code.push(lines[k]!)
      k++
      block('pre').textContent = code.join('\n')
    } else if (heading) {
      block(`h${heading[1]!.length}`, heading[2]!)
      k++
    } else if (/^([-*]|\d+\.) /.test(line)) {
      const list = block(/^\d/.test(line) ? 'ol' : 'ul')
      for (; k < lines.length && /^([-*]|\d+\.) /.test(lines[k]!); k++)
        inline(list.appendChild(document.createElement('li')), lines[k]!.replace(/^([-*]|\d+\.) (\[[ x]\] )?/, ''))
    } else if (line.startsWith('|')) {
      const table = block('div').appendChild(document.createElement('table'))
      for (let row = 0; k < lines.length && lines[k]!.startsWith('|'); k++, row++) {
        if (/^\|[\s|:-]+$/.test(lines[k]!)) continue
        const tr = table.appendChild(document.createElement('tr'))
        for (const cell of lines[k]!.slice(1, -1).split('|'))
          inline(tr.appendChild(document.createElement(row ? 'td' : 'th')), cell.trim())
      }
    } else if (line.trim()) {
      const words: string[] = []
      for (; k < lines.length && lines[k]!.trim() && !/^(#|```|\||[-*] |\d+\. )/.test(lines[k]!); k++)
        words.push(lines[k]!)
      block('p', words.join(' '))
    } else k++
  }
  return out
}

function inline(parent: HTMLElement, words: string): void {
  for (const part of words.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/)) {
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part)
    if (part.startsWith('`') && part.length > 1)
      parent.appendChild(document.createElement('code')).textContent = part.slice(1, -1)
    else if (part.startsWith('**')) parent.appendChild(document.createElement('strong')).textContent = part.slice(2, -2)
    else if (link && /^https?:/.test(link[2]!)) {
      const anchor = parent.appendChild(document.createElement('a'))
      anchor.textContent = link[1]!
      anchor.href = link[2]!
    } else parent.append(link ? link[1]! : part)
  }
}
