import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callApi, type QueryOf, type ResponseOf } from './call.ts'

export type SpendAnswer = ResponseOf<'GET /spend'>
export type SpendRow = SpendAnswer['items'][number]
export type RowSums = SpendRow['sums']
export type SpendQuery = Omit<QueryOf<'GET /spend'>, 'limit' | 'cursor' | 'organization'>
export type MonthStatement = ResponseOf<'GET /spend/statement'>
export type ExplainAnswer = ResponseOf<'GET /explanation'>

/** Groups per page. */
const ROWS = 50

/** Groups of a range, in pages. */
export function spendQuery(query: SpendQuery) {
  return infiniteQueryOptions({
    queryKey: ['usage', 'spend', query],
    queryFn: ({ signal, pageParam }) =>
      callApi('GET /spend', { signal, query: { ...query, limit: ROWS, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
  })
}

/** Totals of a range and of the range before. */
export function totalsQuery(query: Omit<SpendQuery, 'by'>) {
  return queryOptions({
    queryKey: ['usage', 'spend', 'totals', query],
    // Sums by request type are the fewest.
    queryFn: ({ signal }) => callApi('GET /spend', { signal, query: { ...query, by: 'family', limit: 1 } }),
    placeholderData: keepPreviousData,
  })
}

export function statementQuery(query: QueryOf<'GET /spend/statement'>) {
  return queryOptions({
    queryKey: ['usage', 'statement', query],
    queryFn: ({ signal }) => callApi('GET /spend/statement', { signal, query }),
  })
}

export function explanationQuery(query: QueryOf<'GET /explanation'>) {
  return queryOptions({
    queryKey: ['usage', 'explanation', query],
    queryFn: ({ signal }) => callApi('GET /explanation', { signal, query }),
    placeholderData: keepPreviousData,
  })
}
