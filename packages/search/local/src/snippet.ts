import { fold, type Term } from './terms.ts'

/** Approximate length of a snippet in characters. */
const LENGTH = 200
/** Characters before the first match. */
const LEAD = 60

/** Match of a term: its start, and the term. */
interface TermMatch {
  readonly at: number
  readonly term: number
}

/** Pattern that finds a term in folded text. */
export interface Pattern {
  /** Substring of every match of the term. */
  readonly hint: string
  readonly regex: RegExp
}

/** Scripts in which words end at a non-letter. */
const SPACED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

export function patternOf(term: Term): Pattern {
  const text = fold(spelling(term))
  const [hint = ''] = text.split(' ')
  const letters = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll(' ', '[^\\p{L}\\p{N}]{1,8}')
  if (!SPACED.test(text)) return { hint, regex: new RegExp(letters, 'gu') }
  return { hint, regex: new RegExp(`(?<![\\p{L}\\p{N}])${letters}${term.prefix ? '' : '(?![\\p{L}\\p{N}])'}`, 'gu') }
}

/** Number of the terms in a passage. */
export function termsIn(passage: string, patterns: readonly Pattern[]): number {
  const folded = fold(passage)
  return patterns.filter(({ hint, regex }) => folded.includes(hint) && folded.search(regex) >= 0).length
}

/** About 200 characters of a passage around the place with the most terms. */
export function snippetOf(passage: string, patterns: readonly Pattern[]): string {
  const text = passage.replace(/\s+/g, ' ').trim()
  const start = wordStart(text, Math.max(0, densest(matchesIn(text, patterns)) - LEAD))
  const end = wordEnd(text, start + LENGTH)
  return `${start > 0 ? '… ' : ''}${text.slice(start, end).trim()}${end < text.length ? ' …' : ''}`
}

/** Match at the start of the snippet with the most terms. */
function densest(matches: readonly TermMatch[]): number {
  let best = { at: 0, terms: 0 }
  for (const [index, { at }] of matches.entries()) {
    const terms = new Set<number>()
    for (let next = index; next < matches.length; next++) {
      const match = matches[next]
      if (!match || match.at > at + LENGTH - LEAD) break
      terms.add(match.term)
    }
    if (terms.size > best.terms) best = { at, terms: terms.size }
  }
  return best.at
}

/** Letters of a term as in the original text, with pairs of letters joined. */
function spelling({ words }: Term): string {
  const [first = '', ...rest] = words
  const overlaps = rest.length > 0 && rest.every((word, index) => [...word][0] === [...(words[index] ?? '')].at(-1))
  return overlaps ? first + rest.map((word) => [...word].slice(1).join('')).join('') : words.join(' ')
}

function matchesIn(text: string, patterns: readonly Pattern[]): TermMatch[] {
  const folded = foldKeepingLength(text)
  return patterns
    .flatMap(({ regex }, term) => Array.from(folded.matchAll(regex), ({ index: at }) => ({ at, term })))
    .sort((a, b) => a.at - b.at)
}

/** Folded text of the same length, so that positions match the original. */
function foldKeepingLength(text: string): string {
  const folded = fold(text)
  if (folded.length === text.length) return folded
  return Array.from({ length: text.length }, (_, index) => {
    const letter = fold(text.charAt(index))
    return letter.length === 1 ? letter : text.charAt(index)
  }).join('')
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const space = text.indexOf(' ', from)
  return space >= 0 && space < from + LEAD / 2 ? space + 1 : from
}

function wordEnd(text: string, to: number): number {
  if (to >= text.length) return text.length
  const space = text.lastIndexOf(' ', to)
  return space > to - LEAD ? space : to
}
