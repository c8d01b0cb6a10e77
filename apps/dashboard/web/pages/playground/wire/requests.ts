import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../../api/call.ts'
import { ApiProblem } from '../../../api/problem.ts'

/** Retries for the usage row and the trace of a request, which are stored shortly after the response. */
const RETRIES = 12
const RETRY_DELAY = 500

function isNotStoredYet(retries: number, error: Error): boolean {
  return error instanceof ApiProblem && error.status === 404 && retries < RETRIES
}

/** Usage row of a request that has just ended. */
export function usageQuery(request: string) {
  return queryOptions({
    queryKey: ['usage', 'request', request],
    queryFn: ({ signal }) => callApi('GET /usage/{request}', { signal, params: { request } }),
    retry: isNotStoredYet,
    retryDelay: RETRY_DELAY,
    staleTime: 60_000,
  })
}

/** Recorded payloads of a request. */
export function traceQuery(request: string) {
  return queryOptions({
    queryKey: ['trace', request],
    queryFn: ({ signal }) => callApi('GET /traces/{request}', { signal, params: { request } }),
    retry: isNotStoredYet,
    retryDelay: RETRY_DELAY,
    staleTime: 60_000,
  })
}
