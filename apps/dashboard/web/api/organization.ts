/** Routes that are of whoever asks, or of everybody, and of no organization. */
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

/** Whose pages are looked at; undefined = the first that the person joined. */
export function currentOrganization(): string | undefined {
  return current
}

export function chooseOrganization(organization: string | undefined): void {
  current = organization
}

/** Whether a route takes no organization. */
export function isPersonal(path: string): boolean {
  return PERSONAL.some((one) => path === one || path.startsWith(`${one}/`))
}
