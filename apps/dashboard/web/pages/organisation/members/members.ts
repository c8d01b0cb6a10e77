import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../../api/ask.ts'

export type Member = AnswerOf<'GET /members'>['items'][number]
export type Invite = AnswerOf<'GET /invites'>['items'][number]

/** Rows of a page, and most pages that are read. */
const [ROWS, PAGES] = [1_000, 10]

/** All members, in the order of their joining. */
export const membersQuery = queryOptions({
  queryKey: ['members', 'all'],
  async queryFn({ signal }) {
    const all: Member[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const answer = await ask('GET /members', { signal, query: { limit: ROWS, cursor } })
      all.push(...answer.items)
      cursor = answer.cursor
      if (cursor === undefined) break
    }
    return all
  },
})

/** Invites that can be used: an organisation has at most a thousand. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: ({ signal }) => ask('GET /invites', { signal, query: { limit: 1_000 } }),
})
