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

/** What a connection needs before it can rank: a table of its own for what matches. */
export const RANKING_TABLES = 'PRAGMA temp_store = MEMORY; CREATE TEMP TABLE hits (id INTEGER PRIMARY KEY)'

/**
 * Puts what matches in order: by BM25 of its text, and of its title on top.
 *
 * Words that very many documents have tell little and cost most. Where they are too many, only the rarest are weighed,
 * and if even these are too many, only in the first documents and in those that have them in their title.
 */
export function rank(db: DatabaseSync, { expression, request, join, filter, offset, limit }: Match): Ranked {
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

/** Puts what matches into the table `hits`; returns how many they are. */
function collect(db: DatabaseSync, expression: string, filter: Filter | undefined): number {
  // The plus signs here and below keep SQLite from running the full-text search once for every document.
  const within = filter ? ` AND +rowid IN (SELECT id FROM documents WHERE ${filter.sql})` : ''
  db.exec('DELETE FROM hits')
  const { changes } = db
    .prepare(`INSERT INTO hits SELECT rowid FROM texts WHERE texts MATCH ?${within}`)
    .run(expression, ...(filter?.values ?? []))
  return Number(changes)
}

const ORDERED = `
  WITH heading AS MATERIALIZED (
    SELECT rowid AS id, rank AS score FROM titles WHERE titles MATCH $weights ORDER BY rank, rowid LIMIT ${MOST_TITLES}
  ),
  beyond AS MATERIALIZED (SELECT coalesce((SELECT id FROM hits ORDER BY id LIMIT 1 OFFSET $most), 9e18) AS id)
  SELECT texts.rowid AS id FROM texts LEFT JOIN heading ON heading.id = texts.rowid
  WHERE texts MATCH $weights AND +texts.rowid IN hits
    AND (+texts.rowid < (SELECT id FROM beyond) OR heading.id IS NOT NULL)
  ORDER BY bm25(texts) + ${TITLE} * coalesce(heading.score, 0), texts.rowid LIMIT $last`

/** What matches and was not weighed, as far as it is needed. */
function rest(db: DatabaseSync, ids: readonly number[], last: number): number[] {
  const ranked = new Set(ids)
  const rows = db.prepare('SELECT id FROM hits ORDER BY id LIMIT ?').all(last)
  return rows
    .map(({ id }) => Number(id))
    .filter((id) => !ranked.has(id))
    .slice(0, last - ids.length)
}

/** The terms that are worth weighing: all, or the rarest where that would take too long; at least one. */
function weighedTerms(db: DatabaseSync, terms: readonly Term[], join: Match['join'], total: number): readonly Term[] {
  if (total * terms.length <= MOST_WEIGHED) return terms
  const count = db.prepare(
    `SELECT count(*) AS documents FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ${MOST_WEIGHED + 1})`,
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
