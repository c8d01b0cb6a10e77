import type { UsageRow } from '@headgate/gateway/ports'
import type { Spend } from '../budgets/spend.ts'
import { type Dimensions, dimension } from '../database/group.ts'
import { whole } from './kinds.ts'

/** Usage row as the ledger passes it to the store. */
export interface LedgerRow extends UsageRow {
  /** Nano-dollars held for unknown costs. */
  readonly held?: string
  /** Id of the row whose cost this row corrects. */
  readonly corrects?: string
  /** Amounts that count in budgets. */
  readonly spends?: readonly Spend[]
  /** Process run that reserved the amounts. */
  readonly run?: string
}

/** Start in whole milliseconds; null for an invalid time, which the store rejects. */
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
