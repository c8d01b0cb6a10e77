import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../../api/ask.ts'

export type Project = AnswerOf<'GET /projects/{project}'>

/** All projects, those that are archived as well; the names of all pages come of the same. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => ask('GET /projects', { signal, query: { limit: 1_000 } }),
  staleTime: 60_000,
})
