import type { ManagementParts } from './parts.ts'

/** Pages that take the token of a link. It is in the fragment, which no log and no other page sees. */
export type LinkPage = 'first' | 'reset' | 'sign-up' | 'invite'

/** Where a browser comes back to from a provider. */
export const RETURN_PAGE = '/sign-in/oidc'

/** URL of a page of the dashboard, with a token. */
export function linkTo(
  { origins, basePath = '' }: Pick<ManagementParts, 'origins' | 'basePath'>,
  page: LinkPage,
  token: string,
): string {
  return `${origins[0] ?? ''}${basePath}/#/${page}?token=${token}`
}
