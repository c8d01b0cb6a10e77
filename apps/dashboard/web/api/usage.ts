import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Range } from '../view/ranges.ts'
import { type AnswerOf, ask, type QueryOf } from './ask.ts'

export type UsageRow = AnswerOf<'GET /usage'>['items'][number]
export type UsageOfRequest = AnswerOf<'GET /usage/{request}'>
export type Attempt = NonNullable<UsageOfRequest['attempts']>[number]
export type Arithmetic = NonNullable<UsageOfRequest['arithmetic']>
export type SeriesPoint = AnswerOf<'GET /usage/series'>['points'][number]
export type UsageFilters = Omit<QueryOf<'GET /usage'>, 'limit' | 'cursor' | 'from' | 'to' | 'organization'>
export type SeriesQuery = Omit<QueryOf<'GET /usage/series'>, 'from' | 'to' | 'step' | 'organization'>

/** Rows of a page. */
const ROWS = 50

export function rowsQuery({ from, to }: Range, filters: UsageFilters) {
  return infiniteQueryOptions({
    queryKey: ['usage', 'rows', from, to, filters],
    queryFn: ({ signal, pageParam }) =>
      ask('GET /usage', { signal, query: { ...filters, from, to, limit: ROWS, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    // What was there stays until there is something newer.
    placeholderData: keepPreviousData,
    // New rows wait until they are asked for, so that nothing moves.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function requestQuery(request: string) {
  return queryOptions({
    queryKey: ['usage', 'request', request],
    queryFn: ({ signal }) => ask('GET /usage/{request}', { signal, params: { request } }),
    staleTime: 60_000,
  })
}

export function seriesQuery({ from, to, step }: Range, query: SeriesQuery) {
  return queryOptions({
    queryKey: ['usage', 'series', from, to, step, query],
    queryFn: ({ signal }) =>
      ask('GET /usage/series', { signal, query: { ...query, from: String(from), to: String(to), step } }),
    placeholderData: keepPreviousData,
  })
}
