import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'

/** Projects that a key can be of. */
export function useProjects() {
  const { data } = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => ask('GET /projects', { signal, query: { limit: 1_000 } }),
    staleTime: 60_000,
  })
  return (data?.items ?? []).filter(({ archivedAt }) => archivedAt === undefined)
}
