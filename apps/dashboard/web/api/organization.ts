/** Routes that do not belong to an organization. */
const PERSONAL = [
  ...[
    '/me',
    '/sign-in',
    '/sign-out',
    '/sessions',
    '/confirm',
    '/password',
    '/passkeys',
    '/oidc/begin',
    '/oidc/finish',
    '/identities',
  ],
  ...['/first', '/forgot', '/reset', '/sign-up', '/invites/read', '/invites/accept', '/invites/join'],
]

let current: string | undefined

/** ID of the organization that the pages show; undefined = the user's first organization. */
export function currentOrganization(): string | undefined {
  return current
}

export function chooseOrganization(organization: string | undefined): void {
  current = organization
}

/** Returns whether a route does not belong to an organization. */
export function isPersonal(path: string): boolean {
  return PERSONAL.some((one) => path === one || path.startsWith(`${one}/`))
}
