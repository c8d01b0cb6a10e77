import type { ErrorKind } from '../../errors.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { settleRow } from '../../pipeline/row.ts'
import type { SearchPlan } from './plan.ts'

/** How a search ended. */
export interface SearchResult {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: 'served' | 'empty' | 'cached' | 'failed' | 'cancelled'
  /** Nano-dollars of every call that was answered, whoever answered it; undefined = unknown. */
  readonly costs: readonly (number | undefined)[]
  readonly failure?: ErrorKind
}

/** Nano-dollars; null where the price of a call is not known, or nobody answered one. */
function costOf({ costs, why }: SearchResult): number | null {
  if (costs.length === 0 && (why === 'failed' || why === 'cancelled')) return null
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost === undefined ? null : sum + Math.round(cost)), 0)
}

/** Accounts for a search, once: only one that found something at a known price is billed. */
export function settleSearch(
  core: Core,
  context: Context,
  engine: string,
  plan: SearchPlan,
  result: SearchResult,
): Promise<void> | undefined {
  const { name, price } = plan.candidate
  const { status, costs, why, failure } = result
  return settleRow(core, context, {
    family: 'search',
    format: 'customsearch',
    model: engine,
    provider: name,
    providerModel: name,
    stream: false,
    translated: true,
    status,
    ...(costs.length > 0 && { usage: { input: 0, output: 0, units: { searches: costs.length } } }),
    cost: costOf(result),
    priceId: costs.length > 0 ? (price?.id ?? name) : undefined,
    billing(cost) {
      const isPaid = why === 'served' && cost !== null
      return { billed: isPaid, why: why === 'served' && !isPaid ? 'price-unknown' : why }
    },
    ...(failure && { failure }),
    losses: plan.losses,
  })
}
