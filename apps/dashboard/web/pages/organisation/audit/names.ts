import { useMemo } from 'react'
import { useKeyNames, useMemberNames, useProjectNames } from '../../../api/names.ts'
import type { AuditEntry } from './audit.ts'

/** Who asks without being somebody. */
export const KINDS: Readonly<Record<string, string>> = { system: 'the command line', nobody: 'nobody signed in' }

/** What ids of the log are called: members, keys and projects. */
export function useNames(): ReadonlyMap<string, string> {
  const members = useMemberNames(true)
  const keys = useKeyNames()
  const projects = useProjectNames()
  return useMemo(
    () => new Map([...[...keys].map(([id, name]) => [id, `key ${name}`] as const), ...projects, ...members]),
    [members, keys, projects],
  )
}

/** What the one who did something is called. */
export function actorName(
  { actor: { kind, id } }: Pick<AuditEntry, 'actor'>,
  names: ReadonlyMap<string, string>,
): string {
  if (id === undefined) return KINDS[kind] ?? kind
  return names.get(id) ?? id
}
