/** Where people come from, and where links lead them. */
export interface PublicAddress {
  /** Without a slash at its end. */
  readonly url: string
  /** Origins that browsers may come from: never what a request says of itself. */
  readonly origins: readonly string[]
  /** Whether somebody has said it. */
  readonly isConfigured: boolean
}

/**
 * The address of a public URL, or that of this machine with each of its names. Links name `localhost`, which passkeys
 * need.
 */
export function publicAddress({ publicUrl }: { readonly publicUrl?: string | undefined }, port: number): PublicAddress {
  if (publicUrl !== undefined) {
    return { url: publicUrl.replace(/\/+$/, ''), origins: [new URL(publicUrl).origin], isConfigured: true }
  }
  const origins = ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin)
  return { url: `http://localhost:${port}`, origins, isConfigured: false }
}
