import type { Budget } from '@headgate/gateway/ports'
import type { WriteTransaction } from '../database/transaction.ts'

/** Amount that a row and its corrections count for in a window of a budget, in nano-dollars. */
export interface StoredSpend {
  readonly budget: string
  readonly win: string
  readonly counts: Budget['counts']
  readonly amount: bigint
  /** Part of `amount` that is held. */
  readonly held: bigint
}

/** Ids of rows and of their corrections, each with the id of the row. */
async function withCorrections(
  trx: WriteTransaction,
  times: readonly bigint[],
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('usage')
    .select(['id', 'corrects'])
    .where('at', 'in', times)
    .where('corrects', 'in', ids)
    .execute()
  return new Map([
    ...ids.map((id): [string, string] => [id, id]),
    ...rows.map(({ id, corrects }): [string, string] => [id, corrects ?? id]),
  ])
}

/** Budget amounts of rows, by row id. @param times start times of the rows */
export async function countedOf(
  trx: WriteTransaction,
  times: readonly bigint[],
  ids: readonly string[],
): Promise<Map<string, StoredSpend[]>> {
  const owners = await withCorrections(trx, times, ids)
  const rows = await trx
    .selectFrom('usage_budgets as u')
    .innerJoin('budgets as b', 'b.id', 'u.budget')
    .select(['u.usage_id', 'u.budget', 'u.win', 'u.amount', 'u.held', 'b.counts'])
    .where('u.at', 'in', times)
    .where('u.usage_id', 'in', [...owners.keys()])
    .execute()
  const sums = new Map<string, Map<string, StoredSpend>>()
  for (const { usage_id, budget, win, amount, held, counts } of rows) {
    const id = owners.get(usage_id) ?? usage_id
    const own = sums.get(id) ?? new Map<string, StoredSpend>()
    sums.set(id, own)
    const known = own.get(`${budget}\0${win}`)
    const sum = { amount: amount + (known?.amount ?? 0n), held: held + (known?.held ?? 0n) }
    own.set(`${budget}\0${win}`, { budget, win, counts: counts as Budget['counts'], ...sum })
  }
  return new Map([...sums].map(([id, own]) => [id, [...own.values()]]))
}

/** Amounts that are still held for rows, by row id: held amounts minus releases by corrections. */
export async function heldOf(
  trx: WriteTransaction,
  times: readonly bigint[],
  ids: readonly string[],
): Promise<Map<string, bigint>> {
  const owners = await withCorrections(trx, times, ids)
  const rows = trx.selectFrom('usage').select(['id', 'held']).where('at', 'in', times)
  const sums = new Map<string, bigint>()
  for (const { id, held } of await rows.where('id', 'in', [...owners.keys()]).execute()) {
    const owner = owners.get(id) ?? id
    sums.set(owner, (sums.get(owner) ?? 0n) + (held ?? 0n))
  }
  return sums
}
