import { queryOptions, useQuery } from '@tanstack/react-query'
import { callApi, type ResponseOf } from './call.ts'
import { chooseOrganization, currentOrganization } from './organization.ts'

export type Me = ResponseOf<'GET /me'>
export type Membership = Me['memberships'][number]

/** Signed-in user and their permissions. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => callApi('GET /me', { signal }),
  staleTime: 60_000,
})

export function useMe(): Me | undefined {
  return useQuery(meQuery).data
}

/** Membership in the organization that the pages show. */
export function useMembership(): Membership | undefined {
  const me = useMe()
  return me && membershipOf(me)
}

export function membershipOf({ memberships }: Me): Membership | undefined {
  return memberships.find(({ organization }) => organization === currentOrganization()) ?? memberships[0]
}

/** Scope of a permission of the user: `all`, `own` or `not owners`; undefined = not permitted. */
export function useMay(action: string): string | undefined {
  return useMembership()?.may[action]
}

/** Selects the organization that an address names. */
export function lookAt(organization: string | undefined): void {
  chooseOrganization(organization)
}
