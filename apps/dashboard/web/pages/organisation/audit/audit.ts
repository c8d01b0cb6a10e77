import { infiniteQueryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import type { SearchOf } from '../../../view/search.ts'
import type { AUDIT_FILTERS } from '../search.ts'

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
  organisation: ['create', 'change', 'export'],
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
