import { type BudgetRequest, type UsageRow, uuidv7 } from '@headgate/gateway/ports'
import { usageRow } from '../usage-row.ts'

/** Ten cents, in nano-dollars. */
export const DIME = 100_000_000

/** A call that is about to be made, by a key that has budgets. */
export function ask(bound: number | null = DIME, change: Partial<BudgetRequest> = {}): BudgetRequest {
  return {
    id: uuidv7(),
    principal: { id: 'key_1' },
    bound,
    at: Date.now(),
    family: 'chat',
    format: 'messages',
    model: 'fast',
    provider: 'mine',
    providerModel: 'model-1',
    priceId: 'list@2026-01-01',
    ...change,
  }
}

/** The row of a request that one call was made for. */
export function rowOf(
  { id, at, principal }: BudgetRequest,
  cost: number | null,
  change: Partial<UsageRow> = {},
): UsageRow {
  const row = usageRow({ id, requestId: id, principal: principal.id, startedAt: at, cost, charged: cost })
  return { ...row, attempts: row.attempts.map((attempt) => ({ ...attempt, cost })), ...change }
}
