import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from './call.ts'

export type ProjectItem = ResponseOf<'GET /projects/{project}'>

/** Projects, including archived ones. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => callApi('GET /projects', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** First 1,000 keys, for names and counts. */
export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: ({ signal }) => callApi('GET /keys', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** First 1,000 members, for names. */
export const memberNamesQuery = queryOptions({
  queryKey: ['members', 'names'],
  queryFn: ({ signal }) => callApi('GET /members', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** Sign-in methods of the gateway. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => callApi('GET /sign-in', { signal }),
  staleTime: 60_000,
})

export type OrganizationDetails = ResponseOf<'GET /organization'>

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => callApi('GET /organization', { signal }),
})
