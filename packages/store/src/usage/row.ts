import type { AttemptRow, UsageRow } from '@headgate/gateway/ports'
import type { Spend } from '../budgets/spend.ts'
import type { Values } from '../database/bulk.ts'
import { type Dimensions, dimension, storable } from '../database/group.ts'
import { UNITS } from '../schema/usage.ts'
import { tagsText } from './row-tags.ts'

/** One call of an upstream, with what it cost: integer nano-dollars, null where that is not known. */
export type LedgerAttempt = AttemptRow & { readonly cost?: number | null; readonly priceId?: string | null }

/** A row as the ledger hands it to the store. */
export interface LedgerRow extends Omit<UsageRow, 'attempts'> {
  /** UUIDv7: two tries to store it, with the same `startedAt`, are one row. */
  readonly id: string
  /** Integer nano-dollars that count for the caller; null where that is not known. */
  readonly charged: number | null
  /** Nano-dollars held for what nobody knows. */
  readonly held?: string
  /** Id of the row whose cost it sets right. */
  readonly corrects?: string
  readonly attempts: readonly LedgerAttempt[]
  /** What it counts for in budgets. */
  readonly spends?: readonly Spend[]
  /** The life that has reserved it. */
  readonly life?: string
}

/** When it began, in whole milliseconds; null for what is no time, which the store refuses. */
export function beginningOf({ startedAt }: LedgerRow): number | null {
  return whole(startedAt)
}

export function dimensionsOf(row: LedgerRow): Dimensions {
  return {
    principal: dimension(row.principal),
    provider: dimension(row.provider),
    model: dimension(row.model),
    family: dimension(row.family),
    status: row.status,
  }
}

/** In the order of the columns of `usage`. */
export function usageValues(row: LedgerRow, group: bigint): Values {
  const { usage, held } = row
  return [
    row.id,
    beginningOf(row),
    group,
    storable(row.requestId),
    storable(row.principal),
    storable(row.family),
    storable(row.format),
    storable(row.model),
    storable(row.provider),
    storable(row.providerModel),
    Number(row.stream),
    Number(row.translated),
    row.status,
    usage?.input ?? null,
    usage?.output ?? null,
    usage?.cacheRead ?? null,
    usage?.cacheWrite ?? null,
    usage?.cacheWriteLong ?? null,
    usage?.reasoning ?? null,
    usage?.audioInput ?? null,
    usage?.audioOutput ?? null,
    usage?.units ? storable(JSON.stringify(usage.units)) : null,
    Number(row.estimated ?? false),
    row.cost,
    row.charged ?? null,
    held === undefined ? null : BigInt(held),
    maybe(row.priceId),
    Number(row.billed),
    storable(row.why),
    maybe(row.finish),
    maybe(row.failure),
    row.losses.length > 0 ? storable(JSON.stringify(row.losses)) : null,
    row.corrects ?? null,
    whole(row.firstByteMs),
    whole(row.durationMs),
    tagsText(row),
  ]
}

/** In the order of the columns of `usage_attempts`. */
export function attemptValues(row: LedgerRow): Values[] {
  const at = beginningOf(row)
  return row.attempts.map((attempt, position) => [
    at,
    row.id,
    position,
    storable(attempt.provider),
    storable(attempt.model),
    whole(attempt.startedAt),
    whole(attempt.durationMs),
    attempt.status ?? null,
    maybe(attempt.failure),
    attempt.cost ?? null,
    maybe(attempt.priceId),
  ])
}

/** What a row adds to each of the measures, in their order. */
export function measuresOf({ usage, cost, charged, held }: LedgerRow): readonly (number | bigint)[] {
  return [
    1,
    cost === null ? 1 : 0,
    usage?.input ?? 0,
    usage?.output ?? 0,
    usage?.cacheRead ?? 0,
    usage?.cacheWrite ?? 0,
    usage?.cacheWriteLong ?? 0,
    usage?.reasoning ?? 0,
    usage?.audioInput ?? 0,
    usage?.audioOutput ?? 0,
    ...UNITS.map((unit) => usage?.units?.[unit] ?? 0),
    cost ?? 0,
    charged ?? 0,
    held === undefined ? 0 : BigInt(held),
  ]
}

function maybe(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storable(text)
}

/** A time in whole milliseconds; null for what is none, which a column that must have one refuses. */
function whole(time: number | undefined): number | null {
  return Number.isFinite(time) ? Math.round(Number(time)) : null
}
