import { oneOf, type SearchFields, type SearchOf, text } from '../../view/search.ts'

export const TABS = ['members', 'projects', 'sign-in', 'alerts', 'audit', 'data'] as const

export type OrganizationTab = (typeof TABS)[number]

/** Filters of the audit log, named as in the API. */
export const AUDIT_FILTERS = { actor: text, action: text, target: text } satisfies SearchFields

/** Search parameters of the page. */
export const ORGANIZATION_SEARCH = {
  tab: oneOf(TABS),
  sort: text,
  row: text,
  state: oneOf(['all']),
  ...AUDIT_FILTERS,
} satisfies SearchFields

export type OrganizationSearch = SearchOf<typeof ORGANIZATION_SEARCH>
