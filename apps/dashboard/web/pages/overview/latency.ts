import { useQuery } from '@tanstack/react-query'
import { type AnswerOf, ask, type QueryOf } from '../../api/ask.ts'
import { before, type Range } from '../../view/ranges.ts'

export type LatencyReport = AnswerOf<'GET /usage/latency'>

type LatencyFilters = Pick<QueryOf<'GET /usage/latency'>, 'project' | 'environment'>

/** Time to first byte of streamed responses, in a range and in the previous one. */
export function useLatency(range: Range, filters: LatencyFilters): LatencyReport | undefined {
  const { from, to } = range
  const query = { ...filters, from: String(from), to: String(to), before: String(before(range).from) }
  const { data } = useQuery({
    queryKey: ['usage', 'latency', query],
    queryFn: ({ signal }) => ask('GET /usage/latency', { signal, query }),
    staleTime: 30_000,
  })
  return data
}
