import type { Principal } from './ledger.ts'

/** What a key has used in a stretch of time. */
export interface KeyUse {
  /** Requests that reached a provider. */
  readonly requests: number
  /** Tokens; what is not known counts as none. */
  readonly input: number
  readonly output: number
  /** What counts for the caller, in integer nano-dollars: digits, since it may be more than a number holds. */
  readonly charged: string
  /** Requests whose cost nobody knows: they are not in `charged`. */
  readonly unpriced: number
}

/** What is known of a key beside what `authenticate` says. What is absent is not known. */
export interface KeyInfo {
  /** Unix time in milliseconds. */
  readonly createdAt?: number
  readonly expiresAt?: number
  readonly used?: {
    /** Time zone in which days and months begin: `Europe/Berlin`. */
    readonly zone: string
    readonly today: KeyUse
    readonly month: KeyUse
    /** Since the beginning. */
    readonly all: KeyUse
  }
}

/** Tells of a caller's own key what its holder may know. A failure of it is the answer's. */
export type KeyInfoOf = (principal: Principal) => KeyInfo | Promise<KeyInfo>
