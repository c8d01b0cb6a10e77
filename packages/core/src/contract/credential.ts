import type { Next } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** A request as it goes out, byte for byte. */
export interface FinalRequest {
  readonly method: string
  readonly url: URL
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** What is obtained from the vendor, or from the machine, before requests can be signed. */
export interface Lease<M> {
  /**
   * The only hosts that are asked, as in a provider's `hosts`: `oauth2.example.com` by https, or a whole origin, as of
   * a metadata server: `http://169.254.169.254`.
   */
  readonly hosts: readonly string[]
  /**
   * How it is obtained, over one request or several with absolute URLs. What is obtained is used until shortly before
   * `expiresAt`; a failure is never kept.
   */
  readonly obtain: {
    request(given: { readonly now: Date }): HttpRequest
    /** `now` is when the request that is answered went out: what lasts so many seconds lasts at least until then. */
    response(answer: HttpResponse, earlier: readonly HttpResponse[], given: { readonly now: Date }): Leased<M> | Next
  }
  /** What of it must never be seen. */
  secrets(material: M): readonly string[]
}

export type Leased<M> = M & { readonly expiresAt: Date }

/** A credential that is made anew for every request. */
export interface Signed<M = unknown> {
  readonly kind: 'signed'
  /** Absent where nothing has to be obtained: `sign` then gets no material. */
  readonly lease?: Lease<M>
  /** What is signed with, where that is known from the start: it must never be seen. */
  readonly secrets?: readonly string[]
  /** Headers that are added to a request. Pure: core caches, renews and waits. */
  sign(request: FinalRequest, material: M, now: Date): Readonly<Record<string, string>>
  /** Whether an answer says that what was leased is no longer taken. Default: a 401. */
  stale?(answer: HttpResponse): boolean
}

/** How the upstream knows us. Never logged, never in an error. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  | Signed

/** A signed credential by the type of what it leases, as a {@link Credential}. */
export function signed<M = undefined>(credential: Omit<Signed<M>, 'kind'>): Credential {
  // What `obtain` gives is what `sign` and `secrets` get: core only carries it.
  return { kind: 'signed', ...credential } as Credential
}
