import { type PollRate, pollRateOf, type Task, type TaskClaim } from '@headgate/gateway/ports'
import { type RawBuilder, sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { storedTask, whole } from './stored.ts'

/** Maximum tasks of one claim. */
const MOST = 1_000
/** Maximum providers of one statement. */
const AT_ONCE = 100

type DueTask = Pick<TableRow<'tasks'>, 'id' | 'provider' | 'next_at'>

/**
 * Claims due tasks that no process has claimed.
 *
 * Providers are examined separately, so that a provider at its poll rate limit does not delay the others, however many
 * tasks it has. Without due tasks nothing is written, and no write lock is taken.
 */
export async function claimTasks(connection: StoreConnection, claim: TaskClaim): Promise<Task[]> {
  const limit = limitOf(claim)
  if (limit === 0) return []
  const providers = await providersOf(connection, claim)
  if (providers.length === 0) return []
  return transact(connection, async (trx) => {
    const paces = await pacesOf(connection, trx, claim, providers)
    const turns = await turnsOf(connection, trx, claim, paces)
    const granted = turns.sort(byTurn).slice(0, limit)
    if (granted.length === 0) return []
    const rows = await hold(trx, granted, claim)
    await spend(trx, paces, granted)
    return rows.sort(byTurn).map(storedTask)
  })
}

/**
 * Providers with a claimable task, in alphabetical order: two index lookups for each provider with open tasks. With
 * `EXISTS`, Postgres would choose a join that reads all due tasks.
 */
async function providersOf({ db }: StoreConnection, claim: TaskClaim): Promise<string[]> {
  const family = storable(claim.family)
  if (claim.id !== undefined) {
    const { rows } = await sql<{ provider: string }>`SELECT provider FROM tasks WHERE ${isFree(claim)}`.execute(db)
    return rows.map(({ provider }) => provider)
  }
  const open = sql`SELECT min(provider) FROM tasks WHERE family = ${family} AND next_at IS NOT NULL`
  const { rows } = await sql<{ provider: string }>`
    WITH RECURSIVE open(provider) AS (${open} UNION ALL SELECT (${open} AND provider > open.provider) FROM open WHERE open.provider IS NOT NULL)
    SELECT provider FROM open WHERE (SELECT 1 FROM tasks WHERE tasks.provider = open.provider AND ${isFree(claim)} LIMIT 1) IS NOT NULL
    ORDER BY provider`.execute(db)
  return rows.map(({ provider }) => provider)
}

function limitOf({ limit }: TaskClaim): number {
  return limit > 0 ? Math.min(Math.floor(limit), MOST) : 0
}

/** Condition of claimable tasks: the named one or due ones, without a current claim. */
function isFree({ family, id, now }: TaskClaim): RawBuilder<boolean> {
  const which = id === undefined ? sql`next_at <= ${whole(now)}` : sql`id = ${storable(id)}`
  return sql`family = ${storable(family)} AND ${which} AND held_until <= ${whole(now)}`
}

/** Locks the poll rates of providers against concurrent claims, always in the same order to avoid deadlocks. */
async function pacesOf(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  { now, paces, pace }: TaskClaim,
  providers: readonly string[],
): Promise<ReadonlyMap<string, PollRate>> {
  if (kind === 'postgres')
    await trx
      .insertInto('task_paces')
      .values(providers.map((provider) => ({ provider, spent_until: 0n })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const rows = await trx
    .selectFrom('task_paces')
    .selectAll()
    .where('provider', 'in', providers)
    .orderBy('provider')
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .execute()
  const spent = new Map(rows.map(({ provider, spent_until }) => [provider, Number(spent_until)]))
  const paceAt = (provider: string): number => (Object.hasOwn(paces, provider) ? (paces[provider] ?? pace) : pace)
  return new Map(providers.map((provider) => [provider, pollRateOf(paceAt(provider), spent.get(provider) ?? 0, now)]))
}

/**
 * First due tasks of each provider, as many as its rate allows. One statement covers many providers, since each
 * statement is a round trip to Postgres.
 */
async function turnsOf(
  { kind }: StoreConnection,
  trx: WriteTransaction,
  claim: TaskClaim,
  paces: ReadonlyMap<string, PollRate>,
): Promise<DueTask[]> {
  const lock = kind === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``
  const firstOf = ([provider, { room }]: readonly [string, PollRate]) => sql`SELECT * FROM (
    SELECT id, provider, next_at FROM tasks WHERE provider = ${provider} AND ${isFree(claim)}
    ORDER BY next_at LIMIT ${Math.min(room, limitOf(claim))} ${lock}) AS own`
  const open = [...paces].filter(([, { room }]) => room > 0)
  const turns: DueTask[] = []
  for (let from = 0; from < open.length; from += AT_ONCE) {
    const some = sql.join(open.slice(from, from + AT_ONCE).map(firstOf), sql` UNION ALL `)
    turns.push(...(await sql<DueTask>`${some}`.execute(trx)).rows)
  }
  return turns
}

function hold(
  trx: WriteTransaction,
  turns: readonly DueTask[],
  { now, holdMs }: TaskClaim,
): Promise<TableRow<'tasks'>[]> {
  return trx
    .updateTable('tasks')
    .set({ held_until: whole(now + holdMs) })
    .where(
      'id',
      'in',
      turns.map(({ id }) => id),
    )
    .returningAll()
    .execute()
}

async function spend(
  trx: WriteTransaction,
  paces: ReadonlyMap<string, PollRate>,
  granted: readonly DueTask[],
): Promise<void> {
  const values = [...Map.groupBy(granted, ({ provider }) => provider)].flatMap(([provider, { length }]) => {
    const pace = paces.get(provider)
    return pace ? [{ provider, spent_until: whole(pace.spentUntil(length)) }] : []
  })
  await trx
    .insertInto('task_paces')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('provider').doUpdateSet(({ ref }) => ({ spent_until: ref('excluded.spent_until') })),
    )
    .execute()
}

/** Order by due time, then by id. A named task may have no due time. */
function byTurn(one: DueTask, other: DueTask): number {
  const [first, second] = [one.next_at ?? 0n, other.next_at ?? 0n]
  if (first !== second) return first < second ? -1 : 1
  return one.id < other.id ? -1 : 1
}
