import { useMemo } from 'react'
import type { Budget } from '../../api/budgets.ts'
import { useMe, useMembership } from '../../api/me.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'

export type Scope = Budget['scope']

/** Names of those whose budgets are set, by scope and id. */
export type Owners = Readonly<Record<Scope, ReadonlyMap<string, string>>>

export function useOwners(): Owners {
  const me = useMe()
  const membership = useMembership()
  const key = useKeyNames()
  const project = useProjectNames()
  const members = useMemberNames(true)
  return useMemo(
    () => ({
      key,
      project,
      member: new Map([...members, ...(me ? [[me.id, me.name] as const] : [])]),
      organization: new Map(membership ? [[membership.organization, membership.name]] : []),
    }),
    [key, project, members, me, membership],
  )
}
