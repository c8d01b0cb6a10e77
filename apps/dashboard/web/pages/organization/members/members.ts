import { queryOptions } from '@tanstack/react-query'
import { allOf } from '../../../api/all.ts'
import { callApi, type ResponseOf } from '../../../api/call.ts'

export type OrganizationMember = ResponseOf<'GET /members'>['items'][number]
export type PendingInvite = ResponseOf<'GET /invites'>['items'][number]

/** Members, in the order in which they joined. */
export const membersQuery = queryOptions({
  queryKey: ['members', 'all'],
  queryFn: ({ signal }) => allOf((query) => callApi('GET /members', { signal, query })),
})

/** Pending invites. An organization has at most 1,000. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  queryFn: ({ signal }) => callApi('GET /invites', { signal, query: { limit: 1_000 } }),
})
