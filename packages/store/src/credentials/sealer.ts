import type { Secret } from '../secret/secret.ts'
import type { SealedCredential } from './credentials.ts'

/** Values of a credential by field of the adapter's configuration. */
export type CredentialValues = Readonly<Record<string, string>>

/** Place that a credential is bound to. It cannot be opened for another one. */
export type CredentialPlace = Pick<SealedCredential, 'provider' | 'adapter' | 'baseUrl' | 'hosts'>

/** Encryption of provider credentials with a separate key. */
export interface CredentialSealer {
  seal(values: CredentialValues, place: CredentialPlace): string
  /** Values of a stored credential; undefined if it was changed, moved, or sealed with an unknown secret. */
  open(stored: CredentialPlace & Pick<SealedCredential, 'sealed'>): CredentialValues | undefined
}

export function createCredentialSealer(secret: Secret): CredentialSealer {
  const keys = secret.subKeys('provider-credentials')
  return {
    seal: (values, place) => keys.seal(Buffer.from(JSON.stringify(values)), textOf(place)),
    open(stored) {
      const plain = keys.open(stored.sealed, textOf(stored))
      return plain && JSON.parse(plain.toString())
    },
  }
}

/** Canonical text of a place. */
function textOf({ provider, adapter, baseUrl, hosts }: CredentialPlace): string {
  return JSON.stringify([provider, adapter, baseUrl ?? null, hosts])
}
