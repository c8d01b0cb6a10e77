import { HeadgateError, type Principal, rightsOf } from '@headgate/gateway/ports'
import { presentScopes } from './creators.ts'
import type { HeldKey } from './keys.ts'

/** Who holds a key: those that were asked for are remembered, those that nobody holds for a while. */
export interface Holders {
  /**
   * Principal of a key, by its hash; undefined for a key that is unknown, expired or revoked. While the store does not
   * answer, keys that were verified in the last hour stay valid. @throws HeadgateError `unavailable` for all other
   * keys.
   */
  holder(hash: string): Principal | undefined | Promise<Principal | undefined>
  /** Has all of them looked up again: a key was made or revoked. */
  changed(): void
  /** What is remembered was true now: no key was made or revoked. */
  confirmed(): void
}

export interface HoldersOptions {
  /** Asks the store. */
  lookUp(hash: string): Promise<HeldKey | undefined>
  /** Unix milliseconds, by which keys expire. */
  readonly now?: () => number
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed?: () => number
  /** How long a request waits for the store, in milliseconds; 3,000. */
  readonly patience?: number
}

/** Most keys that are remembered, and most that are known to be nobody's. */
const REMEMBERED = 10_000
/** How long a key that nobody holds is not looked up again, in milliseconds. */
const NOBODYS = 5_000
/** After how long a caller whose key could not be checked tries again, in milliseconds. */
const RETRY = 1_000
/** How long a verified key goes on while the store is away, in milliseconds. */
const STALE = 3_600_000
/** Most keys that are looked up at once. */
const LOOKED_UP = 1_000
const SILENCE = Symbol('The store is silent.')
/** How long a request waits for the store, in milliseconds: silence may last much longer. */
const PATIENCE = 3_000

interface Verified {
  /** Undefined = it is revoked. */
  readonly principal: Principal | undefined
  /** Unix milliseconds. */
  readonly endsAt: number
  /** Which of the store's changes it has seen. */
  readonly version: number
  /** When that was, or when it was last known to be so. */
  at: number
}

export function createHolders(options: HoldersOptions): Holders {
  const { lookUp, now = Date.now, elapsed = performance.now.bind(performance), patience = PATIENCE } = options
  const verified = new Map<string, Verified>()
  const nobodys = new Map<string, number>()
  const pending = new Map<string, Promise<Principal | undefined>>()
  let version = 0
  let confirmedAt = Number.NEGATIVE_INFINITY
  /** Whether a lookup took longer than requests wait, and none was answered since. */
  let isSilent = false

  const ask = async (hash: string): Promise<Principal | undefined> => {
    const asked = version
    try {
      const held = await lookUp(hash)
      isSilent = false
      verified.delete(hash)
      if (!held) {
        if (asked === version) remember(nobodys, hash, elapsed() + NOBODYS)
        return undefined
      }
      const { endsAt = Number.POSITIVE_INFINITY } = held
      const known = { principal: principalOf(held), endsAt, version: asked, at: elapsed() }
      remember(verified, hash, known)
      return holderOf(known)
    } catch (cause) {
      return stale(hash, cause)
    }
  }

  /** What was verified before; the store does not answer. */
  const stale = (hash: string, cause: unknown): Principal | undefined => {
    const known = verified.get(hash)
    if (known && elapsed() < known.at + STALE) return holderOf(known)
    const message =
      'The gateway cannot reach its store to check this key. Try again later; if it lasts, its operator runs `headgate doctor`.'
    throw new HeadgateError('unavailable', message, { cause, retryAfterMs: RETRY })
  }

  /**
   * A lookup that requests wait for no longer than their patience. A verified key does not wait for a store that is
   * silent.
   */
  const patient = async (hash: string, lookup: Promise<Principal | undefined>): Promise<Principal | undefined> => {
    const { promise: silence, resolve } = Promise.withResolvers<typeof SILENCE>()
    const timer = setTimeout(resolve, isSilent && verified.has(hash) ? 0 : patience, SILENCE)
    const found = await Promise.race([lookup, silence]).finally(() => clearTimeout(timer))
    if (found !== SILENCE) return found
    lookup.catch(() => {})
    isSilent = true
    return stale(hash, new Error(`The store did not answer within ${patience} ms.`))
  }

  const holderOf = ({ principal, endsAt }: Verified): Principal | undefined => (now() < endsAt ? principal : undefined)

  /** Until when what is remembered goes on though nobody confirms it. */
  const end = ({ at }: Verified): number => Math.max(at, confirmedAt) + STALE

  return {
    holder(hash) {
      const known = verified.get(hash)
      if (known?.version === version && elapsed() < end(known)) return holderOf(known)
      const until = nobodys.get(hash)
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
      nobodys.clear()
      // Whoever asks from now on is answered by the change.
      pending.clear()
    },
    confirmed() {
      confirmedAt = elapsed()
      isSilent = false
    },
  }
}

/** The oldest makes room. */
function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id)
  const [oldest] = map.size >= REMEMBERED ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  map.set(id, value)
}

/** One for all requests of the key; undefined if the key is revoked, or its creator may have no keys here any more. */
function principalOf({ facts, organization, role, memberLimits, sharesResponses }: HeldKey): Principal | undefined {
  const { id, name, project, environment, createdBy, creator, service, limits, revokedAt, tracedUntil } = facts
  if (revokedAt !== undefined || (createdBy !== undefined && creator !== 'active')) return undefined
  const scopes = presentScopes(facts.scopes, role)
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
