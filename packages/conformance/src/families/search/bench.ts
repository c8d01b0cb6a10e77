import type { Call } from '@headgate/core/provider'
import type { SearchQuery } from '@headgate/core/search'
import type { BackendInstance, Gateway, UsageRow } from '@headgate/gateway'
import { withUpstream } from '../../bench.ts'
import type { Got } from '../../caller.ts'
import { watchReader } from '../../reader.ts'
import { type Served, serveGateway } from '../../served.ts'
import { createSteps, type Steps } from '../../steps.ts'
import { startUpstream, type Upstream } from '../../upstream.ts'
import { readSearchAnswer, type SearchAnswer } from './answer.ts'
import type { SearchAdapter } from './facts.ts'

/** What a search of a caller came to. */
export interface Found extends Got {
  readonly answer: SearchAnswer
  /** What `headgate-lost` names. */
  readonly lost: readonly string[]
}

/** Parameters of a search by their names in Custom Search. */
export type Wanted = Readonly<Record<string, string | number>>

/** As it stands in a URL. */
export function queryOf(wanted: Wanted): string {
  return String(
    new URLSearchParams(
      Object.entries(wanted).map(([name, value]) => [name, String(value)] satisfies [string, string]),
    ),
  )
}

/** The backend at work: a gateway in front of it, the upstream behind it. */
export interface SearchBench {
  readonly backend: BackendInstance
  readonly upstream: Upstream
  readonly gateway: Gateway
  /** Usage rows, oldest first. */
  readonly rows: readonly UsageRow[]
  readonly warnings: readonly string[]
  /** Everything that left the gateway towards callers and operators, for the search for secrets. */
  readonly said: readonly string[]
  /** How the reading of an error is to be mended: with what `readError` threw, if it did. */
  mendReader(): string
  readonly steps: Steps
  /** Searches as a caller. */
  search(wanted: Wanted, signal?: AbortSignal): Promise<Found>
  /** Resolves once nothing is open. */
  close(): Promise<void>
}

/** How long an index may take that a test makes. */
const INDEX_PATIENCE_MS = 20_000

/** Puts the backend to work; an index of its own is made first. Throws when it does not take its own config. */
export async function openSearchBench<Config>(adapter: SearchAdapter<Config>, config: Config): Promise<SearchBench> {
  const upstream = await startUpstream()
  try {
    const backend = adapter(withUpstream(adapter, config, upstream.origin))
    const steps = createSteps()
    const watched = watchReader(atHome(backend, upstream.origin, steps))
    const served = await serveGateway({
      providers: [],
      search: { backends: [watched.adapter] },
      times: { backoff: 1, whole: 20_000 },
    })
    await backend.index?.({ signal: AbortSignal.timeout(INDEX_PATIENCE_MS), onProgress() {} })
    return { ...benchOf(backend, upstream, served, watched.mend), steps }
  } catch (error) {
    await upstream.close()
    throw error
  }
}

function benchOf(
  backend: BackendInstance,
  upstream: Upstream,
  served: Served,
  mendReader: () => string,
): Omit<SearchBench, 'steps'> {
  const { gateway, rows, warnings, said } = served
  return {
    backend,
    upstream,
    gateway,
    rows,
    warnings,
    said,
    mendReader,
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

/** The kit sends nothing to a vendor: what an adapter would send past its base URL goes to the upstream as well. */
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

/** Whether a request's URL is a whole one of somewhere else. */
export function isAstray(url: string, origin: string): boolean {
  return /^https?:/.test(url) && !url.startsWith(origin)
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
