import type { DatabaseSync } from 'node:sqlite'
import type { SearchFilter } from './filter.ts'
import { anyOf, quote, type SearchRequest } from './request.ts'
import type { Term } from './terms.ts'

/** Weight of the title score. The text, which includes the title, has weight 1. */
const TITLE = 0.5
/**
 * Maximum number of documents times words to weigh, each about 0.7 µs: limits the time of a search for common words.
 */
const MOST_WEIGHED = 3_000
/** Maximum number of titles to weigh. */
const MOST_TITLES = 500

/** Query to rank. */
export interface RankQuery {
  /** Expression of the full-text index. */
  readonly expression: string
  readonly request: SearchRequest
  /** Matches documents with all words, or with any of them. */
  readonly join: 'AND' | 'OR'
  readonly filter: SearchFilter | undefined
  readonly offset: number
  readonly limit: number
}

export interface RankedDocuments {
  /** Documents from `offset`, in descending order of score. Ties are in the order of the index. */
  readonly ids: readonly number[]
  /** Total number of matches. */
  readonly total: number
}

/** Statements that prepare a connection for ranking: it needs a temporary table of matches. */
export const RANKING_TABLES = 'PRAGMA temp_store = MEMORY; CREATE TEMP TABLE hits (id INTEGER PRIMARY KEY)'

/**
 * Ranks matches by BM25 of their text plus a weighted score of their title.
 *
 * Words in very many documents tell little and cost most. If there are too many, only the rarest words are weighed. If
 * even these have too many documents, they are weighed only in the first documents and in documents with a matching
 * title.
 */
export function rank(
  db: DatabaseSync,
  { expression, request, join, filter, offset, limit }: RankQuery,
): RankedDocuments {
  const total = collect(db, expression, filter)
  const last = Math.min(offset + limit, total)
  if (last <= offset) return { ids: [], total }

  const weighed = weighedTerms(db, [...request.words, ...request.all, ...request.any], join, total)
  const weights = anyOf(weighed)
  const most = weighed.length === 1 ? MOST_WEIGHED : total
  const ordered = db.prepare(ORDERED).all({ $weights: weights, $most: most, $last: last })
  const ids = ordered.map(({ id }) => Number(id))
  if (ids.length < last) ids.push(...rest(db, ids, last))
  return { ids: ids.slice(offset, last), total }
}

/** Inserts the matches into the table `hits`, and returns their number. */
function collect(db: DatabaseSync, expression: string, filter: SearchFilter | undefined): number {
  // The plus signs here and below keep SQLite from running the full-text search once for every document.
  const within = filter ? ` AND +rowid IN (SELECT id FROM documents WHERE ${filter.sql})` : ''
  db.exec('DELETE FROM hits')
  const { changes } = db
    .prepare(`INSERT INTO hits SELECT rowid FROM bodies WHERE bodies MATCH ?${within}`)
    .run(expression, ...(filter?.values ?? []))
  return Number(changes)
}

const ORDERED = `
  WITH heading AS MATERIALIZED (
    SELECT rowid AS id, rank AS score FROM titles WHERE titles MATCH $weights ORDER BY rank, rowid LIMIT ${MOST_TITLES}
  ),
  beyond AS MATERIALIZED (SELECT coalesce((SELECT id FROM hits ORDER BY id LIMIT 1 OFFSET $most), 9e18) AS id)
  SELECT bodies.rowid AS id FROM bodies LEFT JOIN heading ON heading.id = bodies.rowid
  WHERE bodies MATCH $weights AND +bodies.rowid IN hits
    AND (+bodies.rowid < (SELECT id FROM beyond) OR heading.id IS NOT NULL)
  ORDER BY bm25(bodies) + ${TITLE} * coalesce(heading.score, 0), bodies.rowid LIMIT $last`

/** Matches without a weight, up to the required number. */
function rest(db: DatabaseSync, ids: readonly number[], last: number): number[] {
  const ranked = new Set(ids)
  const rows = db.prepare('SELECT id FROM hits ORDER BY id LIMIT ?').all(last)
  return rows
    .map(({ id }) => Number(id))
    .filter((id) => !ranked.has(id))
    .slice(0, last - ids.length)
}

/** Terms to weigh: all, or the rarest if all would take too long; at least one. */
function weighedTerms(
  db: DatabaseSync,
  terms: readonly Term[],
  join: RankQuery['join'],
  total: number,
): readonly Term[] {
  if (total * terms.length <= MOST_WEIGHED) return terms
  const count = db.prepare(
    `SELECT count(*) AS documents FROM (SELECT 1 FROM bodies WHERE bodies MATCH ? LIMIT ${MOST_WEIGHED + 1})`,
  )
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
