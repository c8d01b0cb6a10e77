import type { SearchQuery } from '@headgate/core/search'
import { partsOf, phraseOf, type Term, termsOf } from './terms.ts'

/** Maximum number of words in a search; further words are ignored. */
const MOST_TERMS = 32
/** Shorter words are not treated as prefixes. */
const SHORTEST_BEGINNING = 3

/** Terms of a search. */
export interface SearchRequest {
  /** Documents must have all of these if any document has; otherwise any of them. */
  readonly words: readonly Term[]
  /** Documents must have all of these. */
  readonly all: readonly Term[]
  /** Documents must have any of these. */
  readonly any: readonly Term[]
  readonly none: readonly Term[]
}

/** Reads a query. `"…"` and a leading `-` have their usual meaning; everything else is a word. */
export function readRequest({ q, exactTerms = '', excludeTerms = '', orTerms = '' }: SearchQuery): SearchRequest {
  const words: Term[] = []
  const all = [phraseOf(exactTerms)]
  const none = termsOf(excludeTerms)
  for (const [, minus, quoted, word = ''] of q.matchAll(/(?<!\S)(-?)(?:"([^"]*)"|(\S+))/g)) {
    const phrase = quoted === undefined ? undefined : phraseOf(quoted)
    if (minus) none.push(...[phrase ?? phraseOf(word)].filter((one) => one !== undefined))
    else if (quoted === undefined) words.push(...termsOf(word))
    else all.push(phrase)
  }
  return {
    words: distinct(words),
    all: distinct(all.filter((one) => one !== undefined)),
    any: distinct(termsOf(orTerms)),
    none: distinct(none),
  }
}

/**
 * Looser variant of a search: any of the smallest parts of its words matches, and unknown words also match as prefixes.
 * Undefined if it would be the same search.
 */
export function loosen(request: SearchRequest, isKnown: (term: Term) => boolean): SearchRequest | undefined {
  if (request.words.length === 0) return undefined
  const parts = distinct(request.words.flatMap(partsOf))
  return {
    ...request,
    words: parts.map((term) => (isBeginning(term) && !isKnown(term) ? { ...term, prefix: true } : term)),
  }
}

/** Expression of the full-text index. Undefined for an empty search. */
export function matchOf({ words, all, any, none }: SearchRequest, join: 'AND' | 'OR'): string | undefined {
  const groups = [
    words.length > 0 && `(${words.map(quote).join(` ${join} `)})`,
    ...all.map(quote),
    any.length > 0 && `(${anyOf(any)})`,
  ].filter((group) => group !== false)
  if (groups.length === 0) return undefined
  return `(${groups.join(' AND ')})${none.length > 0 ? ` NOT (${anyOf(none)})` : ''}`
}

export function anyOf(terms: readonly Term[]): string {
  return terms.map(quote).join(' OR ')
}

/** Quoted term, without operators. */
export function quote({ words, prefix }: Term): string {
  return `"${words.join(' ').replaceAll('"', '""')}"${prefix ? '*' : ''}`
}

function isBeginning({ words: [word = ''] }: Term): boolean {
  return [...word].length >= SHORTEST_BEGINNING
}

function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [quote(term).toLowerCase(), term])).values()].slice(0, MOST_TERMS)
}
