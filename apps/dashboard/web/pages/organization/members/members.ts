import { queryOptions } from '@tanstack/react-query'
import { allOf } from '../../../api/all.ts'
import { type AnswerOf, ask } from '../../../api/ask.ts'

export type OrganizationMember = AnswerOf<'GET /members'>['items'][number]
export type PendingInvite = AnswerOf<'GET /invites'>['items'][number]

/** Members, in the order in which they joined. */
export const membersQuery = queryOptions({
  queryKey: ['members', 'all'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /members', { signal, query })),
})

/** Pending invites. An organization has at most 1,000. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: ({ signal }) => ask('GET /invites', { signal, query: { limit: 1_000 } }),
})
