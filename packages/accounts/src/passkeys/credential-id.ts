/** Longest id of a credential in base64url: WebAuthn allows 1,023 bytes. */
const LONGEST = 1_364

/** The id of a credential as it can be looked up; empty for what is none. */
export function credentialId(id: unknown): string {
  return typeof id === 'string' && id.length <= LONGEST && /^[A-Za-z0-9_-]+$/.test(id) ? id : ''
}
