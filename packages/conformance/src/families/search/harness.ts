import type { Call } from '@headgate/core/provider'
import type { SearchQuery } from '@headgate/core/search'
import type { BackendInstance, Gateway, UsageRow } from '@headgate/gateway'
import type { CallerResponse } from '../../caller.ts'
import { withUpstream } from '../../harness.ts'
import { observeReader } from '../../reader.ts'
import { type Served, serveGateway } from '../../served.ts'
import { createSteps, type Steps } from '../../steps.ts'
import { type LoopbackUpstream, startUpstream } from '../../upstream.ts'
import { readSearchAnswer, type SearchAnswer } from './answer.ts'
import type { SearchAdapter } from './facts.ts'

/** Response to a caller's search. */
export interface SearchOutcome extends CallerResponse {
  readonly answer: SearchAnswer
  /** Names in `headgate-lost`. */
  readonly lost: readonly string[]
}

/** Search parameters by their names in Custom Search. */
export type SearchParameters = Readonly<Record<string, string | number>>

/** Query string of a URL. */
export function queryOf(wanted: SearchParameters): string {
  return String(
    new URLSearchParams(
      Object.entries(wanted).map(([name, value]) => [name, String(value)] satisfies [string, string]),
    ),
  )
}

/** Harness of a search backend: a gateway in front of it, an upstream behind it. */
export interface SearchHarness {
  readonly backend: BackendInstance
  readonly upstream: LoopbackUpstream
  readonly gateway: Gateway
  /** Usage rows, oldest first. */
  readonly rows: readonly UsageRow[]
  readonly warnings: readonly string[]
  /** All output to callers and operators. The kit searches it for secrets. */
  readonly said: readonly string[]
  /** Advice on how to fix `readError`, including the error that it threw, if any. */
  readerAdvice(): string
  readonly steps: Steps
  /** Sends a caller's search. */
  search(wanted: SearchParameters, signal?: AbortSignal): Promise<SearchOutcome>
  /** Resolves once no connection is open. */
  close(): Promise<void>
}

/** Timeout for a test that builds an index, in milliseconds. */
const INDEX_PATIENCE_MS = 20_000

/**
 * Starts the backend; a backend with its own index builds it first.
 *
 * @throws if the adapter rejects its config
 */
export async function openSearchHarness<Config>(
  adapter: SearchAdapter<Config>,
  config: Config,
): Promise<SearchHarness> {
  const upstream = await startUpstream()
  try {
    const backend = adapter(withUpstream(adapter, config, upstream.origin))
    const steps = createSteps()
    const watched = observeReader(atHome(backend, upstream.origin, steps))
    const served = await serveGateway({
      providers: [],
      search: { backends: [watched.adapter] },
      times: { backoff: 1, whole: 20_000 },
    })
    await backend.index?.({ signal: AbortSignal.timeout(INDEX_PATIENCE_MS), onProgress() {} })
    return { ...harnessOf(backend, upstream, served, watched.advice), steps }
  } catch (error) {
    await upstream.close()
    throw error
  }
}

function harnessOf(
  backend: BackendInstance,
  upstream: LoopbackUpstream,
  served: Served,
  readerAdvice: () => string,
): Omit<SearchHarness, 'steps'> {
  const { gateway, rows, warnings, said } = served
  return {
    backend,
    upstream,
    gateway,
    rows,
    warnings,
    said,
    readerAdvice,
    async search(wanted, signal) {
      const got = await served.ask({
        path: `/customsearch/v1?${queryOf(wanted)}`,
        headers: { vendor: backend.name },
        ...(signal && { signal }),
      })
      const lost = (got.headers['headgate-lost'] ?? '').split(',').flatMap((one) => one.split(';')[0]?.trim() || [])
      return { ...got, answer: readSearchAnswer(got.body), lost }
    },
    async close() {
      await served.close()
      await upstream.close()
    },
  }
}

/** Redirects requests outside of the base URL to the upstream: the kit sends nothing to a vendor. */
function atHome(backend: BackendInstance, origin: string, steps: Steps): BackendInstance {
  const { search, baseUrl } = backend
  if (baseUrl === undefined || 'run' in search) return backend
  const request = (query: SearchQuery, call: Call) => {
    const made = search.request(query, call)
    return isAstray(made.url, origin) ? { ...made, url: pathOf(made.url) } : made
  }
  const response: typeof search.response = (answer, query, earlier) =>
    steps.taken('search.response', search.response(answer, query, earlier), earlier.length)
  return { ...backend, baseUrl: baseUrl.startsWith(origin) ? baseUrl : origin, search: { request, response } }
}

/** Tells if a request's URL is absolute and has another origin. */
export function isAstray(url: string, origin: string): boolean {
  return /^https?:/.test(url) && !url.startsWith(origin)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
