import type { ResponseQuota, ResponseStore, StoredResponse } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'

const DAY = 86_400_000
/**
 * Time after expiry during which a stored response is still known, so that references to it get a specific error, in
 * milliseconds.
 */
const REMEMBERED = 30 * DAY
/** Rows per transaction, since other writers wait for it. */
const CHUNK = 500

/** Stored responses, shared by all processes of a store. Resolved changes are committed. */
export function createAnswerStore(connection: StoreConnection): ResponseStore {
  const { db, kind } = connection
  return {
    put: (answer, room) =>
      transact(connection, async (trx) => {
        const row = rowOf(answer)
        await forget(trx, row.owner, [row.id])
        await trx.insertInto('answers').values(row).execute()
        const items = [...new Set(answer.items)].map((id) => ({
          owner: row.owner,
          id: storable(id),
          answer: row.id,
          ends_at: row.ends_at,
        }))
        if (items.length > 0)
          await trx
            .insertInto('answer_items')
            .values(items)
            .onConflict((conflict) =>
              conflict
                .columns(['owner', 'id'])
                .doUpdateSet(({ ref }) => ({ answer: ref('excluded.answer'), ends_at: ref('excluded.ends_at') })),
            )
            .execute()
        if (row.data !== null) await evictOldest(trx, row.made_by, room)
      }),
    find: async ({ owner, project }, ids) => {
      const wanted = ids.map(storable)
      if (project !== undefined) {
        const seen = sql`(answers.owner = ${storable(owner)} OR answers.project = ${storable(project)})`
        const { rows } = await sql<
          TableRow<'answers'>
        >`SELECT answers.* FROM answers WHERE ${isOneOf(kind, 'answers.id', wanted)} AND ${seen}
          UNION SELECT answers.* FROM answer_items JOIN answers ON answers.owner = answer_items.owner AND answers.id = answer_items.answer
            WHERE ${isOneOf(kind, 'answer_items.id', wanted)} AND ${seen}`.execute(db)
        return rows.map(keptAnswer)
      }
      const mine = sql`owner = ${storable(owner)} AND ${isOneOf(kind, 'id', wanted)}`
      const { rows } = await sql<TableRow<'answers'>>`SELECT * FROM answers WHERE ${mine}
        UNION SELECT * FROM answers WHERE owner = ${storable(owner)} AND id IN (SELECT answer FROM answer_items WHERE ${mine})`.execute(
        db,
      )
      return rows.map(keptAnswer)
    },
    known: async (ids) => {
      const wanted = ids.map(storable)
      const { rows } = await sql<{ id: string }>`SELECT id FROM answers WHERE ${isOneOf(kind, 'id', wanted)}
        UNION SELECT answer_items.id FROM answer_items JOIN answers ON answers.owner = answer_items.owner AND answers.id = answer_items.answer
          WHERE ${isOneOf(kind, 'answer_items.id', wanted)}`.execute(db)
      return rows.map(({ id }) => id)
    },
    remove: (owner, id) =>
      transact(connection, async (trx) => (await forget(trx, storable(owner), [storable(id)])) > 0),
  }
}

/** Deletes the encrypted data of expired responses. @returns whether more may be left */
export async function emptyAnswers(connection: StoreConnection, now: number): Promise<boolean> {
  return transact(connection, async (trx) => {
    const over = await trx
      .selectFrom('answers')
      .select(['owner', 'id'])
      .where('data', 'is not', null)
      .where('kept_until', '<=', BigInt(now))
      .limit(CHUNK)
      .execute()
    for (const [owner, rows] of Map.groupBy(over, ({ owner }) => owner))
      await trx
        .updateTable('answers')
        .set({ data: null, size: 0n })
        .where('owner', '=', owner)
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .execute()
    return over.length === CHUNK
  })
}

async function forget(trx: WriteTransaction, owner: string, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('answers')
    .where('owner', '=', owner)
    .where('id', 'in', ids)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Empties the oldest responses of a key while they are too many or too large together. The emptied rows record that the
 * responses existed.
 */
async function evictOldest(trx: WriteTransaction, key: string, { count, bytes }: ResponseQuota): Promise<void> {
  const { rows } = await sql<{ owner: string; id: string }>`SELECT owner, id FROM (
    SELECT owner, id, row_number() OVER newest AS number, sum(size) OVER newest AS total FROM answers
    WHERE made_by = ${key} AND data IS NOT NULL WINDOW newest AS (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING)
  ) AS own WHERE number > ${BigInt(count)} OR total > ${BigInt(bytes)}`.execute(trx)
  for (const { owner, id } of rows)
    await trx
      .updateTable('answers')
      .set({ data: null, size: 0n })
      .where('owner', '=', owner)
      .where('id', '=', id)
      .execute()
}

/** Condition for any number of values, since the number of SQL parameters is limited. */
function isOneOf(kind: StoreConnection['kind'], column: string, values: readonly string[]): RawBuilder<boolean> {
  const name = sql.ref(column)
  if (kind === 'postgres') return sql`${name} = ANY(${values}::text[])`
  return sql`${name} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
}

function rowOf({
  owner,
  project,
  id,
  key,
  provider,
  model,
  createdAt,
  keptUntil,
  items,
  data,
}: StoredResponse): TableRow<'answers'> {
  return {
    owner: storable(owner),
    id: storable(id),
    made_by: storable(key),
    provider: provider === undefined ? null : storable(provider),
    model: storable(model),
    created_at: BigInt(Math.round(createdAt)),
    kept_until: BigInt(Math.round(keptUntil)),
    ends_at: BigInt(Math.round(keptUntil)) + BigInt(REMEMBERED),
    items: JSON.stringify(items.map(storable)),
    size: BigInt(data?.length ?? 0),
    data: data === undefined ? null : storable(data),
    project: project === undefined ? null : storable(project),
  }
}

function keptAnswer(row: TableRow<'answers'>): StoredResponse {
  return {
    id: row.id,
    owner: row.owner,
    key: row.made_by,
    ...(row.project !== null && { project: row.project }),
    ...(row.provider !== null && { provider: row.provider }),
    model: row.model,
    createdAt: Number(row.created_at),
    keptUntil: Number(row.kept_until),
    items: JSON.parse(row.items),
    ...(row.data !== null && { data: row.data }),
  }
}
