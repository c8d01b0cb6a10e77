import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Range } from '../view/ranges.ts'
import { callApi, type QueryOf, type ResponseOf } from './call.ts'

export type RequestRow = ResponseOf<'GET /usage'>['items'][number]
export type RequestDetails = ResponseOf<'GET /usage/{request}'>
/** Failures of one kind, and of one provider or key. */
export type FailureGroup = ResponseOf<'GET /usage/failures'>['items'][number]
export type RequestAttempt = NonNullable<RequestDetails['attempts']>[number]
export type Arithmetic = NonNullable<RequestDetails['arithmetic']>
export type UsagePoint = ResponseOf<'GET /usage/series'>['points'][number]
export type ListFilters = Omit<QueryOf<'GET /usage'>, 'limit' | 'cursor' | 'from' | 'to' | 'organization'>
export type ChartQuery = Omit<QueryOf<'GET /usage/series'>, 'from' | 'to' | 'step' | 'organization'>

/** Recorded HTTP exchange of a request. */
export type RecordedCall = ResponseOf<'GET /traces/{request}'>['calls'][number]

/** Rows per page. */
const ROWS = 50
/** Maximum number of shown requests of a session. */
const SESSION_ROWS = 200

export function rowsQuery({ from, to }: Range, filters: ListFilters) {
  return infiniteQueryOptions({
    queryKey: ['usage', 'rows', from, to, filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('GET /usage', { signal, query: { ...filters, from, to, limit: ROWS, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    // The previous rows stay visible until new ones arrive.
    placeholderData: keepPreviousData,
    // New rows are loaded only on demand, so that the list does not move.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Requests of a session, newest first. */
export function sessionQuery({ from, to }: Pick<Range, 'from' | 'to'>, filters: ListFilters) {
  return queryOptions({
    queryKey: ['usage', 'session', from, to, filters],
    queryFn: ({ signal }) => callApi('GET /usage', { signal, query: { ...filters, from, to, limit: SESSION_ROWS } }),
    placeholderData: keepPreviousData,
  })
}

export function requestQuery(request: string) {
  return queryOptions({
    queryKey: ['usage', 'request', request],
    queryFn: ({ signal }) => callApi('GET /usage/{request}', { signal, params: { request } }),
    // Reads of messages are in the audit log, so that the page reads a request once while it is open.
    staleTime: 300_000,
    refetchOnWindowFocus: false,
  })
}

export function seriesQuery({ from, to, step }: Range, query: ChartQuery) {
  return queryOptions({
    queryKey: ['usage', 'series', from, to, step, query],
    queryFn: ({ signal }) =>
      callApi('GET /usage/series', { signal, query: { ...query, from: String(from), to: String(to), step } }),
    placeholderData: keepPreviousData,
  })
}

export type ErrorFilters = Omit<QueryOf<'GET /usage/failures'>, 'from' | 'to' | 'organization'>

export function failuresQuery({ from, to }: Pick<Range, 'from' | 'to'>, query: ErrorFilters) {
  return queryOptions({
    queryKey: ['usage', 'failures', from, to, query],
    queryFn: ({ signal }) =>
      callApi('GET /usage/failures', { signal, query: { ...query, from: String(from), to: String(to) } }),
    placeholderData: keepPreviousData,
  })
}
