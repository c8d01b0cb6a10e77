import { queryOptions, useQueries } from '@tanstack/react-query'
import { useRef } from 'react'
import { budgetsQuery } from '../../api/budgets.ts'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { keyNamesQuery, memberNamesQuery, organizationQuery, projectsQuery } from '../../api/queries.ts'

/** Refetch interval of the used parts of rate limits, in milliseconds. */
const USED_MS = 10_000

export const limitsQuery = queryOptions({
  queryKey: ['keys', 'limits'],
  queryFn: ({ signal }) => callApi('GET /limits', { signal }),
  refetchInterval: USED_MS,
})

/** Budgets of others that restrict the user's keys. */
export const sharedBudgetsQuery = queryOptions({
  queryKey: ['budgets', 'shared'],
  queryFn: ({ signal }) => callApi('GET /budgets/shared', { signal }),
})

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => callApi('GET /alerts', { signal }),
})

export type OrphanedLeases = ResponseOf<'GET /budgets/orphaned-leases'>

/** Leases of processes that have stopped reporting. Only the organization that runs the gateway may read them. */
export const orphanedLeasesQuery = queryOptions({
  queryKey: ['budgets', 'orphaned-leases'],
  queryFn: ({ signal }) => callApi('GET /budgets/orphaned-leases', { signal }),
})

/**
 * Returns whether the page can show its sections. They appear together, because each of them would move when a query of
 * an earlier one responds.
 */
export function useAreSectionsReady(): boolean {
  const [mayReadKeys, mayReadMembers] = [useMay('keys.read') !== undefined, useMay('members.read') !== undefined]
  const isLoading = useQueries({
    queries: [
      budgetsQuery,
      orphanedLeasesQuery,
      sharedBudgetsQuery,
      limitsQuery,
      alertsQuery,
      organizationQuery,
      projectsQuery,
      { ...keyNamesQuery, enabled: mayReadKeys },
      { ...memberNamesQuery, enabled: mayReadMembers },
    ],
    combine: (queries) => queries.some((query) => query.isLoading),
  })
  // A failed query that is fetched again must not hide the sections.
  const wasReady = useRef(false)
  wasReady.current ||= !isLoading
  return wasReady.current
}
