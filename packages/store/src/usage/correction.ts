import { hash } from 'node:crypto'
import type { Budget } from '@headgate/core/store'
import { amountOf, amountOfSum } from '../budgets/settlement.ts'
import type { Spend } from '../budgets/spend.ts'
import type { Writing } from '../database/transaction.ts'
import type { LedgerRow } from './row.ts'

/**
 * Rows that set right what was taken for lost: its process has died, and somebody else has seen its request end, as that of a task. Each
 * has what it did cost, and takes back what was held for it. Rows are never changed.
 */
export async function correctionsOf(trx: Writing, rows: readonly LedgerRow[]): Promise<LedgerRow[]> {
  const known = rows.filter(({ why, cost, charged, corrects }) => why !== 'lost' && !corrects && cost !== null && charged !== null)
  if (known.length === 0) return []
  const ids = known.map(({ id }) => id)
  const times = [...new Set(known.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const stored = trx.selectFrom('usage').select(['id', 'held']).where('at', 'in', times).where('id', 'in', ids)
  const lost = new Map((await stored.where('why', '=', 'lost').execute()).map(({ id, held }) => [id, held ?? 0n]))
  if (lost.size === 0) return []
  const spends = await spendsOf(trx, times, [...lost.keys()])
  return known.flatMap((row) => {
    const held = lost.get(row.id)
    if (held === undefined) return []
    const { spends: _, ...rest } = row
    const own = (spends.get(row.id) ?? []).map(({ counts, amount, ...window }): Spend => {
      const due = BigInt(amountOf(counts, row, []))
      return { ...window, startsAt: 0, amount: String(due - amount), isFree: true }
    })
    return [{ ...rest, id: idOf(row.id), corrects: row.id, held: String(-held), spends: own }]
  })
}

/** Rows with what they count for: those that are taken for lost, and that somebody has settled before, for what they did cost. */
export async function asSettled(trx: Writing, rows: readonly LedgerRow[]): Promise<readonly LedgerRow[]> {
  const lost = rows.filter(({ why, spends }) => why === 'lost' && spends)
  if (lost.length === 0) return rows
  const ids = lost.map(({ id }) => id)
  const times = [...new Set(lost.map(({ startedAt }) => BigInt(Math.round(startedAt))))]
  const stored = trx.selectFrom('usage').select(['id', 'cost', 'charged']).where('at', 'in', times).where('id', 'in', ids)
  const known = new Map((await stored.where('why', '<>', 'lost').execute()).map((row) => [row.id, row]))
  if (known.size === 0) return rows
  const budgets = [...new Set(lost.flatMap(({ spends = [] }) => spends.map(({ budget }) => budget)))]
  const all = await trx.selectFrom('budgets').select(['id', 'counts']).where('id', 'in', budgets).execute()
  const counts = new Map(all.map((budget) => [budget.id, budget.counts as Budget['counts']]))
  return rows.map((row) => {
    const settled = known.get(row.id)
    if (row.why !== 'lost' || !settled || !row.spends) return row
    const costs = { cost: numberOf(settled.cost), charged: numberOf(settled.charged) }
    const due = ({ budget, amount }: Spend) => amountOfSum(counts.get(budget) ?? 'charged', costs, Number(amount))
    return { ...row, spends: row.spends.map((spend) => ({ ...spend, amount: String(due(spend)) })) }
  })
}

interface Counted {
  readonly budget: string
  readonly win: string
  readonly amount: bigint
  readonly counts: Budget['counts']
}

/** What each of them counts for. */
async function spendsOf(trx: Writing, times: readonly bigint[], ids: readonly string[]): Promise<Map<string, Counted[]>> {
  const rows = await trx
    .selectFrom('usage_budgets as u')
    .innerJoin('budgets as b', 'b.id', 'u.budget')
    .select(['u.usage_id', 'u.budget', 'u.win', 'u.amount', 'b.counts'])
    .where('u.at', 'in', times)
    .where('u.usage_id', 'in', ids)
    .execute()
  const byRow = Map.groupBy(rows, ({ usage_id }) => usage_id)
  return new Map(
    [...byRow].map(([id, own]) => [id, own.map(({ counts, ...one }): Counted => ({ ...one, counts: counts as Budget['counts'] }))]),
  )
}

function numberOf(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored)
}

/** A UUIDv7 of the same instant, the same whenever it is made. */
function idOf(id: string): string {
  const digits = hash('sha256', `corrects ${id}`)
  return `${id.slice(0, 14)}7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
}
