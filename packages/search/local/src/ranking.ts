import type { DatabaseSync } from 'node:sqlite'
import type { Filter } from './filter.ts'
import { anyOf, quote, type SearchRequest } from './request.ts'
import type { Term } from './words.ts'

/** What the weight of a title counts beside that of the text, which has the title as well. */
const TITLE = 0.5
/** Documents times words that are weighed, each about 0.7 µs: what bounds the time of a search for common words. */
const MOST_WEIGHED = 3_000
/** Titles that are weighed as well. */
const MOST_TITLES = 500

/** What is to be found and put in order. */
export interface Match {
  /** Expression of the full-text index. */
  readonly expression: string
  readonly request: SearchRequest
  /** Whether all words or any of them are wanted. */
  readonly join: 'AND' | 'OR'
  readonly filter: Filter | undefined
  readonly offset: number
  readonly limit: number
}

export interface Ranked {
  /** Documents from `offset` on, the best first; equal ones in the order of the index. */
  readonly ids: readonly number[]
  /** All of them. */
  readonly total: number
}

/**
 * Puts what matches in order: by BM25 of its text, and of its title on top.
 *
 * Words that very many documents have tell little and cost most. Where they are too many, only the rarest are weighed, and if
 * even these are too many, only in the first documents and in those that have them in their title.
 */
export function rank(db: DatabaseSync, { expression, request, join, filter, offset, limit }: Match): Ranked {
  const within = filter ? ` AND +texts.rowid IN (SELECT id FROM documents WHERE ${filter.sql})` : ''
  const values = [expression, ...(filter?.values ?? [])]
  const matching = `SELECT texts.rowid AS id FROM texts WHERE texts MATCH ?${within}`
  const count = db.prepare(`SELECT count(*) AS total FROM (${matching})`).get(...values)
  const total = Number(count?.['total'] ?? 0)
  const last = Math.min(offset + limit, total)
  if (last <= offset) return { ids: [], total }

  const terms = [...request.words, ...request.all, ...request.any]
  const weighed = weighedTerms(db, terms, join, total)
  const weights = anyOf(weighed)
  const cut = weighed.length === 1 && total > MOST_WEIGHED ? cutAt(db, matching, values) : ''
  const isPlain = !filter && request.all.length + request.any.length + request.none.length === 0
  const rows =
    weighed.length === terms.length
      ? db.prepare(orderedSql(`texts MATCH ?${within}${cut}`)).all(weights, ...values, last)
      : isPlain && join === 'OR'
        ? db.prepare(orderedSql(`texts MATCH ?${cut}`)).all(weights, weights, last)
        : db.prepare(orderedSql(`texts MATCH ? AND +texts.rowid IN (${matching})${cut}`)).all(weights, weights, ...values, last)
  const ids = rows.map(({ id }) => Number(id))
  if (ids.length < last) ids.push(...rest(db, matching, values, ids, last))
  return { ids: ids.slice(offset, last), total }
}

/** The plus signs here keep SQLite from running the full-text search once for every document. */
function orderedSql(condition: string): string {
  return `
    WITH heading AS MATERIALIZED (
      SELECT rowid AS id, rank AS score FROM titles WHERE titles MATCH ? ORDER BY rank, rowid LIMIT ${MOST_TITLES}
    )
    SELECT texts.rowid AS id FROM texts LEFT JOIN heading ON heading.id = texts.rowid
    WHERE ${condition}
    ORDER BY bm25(texts) + ${TITLE} * coalesce(heading.score, 0), texts.rowid LIMIT ?`
}

/** Leaves out what comes after the first documents, but for those whose title is weighed. */
function cutAt(db: DatabaseSync, matching: string, values: readonly (string | number)[]): string {
  const beyond = db.prepare(`${matching} LIMIT 1 OFFSET ${MOST_WEIGHED}`).get(...values)?.['id']
  return ` AND (+texts.rowid < ${Number(beyond)} OR heading.id IS NOT NULL)`
}

/** What matches and was not weighed, as far as it is needed. */
function rest(db: DatabaseSync, matching: string, values: readonly (string | number)[], ids: readonly number[], last: number): number[] {
  const ranked = new Set(ids)
  const rows = db.prepare(`${matching} ORDER BY texts.rowid LIMIT ?`).all(...values, last)
  return rows
    .map(({ id }) => Number(id))
    .filter((id) => !ranked.has(id))
    .slice(0, last - ids.length)
}

/** The terms that are worth weighing: all, or the rarest where that would take too long; at least one. */
function weighedTerms(db: DatabaseSync, terms: readonly Term[], join: Match['join'], total: number): readonly Term[] {
  if (total * terms.length <= MOST_WEIGHED) return terms
  const count = db.prepare('SELECT count(*) AS documents FROM texts WHERE texts MATCH ?')
  const counted = terms
    .map((term) => ({ term, documents: Number(count.get(quote(term))?.['documents'] ?? 0) }))
    .filter(({ documents }) => documents > 0)
    .sort((a, b) => a.documents - b.documents)
  let cost = 0
  return counted.flatMap(({ term, documents }, index) => {
    cost += join === 'AND' ? total : documents
    return cost <= MOST_WEIGHED || index === 0 ? [term] : []
  })
}
