import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from './ask.ts'

export type Project = AnswerOf<'GET /projects/{project}'>

/** All projects, archived ones included. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => ask('GET /projects', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** First thousand keys, for their names and counts. */
export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: ({ signal }) => ask('GET /keys', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** First thousand members, for their names. */
export const memberNamesQuery = queryOptions({
  queryKey: ['members', 'names'],
  queryFn: ({ signal }) => ask('GET /members', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})

/** How people sign in here, as the sign-in page has it. */
export const waysInQuery = queryOptions({
  queryKey: ['ways-in'],
  queryFn: ({ signal }) => ask('GET /sign-in', { signal }),
  staleTime: 60_000,
})

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: ({ signal }) => ask('GET /organization', { signal }),
})
