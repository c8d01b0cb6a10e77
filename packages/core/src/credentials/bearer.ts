import type { Credential } from '../contract/credential.ts'

/** A key that goes up as `Authorization: Bearer <key>`. */
export function bearer(key: string): Credential {
  return { kind: 'header', name: 'authorization', value: `Bearer ${key}` }
}
