import { type Extract, isoDate, webUrl } from '../document.ts'

/** Reads Markdown: front matter, the first heading as title, and the text without markup. */
export function readMarkdown(source: string): Extract {
  const { fields, body } = frontMatter(source)
  const lines = body.replace(/<!--[\s\S]*?-->/g, '').split('\n')
  let heading: string | undefined
  let fence: string | undefined
  const text: string[] = []
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
    } else if (fence !== undefined) {
      text.push(line)
    } else if (!/^ {0,3}(?:=+|-{2,})\s*$/.test(line)) {
      const plain = plainLine(line)
      const isHeading = /^ {0,3}#{1,6}\s/.test(line) || (plain !== '' && /^ {0,3}=+\s*$/.test(lines[index + 1] ?? ''))
      const isTitle = isHeading && heading === undefined && fields['title'] === undefined
      if (isTitle) heading = plain
      else text.push(plain)
    }
  }
  return {
    title: fields['title'] ?? heading,
    text: text
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    lang: fields['lang'] ?? fields['language'],
    date: isoDate(fields['date'] ?? fields['updated'] ?? fields['published']),
    url: webUrl(fields['url'] ?? fields['permalink']),
  }
}

/** Simple fields of the front matter, between two lines of `---` at the start. */
function frontMatter(source: string): { fields: Readonly<Record<string, string>>; body: string } {
  const [block, inner] = /^---[ \t]*\r?\n([\s\S]{0,65536}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(source) ?? []
  if (block === undefined || inner === undefined) return { fields: {}, body: source.replaceAll('\r\n', '\n') }
  const fields = inner.split('\n').flatMap((line) => {
    const [, name, value] = /^(\w+):[ \t]*(\S.*)$/.exec(line.trimEnd()) ?? []
    return name && value ? [[name.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2')]] : []
  })
  return { fields: Object.fromEntries(fields), body: source.slice(block.length).replaceAll('\r\n', '\n') }
}

/** Line without block and inline markup. */
function plainLine(line: string): string {
  if (/^\s{0,3}\[[^\]]{1,200}\]:\s/.test(line) || /^[\s|:-]*\|[\s|:-]*$/.test(line)) return ''
  return line
    .replace(/^\s*(?:>\s?){1,10}/, '')
    .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s)?/, '')
    .replace(/^\s{0,3}#{1,6}\s+/, '')
    .replace(/\s#+\s*$/, '')
    .replace(/!?\[([^[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+"[^"]{0,500}")?\)|\[[^\]]{0,200}\])/g, '$1')
    .replace(/<(https?:\/\/[^<>\s]{1,2000})>/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
    .replace(/(`{1,3})([^`]{1,1000})\1/g, '$2')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~]{1,1000}?)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}_])(__?)(?=\S)([^_]{1,500}?)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('|', ' ')
    .trim()
}
