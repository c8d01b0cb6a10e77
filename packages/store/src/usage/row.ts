import type { UsageRow } from '@headgate/gateway/ports'
import type { Spend } from '../budgets/spend.ts'
import { type Dimensions, dimension } from '../database/group.ts'
import { whole } from './kinds.ts'

/** A row as the ledger hands it to the store. */
export interface LedgerRow extends UsageRow {
  /** Nano-dollars held for what nobody knows. */
  readonly held?: string
  /** Id of the row whose cost it sets right. */
  readonly corrects?: string
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
