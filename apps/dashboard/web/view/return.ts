/** Address to open after sign-in. Addresses of other sites are replaced with `/`. */
export function returnAddress(address: string | undefined): string {
  if (
    address === undefined ||
    !address.startsWith('/') ||
    address.startsWith('//') ||
    address.includes('\\') ||
    address.startsWith('/sign-in')
  )
    return '/'
  return address
}

/** Format of links with a token in the fragment. */
const LINK = /^#\/(first|reset|sign-up|invite)\?token=([\w.~-]{1,500})$/

/** Address of the page for a link such as `/#/first?token=…`. The token stays in the fragment, which is never logged. */
export function linkAddress(hash: string): string | undefined {
  const [, page, token] = LINK.exec(hash) ?? []
  return page === undefined || token === undefined ? undefined : `/${page}#token=${token}`
}

export function tokenOf(hash: string): string | undefined {
  return /^#?token=([\w.~-]{1,500})$/.exec(hash)?.[1]
}

/** Fragment with the address to open after sign-in, for an address with a token. */
export function returnHash(address: string): string {
  return `return=${encodeURIComponent(address)}`
}

/** Address in a fragment of `returnHash`; undefined = none. */
export function returnOf(hash: string): string | undefined {
  const [, encoded] = /^#?return=([\w.~%!'()*-]{1,1000})$/.exec(hash) ?? []
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
