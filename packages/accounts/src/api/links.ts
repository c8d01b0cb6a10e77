import type { ManagementParts } from './parts.ts'

/** Pages that take the token of a link. It is in the fragment, which no log and no other page sees. */
export type LinkPage = 'first' | 'reset' | 'sign-up' | 'invite'

/** Where a browser comes back to from a provider. */
export const RETURN_PAGE = '/sign-in/oidc'

/** An address of the gateway, with a token. */
export function linkTo({ origins }: Pick<ManagementParts, 'origins'>, page: LinkPage, token: string): string {
  return `${origins[0] ?? ''}/#/${page}?token=${token}`
}
