const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
}
const LAST_CODE_POINT = 0x10_ffff

function entity(match: string, name: string): string {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()] ?? match
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : match
}

/** A string on one line; `markup` = it is HTML. */
export function plainText(source: unknown, markup: boolean): string {
  if (typeof source !== 'string') return ''
  const text = markup
    ? source.replace(/<\/?[a-z][^<>]*>/gi, '').replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, entity)
    : source
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** Maximum number of query terms to highlight. */
const MAX_WORDS = 32

/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** A run of letters and digits. Within a run, only an apostrophe or the end of the run separates words. */
const RUN = /([\p{L}\p{N}'’]+)/u

/**
 * Pattern for the query's terms in a run; undefined = no terms. Every query compiles its own pattern, so it must be
 * cheap: a case-insensitive class of all letters takes a millisecond.
 */
export function wordPattern(...queries: readonly (string | undefined)[]): RegExp | undefined {
  const words = queries.flatMap(
    (query) => (query ?? '').match(/(?<![-\p{L}\p{N}:])[\p{L}\p{N}][\p{L}\p{N}'’]*(?![:\p{L}\p{N}'’])/gu) ?? [],
  )
  const chosen = [...new Set(words.filter((word) => word !== 'OR'))].slice(0, MAX_WORDS)
  if (chosen.length === 0) return undefined
  const longestFirst = chosen.sort((a, b) => b.length - a.length)
  const patterns = longestFirst.map((word) => (UNSPACED.test(word) ? word : `(?<=^|['’])${word}(?=['’]|$)`))
  return new RegExp(`(${patterns.join('|')})`, 'iu')
}

/** A string as HTML with the query's terms in bold. */
export function boldHtml(text: string, words: RegExp | undefined): string {
  if (!words) return escapeHtml(text)
  // The pattern has one group, so every second piece is a match.
  return text
    .split(RUN)
    .map((piece, index) => (index % 2 === 1 && words.test(piece) ? boldRun(piece, words) : escapeHtml(piece)))
    .join('')
}

function boldRun(run: string, words: RegExp): string {
  return run
    .split(words)
    .map((piece, index) => (index % 2 === 1 ? `<b>${escapeHtml(piece)}</b>` : escapeHtml(piece)))
    .join('')
}
