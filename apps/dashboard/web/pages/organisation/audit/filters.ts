import { AUDIT_FILTERS, type OrganisationSearch } from '../search.ts'
import type { AuditFilters } from './audit.ts'

/** What an address says of the log: without what it leaves open. */
export function filtersOf(search: OrganisationSearch): AuditFilters {
  return Object.fromEntries(
    (Object.keys(AUDIT_FILTERS) as (keyof typeof AUDIT_FILTERS)[]).flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  )
}
