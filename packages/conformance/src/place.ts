import type { Json } from '@headgate/core/provider'
import type { Received } from './upstream.ts'

/** Facts about an upstream that are independent of the family. */
export interface UpstreamPlace {
  /** Credential of requests. Undefined if the upstream needs none. */
  readonly credential?: CredentialFacts | SignatureFacts
  /** Required headers of every request, with their values. */
  readonly headers?: Readonly<Record<string, string>>
  /** Callers' headers that the upstream understands. The gateway must forward them. */
  readonly forward?: readonly string[]
  /**
   * Path of the model list, without the host, and a writer for its format if it is a custom one. Absent if there is no
   * list.
   */
  readonly models?: string | { readonly path: string; write(ids: readonly string[]): Json }
}

/** Place and value of the credential: `Bearer test-key`. */
export type CredentialFacts =
  | { readonly header: string; readonly value: string }
  | { readonly query: string; readonly value: string }

/** Credential that is created for every request, or leased. */
export interface SignatureFacts {
  /** Lowercase names of the headers with the credential. */
  readonly headers: readonly string[]
  /** Tells if the vendor accepts the signature of a request. */
  isRight(request: Received): boolean
  /** Strings in a request, or used to sign it, that must never be exposed. */
  readonly secrets: readonly string[]
  /**
   * Response of the host that issues a leased credential; the kit simulates this host.
   *
   * @throws for requests that the host would reject
   */
  readonly issue?: (request: Received) => string | object
}

/** Secret of a credential, without its scheme. */
export function secretOf({ credential }: { readonly credential?: CredentialFacts }): string | undefined {
  return credential?.value.replace(/^\S+\s+/, '')
}

/** All secret strings. */
export function secretsOf({ credential }: UpstreamPlace): readonly string[] {
  if (!credential) return []
  return 'secrets' in credential ? credential.secrets : [secretOf({ credential }) ?? '']
}

/** Facts about a signature, for checks that need them. */
export function signatureOf({ credential }: UpstreamPlace): SignatureFacts | undefined {
  return credential && 'secrets' in credential ? credential : undefined
}
