import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../api/ask.ts'

export type Key = AnswerOf<'GET /keys/{key}'>
export type Budget = AnswerOf<'GET /budgets'>['items'][number]

/** Rows of a page, and most pages that are read. */
const [ROWS, PAGES] = [1_000, 10]

/** All keys that somebody may see, without any secret: the API has none. */
export const keysQuery = queryOptions({
  queryKey: ['keys', 'all'],
  async queryFn({ signal }) {
    const all: Key[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const answer = await ask('GET /keys', { signal, query: { limit: ROWS, cursor } })
      all.push(...answer.items)
      cursor = answer.cursor
      if (cursor === undefined) break
    }
    return all
  },
})

export const budgetsQuery = queryOptions({
  queryKey: ['budgets', 'all'],
  queryFn: ({ signal }) => ask('GET /budgets', { signal, query: { limit: 1_000 } }),
})

export type KeyState = 'active' | 'ending' | 'ended' | 'revoked'

/** From how long before its end a key is said to be ending, in milliseconds. */
const SOON = 7 * 86_400_000

export function stateOf({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined || expiresAt - now > SOON) return 'active'
  return expiresAt > now ? 'ending' : 'ended'
}

export function isUsable(key: Key, now: number): boolean {
  return ['active', 'ending'].includes(stateOf(key, now))
}

/** What people call a key. */
export function titleOf({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string {
  return name ?? prefix
}
