import type { Json } from '@headgate/core/provider'
import type { Received } from './upstream.ts'

/** What holds of an upstream whatever it is asked for. */
export interface UpstreamPlace {
  /** How it knows who asks; undefined = it does not ask. */
  readonly credential?: CredentialFacts | SignatureFacts
  /** Headers that it wants on every request, with their values. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers of a caller that it understands, so that they go up. */
  readonly forward?: readonly string[]
  /**
   * Path of its list of models, without the host, and how it writes one where that is a way of its own; absent = it has
   * none.
   */
  readonly models?: string | { readonly path: string; write(ids: readonly string[]): Json }
}

/** Where the credential stands, and what stands there: `Bearer test-key`. */
export type CredentialFacts =
  | { readonly header: string; readonly value: string }
  | { readonly query: string; readonly value: string }

/** A credential that is made anew for every request, or leased. */
export interface SignatureFacts {
  /** Lower-case names of the headers that it stands in. */
  readonly headers: readonly string[]
  /** Whether the vendor takes a request as signed. */
  isRight(request: Received): boolean
  /** What a request shows, or is signed with, and must never be told to anybody. */
  readonly secrets: readonly string[]
  /**
   * What the host answers that a leased credential is obtained from: the kit plays it too. It throws what it would
   * refuse.
   */
  readonly issue?: (request: Received) => string | object
}

/** The secret of a credential: without its scheme. */
export function secretOf({ credential }: { readonly credential?: CredentialFacts }): string | undefined {
  return credential?.value.replace(/^\S+\s+/, '')
}

/** Everything that must stay secret. */
export function secretsOf({ credential }: UpstreamPlace): readonly string[] {
  if (!credential) return []
  return 'secrets' in credential ? credential.secrets : [secretOf({ credential }) ?? '']
}

/** What the facts must say of a signature, for checks that need it. */
export function signatureOf({ credential }: UpstreamPlace): SignatureFacts | undefined {
  return credential && 'secrets' in credential ? credential : undefined
}
