import type { Key } from '../../api/keys.ts'
import { Chip, type Tone } from '../../components/chip.tsx'
import { LABELS } from '../../labels.ts'

/** State of a key. `stopped`: its creator has left, is disabled or is a viewer. */
export type KeyState = 'active' | 'ending' | 'ended' | 'revoked' | 'stopped'

/** Time before its expiry from which a key is `ending`, in milliseconds. */
const SOON = 7 * 86_400_000

export function stateOf(
  { revokedAt, expiresAt, creator = 'active' }: Pick<Key, 'revokedAt' | 'expiresAt' | 'creator'>,
  now: number,
): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  if (expiresAt !== undefined && expiresAt <= now) return 'ended'
  if (creator !== 'active') return 'stopped'
  if (expiresAt === undefined || expiresAt - now > SOON) return 'active'
  return 'ending'
}

/** Returns whether a key works, or could work again after an owner takes it over. */
export function isOpen(key: Key, now: number): boolean {
  return isUsable(key, now) || stateOf(key, now) === 'stopped'
}

export function isUsable(key: Key, now: number): boolean {
  return ['active', 'ending'].includes(stateOf(key, now))
}

interface RecordedKey {
  readonly tracedUntil: number
}

/** Returns whether requests of a key are recorded now. */
export function isRecorded<Of extends Pick<Key, 'tracedUntil'>>(key: Of, now: number): key is Of & RecordedKey {
  return key.tracedUntil !== undefined && key.tracedUntil > now
}

export type SecretState = 'active' | 'ending' | 'expired' | 'revoked' | 'stopped'

/** State of a secret of a key, which ends with the key at the latest. @param expiresAt in Unix milliseconds */
export function secretState(
  key: Pick<Key, 'revokedAt' | 'expiresAt' | 'creator'>,
  expiresAt: number | undefined,
  now: number,
): SecretState {
  const state = stateOf(key, now)
  if (state === 'revoked') return 'revoked'
  if (state === 'ended' || (expiresAt !== undefined && expiresAt <= now)) return 'expired'
  if (state === 'stopped') return 'stopped'
  return expiresAt === undefined ? 'active' : 'ending'
}

const LOOKS: Readonly<Record<KeyState, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  ending: ['warn', 'expires soon'],
  ended: ['bad', LABELS.expired],
  revoked: ['bad', 'revoked'],
  stopped: ['bad', 'stopped'],
}

export function StateChip({ state }: { readonly state: KeyState }) {
  const [tone, text] = LOOKS[state]
  return <Chip tone={tone}>{text}</Chip>
}
