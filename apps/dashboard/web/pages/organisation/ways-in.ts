import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'

/** How people sign in here, as the sign-in page has it. */
export const waysInQuery = queryOptions({
  queryKey: ['ways-in'],
  queryFn: ({ signal }) => ask('GET /sign-in', { signal }),
  staleTime: 60_000,
})

export const organisationQuery = queryOptions({
  queryKey: ['organisation'],
  queryFn: ({ signal }) => ask('GET /organisation', { signal }),
})
