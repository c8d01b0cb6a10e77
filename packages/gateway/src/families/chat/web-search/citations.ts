import type { Citation, FoundPage } from '@headgate/core/canonical'

/** Citation mark such as `[3]`. Array indexes in code, which follow a word, and Markdown links do not match. */
const MARK = /(?<![\w\])])\s?[[【](\d{1,3})[\]】](?!\()/g
const LINK = /https?:\/\/[^\s<>"'`[\]{}|\\^]+/g
/** Characters at the end of a URL that belong to the surrounding text. */
const TAIL = '.,;:!?)*_'
/** Maximum citations of one text. */
const MOST = 256

function cite(page: FoundPage, start: number, end: number): Citation {
  const { url, title, snippet } = page
  return { url, ...(title !== undefined && { title }), ...(snippet !== undefined && { cited: snippet }), start, end }
}

function trimmed(link: string): string {
  let end = link.length
  while (end > 0 && TAIL.includes(link.charAt(end - 1))) end--
  return link.slice(0, end)
}

/** Citations in a model's output, in order. A page is cited by its number, from 1, or by its URL. */
export function citationsIn(source: string, pages: readonly FoundPage[]): Citation[] {
  if (pages.length === 0) return []
  const found: { start: number; citation: Citation }[] = []
  for (const { 0: mark, 1: digits, index } of source.matchAll(MARK)) {
    const page = pages[Number(digits) - 1]
    if (!page) continue
    const start = index + (mark.length - mark.trimStart().length)
    found.push({ start, citation: cite(page, start, index + mark.length) })
    if (found.length >= MOST) break
  }
  const byUrl = new Map(pages.map((page) => [page.url.replace(/\/$/, ''), page]))
  for (const { 0: link, index } of source.matchAll(LINK)) {
    const url = trimmed(link)
    const page = byUrl.get(url.replace(/\/$/, ''))
    if (page) found.push({ start: index, citation: cite(page, index, index + url.length) })
    if (found.length >= 2 * MOST) break
  }
  return found.sort((a, b) => a.start - b.start).map(({ citation }) => citation)
}
