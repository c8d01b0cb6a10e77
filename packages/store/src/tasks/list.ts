import type { Task, TaskQuery } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import type { TableRow } from '../schema/tables.ts'
import { storedTask, whole } from './stored.ts'

/** Row of a page. An empty page has one row, without a task. */
type CountedTask = { readonly total: bigint } & {
  readonly [Name in keyof TableRow<'tasks'>]: TableRow<'tasks'>[Name] | null
}

/** Page and total of tasks, read by one statement for consistency. */
export async function listTasks(
  { db, kind }: StoreConnection,
  query: TaskQuery,
): Promise<{ readonly tasks: Task[]; readonly total: number }> {
  const which = sql.join(conditions(kind, query), sql` AND `)
  const [limit, offset] = [query.limit, query.offset].map((count) => whole(Math.max(count, 0)))
  const newest = sql`ORDER BY created_at DESC, id DESC`
  const { rows } = await sql<CountedTask>`SELECT * FROM (SELECT count(*) AS total FROM tasks WHERE ${which}) AS counted
    LEFT JOIN (SELECT * FROM tasks WHERE ${which} ${newest} LIMIT ${limit} OFFSET ${offset}) AS page ON TRUE ${newest}`.execute(
    db,
  )
  return { tasks: rows.filter(isTask).map(storedTask), total: Number(rows[0]?.total ?? 0n) }
}

function isTask(row: CountedTask): row is CountedTask & TableRow<'tasks'> {
  return row.id !== null
}

function conditions(
  kind: StoreConnection['kind'],
  { family, owner, since, status, model, tier, ids }: TaskQuery,
): RawBuilder<unknown>[] {
  const name = model === undefined ? undefined : storable(model)
  return [
    sql`owner = ${storable(owner)} AND family = ${storable(family)}`,
    ...(since === undefined ? [] : [sql`created_at >= ${whole(Math.ceil(since))}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(name === undefined ? [] : [sql`(model = ${name} OR provider_model = ${name})`]),
    ...(tier === undefined ? [] : [sql`tier = ${storable(tier)}`]),
    ...(ids === undefined ? [] : [isOneOf(kind, ids.map(storable))]),
  ]
}

/** Condition for any number of values, since the number of SQL parameters is limited. */
function isOneOf(kind: StoreConnection['kind'], ids: readonly string[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`id = ANY(${ids}::text[])`
  return sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
}
