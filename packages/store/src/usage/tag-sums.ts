import { type RawBuilder, sql } from 'kysely'
import { insertRows, type RowValues, type TableInsert } from '../database/bulk.ts'
import type { StoreConnection } from '../database/connection.ts'
import { type DayZones, dateOf, readDayZones } from '../database/day-zones.ts'
import { storable } from '../database/group.ts'
import { listed } from '../database/listed.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { hourAt } from '../database/zone.ts'
import { MEASURES } from '../schema/usage.ts'
import { beginningOf, type LedgerRow } from './row.ts'
import { sumTagsOf } from './row-tags.ts'
import { ADD_MEASURES } from './upsert-clauses.ts'
import { addMeasures } from './values.ts'

/** Maximum distinct values of a tag per day and project. The rest is one sum with an empty value. */
export const MOST_VALUES = 1_000
/** Maximum distinct tag names per day and project. The rest is one sum with an empty name. */
export const MOST_NAMES = 100

interface TagEntry {
  readonly hour: number
  readonly day: string
  readonly project: string
  readonly tag: string
  readonly value: string
}

/** Sums of the tags of a batch. */
export interface TagSums {
  /** Sums to add for new rows. */
  of(rows: Iterable<LedgerRow>): TableInsert[]
}

/**
 * Creates the sums of new tag values of a batch, with zeros, in a short transaction. The transaction that writes the
 * batch then does not make other writers wait for its end. SQLite has a single writer anyway.
 */
export async function prepareTagSums(
  connection: StoreConnection,
  batch: readonly LedgerRow[],
  zone: string,
): Promise<void> {
  if (connection.kind === 'sqlite' || taggedIn(batch).length === 0) return
  await transact(connection, async (trx) => {
    const zones = (await readDayZones(connection, trx)) ?? { zone }
    const { all, apart } = await placedTags(connection, trx, taggedIn(batch), zones)
    if (!apart.isMore) return
    const placed = all.map(apart.place).map(({ day, project, tag, value }) => [day, project, tag, value])
    const fresh = new Map(placed.map((key) => [key.join('\0'), key]))
    const zeros = MEASURES.map(() => 0n)
    const rows = inOrder(fresh).map((key) => [...key, ...zeros])
    await insertRows(connection, trx, 'usage_tag_days', rows)
  })
}

function taggedIn(batch: readonly LedgerRow[]): readonly LedgerRow[] {
  return batch.filter(({ tags, endUser, session }) => tags !== undefined || endUser || session)
}

interface PlacedTags {
  readonly ofRows: ReadonlyMap<LedgerRow, readonly TagEntry[]>
  readonly all: readonly TagEntry[]
  readonly apart: SeparateTags
}

/** Tags of rows, with a lock if some are new. */
async function placedTags(
  connection: StoreConnection,
  trx: WriteTransaction,
  tagged: readonly LedgerRow[],
  zones: DayZones,
): Promise<PlacedTags> {
  const projects = await projectsOf(connection, trx, tagged)
  const ofRows = new Map(tagged.map((row) => [row, tagsIn(row, projects.get(storable(row.principal)) ?? '', zones)]))
  const all = [...ofRows.values()].flat()
  const apart = await separateTags(connection, trx, all)
  if (!apart.isMore || connection.kind === 'sqlite') return { ofRows, all, apart }
  await runSql(trx, "SELECT pg_advisory_xact_lock(hashtext('headgate.tags'))")
  return { ofRows, all, apart: await separateTags(connection, trx, all) }
}

/** Sorted by key, so that concurrent writers cannot deadlock. */
function inOrder<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)
}

/**
 * Determines which tags of a batch get separate sums, before any row is written. Writers with new values wait for each
 * other, so that the limits are never exceeded. Undefined if no row has tags.
 */
export async function tagSumsOf(
  connection: StoreConnection,
  trx: WriteTransaction,
  batch: readonly LedgerRow[],
  zones: DayZones,
): Promise<TagSums | undefined> {
  const tagged = taggedIn(batch)
  if (tagged.length === 0) return undefined
  const { ofRows, apart } = await placedTags(connection, trx, tagged, zones)
  return {
    of(rows) {
      const sums = new Map<string, { readonly at: TagEntry; readonly measures: bigint[] }>()
      for (const row of rows) {
        for (const one of ofRows.get(row) ?? []) {
          const at = apart.place(one)
          const key = [at.hour, at.day, at.project, at.tag, at.value].join('\0')
          const sum = sums.get(key) ?? { at, measures: MEASURES.map(() => 0n) }
          sums.set(key, sum)
          addMeasures(sum.measures, row)
        }
      }
      return (['usage_tag_hours', 'usage_tag_days'] as const).map((table) => {
        const step = table === 'usage_tag_hours' ? 'hour' : 'day'
        const values = new Map<string, { key: (string | number)[]; measures: readonly bigint[] }>()
        for (const { at, measures } of sums.values()) {
          const key = [at[step], at.project, at.tag, at.value]
          const known = values.get(key.join('\0'))
          const added = known ? known.measures.map((value, index) => value + (measures[index] ?? 0n)) : measures
          values.set(key.join('\0'), { key, measures: added })
        }
        const rows = inOrder(values).map(({ key, measures }): RowValues => [...key, ...measures])
        return { table, rows, onConflict: ADD_MEASURES }
      })
    },
  }
}

