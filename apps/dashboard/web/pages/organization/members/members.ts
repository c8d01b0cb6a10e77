import { queryOptions } from '@tanstack/react-query'
import { allOf } from '../../../api/all.ts'
import { type AnswerOf, ask } from '../../../api/ask.ts'

export type Member = AnswerOf<'GET /members'>['items'][number]
export type Invite = AnswerOf<'GET /invites'>['items'][number]

/** All members, in the order of their joining. */
export const membersQuery = queryOptions({
  queryKey: ['members', 'all'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /members', { signal, query })),
})

/** Invites that can be used: an organization has at most a thousand. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: ({ signal }) => ask('GET /invites', { signal, query: { limit: 1_000 } }),
})
