import { HeadgateError, type SearchOptions } from '@headgate/gateway'
import type { SearchConfig } from '../config/schema.ts'
import type { BackendState } from './backends.ts'
import { enabledEntries } from './choice.ts'
import { type BackendChoice, createEngines } from './engines.ts'

/**
 * What the gateway is told of search; undefined where nothing can be searched. @throws HeadgateError that names the
 * field.
 */
export async function searchOptions(
  { default: first, engines: configured = {}, cache }: SearchConfig,
  states: readonly BackendState[],
  choice: BackendChoice,
): Promise<SearchOptions | undefined> {
  const engines = await createEngines(configured, states, choice)
  const backends = enabledEntries(states)
  const names = [...Object.keys(engines), ...backends.map(({ name, backend }) => name ?? backend.name)]
  if (first !== undefined && !names.includes(first)) throw noSuchDefault(first, names)
  if (names.length === 0) return undefined
  return {
    backends,
    engines,
    ...(first !== undefined && { default: first }),
    ...(cache?.seconds && { cacheMs: Math.round(cache.seconds * 1_000) }),
  }
}

function noSuchDefault(found: string, names: readonly string[]): HeadgateError {
  const allowed =
    names.length > 0 ? names.map((name) => JSON.stringify(name)).join(', ') : 'nothing, as no backend is used'
  const message = `search.default: found ${JSON.stringify(found)}, which is no engine and no backend that is used; allowed: ${allowed}`
  return new HeadgateError('invalid-request', message, { param: 'search.default' })
}
