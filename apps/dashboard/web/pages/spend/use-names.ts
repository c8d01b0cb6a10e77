import { useRef } from 'react'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import type { SpendRow } from '../../api/spend.ts'
import { groupId, groupTitle } from '../../usage/groups.ts'
import type { Split } from './search.ts'

/**
 * Function that returns the name of a group by its values. The names of all groups that the table has had are known,
 * also while it shows others; otherwise the names of keys, projects and members that the user may list.
 */
export function useNames(splits: readonly Split[], groups: readonly SpendRow[]) {
  const known = useRef(new Map<string, string>())
  const kind = splits.join()
  for (const group of groups) known.current.set(`${kind} ${groupId(group)}`, groupTitle(group))
  const keys = useKeyNames(splits.includes('key'))
  const projects = useProjectNames()
  const members = useMemberNames(splits.includes('member'))
  const listed: Partial<Record<Split, ReadonlyMap<string, string>>> = { key: keys, project: projects, member: members }
  return (ids: readonly (string | null)[]): string =>
    known.current.get(`${kind} ${groupId({ ids })}`) ??
    groupTitle({ names: ids.map((id, place) => (id && listed[splits[place] ?? 'model']?.get(id)) ?? id) })
}
