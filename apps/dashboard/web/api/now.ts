import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from './call.ts'

export type NowReport = ResponseOf<'GET /now'>
/** Requests and calls of one minute. */
export type NowMinute = NowReport['minutes'][number]

/** Refetch interval in milliseconds, while the page is visible. */
const REFETCH_MS = 5_000

/** The last hour by the minute. */
export const nowQuery = queryOptions({
  queryKey: ['now'],
  queryFn: ({ signal }) => callApi('GET /now', { signal }),
  refetchInterval: REFETCH_MS,
})
