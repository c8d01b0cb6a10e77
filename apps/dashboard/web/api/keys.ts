import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { type AnswerOf, ask } from './ask.ts'

export type Key = AnswerOf<'GET /keys/{key}'>

/** All keys that somebody may see, without any secret: the API has none. */
export const keysQuery = queryOptions({
  queryKey: ['keys', 'all'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /keys', { signal, query })),
})

/** What people call a key. */
export function titleOf({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string {
  return name ?? prefix
}

/** Environments that the forms of keys offer. */
export const ENVIRONMENTS = ['development', 'staging', 'production'].map((value) => ({ value, title: value }))
