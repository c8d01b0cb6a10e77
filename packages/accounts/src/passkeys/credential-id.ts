/** Maximum length of a credential id in base64url: WebAuthn allows 1,023 bytes. */
const LONGEST = 1_364

/** Credential id for a lookup; empty if invalid. */
export function credentialId(id: unknown): string {
  return typeof id === 'string' && id.length <= LONGEST && /^[A-Za-z0-9_-]+$/.test(id) ? id : ''
}
