import { HeadgateError, type Principal, rightsOf } from '@headgate/gateway/ports'
import { effectiveScopes } from './creators.ts'
import type { KeyMatch } from './keys.ts'

/** Cached lookup of keys. Unknown keys are cached for a short time. */
export interface KeyLookup {
  /**
   * Principal of a key, by its hash; undefined if the key is unknown, expired or revoked. While the store does not
   * answer, keys that were verified in the last hour stay valid.
   * @throws HeadgateError `unavailable` for all other keys
   */
  findByHash(hash: string): Principal | undefined | Promise<Principal | undefined>
  /** Invalidates the cache after a key was created, changed or revoked. */
  changed(): void
  /** Confirms the cache: no key has changed. */
  confirmed(): void
}

export interface KeyLookupOptions {
  /** Reads a key from the store. */
  lookUp(hash: string): Promise<KeyMatch | undefined>
  /** Clock for the expiry of keys, Unix milliseconds. */
  readonly now?: () => number
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: () => number
  /** Maximum time that a request waits for the store, in milliseconds; default 3,000. */
  readonly patience?: number
}

/** Maximum number of cached keys, and of cached unknown keys. */
const REMEMBERED = 10_000
/** Time until an unknown key is looked up again, in milliseconds. */
const UNKNOWN_FOR = 5_000
/** Suggested wait of a caller whose key could not be checked, in milliseconds. */
const RETRY = 1_000
/** Time that a verified key stays valid while the store is unreachable, in milliseconds. */
const STALE = 3_600_000
/** Maximum number of lookups at a time. */
const LOOKED_UP = 1_000
const SILENCE = Symbol('The store is silent.')
/** Maximum time that a request waits for the store, in milliseconds. The store can be silent for much longer. */
const PATIENCE = 3_000

interface CachedKey {
  /** Undefined if the key is revoked. */
  readonly principal: Principal | undefined
  /** Expiry in Unix milliseconds. */
  readonly endsAt: number
  /** Cache version at the time of the lookup. */
  readonly version: number
  /** Time of the lookup, or of its last confirmation. */
  at: number
}

export function createKeyLookup(options: KeyLookupOptions): KeyLookup {
  const { lookUp, now = Date.now, elapsed = performance.now.bind(performance), patience = PATIENCE } = options
  const verified = new Map<string, CachedKey>()
  const unknownKeys = new Map<string, number>()
  const pending = new Map<string, Promise<Principal | undefined>>()
  let version = 0
  let confirmedAt = Number.NEGATIVE_INFINITY
  /** True if a lookup exceeded the limit and none was answered since. */
  let isSilent = false

  const ask = async (hash: string): Promise<Principal | undefined> => {
    const startVersion = version
    try {
      const held = await lookUp(hash)
      isSilent = false
      verified.delete(hash)
      if (!held) {
        if (startVersion === version) remember(unknownKeys, hash, elapsed() + UNKNOWN_FOR)
        return undefined
      }
      const { endsAt = Number.POSITIVE_INFINITY } = held
      const known = { principal: principalOf(held), endsAt, version: startVersion, at: elapsed() }
      remember(verified, hash, known)
      return currentPrincipal(known)
    } catch (cause) {
      return stale(hash, cause)
    }
  }

  /** Cached principal while the store does not answer. */
  const stale = (hash: string, cause: unknown): Principal | undefined => {
    const known = verified.get(hash)
    if (known && elapsed() < known.at + STALE) return currentPrincipal(known)
    const message =
      'The gateway cannot reach its store to check this key. Try again later; if it lasts, its operator runs `headgate doctor`.'
    throw new HeadgateError('unavailable', message, { cause, retryAfterMs: RETRY })
  }

  /** Lookup with a time limit. A verified key does not wait for a silent store. */
  const patient = async (hash: string, lookup: Promise<Principal | undefined>): Promise<Principal | undefined> => {
    const { promise: silence, resolve } = Promise.withResolvers<typeof SILENCE>()
    const timer = setTimeout(resolve, isSilent && verified.has(hash) ? 0 : patience, SILENCE)
    const found = await Promise.race([lookup, silence]).finally(() => clearTimeout(timer))
    if (found !== SILENCE) return found
    lookup.catch(() => {})
    isSilent = true
    return stale(hash, new Error(`The store did not answer within ${patience} ms.`))
  }

  const currentPrincipal = ({ principal, endsAt }: CachedKey): Principal | undefined =>
    now() < endsAt ? principal : undefined

  /** Time until which a cached key is valid without confirmation. */
  const end = ({ at }: CachedKey): number => Math.max(at, confirmedAt) + STALE

  return {
    findByHash(hash) {
      const known = verified.get(hash)
      if (known?.version === version && elapsed() < end(known)) return currentPrincipal(known)
      const until = unknownKeys.get(hash)
      if (until !== undefined && until > elapsed()) return undefined
      const asking = pending.get(hash)
      if (asking) return asking
      if (pending.size >= LOOKED_UP)
        throw new HeadgateError('over-limit', 'Too many unknown keys are being checked. Try again.', {
          retryAfterMs: 1000,
        })
      const lookup = ask(hash).finally(() => {
        if (pending.get(hash) === answer) pending.delete(hash)
      })
      const answer = patient(hash, lookup)
      pending.set(hash, answer)
      return answer
    },
    changed() {
      isSilent = false
      for (const known of verified.values()) if (known.version === version) known.at = Math.max(known.at, confirmedAt)
      version += 1
      unknownKeys.clear()
      // Requests from now on must see the change.
      pending.clear()
    },
    confirmed() {
      confirmedAt = elapsed()
      isSilent = false
    },
  }
}

/** Adds an entry and evicts the oldest one if there are too many. */
function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id)
  const [oldest] = map.size >= REMEMBERED ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(id, value)
}

/**
 * Principal shared by all requests of the key; undefined if the key is revoked, or its creator may no longer have keys
 * here.
 */
function principalOf({ facts, organization, role, memberLimits, sharesResponses }: KeyMatch): Principal | undefined {
  const { id, name, project, environment, createdBy, creator, service, limits, revokedAt, tracedUntil } = facts
  if (revokedAt !== undefined || (createdBy !== undefined && creator !== 'active')) return undefined
  const scopes = effectiveScopes(facts.scopes, role)
  return {
    id,
    ...(name !== undefined && { name }),
    ...rightsOf({ ...facts, scopes }),
    ...(limits && { limits }),
    ...(memberLimits && { memberLimits }),
    ...(service && { service }),
    ...(sharesResponses && { sharesResponses }),
    ...(tracedUntil !== undefined && { tracedUntil }),
    environment,
    owners: { project, organization, ...(createdBy !== undefined && { member: createdBy }) },
  }
}
