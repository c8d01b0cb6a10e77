/** Where to go after a sign-in: an address of ours, and nothing else. */
export function returnAddress(given: string | undefined): string {
  if (
    given === undefined ||
    !given.startsWith('/') ||
    given.startsWith('//') ||
    given.includes('\\') ||
    given.startsWith('/sign-in')
  )
    return '/'
  return given
}

/** Pages that a link with a token in its fragment leads to. */
const LINK = /^#\/(first|reset|sign-up|invite)\?token=([\w.~-]{1,500})$/

/**
 * The address of the page for a link such as `/#/first?token=…`; the token stays in the fragment, which no log sees.
 */
export function linkAddress(hash: string): string | undefined {
  const [, page, token] = LINK.exec(hash) ?? []
  return page === undefined || token === undefined ? undefined : `/${page}#token=${token}`
}

export function tokenOf(hash: string): string | undefined {
  return /^#?token=([\w.~-]{1,500})$/.exec(hash)?.[1]
}
