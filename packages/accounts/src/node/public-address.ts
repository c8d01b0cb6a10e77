/** Public address and allowed origins. */
export interface PublicAddress {
  /** Base URL without a trailing slash. */
  readonly url: string
  /** Allowed origins of browsers. Never taken from a request. */
  readonly origins: readonly string[]
  /** True if the address is configured. */
  readonly isConfigured: boolean
}

/** Settings of the address. */
export interface AddressSettings {
  readonly publicUrl?: string | undefined
  /** True if the program listens with TLS. Default: false. */
  readonly isSecure?: boolean | undefined
}

/**
 * Public address from the configuration, or this machine with all its names. Links use `localhost`, which passkeys
 * require.
 */
export function publicAddress({ publicUrl, isSecure = false }: AddressSettings, port: number): PublicAddress {
  if (publicUrl !== undefined) {
    return { url: publicUrl.replace(/\/+$/, ''), origins: [new URL(publicUrl).origin], isConfigured: true }
  }
  const scheme = isSecure ? 'https' : 'http'
  const origins = ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`${scheme}://${host}:${port}`).origin)
  return { url: `${scheme}://localhost:${port}`, origins, isConfigured: false }
}
