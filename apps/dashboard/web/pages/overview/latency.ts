import { useQuery } from '@tanstack/react-query'
import { type AnswerOf, ask, type QueryOf } from '../../api/ask.ts'
import { before, type Range } from '../../view/ranges.ts'

export type Latency = AnswerOf<'GET /usage/latency'>

type Filters = Pick<QueryOf<'GET /usage/latency'>, 'project' | 'environment'>

/** How long the first byte of streamed answers took in a range, and in the one before. */
export function useLatency(range: Range, filters: Filters): Latency | undefined {
  const { from, to } = range
  const query = { ...filters, from: String(from), to: String(to), before: String(before(range).from) }
  const { data } = useQuery({
    queryKey: ['usage', 'latency', query],
    queryFn: ({ signal }) => ask('GET /usage/latency', { signal, query }),
    staleTime: 30_000,
  })
  return data
}
