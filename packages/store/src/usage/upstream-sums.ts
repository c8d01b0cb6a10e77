import type { RowValues, TableInsert } from '../database/bulk.ts'
import { dimension } from '../database/group.ts'
import { hourAt } from '../database/zone.ts'
import { UPSTREAM_MEASURES } from '../schema/usage.ts'
import { beginningOf, type LedgerRow } from './row.ts'
import { ADD_UPSTREAM_MEASURES } from './upsert-clauses.ts'

export const DAY = 86_400_000

/** Start of the UTC day that contains an instant. */
export function dayInUtc(at: number): number {
  return Math.floor(hourAt(at) / DAY) * DAY
}

/**
 * Sums of new rows by upstream: tokens to the provider that served, each call and its cost to the called
 * provider.
 */
export function upstreamSums(rows: Iterable<LedgerRow>): TableInsert {
  const sums = new Map<string, { key: (string | number)[]; measures: bigint[] }>()
  const add = (day: number, provider: string, model: string, values: readonly number[]): void => {
    const key = [day, dimension(provider), dimension(model)]
    const sum = sums.get(key.join('\0')) ?? { key, measures: UPSTREAM_MEASURES.map(() => 0n) }
    sums.set(key.join('\0'), sum)
    for (const [index, value] of values.entries())
      if (value) sum.measures[index] = (sum.measures[index] ?? 0n) + BigInt(value)
  }
  for (const row of rows) {
    const day = dayInUtc(beginningOf(row) ?? 0)
    const { usage, provider, providerModel } = row
    add(day, provider, providerModel, [
      0,
      0,
      usage?.input ?? 0,
      usage?.output ?? 0,
      usage?.cacheRead ?? 0,
      usage?.cacheWrite ?? 0,
      0,
    ])
    for (const { cost = null, ...attempt } of row.attempts) {
      // The model that the provider reported is more accurate than the requested one.
      const model = attempt.provider === provider ? providerModel : attempt.model
      add(day, attempt.provider, model, [1, cost === null ? 1 : 0, 0, 0, 0, 0, cost ?? 0])
    }
  }
  const ordered = [...sums].sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    table: 'usage_upstream_days',
    rows: ordered.map(([, { key, measures }]): RowValues => [...key, ...measures]),
    onConflict: ADD_UPSTREAM_MEASURES,
  }
}
