import { queryOptions, useQuery } from '@tanstack/react-query'
import { type AnswerOf, ask } from './ask.ts'
import { chooseOrganization, currentOrganization } from './organization.ts'

export type Me = AnswerOf<'GET /me'>
export type Membership = Me['memberships'][number]

/** Who is signed in, and what they may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => ask('GET /me', { signal }),
  staleTime: 60_000,
})

export function useMe(): Me | undefined {
  return useQuery(meQuery).data
}

/** The membership whose pages are looked at. */
export function useMembership(): Membership | undefined {
  const me = useMe()
  return me && membershipOf(me)
}

export function membershipOf({ memberships }: Me): Membership | undefined {
  return memberships.find(({ organization }) => organization === currentOrganization()) ?? memberships[0]
}

/** Whose of something the one who looks may do: `all`, `own`, `not owners`; undefined = nobody's. */
export function useMay(action: string): string | undefined {
  return useMembership()?.may[action]
}

/** Takes over what an address says of whose pages are looked at. */
export function lookAt(organization: string | undefined): void {
  chooseOrganization(organization)
}
