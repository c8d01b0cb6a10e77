import type { ManagementParts } from './parts.ts'

/** Pages that take the token of a link. The token is in the fragment, so neither logs nor other pages see it. */
export type LinkPage = 'first' | 'reset' | 'sign-up' | 'invite'

/** Path that OIDC providers redirect browsers to. */
export const RETURN_PAGE = '/sign-in/oidc'

/** URL of a page of the dashboard, with a token. */
export function linkTo(
  { origins, basePath = '' }: Pick<ManagementParts, 'origins' | 'basePath'>,
  page: LinkPage,
  token: string,
): string {
  return `${origins[0] ?? ''}${basePath}/#/${page}?token=${token}`
}
