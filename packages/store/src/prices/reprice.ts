import { costOf, type Price } from '@headgate/gateway/ports'
import type { ReleaseParts } from '../budgets/held.ts'
import type { StoreConnection } from '../database/connection.ts'
import { lockDays } from '../database/day-zones.ts'
import { storable } from '../database/group.ts'
import { transact, type WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import { billedUsage } from '../usage/billed-usage.ts'
import { correctionOf } from '../usage/correction.ts'
import type { LedgerRow } from '../usage/row.ts'
import { storedUsage } from '../usage/stored.ts'
import { writeWithin } from '../usage/write.ts'
import { createPriceHistory, type PriceHistory } from './price-history.ts'
import { readPrices } from './stored.ts'

/** Model of a provider instance, by the provider's name. */
export interface UnpricedModel {
  readonly provider: string
  readonly model: string
}

/** Requests whose cost is unknown because no price was set when they began. */
export interface UnpricedRequests {
  /** Number, at most 10,000. */
  readonly requests: number
  /** Start of the first one, Unix milliseconds; absent without any. */
  readonly since?: number | undefined
}

/** Maximum number of rows per transaction, and of rows that are counted. */
const STEP = 500
const MOST = 10_000

/** Counts the requests that `repriceRows` can price. */
export async function unpricedRequests(connection: StoreConnection, model: UnpricedModel): Promise<UnpricedRequests> {
  const rows = await unpricedRows(connection.db, model).select('u.at').limit(MOST).execute()
  const had = await pricesOf(connection, model)
  const unpriced = rows.filter(({ at }) => !had(Number(at)))
  const first = unpriced.at(0)
  return { requests: unpriced.length, ...(first && { since: Number(first.at) }) }
}

/**
 * Gives requests that had no price the cost at the current price, with a correction row each; rows never change.
 * Resolves with their number. Requests with a second unknown cost, such as a cut attempt, stay unknown. Budgets do not
 * count them.
 */
export async function repriceRows(parts: ReleaseParts, model: UnpricedModel): Promise<number> {
  const { connection } = parts
  const price = (await historyOf(connection, model)).priceOf(model.provider, model.model, Date.now())
  if (!price) return 0
  const had = await pricesOf(connection, model)
  let priced = 0
  for (let after: { at: bigint; id: string } | undefined; ; ) {
    const step = await transact(connection, async (trx) => {
      // Same order as writers of rows, and before any read.
      await lockDays(connection, trx, 'sums')
      const rows = await stepOf(trx, model, after)
      const due = rows.filter(({ at }) => !had(Number(at)))
      const corrections = (await Promise.all(due.map((row) => correctionAt(trx, row, price)))).flatMap(
        (row) => row ?? [],
      )
      const { written } = await writeWithin(connection, trx, { rows: corrections, zone: parts.zone })
      return { written, last: rows.length === STEP ? rows.at(-1) : undefined }
    })
    priced += step.written
    if (!step.last) return priced
    after = step.last
  }
}

function unpricedRows(db: StoreConnection['db'] | WriteTransaction, { provider, model }: UnpricedModel) {
  const groups = db.selectFrom('usage_groups').select('id').where('provider', '=', storable(provider))
  return db
    .selectFrom('usage as u')
    .where('u.group_id', 'in', groups)
    .where('u.provider_model', '=', storable(model))
    .where('u.why', '=', 'price-unknown')
    .where('u.corrects', 'is', null)
    .where((is) => is.or([is('u.held', 'is', null), is('u.held', '=', 0n)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('usage as c').select('c.id').whereRef('c.at', '=', 'u.at').whereRef('c.corrects', '=', 'u.id'),
        ),
      ),
    )
    .orderBy('u.at')
    .orderBy('u.id')
}

function stepOf(trx: WriteTransaction, model: UnpricedModel, after: { at: bigint; id: string } | undefined) {
  const rows = unpricedRows(trx, model).selectAll('u').limit(STEP)
  if (!after) return rows.execute()
  return rows
    .where((is) => is.or([is('u.at', '>', after.at), is.and([is('u.at', '=', after.at), is('u.id', '>', after.id)])]))
    .execute()
}

/** Correction of one row; undefined if its cost stays unknown. */
async function correctionAt(
  trx: WriteTransaction,
  row: TableRow<'usage'>,
  price: Price,
): Promise<LedgerRow | undefined> {
  const stored = storedUsage(row)
  const usage = billedUsage(stored)
  if (!usage) return undefined
  const cost = costOf(usage, price)
  if (cost === null) return undefined
  const attempts = await trx
    .selectFrom('usage_attempts')
    .selectAll()
    .where('at', '=', row.at)
    .where('usage_id', '=', row.id)
    .orderBy('position')
    .execute()
  const last = attempts.at(-1)
  if (!last || attempts.some((one) => one !== last && one.cost === null)) return undefined
  const others = attempts.reduce((sum, one) => sum + (one === last ? 0 : Number(one.cost ?? 0n)), 0)
  const attempt = {
    provider: stored.provider,
    model: last.model,
    startedAt: Number(row.at),
    durationMs: 0,
    cost,
    priceId: price.id,
  }
  const corrected = correctionOf(row, 'prices')
  return {
    ...corrected,
    why: 'priced',
    cost: cost + others,
    charged: cost,
    priceId: price.id,
    attempts: [{ ...attempt, endpoint: corrected.endpoint }],
  }
}

async function historyOf(connection: StoreConnection, { provider, model }: UnpricedModel): Promise<PriceHistory> {
  const rows = (await readPrices(connection)).filter((one) => one.provider === provider && one.model === model)
  return createPriceHistory(rows)
}

/** Function that returns whether a price was set at a time. Costs are then unknown for another reason. */
async function pricesOf(connection: StoreConnection, model: UnpricedModel): Promise<(at: number) => boolean> {
  const history = await historyOf(connection, model)
  return (at) => history.priceOf(model.provider, model.model, at) !== undefined
}
