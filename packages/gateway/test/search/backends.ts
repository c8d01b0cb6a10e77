import type { Paging, SearchItem, SearchQuery } from '../../../core/src/search.ts'
import { type BackendInstance, type GatewayOptions, HeadgateError } from '../../src/index.ts'
import { type RunningGateway, type SinkName, startGateway } from '../support/gateway.ts'

/** A list of so many results, the first one `/1`. */
export function results(count: number, host = 'example.com'): SearchItem[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Result ${index + 1}`,
    link: `https://${host}/${index + 1}`,
    snippet: `Text of ${index + 1}`,
  }))
}

export interface TestBackend extends BackendInstance {
  readonly queries: SearchQuery[]
}

/** A backend of this process over a list, with pages of any kind. */
export function listBackend(
  paging: Paging,
  list: readonly SearchItem[],
  changes: Partial<BackendInstance> = {},
): TestBackend {
  const queries: SearchQuery[] = []
  return {
    name: 'alpha',
    credential: { kind: 'none' },
    price: { id: 'test', calls: 5_000_000_000_000 },
    paging,
    queries,
    search: {
      run: async (query) => {
        queries.push(query)
        const size = paging.by === 'page' ? (paging.perCall ?? 7) : query.limit
        const first = paging.by === 'page' ? query.page * size : query.offset
        return { items: list.slice(first, first + size) }
      },
    },
    ...changes,
  }
}

/** A backend that fails. */
export function failingBackend(
  name: string,
  kind: 'upstream' | 'rate-limited' | 'invalid-request' = 'upstream',
): TestBackend {
  const queries: SearchQuery[] = []
  const run = async (query: SearchQuery): Promise<never> => {
    queries.push(query)
    throw new HeadgateError(kind, 'It hurts.')
  }
  return { name, credential: { kind: 'none' }, paging: { by: 'none', maxResults: 20 }, queries, search: { run } }
}

/** A gateway that only searches. */
export function startSearch(search: GatewayOptions['search'], sink: SinkName = 'node'): Promise<RunningGateway> {
  return startGateway(sink, { providers: [], ...(search && { search }) })
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly items?: readonly { title: string; link: string; snippet: string; [key: string]: unknown }[]
    readonly queries: Readonly<Record<string, readonly { startIndex: number; count: number; [key: string]: unknown }[]>>
    readonly searchInformation: { totalResults: string }
    readonly error?: { code: number; message: string; errors: { reason: string; location?: string }[]; status: string }
    readonly [key: string]: unknown
  }
}

export async function search(
  gateway: RunningGateway,
  parameters: Readonly<Record<string, string | number>>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const response = await gateway.call(`/customsearch/v1?${query}`, { headers })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
}

/** Links of every page, by the numbers that each page gives for the next one. */
export async function pageThrough(
  gateway: RunningGateway,
  num: number,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const links: string[] = []
  let next: { startIndex: number; count: number } | undefined = { startIndex: 1, count: num }
  while (next) {
    const { body } = await search(gateway, { q: 'words', num: next.count, start: next.startIndex, ...parameters })
    for (const { link } of body.items ?? []) links.push(link)
    next = body.queries['nextPage']?.[0]
  }
  return links
}
