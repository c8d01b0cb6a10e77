import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from './ask.ts'
import { useMay } from './me.ts'

/** Keys that somebody may see, by their ids. */
export function useKeyNames(isNeeded = true): ReadonlyMap<string, string> {
  const mayRead = useMay('keys.read') !== undefined
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => ask('GET /keys', { signal, query: { limit: 1_000 } }),
    enabled: mayRead && isNeeded,
    staleTime: 60_000,
  })
  return useMemo(() => new Map((data?.items ?? []).map(({ id, name, prefix }) => [id, name ?? prefix])), [data])
}

/** Projects, by their ids. */
export function useProjectNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => ask('GET /projects', { signal, query: { limit: 1_000 } }),
    staleTime: 60_000,
  })
  return useMemo(() => new Map((data?.items ?? []).map(({ id, name }) => [id, name])), [data])
}

/** Members that somebody may see, by their ids. */
export function useMemberNames(isNeeded: boolean): ReadonlyMap<string, string> {
  const mayRead = useMay('members.read') !== undefined
  const { data } = useQuery({
    queryKey: ['members', 'names'],
    queryFn: ({ signal }) => ask('GET /members', { signal, query: { limit: 1_000 } }),
    enabled: mayRead && isNeeded,
    staleTime: 60_000,
  })
  return useMemo(() => new Map((data?.items ?? []).map(({ person, name }) => [person, name])), [data])
}
