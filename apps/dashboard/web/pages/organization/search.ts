import { type Fields, oneOf, type SearchOf, text } from '../../view/search.ts'

export const TABS = ['members', 'projects', 'sign-in', 'sessions', 'audit', 'data'] as const

export type OrganizationTab = (typeof TABS)[number]

/** By what the audit log is searched, as the API has it. */
export const AUDIT_FILTERS = { actor: text, action: text, target: text } satisfies Fields

/** What the address of the page says beside what all pages share. */
export const ORGANIZATION_SEARCH = {
  tab: oneOf(TABS),
  sort: text,
  row: text,
  state: oneOf(['all']),
  ...AUDIT_FILTERS,
} satisfies Fields

export type OrganizationSearch = SearchOf<typeof ORGANIZATION_SEARCH>
