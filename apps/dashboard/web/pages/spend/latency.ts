import { useQuery } from '@tanstack/react-query'
import { callApi, type QueryOf, type ResponseOf } from '../../api/call.ts'
import type { Range } from '../../view/ranges.ts'

export type LatencyReport = ResponseOf<'GET /usage/latency'>

type LatencyFilters = Pick<QueryOf<'GET /usage/latency'>, 'project' | 'environment'>

/** Time to first byte of streamed responses, in a range and in the previous one. */
export function useLatency(
  range: Range,
  compared: Pick<Range, 'from'>,
  filters: LatencyFilters,
): LatencyReport | undefined {
  const query = { ...filters, from: String(range.from), to: String(range.to), before: String(compared.from) }
  const { data } = useQuery({
    queryKey: ['usage', 'latency', query],
    queryFn: ({ signal }) => callApi('GET /usage/latency', { signal, query }),
    staleTime: 30_000,
  })
  return data
}
