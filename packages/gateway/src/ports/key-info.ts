import type { Principal } from './ledger.ts'

/** Usage of a key in a period. */
export interface KeyUse {
  /** Requests that reached a provider. */
  readonly requests: number
  /** Tokens; unknown counts are zero. */
  readonly input: number
  readonly output: number
  /** Charged cost in integer nano-dollars: a string of digits, since it may exceed the range of numbers. */
  readonly charged: string
  /** Requests with unknown cost. They are not part of `charged`. */
  readonly unpriced: number
}

/** Information about a key in addition to its {@link Principal}. Absent = unknown. */
export interface KeyInfo {
  /** Unix time in milliseconds. */
  readonly createdAt?: number
  readonly expiresAt?: number
  readonly used?: {
    /** Time zone of days and months, such as `Europe/Berlin`. */
    readonly zone: string
    readonly today: KeyUse
    readonly month: KeyUse
    /** Total since the key was created. */
    readonly all: KeyUse
  }
}

/** Looks up information about the caller's key, for `GET /v1/key`. If it fails, the request fails. */
export type KeyInfoOf = (principal: Principal) => KeyInfo | Promise<KeyInfo>
