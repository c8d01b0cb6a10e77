import type { Next } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** Final request, byte for byte. */
export interface FinalRequest {
  readonly method: string
  readonly url: URL
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Credential lease: a renewable credential from the vendor or the machine, which signs requests. */
export interface Lease<M> {
  /**
   * Hosts of the exchange, in the syntax of a provider's `hosts`: `oauth2.example.com` for https, or a whole origin
   * such as `http://169.254.169.254`. No other host is called.
   */
  readonly hosts: readonly string[]
  /**
   * Exchange that obtains the credential, with absolute URLs. It is renewed shortly before `expiresAt`. Failures are
   * never cached.
   */
  readonly obtain: {
    request(given: { readonly now: Date }): HttpRequest
    /** `now` is the time when the request was sent. A lifetime in seconds counts from there. */
    response(response: HttpResponse, earlier: readonly HttpResponse[], given: { readonly now: Date }): Leased<M> | Next
  }
  /** Secret strings in the material. Logs and messages never contain them. */
  secrets(material: M): readonly string[]
}

/** Leased material and the time when it expires. */
export type Leased<M> = M & { readonly expiresAt: Date }

/** Credential that signs each request. */
export interface Signed<M = unknown> {
  readonly kind: 'signed'
  /** Lease of the signing material. Without it, `sign` gets `undefined` as material. */
  readonly lease?: Lease<M>
  /** Secret strings that are known from the start. Logs and messages never contain them. */
  readonly secrets?: readonly string[]
  /** Headers to add to a request. A pure function: core caches, renews and waits. */
  sign(request: FinalRequest, material: M, now: Date): Readonly<Record<string, string>>
  /** True if a response rejects the leased material. Default: a 401. */
  stale?(response: HttpResponse): boolean
}

/** Credential of a provider. Never logged, never part of an error. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  | Signed

/**
 * Signed credential, typed by its leased material.
 * @example
 * const credential = signed({
 *   secrets: [key],
 *   sign: ({ body }) => ({ 'x-signature': hmac(key, body) }),
 * })
 */
export function signed<M = undefined>(credential: Omit<Signed<M>, 'kind'>): Credential {
  // `sign` and `secrets` get the material of `obtain`; core only passes it on.
  return { kind: 'signed', ...credential } as Credential
}
