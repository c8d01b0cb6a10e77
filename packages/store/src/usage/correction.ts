import { hash } from 'node:crypto'
import type { Budget } from '@headgate/gateway/ports'
import { amountOf, amountsOfSum } from '../budgets/settlement.ts'
import type { Spend } from '../budgets/spend.ts'
import type { WriteTransaction } from '../database/transaction.ts'
import type { TableRow } from '../schema/tables.ts'
import type { LedgerRow } from './row.ts'
import { storedUsage } from './stored.ts'
import { countedOf, heldOf } from './stored-spends.ts'

/**
 * Corrections of rows that were recorded as lost because their process died, although another process saw the request
 * end, such as a task. Each has the actual cost and releases the held amount. Rows never change.
 */
export async function correctionsOf(trx: WriteTransaction, rows: readonly LedgerRow[]): Promise<LedgerRow[]> {
  const known = rows.filter(
    ({ why, cost, charged, corrects }) => why !== 'lost' && !corrects && cost !== null && charged !== null,
  )
  if (known.length === 0) return []
  const ids = known.map(({ id }) => id)
  const times = [...new Set(known.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const stored = trx.selectFrom('usage').select('id').where('at', 'in', times).where('id', 'in', ids)
  const lost = (await stored.where('why', '=', 'lost').execute()).map(({ id }) => id)
  if (lost.length === 0) return []
  // An operator may have released a part of it.
  const [amounts, spends] = [await heldOf(trx, times, lost), await countedOf(trx, times, lost)]
  return known.flatMap((row) => {
    const amount = amounts.get(row.id)
    if (amount === undefined) return []
    const { spends: _, ...rest } = row
    const own = (spends.get(row.id) ?? []).map(({ budget, win, counts, amount, held }): Spend => {
      const due = BigInt(amountOf(counts, row, []))
      return { budget, win, startsAt: 0, amount: String(due - amount), held: String(-held), isFree: true }
    })
    return [{ ...rest, id: correctionId(row.id, 'corrects'), corrects: row.id, held: String(-amount), spends: own }]
  })
}

/**
 * Correction that releases the held amount of a row: a copy of the row without usage and calls. The caller adds its
 * amounts.
 */
export async function releaseOf(trx: WriteTransaction, at: bigint, id: string): Promise<LedgerRow> {
  const row = await trx
    .selectFrom('usage')
    .selectAll()
    .where('at', '=', at)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return correctionOf(row, 'releases')
}

/** Correction of a row: a copy without usage, calls and amounts. The caller adds what it corrects. */
export function correctionOf(row: TableRow<'usage'>, why: 'releases' | 'prices'): LedgerRow {
  const { id, at, requestId, principal, family, format, model, provider, endpoint, providerModel, status, tags } =
    storedUsage(row)
  return {
    id: correctionId(id, why),
    corrects: id,
    requestId,
    principal,
    startedAt: at,
    family,
    format,
    model,
    provider,
    endpoint: endpoint ?? undefined,
    providerModel,
    stream: false,
    translated: false,
    status,
    billed: false,
    why: 'released',
    losses: [],
    durationMs: 0,
    cost: 0,
    charged: 0,
    priceId: null,
    attempts: [],
    ...(tags && { tags }),
  }
}

/** Rows with their budget amounts. A lost row whose request was settled before counts at its actual cost. */
export async function withSettledAmounts(
  trx: WriteTransaction,
  rows: readonly LedgerRow[],
): Promise<readonly LedgerRow[]> {
  const lost = rows.filter(({ why, spends }) => why === 'lost' && spends)
  if (lost.length === 0) return rows
  const ids = lost.map(({ id }) => id)
  const times = [...new Set(lost.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const stored = trx
    .selectFrom('usage')
    .select(['id', 'cost', 'charged'])
    .where('at', 'in', times)
    .where('id', 'in', ids)
  const known = new Map((await stored.where('why', '<>', 'lost').execute()).map((row) => [row.id, row]))
  if (known.size === 0) return rows
  const budgets = [...new Set(lost.flatMap(({ spends = [] }) => spends.map(({ budget }) => budget)))]
  const all = await trx.selectFrom('budgets').select(['id', 'counts']).where('id', 'in', budgets).execute()
  const counts = new Map(all.map((budget) => [budget.id, budget.counts as Budget['counts']]))
  return rows.map((row) => {
    const settled = known.get(row.id)
    if (row.why !== 'lost' || !settled || !row.spends) return row
    const costs = { cost: numberOf(settled.cost), charged: numberOf(settled.charged) }
    const due = (spend: Spend): Spend => {
      const { settled, held } = amountsOfSum(counts.get(spend.budget) ?? 'charged', costs, Number(spend.amount))
      return { ...spend, amount: String(settled + held), held: String(held) }
    }
    return { ...row, spends: row.spends.map(due) }
  })
}

function numberOf(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored)
}

/** UUIDv7 of the same instant, derived from the row's id and therefore repeatable. */
function correctionId(id: string, why: 'corrects' | 'releases' | 'prices'): string {
  const digits = hash('sha256', `${why} ${id}`)
  return `${id.slice(0, 14)}7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
}
