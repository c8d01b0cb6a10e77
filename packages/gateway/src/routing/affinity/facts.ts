import type { PromptCacheFacts } from '@headgate/core/contract'

/** Lifetime of a cached prompt if the adapter does not state it, in milliseconds. */
const LIFETIME_MS = 300_000
/** Minimum number of tokens of a cached prefix if the adapter does not state it. */
const LEAST = 1_024

/** Usage of a response, as reported by the upstream. */
export interface CacheUse {
  /** All input tokens, including cached ones. */
  readonly input: number
  /** Tokens that were read from the cache. Absent: not reported. */
  readonly cacheRead?: number | undefined
  /** Tokens that were written to the cache. Absent: not reported. */
  readonly cacheWrite?: number | undefined
  /** True if the request asked for the longer lifetime, see {@link PromptCacheFacts.longLifetimeMs}. */
  readonly isLong?: boolean | undefined
}

/** Lifetime of the prefix that a request leaves in the cache, in milliseconds. */
export function lifetimeOf({ isLong }: CacheUse, facts: PromptCacheFacts | undefined): number {
  const usual = facts?.lifetimeMs ?? LIFETIME_MS
  return isLong ? (facts?.longLifetimeMs ?? usual) : usual
}

/** Minimum number of tokens of a cached prefix. */
export function leastOf(facts: PromptCacheFacts | undefined): number {
  return facts?.least ?? LEAST
}

/**
 * Tokens of a request that are in the cache after its response. Reported writes are exact. Without them, caches that
 * need a mark in the request contain only what was read, and automatic caches the whole input.
 */
export function cachedAfter(use: CacheUse, facts: PromptCacheFacts | undefined): number {
  const { input, cacheRead = 0, cacheWrite = 0 } = use
  return cacheWrite > 0 || facts?.onRequest ? Math.min(input, cacheRead + cacheWrite) : input
}
