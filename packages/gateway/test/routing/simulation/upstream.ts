import type { Price } from '../../../../core/src/canonical/target.ts'
import type { PromptCacheFacts } from '../../../../core/src/contract/provider.ts'
import { between, seeded } from './random.ts'
import type { Segment, TraceRequest } from './trace.ts'

/** Time after the start of a call until others can read what it caches, in milliseconds. */
const AVAILABLE_AFTER_MS = 1_500

/** Rules of a vendor's prompt cache. */
export interface CacheRules {
  readonly name: string
  readonly price: Price
  /** Facts that the adapter declares. */
  readonly facts: PromptCacheFacts
  /** Minimum tokens of a cached prefix. */
  readonly least: number
  /** Step in which cached tokens are counted. */
  readonly step: number
  /** Time until an unused prefix is removed, in milliseconds: between two numbers. */
  readonly lifetime: readonly [least: number, most: number]
  /**
   * True if only marked prefixes are stored: the tools with the system instructions, and the last message. A mark finds
   * prefixes that end at most 20 content blocks before it.
   */
  readonly isMarked: boolean
}

const RATES = { input: 3_000_000_000, cacheRead: 300_000_000, output: 15_000_000_000 }

/**
 * Explicit cache: 5 minutes, refreshed by each use; at least 1,024 tokens; a lookback of 20 blocks; writes cost 1.25
 * times the input, reads a tenth.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export const MARKED: CacheRules = {
  name: 'marked',
  price: { id: 'marked', ...RATES, cacheWrite: 3_750_000_000 },
  facts: { lifetimeMs: 300_000, onRequest: true },
  least: 1_024,
  step: 1,
  lifetime: [300_000, 300_000],
  isMarked: true,
}

/**
 * Automatic cache: 5 to 10 minutes of inactivity; at least 1,024 tokens, in steps of 128; writes are free, reads cost a
 * tenth.
 * @see https://platform.openai.com/docs/guides/prompt-caching
 */
export const AUTOMATIC: CacheRules = {
  name: 'automatic',
  price: { id: 'automatic', ...RATES },
  facts: { lifetimeMs: 300_000 },
  least: 1_024,
  step: 128,
  lifetime: [300_000, 600_000],
  isMarked: false,
}

/**
 * Implicit cache: in memory, without a promised lifetime; at least 2,048 tokens; reads cost a tenth. The lifetimes are
 * an assumption.
 * @see https://ai.google.dev/gemini-api/docs/caching
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-overview
 */
export const IMPLICIT: CacheRules = {
  name: 'implicit',
  price: { id: 'implicit', ...RATES },
  facts: { lifetimeMs: 300_000, least: 2_048 },
  least: 2_048,
  step: 1,
  lifetime: [150_000, 900_000],
  isMarked: false,
}

/** Cached tokens of a call. */
export interface CacheResult {
  readonly cacheRead: number
  /** Absent if the vendor does not charge writes. */
  readonly cacheWrite?: number
}

interface Stored {
  from: number
  until: number
}

/** Simulated upstream with a prompt cache. */
export interface Upstream {
  readonly key: string
  readonly rules: CacheRules
  /** Result of a call at its start, without changes of the cache. */
  peek(request: TraceRequest): CacheResult
  /** Result of a call, which changes the cache. */
  call(request: TraceRequest): CacheResult
}

/** Creates an upstream. Its lifetimes only depend on the seed and the order of calls. */
export function createUpstream(key: string, rules: CacheRules, seed: number): Upstream {
  const cache = new Map<number, Stored>()
  const random = seeded(seed)
  const isCached = ({ id }: Segment, now: number): boolean => {
    const stored = cache.get(id)
    return stored !== undefined && stored.from <= now && stored.until > now
  }
  const longest = ({ segments, startsAt }: TraceRequest): number => {
    const last = segments.at(-1)
    const before = rules.isMarked && last ? last.blocks - 20 : 0
    for (let i = segments.length - 1; i >= 0; i--) {
      const segment = segments[i]
      // The mark after the system instructions finds them at any distance.
      if (segment && (i === 0 || segment.blocks >= before) && isCached(segment, startsAt)) return i
    }
    return -1
  }
  const resultOf = (request: TraceRequest, found: number): CacheResult => {
    const tokens = request.segments[found]?.tokens ?? 0
    const cacheRead = tokens < rules.least ? 0 : Math.floor(tokens / rules.step) * rules.step
    return rules.isMarked ? { cacheRead, cacheWrite: request.input - cacheRead } : { cacheRead }
  }
  const keep = ({ id, tokens }: Segment, now: number): void => {
    if (tokens < rules.least) return
    const stored = cache.get(id)
    const until = now + between(random, ...rules.lifetime)
    if (stored && stored.until > now) stored.until = Math.max(stored.until, until)
    else cache.set(id, { from: now + AVAILABLE_AFTER_MS, until })
  }
  return {
    key,
    rules,
    peek: (request) => resultOf(request, longest(request)),
    call(request) {
      const found = longest(request)
      const { segments, startsAt } = request
      segments.forEach((segment, i) => {
        if (!rules.isMarked || i === 0 || i === found || i === segments.length - 1) keep(segment, startsAt)
      })
      return resultOf(request, found)
    },
  }
}
