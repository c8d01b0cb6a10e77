import { checkMembers, membersOf } from './members.ts'

/**
 * Notation of a reset header. The unit of a bare number differs between vendors, and is never guessed.
 *
 * - `duration`: numbers with units, such as `12ms` and `6m0s`
 * - `seconds`, `milliseconds`: the time until the reset; a value with a unit is accepted
 * - `epoch`: the Unix time of the reset, in seconds, or in milliseconds from 100,000,000,000
 * - `rfc3339`: the time of the reset as a date
 * - `ietf`: `remaining` is the `RateLimit` field of the IETF, and contains the reset in seconds: `"api";r=999;t=295`
 */
export type ResetNotation = 'duration' | 'seconds' | 'milliseconds' | 'epoch' | 'rfc3339' | 'ietf'

/**
 * Headers of one limit of an upstream. They are read from every response; values that are negative or cannot be parsed
 * are ignored.
 */
export interface LimitHeader {
  /** Unit of the limit. Output tokens of a request are unknown, so that a remainder of 1 is enough. */
  readonly unit: 'requests' | 'tokens' | 'output-tokens'
  /** Header with the remaining amount. Absent: a failure has `reset` if it exceeds the limit. */
  readonly remaining?: string | undefined
  /** Header with the whole amount. */
  readonly limit?: string | undefined
  /** Header with the time until the reset. */
  readonly reset?: string | undefined
  /** Notation of `reset`. */
  readonly resetAs?: ResetNotation | undefined
  /**
   * Length of the limit's window in milliseconds, for responses without a reset. Default: unknown. At most 30 minutes
   * are waited, because the start of the window is unknown.
   */
  readonly windowMs?: number | undefined
  /** True if the amount grows continuously, so that `reset` is the time until it is whole. Default: false. */
  readonly refills?: boolean | undefined
}

/** Maximum number of headers that are read from one response. */
const MAX_LOOKUPS = 8

const LIMIT_HEADER = membersOf<LimitHeader>()('unit remaining limit reset resetAs windowMs refills')

/** Options of {@link chatCompletionsLimits}. */
export interface ChatCompletionsLimitsOptions {
  /** True if the amounts grow continuously. Default: false. */
  readonly refills?: boolean | undefined
}

/**
 * Limits with the header names of chat completions: `x-ratelimit-remaining-requests`, and the same for `limit`,
 * `reset` and tokens. Servers that use these names differ in the notation of `reset`; default: unknown.
 * @example limitHeaders: chatCompletionsLimits('seconds')
 */
export function chatCompletionsLimits(
  resetAs?: Exclude<ResetNotation, 'ietf'>,
  { refills }: ChatCompletionsLimitsOptions = {},
): readonly LimitHeader[] {
  return (['requests', 'tokens'] as const).map((unit) => ({
    unit,
    remaining: `x-ratelimit-remaining-${unit}`,
    limit: `x-ratelimit-limit-${unit}`,
    ...(resetAs && { reset: `x-ratelimit-reset-${unit}`, resetAs }),
    ...(refills && { refills }),
  }))
}

/** Limits with the header names of messages. Their amounts grow continuously. */
export const MESSAGES_LIMITS: readonly LimitHeader[] = [
  {
    unit: 'requests',
    remaining: 'anthropic-ratelimit-requests-remaining',
    limit: 'anthropic-ratelimit-requests-limit',
    reset: 'anthropic-ratelimit-requests-reset',
    resetAs: 'rfc3339',
    refills: true,
  },
  {
    unit: 'tokens',
    remaining: 'anthropic-ratelimit-input-tokens-remaining',
    limit: 'anthropic-ratelimit-input-tokens-limit',
    reset: 'anthropic-ratelimit-input-tokens-reset',
    resetAs: 'rfc3339',
    refills: true,
  },
  {
    unit: 'output-tokens',
    remaining: 'anthropic-ratelimit-output-tokens-remaining',
    reset: 'anthropic-ratelimit-output-tokens-reset',
    resetAs: 'rfc3339',
  },
]

/**
 * Limit of requests in the `RateLimit` field of the IETF's draft.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const IETF_LIMITS: readonly LimitHeader[] = [{ unit: 'requests', remaining: 'ratelimit', resetAs: 'ietf' }]

/**
 * Checks the limit headers of a provider.
 * @throws TypeError for an unknown member, a name in upper case, a reset without a notation, or more than 8 headers.
 */
export function checkLimitHeaders(id: string, headers: readonly LimitHeader[]): void {
  for (const header of headers) {
    checkMembers(`A limit header of ${id}`, header, LIMIT_HEADER)
    if (header.reset !== undefined && header.resetAs === undefined)
      throw new TypeError(`The limit header "${header.reset}" of ${id} needs \`resetAs\`, the notation of its value.`)
  }
  const names = headers.flatMap(({ remaining, limit, reset }) =>
    [remaining, limit, reset].filter((name) => name !== undefined),
  )
  const upper = names.find((name) => name !== name.toLowerCase())
  if (upper !== undefined) throw new TypeError(`The limit header "${upper}" of ${id} must be in lower case.`)
  if (names.length > MAX_LOOKUPS)
    throw new TypeError(`The provider ${id} reads ${names.length} limit headers. The maximum is ${MAX_LOOKUPS}.`)
}
