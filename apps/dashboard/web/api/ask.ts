import type { Routes } from '@headgate/accounts/api'
import { BASE_PATH } from '../app/base.ts'
import { currentOrganization, isPersonal } from './organization.ts'
import { problemFrom, unreachable } from './problem.ts'

type Table = {
  readonly [Route in Routes as `${Uppercase<Route['method']>} ${Route['path']}`]: NonNullable<Route['types']>
}

/** A route by its method and path: `GET /keys/{key}`. */
export type RouteName = keyof Table

/** What a route answers. */
export type AnswerOf<Name extends RouteName> = Table[Name]['answer']
/** What a route takes as its body. */
export type BodyOf<Name extends RouteName> = Table[Name]['body']
/** What a route is asked by: numbers are written as digits, undefined is left out. */
export type QueryOf<Name extends RouteName> = {
  readonly [Field in keyof Table[Name]['query']]?: Table[Name]['query'][Field] | number | undefined
}

/** What goes with a request. */
export interface With<Name extends RouteName> {
  readonly params?: Table[Name]['params']
  readonly query?: QueryOf<Name>
  readonly body?: BodyOf<Name>
  /** The version that is changed: another one is a 412. */
  readonly version?: number | string | undefined
  /** Has a request that is sent again be answered once. */
  readonly once?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export const API = `${BASE_PATH}/api/v1`

/** Asks the gateway. @throws Problem */
export async function ask<const Name extends RouteName>(name: Name, given: With<Name> = {}): Promise<AnswerOf<Name>> {
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
  return read as AnswerOf<Name>
}

/** Where a route is, for links to what is downloaded. */
export function addressOf<const Name extends RouteName>(name: Name, { params, query }: With<Name> = {}): string {
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
