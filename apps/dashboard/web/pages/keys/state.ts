import type { Key } from '../../api/keys.ts'

export type KeyState = 'active' | 'ending' | 'ended' | 'revoked'

/** From how long before its end a key is said to be ending, in milliseconds. */
const SOON = 7 * 86_400_000

export function stateOf({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt === undefined || expiresAt - now > SOON) return 'active'
  return expiresAt > now ? 'ending' : 'ended'
}

export function isUsable(key: Key, now: number): boolean {
  return ['active', 'ending'].includes(stateOf(key, now))
}

export type SecretState = 'active' | 'ending' | 'expired' | 'revoked'

/** State of one of a key's secrets: no secret outlives its key. @param expiresAt of the secret, in Unix milliseconds. */
export function secretState(key: Pick<Key, 'revokedAt' | 'expiresAt'>, expiresAt: number | undefined, now: number): SecretState {
  const state = stateOf(key, now)
  if (state === 'revoked') return 'revoked'
  if (state === 'ended' || (expiresAt !== undefined && expiresAt <= now)) return 'expired'
  return expiresAt === undefined ? 'active' : 'ending'
}
