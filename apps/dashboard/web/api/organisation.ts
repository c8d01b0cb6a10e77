/** Routes that are of whoever asks, or of everybody, and of no organisation. */
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
export function currentOrganisation(): string | undefined {
  return current
}

export function chooseOrganisation(organisation: string | undefined): void {
  current = organisation
}

/** Whether a route takes no organisation. */
export function isPersonal(path: string): boolean {
  return PERSONAL.some((one) => path === one || path.startsWith(`${one}/`))
}
