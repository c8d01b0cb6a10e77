import { isCount } from '../canonical/usage.ts'
import { since } from '../clock.ts'
import { recordable, type UsageRow } from '../contract/ledger.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'

/** Whether a request is billed, and why. */
export type Billing = Pick<UsageRow, 'billed' | 'why'>

/** What a family knows of a request that reached a provider; the rest is the context's. */
export interface RowFacts
  extends Omit<
    UsageRow,
    'requestId' | 'principal' | 'startedAt' | 'firstByteMs' | 'durationMs' | 'attempts' | 'priceId' | 'billed' | 'why'
  > {
  /** Id of the price by which the cost was computed; absent = there is none. */
  readonly priceId: string | undefined
  /** What follows from the cost, null where it is not known. */
  billing(cost: number | null): Billing
}

/**
 * Accounts for a request that reached a provider: once, whatever happens afterwards. The one maker of usage rows.
 * @returns what the end of the answer has to wait for; undefined when nothing.
 */
export function settleRow(core: Core, context: Context, { billing, priceId, ...facts }: RowFacts): Promise<void> | undefined {
  if (context.row) return undefined
  const cost = isCount(facts.cost) ? facts.cost : null
  context.row = recordable({
    ...facts,
    requestId: context.id,
    principal: context.principal.id,
    priceId: cost === null ? null : (priceId ?? null),
    ...billing(cost),
    startedAt: context.startedAt,
    ...(context.firstByteAt !== undefined && { firstByteMs: Math.round(context.firstByteAt - context.begunAt) }),
    durationMs: since(context.begunAt),
    attempts: context.attempts,
  })
  return core.settle(context.row)
}
