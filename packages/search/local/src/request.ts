import type { SearchQuery } from '@headgate/core/search'
import { partsOf, phraseOf, type Term, termsOf } from './words.ts'

/** More words than these are not looked at. */
const MOST_TERMS = 32
/** Shorter words stand for themselves alone also where beginnings of words count. */
const SHORTEST_BEGINNING = 3

/** What is looked for, in terms. */
export interface SearchRequest {
  /** All of these if that finds anything, else any. */
  readonly words: readonly Term[]
  /** All of these always. */
  readonly all: readonly Term[]
  /** One of these, where there are any. */
  readonly any: readonly Term[]
  readonly none: readonly Term[]
}

/**
 * Reads what a caller wrote. `"…"` and a leading `-` mean in the words what they mean elsewhere; everything else is a
 * word.
 */
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
 * The same with the smallest parts of its words, of which any will do, those that are not known as beginnings of
 * others; undefined where that is no other search.
 */
export function loosen(request: SearchRequest, isKnown: (term: Term) => boolean): SearchRequest | undefined {
  if (request.words.length === 0) return undefined
  const parts = distinct(request.words.flatMap(partsOf))
  return {
    ...request,
    words: parts.map((term) => (isBeginning(term) && !isKnown(term) ? { ...term, prefix: true } : term)),
  }
}

/** An expression of the full-text index; undefined where nothing is looked for. */
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

/** A term in quotes: nothing in it is an operator. */
export function quote({ words, prefix }: Term): string {
  return `"${words.join(' ').replaceAll('"', '""')}"${prefix ? '*' : ''}`
}

function isBeginning({ words: [word = ''] }: Term): boolean {
  return [...word].length >= SHORTEST_BEGINNING
}

function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [quote(term).toLowerCase(), term])).values()].slice(0, MOST_TERMS)
}