function tagsIn(row: LedgerRow, project: string, zones: DayZones): TagEntry[] {
  const at = beginningOf(row) ?? 0
  const [hour, day] = [hourAt(at), dateOf(zones, at)]
  return sumTagsOf(row).map(([tag, value]) => ({ hour, day, project, tag, value }))
}

async function projectsOf(
  connection: StoreConnection,
  trx: WriteTransaction,
  rows: readonly LedgerRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.map(({ principal }) => storable(principal)))].map((id) => [id])
  const known = await runSql(
    trx,
    `SELECT p.id, p.project FROM ${listed(connection.kind, ['id'])} JOIN principals AS p ON p.id = w.id`,
    [JSON.stringify(ids)],
  )
  return new Map(known.map((row) => [String(Object(row).id), String(Object(row).project)]))
}

interface SeparateTags {
  /** True if some tags are new and get separate sums from now on. */
  readonly isMore: boolean
  /** Name and value under which a tag is summed. */
  place(tagged: TagEntry): TagEntry
}

async function separateTags(
  connection: StoreConnection,
  trx: WriteTransaction,
  all: readonly TagEntry[],
): Promise<SeparateTags> {
  const keyOf = ({ day, project, tag }: TagEntry) => [day, project, tag].join('\0')
  const wanted = new Map<string, TagEntry>(all.map((one) => [`${keyOf(one)}\0${one.value}`, one]))
  const found = await runSql(
    trx,
    `SELECT d.day, d.project, d.tag, d.value FROM ${listed(connection.kind, ['tag', 'day', 'project', 'value'])}
      JOIN usage_tag_days AS d ON d.tag = w.tag AND d.day = w.day AND d.project = w.project AND d.value = w.value`,
    [JSON.stringify([...wanted.values()].map(({ tag, day, project, value }) => [tag, day, project, value]))],
  )
  const known = new Set(
    found.map((row) => [Object(row).day, Object(row).project, Object(row).tag, Object(row).value].join('\0')),
  )
  const fresh = [...wanted].filter(([key]) => !known.has(key)).map(([, one]) => one)
  let isMore = false
  /** Names of a day and project that are summed together. */
  const foldedNames = new Set<string>()
  const foldedValues = new Set<string>()
  for (const ofDay of Map.groupBy(fresh, ({ day, project }) => `${day}\0${project}`).values()) {
    const byTag = [...Map.groupBy(ofDay, ({ tag }) => tag).values()]
    const names = new Set(await namesOf(trx, ofDay[0]))
    for (const [first, ...others] of byTag) {
      if (!first) continue
      if (!names.has(first.tag) && !first.tag.startsWith('@') && names.size >= MOST_NAMES) {
        foldedNames.add(keyOf(first))
        continue
      }
      let room = MOST_VALUES - (names.has(first.tag) ? await valuesOf(trx, first) : 0)
      names.add(first.tag)
      for (const one of [first, ...others]) {
        if (room > 0) isMore = true
        else foldedValues.add(`${keyOf(one)}\0${one.value}`)
        room -= 1
      }
    }
  }
  return {
    isMore,
    place(tagged) {
      if (foldedNames.has(keyOf(tagged))) return { ...tagged, tag: '', value: '' }
      return foldedValues.has(`${keyOf(tagged)}\0${tagged.value}`) ? { ...tagged, value: '' } : tagged
    },
  }
}

/** Distinct tag names of a day and project. One index lookup per name, independent of its number of values. */
async function namesOf(trx: WriteTransaction, one: TagEntry | undefined): Promise<string[]> {
  if (!one) return []
  const after = (last: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`SELECT min(tag) FROM usage_tag_days WHERE day = ${one.day} AND project = ${one.project} AND tag > ${last}`
  const { rows } = await sql<{ tag: string }>`WITH RECURSIVE names(tag) AS (
      ${after(sql`''`)} UNION ALL SELECT (${after(sql`names.tag`)}) FROM names WHERE names.tag IS NOT NULL
    ) SELECT tag FROM names WHERE tag IS NOT NULL LIMIT ${MOST_NAMES}`.execute(trx)
  return rows.map(({ tag }) => tag)
}

/** Number of distinct values of a tag per day and project, without the rest. */
async function valuesOf(trx: WriteTransaction, { day, project, tag }: TagEntry): Promise<number> {
  const values = trx.selectFrom('usage_tag_days').select('value').where('tag', '=', tag).where('day', '=', day)
  return (await values.where('project', '=', project).where('value', '>', '').limit(MOST_VALUES).execute()).length
}
