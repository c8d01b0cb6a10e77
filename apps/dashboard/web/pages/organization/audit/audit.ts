import { infiniteQueryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import { callApi, type ResponseOf } from '../../../api/call.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../../api/names.ts'
import { LABELS } from '../../../labels.ts'
import type { SearchOf } from '../../../view/search.ts'
import { AUDIT_FILTERS, type OrganizationSearch } from '../search.ts'

export type AuditLogEntry = ResponseOf<'GET /audit'>['items'][number]
export type AuditFilters = SearchOf<typeof AUDIT_FILTERS>

/** Time range in Unix milliseconds. */
export interface AuditRange {
  readonly from: number
  readonly to: number
}

const ROWS = 100

/** Entries of a time range, newest first, in pages. */
export function auditQuery({ from, to }: AuditRange, filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['audit', from, to, filters],
    queryFn: ({ signal, pageParam: cursor }) =>
      callApi('GET /audit', { signal, query: { ...filters, from, to, limit: ROWS, cursor } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
  })
}

/** Actions by kind of target. */
const ACTIONS = {
  organization: ['create', 'change', 'export', 'remove'],
  member: ['join', 'role', 'remove'],
  invite: ['create', 'revoke'],
  project: ['create', 'change'],
  key: ['create', 'change', 'rotate', 'revoke', 'trace', 'take-over'],
  budget: ['create', 'change', 'remove', 'orphaned'],
  alert: ['add', 'change', 'remove', 'test'],
  price: ['set', 'remove', 'apply'],
  credential: ['set', 'remove'],
  trace: ['read'],
  person: ['create', 'rename', 'password', 'reset-link', 'disable', 'enable', 'remove'],
  session: ['create', 'confirm', 'end', 'end-others'],
  passkey: ['add', 'rename', 'remove'],
  identity: ['add', 'remove'],
  'sign-up': ['request'],
} as const

/** Actions to filter by: each action, and each kind of target with several actions. */
export const KNOWN_ACTIONS: readonly string[] = Object.entries(ACTIONS).flatMap(([kind, acts]) => [
  ...(acts.length > 1 ? [kind] : []),
  ...acts.map((act) => `${kind}.${act}`),
])

/** Filters that an address sets. */
export function filtersOf(search: OrganizationSearch): AuditFilters {
  return Object.fromEntries(
    (Object.keys(AUDIT_FILTERS) as (keyof typeof AUDIT_FILTERS)[]).flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  )
}

/** Actors that are neither a member nor a key. */
export const KINDS: Readonly<Record<string, string>> = { system: LABELS.cli, anonymous: 'Not signed in' }

/** Names of members, keys and projects, by ID. */
export function useNames(): ReadonlyMap<string, string> {
  const members = useMemberNames(true)
  const keys = useKeyNames()
  const projects = useProjectNames()
  return useMemo(
    () => new Map([...[...keys].map(([id, name]) => [id, `key ${name}`] as const), ...projects, ...members]),
    [members, keys, projects],
  )
}

/** Name of the actor of an entry. */
export function actorName(
  { actor: { kind, id } }: Pick<AuditLogEntry, 'actor'>,
  names: ReadonlyMap<string, string>,
): string {
  if (id === undefined) return KINDS[kind] ?? kind
  return names.get(id) ?? id
}
