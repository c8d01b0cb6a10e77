import type { FoundPage } from '@headgate/core/canonical'
import type { Spending } from '../cost/spending/spending.ts'
import type { Principal } from '../ports/ledger.ts'
import type { Context } from './context.ts'

/** Web search on behalf of a model. */
export interface WebSearchQuery {
  readonly q: string
  /** Maximum number of pages, 1 to 10. */
  readonly count: number
  /** The only hosts in the results, each with an optional path; empty = all. */
  readonly include: readonly string[]
  /** Hosts that are excluded. */
  readonly exclude: readonly string[]
  /** Country of the searcher: two letters. */
  readonly country?: string
}

/** Request that a search belongs to. */
export interface WebSearchOptions {
  readonly signal: AbortSignal
  /** Set if budgets apply to the caller. */
  readonly spending: Spending | undefined
}

/** Web search of the gateway for requests of other families. Its calls are attempts of their request. */
export interface WebSearch {
  /** True if the caller can use a backend that searches the web. */
  isOpenTo(principal: Principal): boolean
  /** Rejects with HeadgateError if all backends fail. */
  find(context: Context, wish: WebSearchQuery, options: WebSearchOptions): Promise<readonly FoundPage[]>
}
