import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { titleOf } from './keys.ts'
import { useMay } from './me.ts'
import { keyNamesQuery, memberNamesQuery, projectsQuery } from './queries.ts'

type Names = ReadonlyMap<string, string>

/** Names of the keys that the user can see, by ID. */
export function useKeyNames(isNeeded = true): Names {
  const mayRead = useMay('keys.read') !== undefined
  const { data } = useQuery({ ...keyNamesQuery, enabled: mayRead && isNeeded })
  return useMemo(() => new Map((data?.items ?? []).map((key) => [key.id, titleOf(key)])), [data])
}

/** Names of projects, by ID. */
export function useProjectNames(): Names {
  const { data } = useQuery(projectsQuery)
  return useMemo(() => new Map((data?.items ?? []).map(({ id, name }) => [id, name])), [data])
}

/** Names of the members that the user can see, by ID. */
export function useMemberNames(isNeeded: boolean): Names {
  const mayRead = useMay('members.read') !== undefined
  const { data } = useQuery({ ...memberNamesQuery, enabled: mayRead && isNeeded })
  return useMemo(() => new Map((data?.items ?? []).map(({ person, name }) => [person, name])), [data])
}
