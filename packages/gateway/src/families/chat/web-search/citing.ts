import type { Citation, FoundPage } from '@headgate/core/canonical'

/** `[3]`, which stands behind no word, as indices of code do, and is no link of Markdown. */
const MARK = /(?<![\w\])])\s?[[【](\d{1,3})[\]】](?!\()/g
const LINK = /https?:\/\/[^\s<>"'`[\]{}|\\^]+/g
/** What ends a sentence, or closes a bracket, rather than belongs to a URL that stands in a text. */
const TAIL = '.,;:!?)*_'
/** More citations than that one text has not. */
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

/**
 * Where a text says which of the pages it has something from: by number, from 1, or by URL. In the order of the text.
 */
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
