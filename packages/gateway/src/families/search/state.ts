import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { createEngines, type Engines } from './engines.ts'
import type { List, Window } from './list.ts'
import { createMemory, type Memory } from './memory.ts'
import type { SearchPlan } from './plan.ts'

/** How long what was read of a list is kept for the pages after it, in milliseconds. */
const KEPT_MS = 60_000
const MOST_LISTS = 500
const MOST_ANSWERS = 1_000

/** An answer that may be given again. */
export interface Answered {
  readonly plan: SearchPlan
  readonly window: Window
}

/** What searches share. */
export interface SearchState {
  readonly engines: Engines
  /** Lists that were begun, by backend and query. */
  readonly lists: Memory<List>
  /** Undefined = nothing is given twice. */
  readonly answers: Memory<Answered> | undefined
  close(): Promise<void>
}

/** Undefined where the gateway has no search. Starts the backends that run in this process. */
export function createSearchState({ search, dataDir, onWarning = () => {} }: GatewayOptions): SearchState | undefined {
  if (!search) return undefined
  const engines = createEngines(search)
  for (const backend of engines.backends) backend.start?.({ dataDir, onWarning })
  return {
    engines,
    lists: createMemory(KEPT_MS, MOST_LISTS),
    answers: search.cacheMs ? createMemory(search.cacheMs, MOST_ANSWERS) : undefined,
    async close() {
      await Promise.all(engines.backends.map((backend) => backend.close?.()))
    },
  }
}
