import type { Secret } from './secret.ts'

/**
 * What receivers verify calls of one kind and name by: the same in every process that has the secret. @see
 * https://www.standardwebhooks.com
 */
export function webhookSecret(secret: Secret, purpose: string, name: string): string {
  const bytes = Buffer.from(secret.subKeys(purpose).sign([name], 0), 'base64url')
  return `whsec_${bytes.toString('base64')}`
}

/** The secret by which the owner of a key verifies callbacks. */
export function callbackSecret(secret: Secret, owner: string): string {
  return webhookSecret(secret, 'callbacks', owner)
}
