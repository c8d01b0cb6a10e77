import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../api/ask.ts'
import { Problem } from '../../../api/problem.ts'

/** Most looks for what a request leaves behind: it is written down a moment after the answer. */
const LOOKS = 12
const BETWEEN = 500

function isNotThereYet(looks: number, error: Error): boolean {
  return error instanceof Problem && error.status === 404 && looks < LOOKS
}

/** The usage row of a request that has just ended. */
export function usageQuery(request: string) {
  return queryOptions({
    queryKey: ['usage', 'request', request],
    queryFn: ({ signal }) => ask('GET /usage/{request}', { signal, params: { request } }),
    retry: isNotThereYet,
    retryDelay: BETWEEN,
    staleTime: 60_000,
  })
}

/** What went over the wire for it. */
export function traceQuery(request: string) {
  return queryOptions({
    queryKey: ['trace', request],
    queryFn: ({ signal }) => ask('GET /traces/{request}', { signal, params: { request } }),
    retry: isNotThereYet,
    retryDelay: BETWEEN,
    staleTime: 60_000,
  })
}
