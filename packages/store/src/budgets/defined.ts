import { type Budget, type BudgetPeriod, type BudgetScope, HeadgateError } from '@headgate/gateway/ports'
import type { Connection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { randomText } from '../keys/api-key.ts'
import { changesOf, noteChange } from '../keys/changes.ts'
import type { Row } from '../schema/tables.ts'
import { noteCrossings, sharesCrossed } from './crossing.ts'
import { windowAt } from './window.ts'
import { knownWindow } from './windows.ts'

/** A budget that is to be made, or another one of its id that is to hold instead. */
export interface NewBudget {
  /** Default: one of its own. */
  readonly id?: string | undefined
  readonly scope: BudgetScope
  /** Id of the key, project, member or organization. */
  readonly owner: string
  /** As messages name it; default `$5 a day`. */
  readonly name?: string | undefined
  /** Whole nano-dollars, from 0 to 2^63 - 1. */
  readonly limit: bigint
  readonly period: BudgetPeriod
  /** Default: that of the store's days. */
  readonly zone?: string | undefined
  /** Default false. */
  readonly soft?: boolean | undefined
  /** Default `charged`. */
  readonly counts?: Budget['counts'] | undefined
}

/** One that is made with its key. */
export type KeyBudget = Omit<NewBudget, 'id' | 'scope' | 'owner'>

/** Budgets that have changed since a version, and ids of those that are gone. */
export interface BudgetChanges {
  readonly version: number
  readonly set: readonly Budget[]
  readonly removed: readonly string[]
}

const MOST = 2n ** 63n - 1n
const PERIODS: ReadonlySet<string> = new Set<BudgetPeriod>(['day', 'week', 'month', 'forever'])
const SCOPES: ReadonlySet<string> = new Set<BudgetScope>(['key', 'project', 'member', 'organization'])

/** @throws HeadgateError `invalid-request` that names what is wrong. */
export function budgetOf(given: NewBudget, zone: string): Budget {
  const { scope, owner, limit, period } = given
  const budget: Budget = {
    id: given.id ?? `budget_${randomText(10)}`,
    scope,
    owner: storable(owner),
    name: storable(given.name ?? nameOf(limit, period)),
    limit,
    period,
    zone: given.zone ?? zone,
    soft: given.soft ?? false,
    counts: given.counts ?? 'charged',
  }
  if (typeof limit !== 'bigint' || limit < 0n || limit > MOST)
    throw wrong('its limit has to be from 0 to 2^63 - 1 nano-dollars', 'limit')
  if (!PERIODS.has(period)) throw wrong('its period has to be day, week, month or forever', 'period')
  if (!SCOPES.has(scope)) throw wrong('its scope has to be key, project, member or organization', 'scope')
  if (budget.counts !== 'charged' && budget.counts !== 'cost') throw wrong('it counts either charged or cost', 'counts')
  try {
    windowAt('day', budget.zone, 0)
  } catch {
    throw wrong(`${budget.zone} is no time zone, as Europe/Berlin is one`, 'zone')
  }
  return budget
}

function wrong(what: string, param: keyof NewBudget): HeadgateError {
  return new HeadgateError('invalid-request', `A budget can not be made like this: ${what}.`, { param })
}

function nameOf(limit: bigint, period: BudgetPeriod): string {
  const cents = String((BigInt(limit) * 100n) / 1_000_000_000n).padStart(3, '0')
  const dollars = `$${cents.slice(0, -2)}${cents.endsWith('00') ? '' : `.${cents.slice(-2)}`}`
  return period === 'forever' ? dollars : `${dollars} a ${period}`
}

/** Makes budgets, or has them be these where there are some of their ids, within a transaction. */
export async function writeBudgets(
  connection: Connection,
  trx: Writing,
  budgets: readonly Budget[],
  { source = 'store', now = Date.now() }: { readonly source?: 'store' | 'config'; readonly now?: number } = {},
): Promise<void> {
  if (budgets.length === 0) return
  const version = await nextVersion(connection, trx)
  // In the order in which windows are locked.
  for (const budget of budgets.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const { id, scope, owner, name, limit, period, zone, soft, counts } = budget
    const before = await trx.selectFrom('budgets').select('limit_nanos').where('id', '=', id).executeTakeFirst()
    const values = {
      scope,
      owner,
      name,
      limit_nanos: limit,
      period,
      zone,
      soft: Number(soft),
      counts,
      source,
      removed_at: null,
      version,
    }
    await trx
      .insertInto('budgets')
      .values({ ...values, id, created_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute()
    if (before) await noteLowered(connection, trx, { budget, before: before.limit_nanos, now })
  }
}

/** More of a lower limit is spent. */
async function noteLowered(
  connection: Connection,
  trx: Writing,
  { budget, before, now }: { readonly budget: Budget; readonly before: bigint; readonly now: number },
): Promise<void> {
  const { id: win } = windowAt(budget.period, budget.zone, now)
  const window = await knownWindow(connection, trx, { budget: budget.id, win })
  if (!window) return
  const { spent } = window
  const shares = sharesCrossed({ spent, limit: before }, { spent, limit: budget.limit })
  await noteCrossings(
    connection,
    trx,
    shares.map((percent) => ({ budget, window, percent })),
    now,
  )
}

export function setBudget(connection: Connection, given: NewBudget, zone: string): Promise<Budget> {
  const budget = budgetOf(given, zone)
  return transact(connection, async (trx) => {
    await writeBudgets(connection, trx, [budget])
    return budget
  })
}

/** Resolves with whether there was one. What is spent of it stays known. */
export function removeBudget(connection: Connection, id: string, now = Date.now()): Promise<boolean> {
  return transact(connection, (trx) => removeBudgetsWithin(connection, trx, [id], now))
}

/** The same of several, within a transaction. */
export async function removeBudgetsWithin(
  connection: Connection,
  trx: Writing,
  ids: readonly string[],
  now: number,
): Promise<boolean> {
  if (ids.length === 0) return false
  const version = await nextVersion(connection, trx)
  const { numUpdatedRows } = await trx
    .updateTable('budgets')
    .set({ removed_at: now, version })
    .where('id', 'in', ids)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Has the budgets of the configuration be these, and no other ones. What is as it was is not written. */
export async function configureBudgets(
  connection: Connection,
  given: readonly Budget[],
  now = Date.now(),
): Promise<void> {
  await transact(connection, async (trx) => {
    const known = await trx
      .selectFrom('budgets')
      .selectAll()
      .where('source', '=', 'config')
      .where('removed_at', 'is', null)
      .execute()
    const before = new Map(known.map((row) => [row.id, textOf(budgetIn(row))]))
    const changed = given.filter((budget) => before.get(budget.id) !== textOf(budget))
    const kept = new Set(given.map(({ id }) => id))
    await removeBudgetsWithin(
      connection,
      trx,
      known.map(({ id }) => id).filter((id) => !kept.has(id)),
      now,
    )
    await writeBudgets(connection, trx, changed, { source: 'config', now })
  })
}

/** Those that hold, of all or of some owners, in the order of their making. */
export async function listBudgets({ db }: Pick<Connection, 'db'>, owners?: readonly string[]): Promise<Budget[]> {
  const rows = db.selectFrom('budgets').selectAll().where('removed_at', 'is', null).orderBy('created_at').orderBy('id')
  return (await (owners === undefined ? rows : rows.where('owner', 'in', owners)).execute()).map(budgetIn)
}

/** What has changed since a version, 0 for all. */
export async function budgetsSince(connection: Connection, since: number): Promise<BudgetChanges | undefined> {
  // Read first: what is changed meanwhile is read again.
  const version = await changesOf(connection, 'budgets')
  if (version === since) return undefined
  const rows = await connection.db.selectFrom('budgets').selectAll().where('version', '>', BigInt(since)).execute()
  const holding = rows.filter(({ removed_at }) => removed_at === null)
  const removed = rows.filter(({ removed_at }) => removed_at !== null)
  return { version, set: holding.map(budgetIn), removed: removed.map(({ id }) => id) }
}

export function budgetIn(row: Row<'budgets'>): Budget {
  const { id, scope, owner, name, limit_nanos, period, zone, soft, counts } = row
  return {
    id,
    owner,
    name,
    zone,
    limit: limit_nanos,
    soft: soft !== 0n,
    scope: scope as BudgetScope,
    period: period as BudgetPeriod,
    counts: counts === 'cost' ? 'cost' : 'charged',
  }
}

/** Versions are committed in their order: whoever makes the next one waits for this transaction. */
async function nextVersion(connection: Connection, trx: Writing): Promise<number> {
  await noteChange(connection, trx, 'budgets')
  return changesOf({ ...connection, db: trx }, 'budgets')
}

function textOf(budget: Budget): string {
  const { id, scope, owner, name, limit, period, zone, soft, counts } = budget
  return JSON.stringify([id, scope, owner, name, String(limit), period, zone, soft, counts])
}
