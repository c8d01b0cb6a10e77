import type { FoundPage } from '@headgate/core/canonical'
import type { Spending } from '../cost/spending/spending.ts'
import type { Principal } from '../ports/ledger.ts'
import type { Context } from './context.ts'

/** What is searched for on behalf of a model. */
export interface WebSearchWish {
  readonly q: string
  /** Most pages, 1 to 10. */
  readonly count: number
  /** Hosts, each with a path or without, that alone are searched; none = all. */
  readonly include: readonly string[]
  /** Those that are left out. */
  readonly exclude: readonly string[]
  /** Country of the searcher: two letters. */
  readonly country?: string
}

/** Whose search it is, as far as it must be known. */
export interface WebSearchOptions {
  readonly signal: AbortSignal
  /** Set where budgets bound what the caller spends. */
  readonly spending: Spending | undefined
}

/** The gateway's own search of the web, for requests of other families. Its calls are attempts of their request. */
export interface WebSearch {
  /** Whether there is a backend that a caller may search the web with. */
  isOpenTo(principal: Principal): boolean
  /** Rejects with HeadgateError where no backend has answered. */
  find(context: Context, wish: WebSearchWish, options: WebSearchOptions): Promise<readonly FoundPage[]>
}
