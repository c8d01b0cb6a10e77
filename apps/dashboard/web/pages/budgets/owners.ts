import { useMemo } from 'react'
import { useMe, useMembership } from '../../api/me.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import type { Budget } from '../keys/keys.ts'

export type Scope = Budget['scope']

/** Names of those whose budgets are set, by scope and id. */
export function useOwners(): Readonly<Record<Scope, ReadonlyMap<string, string>>> {
  const me = useMe()
  const membership = useMembership()
  const key = useKeyNames()
  const project = useProjectNames()
  const members = useMemberNames(true)
  return useMemo(
    () => ({
      ...{ key, project },
      member: new Map([...members, ...(me ? [[me.id, me.name] as const] : [])]),
      organisation: new Map(membership ? [[membership.organisation, membership.name]] : []),
    }),
    [key, project, members, me, membership],
  )
}
