import { useMemo } from 'react'
import type { BudgetItem } from '../../api/budgets.ts'
import { useMe, useMembership } from '../../api/me.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'

export type Scope = BudgetItem['scope']

/** Names of owners of budgets, by scope and ID. */
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
