import type { Credential } from '../contract/credential.ts'

/**
 * Credential for a key that is sent as `Authorization: Bearer <key>`.
 * @example const credential = bearer(apiKey)
 */
export function bearer(key: string): Credential {
  return { kind: 'header', name: 'authorization', value: `Bearer ${key}` }
}
