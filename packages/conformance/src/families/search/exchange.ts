import { type HttpRequest, isNext, type SearchPage, type SearchQuery } from '@headgate/core/search'
import type { BackendInstance } from '@headgate/gateway'
import { testCall } from '../../test-call.ts'

/** A backend's exchange, for tests of what only this backend has. */
export interface SearchExchange {
  /** The request for `q` or what else of a query is given. */
  ask(query?: Partial<SearchQuery>): AskedRequest
  /** What is read of an answer's body. */
  read(body: unknown, query?: Partial<SearchQuery>): SearchPage
}

/** A request by its parts: parameters of the query string, fields of a JSON body. */
export interface AskedRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Throws where the backend runs in this process, or asks for a second request. */
export function searchExchange({ search, name }: BackendInstance): SearchExchange {
  if ('run' in search) throw new TypeError(`The backend ${name} runs in this process: it has no exchange.`)
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
      if (isNext(page)) throw new TypeError(`The backend ${name} asks for a second request.`)
      return page
    },
  }
}

function partsOf({ method, url, headers = {}, body }: HttpRequest): AskedRequest {
  const { pathname, searchParams } = new URL(url, 'http://upstream.example')
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers,
    // As it goes over the wire, where what is undefined is not there.
    body: body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined,
  }
}
