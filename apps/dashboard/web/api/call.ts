import type { Routes } from '@headgate/accounts/api'
import { BASE_PATH } from '../app/base.ts'
import { currentOrganization, isPersonal } from './organization.ts'
import { problemFrom, unreachable } from './problem.ts'

type ApiRoutes = {
  readonly [Route in Routes as `${Uppercase<Route['method']>} ${Route['path']}`]: NonNullable<Route['types']>
}

/** Method and path of a route: `GET /keys/{key}`. */
export type RouteName = keyof ApiRoutes

export type ResponseOf<Name extends RouteName> = ApiRoutes[Name]['answer']
export type BodyOf<Name extends RouteName> = ApiRoutes[Name]['body']
/** Query of a route: numbers are written as digits, undefined values are omitted. */
export type QueryOf<Name extends RouteName> = {
  readonly [Field in keyof ApiRoutes[Name]['query']]?: ApiRoutes[Name]['query'][Field] | number | undefined
}

export interface CallOptions<Name extends RouteName> {
  readonly params?: ApiRoutes[Name]['params']
  readonly query?: QueryOf<Name>
  readonly body?: BodyOf<Name>
  /** Version that the request changes; the API answers 412 if the resource has another version. */
  readonly version?: number | string | undefined
  /** Idempotency key: a repeated request gets the first response. */
  readonly once?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export const API = `${BASE_PATH}/api/v1`

/** Sends a request to the management API and returns the body of the response. @throws ApiProblem */
export async function callApi<const Name extends RouteName>(
  name: Name,
  given: CallOptions<Name> = {},
): Promise<ResponseOf<Name>> {
  const { body, version, once, signal } = given
  const [method = ''] = name.split(' ')
  const headers = new Headers({ accept: 'application/json' })
  if (method !== 'GET') headers.set('content-type', 'application/json')
  if (version !== undefined) headers.set('if-match', `"${version}"`)
  if (once !== undefined) headers.set('idempotency-key', once)
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }
  const response = await fetch(addressOf(name, given), {
    method,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    ...sent,
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  const read: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw problemFrom(response, read)
  return read as ResponseOf<Name>
}

/** URL of a route, for download links. */
export function addressOf<const Name extends RouteName>(name: Name, { params, query }: CallOptions<Name> = {}): string {
  const path = name.slice(name.indexOf(' ') + 1)
  const filled = Object.entries(params ?? {}).reduce<string>(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value))
  const organization = currentOrganization()
  if (organization !== undefined && !isPersonal(path)) search.set('organization', organization)
  const text = search.toString()
  return `${API}${filled}${text === '' ? '' : `?${text}`}`
}
