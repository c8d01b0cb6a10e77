import { type Budget, type BudgetPeriod, type BudgetScope, HeadgateError } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import { randomText } from '../keys/api-key.ts'
import { changesOf, recordChange } from '../keys/changes.ts'
import type { TableRow } from '../schema/tables.ts'
import { reachedThresholds, storeAlerts } from './threshold.ts'
import { windowAt } from './window.ts'
import { knownWindow } from './windows.ts'

/** Budget to create, or to replace if its id exists. */
export interface NewBudget {
  /** Default: a new id. */
  readonly id?: string | undefined
  readonly scope: BudgetScope
  /** Id of the key, project, member or organization. */
  readonly owner: string
  /** Name in messages; default like `$5 a day`. */
  readonly name?: string | undefined
  /** Whole nano-dollars, from 0 to 2^63 - 1. */
  readonly limit: bigint
  readonly period: BudgetPeriod
  /** Time zone; default: the store's zone. */
  readonly zone?: string | undefined
  /** Default false. */
  readonly soft?: boolean | undefined
  /** Default `charged`. */
  readonly counts?: Budget['counts'] | undefined
}

/** Budget that is created with its key. */
export type KeyBudget = Omit<NewBudget, 'id' | 'scope' | 'owner'>

/** Changed budgets since a version, and ids of removed ones. */
export interface BudgetChanges {
  readonly version: number
  readonly set: readonly Budget[]
  readonly removed: readonly string[]
}

const MOST = 2n ** 63n - 1n
const PERIODS: ReadonlySet<string> = new Set<BudgetPeriod>(['day', 'week', 'month', 'forever'])
const SCOPES: ReadonlySet<string> = new Set<BudgetScope>(['key', 'project', 'member', 'organization'])

/** Completes and validates a budget. @throws HeadgateError `invalid-request` that names the invalid field */
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
    throw wrong('`limit` must be from 0 to 2^63 - 1 nano-dollars', 'limit')
  if (!PERIODS.has(period)) throw wrong('`period` must be day, week, month or forever', 'period')
  if (!SCOPES.has(scope)) throw wrong('`scope` must be key, project, member or organization', 'scope')
  if (budget.counts !== 'charged' && budget.counts !== 'cost') throw wrong('`counts` must be charged or cost', 'counts')
  try {
    windowAt('day', budget.zone, 0)
  } catch {
    throw wrong(`${budget.zone} is not a time zone such as Europe/Berlin`, 'zone')
  }
  return budget
}

function wrong(what: string, param: keyof NewBudget): HeadgateError {
  return new HeadgateError('invalid-request', `The budget is not valid: ${what}.`, { param })
}

function nameOf(limit: bigint, period: BudgetPeriod): string {
  const cents = String((BigInt(limit) * 100n) / 1_000_000_000n).padStart(3, '0')
  const dollars = `$${cents.slice(0, -2)}${cents.endsWith('00') ? '' : `.${cents.slice(-2)}`}`
  return period === 'forever' ? dollars : `${dollars} a ${period}`
}

/** Creates or replaces budgets within a transaction. */
export async function writeBudgets(
  connection: StoreConnection,
  trx: WriteTransaction,
  budgets: readonly Budget[],
  { source = 'store', now = Date.now() }: { readonly source?: 'store' | 'config'; readonly now?: number } = {},
): Promise<void> {
  if (budgets.length === 0) return
  const version = await nextVersion(connection, trx)
  // Windows are locked in this order.
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
    if (before) await recordLowered(connection, trx, { budget, before: before.limit_nanos, now })
  }
}

/** A lower limit can reach thresholds. */
async function recordLowered(
  connection: StoreConnection,
  trx: WriteTransaction,
  { budget, before, now }: { readonly budget: Budget; readonly before: bigint; readonly now: number },
): Promise<void> {
  const { id: win } = windowAt(budget.period, budget.zone, now)
  const window = await knownWindow(connection, trx, { budget: budget.id, win })
  if (!window) return
  const { spent } = window
  const shares = reachedThresholds({ spent, limit: before }, { spent, limit: budget.limit })
  await storeAlerts(
    connection,
    trx,
    shares.map((percent) => ({ budget, window, percent })),
    now,
  )
}

export function setBudget(connection: StoreConnection, given: NewBudget, zone: string): Promise<Budget> {
  const budget = budgetOf(given, zone)
  return transact(connection, async (trx) => {
    await writeBudgets(connection, trx, [budget])
    return budget
  })
}

/** Removes a budget; its spending stays stored. Resolves with false if it does not exist. */
export function removeBudget(connection: StoreConnection, id: string, now = Date.now()): Promise<boolean> {
  return transact(connection, (trx) => removeBudgetsWithin(connection, trx, [id], now))
}

/** Removes several budgets within a transaction. */
export async function removeBudgetsWithin(
  connection: StoreConnection,
  trx: WriteTransaction,
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

/** Replaces the budgets of the configuration. Unchanged ones are not written. */
export async function configureBudgets(
  connection: StoreConnection,
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
    const givenIds = new Set(given.map(({ id }) => id))
    await removeBudgetsWithin(
      connection,
      trx,
      known.map(({ id }) => id).filter((id) => !givenIds.has(id)),
      now,
    )
    await writeBudgets(connection, trx, changed, { source: 'config', now })
  })
}

/** Active budgets of all or some owners, in order of creation. */
export async function listBudgets({ db }: Pick<StoreConnection, 'db'>, owners?: readonly string[]): Promise<Budget[]> {
  const rows = db.selectFrom('budgets').selectAll().where('removed_at', 'is', null).orderBy('created_at').orderBy('id')
  return (await (owners === undefined ? rows : rows.where('owner', 'in', owners)).execute()).map(budgetIn)
}

/** Changes since a version; 0 for all. */
export async function budgetsSince(connection: StoreConnection, since: number): Promise<BudgetChanges | undefined> {
  // Read first: later changes are read again.
  const version = await changesOf(connection, 'budgets')
  if (version === since) return undefined
  const rows = await connection.db.selectFrom('budgets').selectAll().where('version', '>', BigInt(since)).execute()
  const holding = rows.filter(({ removed_at }) => removed_at === null)
  const removed = rows.filter(({ removed_at }) => removed_at !== null)
  return { version, set: holding.map(budgetIn), removed: removed.map(({ id }) => id) }
}

export function budgetIn(row: TableRow<'budgets'>): Budget {
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

/** Versions are committed in order: the next writer waits for this transaction. */
async function nextVersion(connection: StoreConnection, trx: WriteTransaction): Promise<number> {
  await recordChange(connection, trx, 'budgets')
  return changesOf({ ...connection, db: trx }, 'budgets')
}

function textOf(budget: Budget): string {
  const { id, scope, owner, name, limit, period, zone, soft, counts } = budget
  return JSON.stringify([id, scope, owner, name, String(limit), period, zone, soft, counts])
}
