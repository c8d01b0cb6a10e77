import type { ErrorKind } from '@headgate/core/errors'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { settleRow } from '../../pipeline/row.ts'
import type { SearchPlan } from './plan.ts'

/** How a search ended. */
export interface SearchResult {
  /** HTTP status that the caller gets. */
  readonly status: number
  readonly why: 'served' | 'empty' | 'cached' | 'failed' | 'cancelled'
  /** Calls that were answered, whoever answered them. */
  readonly answered: number
  /** Index of the first attempt of those that were made for what was served. */
  readonly servedFrom?: number
  readonly failure?: ErrorKind
}

/** Accounts for a search, once: only one that found something at a known price is billed. */
export function settleSearch(
  core: Core,
  context: Context,
  engine: string,
  plan: SearchPlan,
  result: SearchResult,
): Promise<void> | undefined {
  const { name } = plan.candidate
  const { status, answered, servedFrom, why, failure } = result
  return settleRow(core, context, {
    family: 'search',
    format: 'customsearch',
    model: engine,
    provider: name,
    providerModel: name,
    stream: false,
    translated: true,
    status,
    usage: answered > 0 ? { input: 0, output: 0, units: { searches: answered } } : undefined,
    estimated: undefined,
    servedFrom,
    billing(charged) {
      const isPaid = why === 'served' && charged !== null
      return { billed: isPaid, why: why === 'served' && !isPaid ? 'price-unknown' : why }
    },
    finish: undefined,
    failure,
    losses: plan.losses,
  })
}
