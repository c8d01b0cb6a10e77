import { type HttpRequest, isNext, type SearchPage, type SearchQuery } from '@headgate/core/search'
import type { BackendInstance } from '@headgate/gateway'
import { testCall } from '../../test-call.ts'

/** Exchange of a backend, for tests of features specific to this backend. */
export interface SearchExchange {
  /** Request for `q`, or for the given query. */
  ask(query?: Partial<SearchQuery>): RequestParts
  /** Result page read from a response body. */
  read(body: unknown, query?: Partial<SearchQuery>): SearchPage
}

/** Parts of a request: parameters of the query string, fields of a JSON body. */
export interface RequestParts {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/**
 * Exchange of a backend.
 *
 * @throws if the backend runs in-process or sends a second request
 */
export function searchExchange({ search, name }: BackendInstance): SearchExchange {
  if ('run' in search) throw new TypeError(`The backend ${name} runs in-process: it has no exchange.`)
  const whole = (query: Partial<SearchQuery> = {}): SearchQuery => ({
    q: 'gateways',
    limit: 10,
    offset: 0,
    page: 0,
    parameters: {},
    ...query,
  })
  return {
    ask: (query) => partsOf(search.request(whole(query), testCall())),
    read(body, query) {
      const page = search.response({ status: 200, headers: {}, body, bytes: new Uint8Array() }, whole(query), [])
      if (isNext(page)) throw new TypeError(`The backend ${name} sends a second request.`)
      return page
    },
  }
}

function partsOf({ method, url, headers = {}, body }: HttpRequest): RequestParts {
  const { pathname, searchParams } = new URL(url, 'http://upstream.example')
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers,
    // The body as sent: JSON omits undefined members.
    body: body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined,
  }
}
