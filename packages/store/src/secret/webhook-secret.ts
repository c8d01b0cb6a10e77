import type { Secret } from './secret.ts'

/**
 * Secret with which receivers verify webhooks of one purpose and name. It is the same in every process with the
 * gateway's secret.
 * @see https://www.standardwebhooks.com
 */
export function webhookSecret(secret: Secret, purpose: string, name: string): string {
  const bytes = Buffer.from(secret.subKeys(purpose).sign([name], 0), 'base64url')
  return `whsec_${bytes.toString('base64')}`
}

/** Secret with which the owner of a key verifies callbacks. */
export function callbackSecret(secret: Secret, owner: string): string {
  return webhookSecret(secret, 'callbacks', owner)
}
