import { infiniteQueryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../../api/names.ts'
import type { SearchOf } from '../../../view/search.ts'
import { AUDIT_FILTERS, type OrganizationSearch } from '../search.ts'

export type AuditEntry = AnswerOf<'GET /audit'>['items'][number]
export type AuditFilters = SearchOf<typeof AUDIT_FILTERS>

/** What is looked at: Unix milliseconds. */
export interface AuditRange {
  readonly from: number
  readonly to: number
}

const ROWS = 100

/** Entries of a time, newest first, page by page. */
export function auditQuery({ from, to }: AuditRange, filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['audit', from, to, filters],
    queryFn: ({ signal, pageParam: cursor }) =>
      ask('GET /audit', { signal, query: { ...filters, from, to, limit: ROWS, cursor } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  })
}

/** What can be done, by what it is done to. */
const ACTIONS = {
  organization: ['create', 'change', 'export'],
  member: ['join', 'role', 'remove'],
  invite: ['create', 'revoke'],
  project: ['create', 'change'],
  key: ['create', 'change', 'rotate', 'revoke', 'trace'],
  budget: ['create', 'change', 'remove', 'doubt'],
  alert: ['test'],
  price: ['set', 'remove'],
  trace: ['read'],
  person: ['create', 'rename', 'password', 'reset-link', 'disable', 'enable'],
  session: ['create', 'confirm', 'end', 'end-others'],
  passkey: ['add', 'rename', 'remove'],
  identity: ['add', 'remove'],
  'sign-up': ['request'],
} as const

/** Actions that can be looked for: all of a kind, and each. */
export const KNOWN_ACTIONS: readonly string[] = Object.entries(ACTIONS).flatMap(([kind, acts]) => [
  ...(acts.length > 1 ? [kind] : []),
  ...acts.map((act) => `${kind}.${act}`),
])

/** What an address says of the log: without what it leaves open. */
export function filtersOf(search: OrganizationSearch): AuditFilters {
  return Object.fromEntries(
    (Object.keys(AUDIT_FILTERS) as (keyof typeof AUDIT_FILTERS)[]).flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  )
}

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
