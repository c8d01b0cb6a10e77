import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { createSearchCache, type SearchCache } from './cache.ts'
import { createEngines, type Engines } from './engines.ts'
import type { BackendResults, SearchResultPage } from './list.ts'
import type { SearchPlan } from './plan.ts'

/** Time that a partially read list is stored for its next pages, in milliseconds. */
const KEPT_MS = 60_000
const MAX_LISTS = 500
const MAX_RESPONSES = 1_000

/** A cached search response. */
export interface CachedSearch {
  readonly plan: SearchPlan
  readonly window: SearchResultPage
}

/** State that all searches share. */
export interface SearchState {
  readonly engines: Engines
  /** Partially read lists, by backend and query. */
  readonly lists: SearchCache<BackendResults>
  /** Response cache; undefined = caching is off. */
  readonly answers: SearchCache<CachedSearch> | undefined
  close(): Promise<void>
}

/** Creates the state and starts in-process backends. Undefined if the gateway has no search. */
export function createSearchState({ search, dataDir, onWarning = () => {} }: GatewayOptions): SearchState | undefined {
  if (!search) return undefined
  const engines = createEngines(search)
  for (const backend of engines.backends) backend.start?.({ dataDir, onWarning })
  return {
    engines,
    lists: createSearchCache(KEPT_MS, MAX_LISTS),
    answers: search.cacheMs ? createSearchCache(search.cacheMs, MAX_RESPONSES) : undefined,
    async close() {
      await Promise.all(engines.backends.map((backend) => backend.close?.()))
    },
  }
}
