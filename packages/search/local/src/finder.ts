import { DatabaseSync } from 'node:sqlite'
import type { SearchItem, SearchPage, SearchQuery } from '@headgate/core/search'
import { correctionOf } from './correction.ts'
import { filterOf } from './filter.ts'
import { RANKING_TABLES, type RankQuery, rank } from './ranking.ts'
import { loosen, matchOf, quote, readRequest, type SearchRequest } from './request.ts'
import { type Pattern, patternOf, snippetOf, termsIn } from './snippet.ts'
import { PASSAGES } from './store.ts'
import type { Term } from './terms.ts'

/** Passages of a document, from its start, that are compared for the snippet. */
const CONTENDERS = 100

/** Searches an index. */
export interface Finder {
  find(query: SearchQuery): SearchPage
  close(): void
}

/** Opens an index for reading. Readers and writers do not block each other. */
export function openFinder(file: string): Finder {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  db.exec(`PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; ${RANKING_TABLES}`)
  const document = db.prepare('SELECT title, url, mime, published FROM documents WHERE id = ?')
  const passages = db.prepare(`SELECT text FROM passages WHERE id >= ? AND id < ? ORDER BY id LIMIT ${CONTENDERS}`)

  const any = db.prepare('SELECT 1 FROM bodies WHERE bodies MATCH ? LIMIT 1')
  const isKnown = (term: Term): boolean => any.get(quote(term)) !== undefined

  /** Passage of a document with the most terms; the first one if no passage has any. */
  const bestPassage = (id: number, patterns: readonly Pattern[]): string => {
    let best: { text: string; terms: number } | undefined
    for (const row of passages.iterate(id * PASSAGES, (id + 1) * PASSAGES)) {
      const text = String(row['text'])
      const terms = termsIn(text, patterns)
      if (!best || terms > best.terms) best = { text, terms }
      if (terms === patterns.length) break
    }
    return best?.text ?? ''
  }
  const itemOf = (id: number, patterns: readonly Pattern[]): SearchItem => {
    const { title, url, mime, published } = document.get(id) ?? {}
    return {
      title: String(title),
      link: String(url),
      snippet: snippetOf(bestPassage(id, patterns), patterns),
      mime: String(mime),
      ...(typeof published === 'string' && { published }),
    }
  }
  const find = (query: SearchQuery): SearchPage => {
    const asked = readRequest(query)
    const filter = filterOf(query)
    const range = { offset: query.offset, limit: query.limit }
    const search = (request: SearchRequest, join: RankQuery['join']) => {
      const expression = matchOf(request, join)
      return expression === undefined
        ? undefined
        : { request, ...rank(db, { expression, join, request, filter, ...range }) }
    }
    const strict = search(asked, 'AND')
    if (!strict) return { items: [], total: 0, more: false }

    const looser = strict.total === 0 ? loosen(asked, isKnown) : undefined
    const found = (looser && search(looser, 'OR')) ?? strict
    const correction = strict.total === 0 ? correctionOf(db, query.q, found.total === 0) : undefined
    const { words, all, any } = found.request
    const patterns = [...words, ...all, ...any].map(patternOf)
    return {
      items: found.ids.map((id) => itemOf(id, patterns)),
      total: found.total,
      more: query.offset + found.ids.length < found.total,
      ...(correction !== undefined && { correction }),
    }
  }

  return {
    find(query) {
      // One transaction reads one state of the index, so that total, list and passages agree.
      db.exec('BEGIN')
      try {
        return find(query)
      } finally {
        db.exec('COMMIT')
      }
    },
    close: () => db.close(),
  }
}
