import type { Secret } from './secret.ts'

/** Secret for hashes of conversations. It is the same in every process with the gateway's secret. */
export function conversationSecret(secret: Secret): string {
  return secret.subKeys('conversations').sign([], 0)
}
