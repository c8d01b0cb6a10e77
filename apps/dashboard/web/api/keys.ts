import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { callApi, type ResponseOf } from './call.ts'

export type Key = ResponseOf<'GET /keys/{key}'>

/** Keys that the user can see, without secrets. */
export const keysQuery = queryOptions({
  queryKey: ['keys', 'all'],
  queryFn: ({ signal }) => allOf((query) => callApi('GET /keys', { signal, query })),
})

/** Name of a key, or its prefix if it has no name. */
export function titleOf({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string {
  return name ?? prefix
}

/** Environments that the forms for keys offer. */
export const ENVIRONMENTS = ['development', 'staging', 'production'].map((value) => ({ value, title: value }))
