import type { PromptCacheFacts } from '@headgate/core/contract'
import { type CacheUse, cachedAfter, leastOf, lifetimeOf } from './facts.ts'
import { createHitRates, type HitRates } from './hit-rates.ts'
import { endOfBlock, type Prefix } from './prefix.ts'

export type { CacheUse } from './facts.ts'
export { NO_PREFIX, type Prefix, prefixOf, tenantKeyOf } from './prefix.ts'

/** Maximum number of remembered blocks, about 230 bytes each. */
const MOST = 100_000
/** Maximum number of targets of a block. A further target replaces the oldest one. */
const MOST_TARGETS_OF_BLOCK = 8
/** Maximum number of targets with statistics. Callers choose model names, so memory must be limited. */
const MOST_TARGETS = 10_000
/** Maximum number of recorded responses until they are drained; the oldest ones are dropped. */
const MOST_UNDRAINED = 256
/** Time within which a used block is not moved to the end of the list again, in milliseconds. */
const REORDER_MS = 2_000
/** Tolerance of the estimated tokens of a block, since bytes per token differ between parts of a request. */
const TOLERANCE = 1.02

const NO_WARMTH: readonly undefined[] = []
const NO_RECORDS: readonly AffinityRecord[] = []

/** Expected contents of a target's prompt cache for a request. */
export interface WarmPrefix {
  /** Tokens of the longest remembered prefix. */
  readonly tokens: number
  /** Probability that they are still in the cache, from 0 to 1. */
  readonly probability: number
}

/** Recorded response, for other processes. */
export interface AffinityRecord {
  readonly prefix: Prefix
  readonly target: string
  readonly use: CacheUse
  readonly facts: PromptCacheFacts | undefined
  /** Start of the call. */
  readonly at: number
}

/** Options of {@link createAffinity}. */
export interface AffinityOptions {
  /** Maximum number of remembered blocks, about 230 bytes each; default 100,000. */
  readonly most?: number | undefined
  /** True if {@link Affinity.drain} is called. Default: false, so that nothing is collected for it. */
  readonly isShared?: boolean | undefined
}

/**
 * Index of the prompt caches of all targets. A target is one model at one endpoint. In memory only. Times are
 * milliseconds of the clock in `clock.ts`, which processes share.
 */
export interface Affinity {
  /**
   * Expected cache contents per target, in the order of `targets`. An entry is undefined, or missing, if nothing is
   * expected there. Changes nothing.
   */
  lookup(prefix: Prefix, targets: readonly string[], now: number): readonly (WarmPrefix | undefined)[]
  /**
   * Remembers where a conversation was served. `at` is the time when the call started, because caches count their
   * lifetime from it. A failed call is not recorded: it does not empty a cache.
   */
  record(prefix: Prefix, target: string, use: CacheUse, facts: PromptCacheFacts | undefined, at: number): void
  /** Responses recorded here since the last call, at most 256. Empty unless `isShared`. */
  drain(): readonly AffinityRecord[]
  /** Adds responses that other processes recorded. */
  merge(records: readonly AffinityRecord[]): void
  /** Number of remembered pairs of a block and a target. */
  readonly size: number
}

/** Cache entry of a block at a target. */
interface CachedBlock {
  readonly rates: HitRates
  /** Tokens from the beginning of the conversation to the end of the block. */
  tokens: number
  /** Start of the call that used the entry last. */
  at: number
  lifetimeMs: number
  next: CachedBlock | undefined
}

/** A hash with its cache entries. */
interface KnownBlock {
  first: CachedBlock | undefined
  count: number
  /** Time of its last move to the end of the list. */
  movedAt: number
}

/** Blocks by hash, least recently used first. */
interface BlockIndex {
  readonly blocks: Map<string, KnownBlock>
  readonly most: number
  /** Number of cache entries of all blocks. */
  entries: number
}

/**
 * Creates an index of prompt caches.
 *
 * @example
 * ```ts
 * const affinity = createAffinity()
 * const prefix = prefixOf(tenantKey, pieces)
 * affinity.record(prefix, 'eu', { input: 12_000, cacheRead: 0 }, { lifetimeMs: 300_000 }, now())
 * affinity.lookup(prefix, ['eu', 'us'], now()) // [{ tokens: 11900, probability: 0.95 }, undefined]
 * ```
 */
export function createAffinity({ most = MOST, isShared = false }: AffinityOptions = {}): Affinity {
  const index: BlockIndex = { blocks: new Map(), most, entries: 0 }
  const targets = new Map<string, HitRates>()
  let undrained: AffinityRecord[] = []

  const remember = ({ prefix, target, use, facts, at }: AffinityRecord, isObserved: boolean): void => {
    if (prefix.hashes.length === 0 || !(use.input > 0)) return
    const rates = ratesOf(targets, target)
    if (isObserved) observe(index, prefix, rates, use, facts, at)
    store(index, prefix, rates, use, facts, at)
    evict(index)
  }

  return {
    lookup(prefix, names, now) {
      if (prefix.hashes.length === 0) return NO_WARMTH
      const known = names.map((name) => targets.get(name))
      return warmthOf(index, prefix, known, now)
    },
    record(prefix, target, use, facts, at) {
      if (prefix.hashes.length === 0) return
      const record: AffinityRecord = { prefix, target, use, facts, at }
      remember(record, true)
      if (!isShared) return
      if (undrained.length >= MOST_UNDRAINED) undrained.shift()
      undrained.push(record)
    },
    drain() {
      if (undrained.length === 0) return NO_RECORDS
      const drained = undrained
      undrained = []
      return drained
    },
    merge(records) {
      for (const record of records) remember(record, false)
    },
    get size() {
      return index.entries
    },
  }
}

function ratesOf(targets: Map<string, HitRates>, target: string): HitRates {
  const known = targets.get(target)
  if (known) return known
  const created = createHitRates()
  if (targets.size >= MOST_TARGETS) {
    const [oldest] = targets.keys()
    if (oldest !== undefined) targets.delete(oldest)
  }
  targets.set(target, created)
  return created
}

/**
 * Best entry per target. An older, longer prefix can be worth less than a fresh, shorter one, so that all blocks are
 * compared.
 */
function warmthOf(
  { blocks }: BlockIndex,
  { hashes, hint }: Prefix,
  targets: readonly (HitRates | undefined)[],
  now: number,
): readonly (WarmPrefix | undefined)[] {
  const found: (WarmPrefix | undefined)[] = []
  const compare = (hash: string): void => {
    for (let entry = blocks.get(hash)?.first; entry; entry = entry.next) {
      const place = targets.indexOf(entry.rates)
      if (place < 0) continue
      const known = found[place]
      const expected = known ? known.tokens * known.probability : 0
      if (entry.tokens <= expected) continue
      const probability = entry.rates.probability(now - entry.at, entry.lifetimeMs)
      if (entry.tokens * probability > expected) found[place] = { tokens: entry.tokens, probability }
    }
  }
  for (let i = hashes.length - 1; i >= 0; i--) compare(hashes[i] ?? '')
  if (found.length === 0 && hint !== undefined) compare(hint)
  return found
}

/** Entry of a target for the longest known prefix, or for the session id if no block is known. */
function longestOf({ blocks }: BlockIndex, { hashes, hint }: Prefix, rates: HitRates): CachedBlock | undefined {
  for (let i = hashes.length - 1; i >= 0; i--) {
    const entry = entryOf(blocks.get(hashes[i] ?? ''), rates)
    if (entry) return entry
  }
  return hint === undefined ? undefined : entryOf(blocks.get(hint), rates)
}

/** Tokens of the longest prefix that other conversations used later than an entry: their part of a hit. */
function sharedTokens({ blocks }: BlockIndex, { hashes }: Prefix, { rates, at }: CachedBlock): number {
  for (let i = hashes.length - 1; i >= 0; i--) {
    const entry = entryOf(blocks.get(hashes[i] ?? ''), rates)
    if (entry && entry.at > at) return entry.tokens
  }
  return 0
}

function entryOf(block: KnownBlock | undefined, rates: HitRates): CachedBlock | undefined {
  let entry = block?.first
  while (entry && entry.rates !== rates) entry = entry.next
  return entry
}

/** Corrects the hit rates of a target, and forgets what a cache evidently does not have. */
function observe(
  index: BlockIndex,
  prefix: Prefix,
  rates: HitRates,
  { cacheRead, input }: CacheUse,
  facts: PromptCacheFacts | undefined,
  at: number,
): void {
  if (cacheRead === undefined) return
  const expected = longestOf(index, prefix, rates)
  if (!expected || expected.tokens < leastOf(facts)) return
  const shared = sharedTokens(index, prefix, expected)
  const tokens = Math.min(expected.tokens, input) - shared
  const share = Math.max(0, Math.min(1, (cacheRead - shared) / tokens))
  if (tokens >= leastOf(facts)) rates.observe(at - expected.at, expected.lifetimeMs, share)
  if (cacheRead > 0) return
  for (const hash of prefix.hashes) forget(index, hash, rates)
  if (prefix.hint !== undefined) forget(index, prefix.hint, rates)
}

function store(
  index: BlockIndex,
  { hashes, bytes, hint }: Prefix,
  rates: HitRates,
  use: CacheUse,
  facts: PromptCacheFacts | undefined,
  at: number,
): void {
  const cached = cachedAfter(use, facts)
  const least = leastOf(facts)
  if (cached < least) return
  const lifetimeMs = lifetimeOf(use, facts)
  // Backwards, so that the first blocks, which all others need, are the most recently used ones.
  if (hint !== undefined) touch(index, hint, rates, cached, at, lifetimeMs)
  for (let i = hashes.length - 1; i >= 0; i--) {
    const tokens = Math.round((use.input * endOfBlock(i)) / bytes)
    if (tokens < least) return
    if (tokens <= cached * TOLERANCE) touch(index, hashes[i] ?? '', rates, Math.min(tokens, cached), at, lifetimeMs)
  }
}

function touch(index: BlockIndex, hash: string, rates: HitRates, tokens: number, at: number, lifetimeMs: number): void {
  const { blocks } = index
  let block = blocks.get(hash)
  if (!block) {
    block = { first: undefined, count: 0, movedAt: at }
    blocks.set(hash, block)
  } else if (at - block.movedAt > REORDER_MS) {
    block.movedAt = at
    blocks.delete(hash)
    blocks.set(hash, block)
  }
  const known = entryOf(block, rates)
  if (known) {
    known.tokens = tokens
    known.at = Math.max(known.at, at)
    known.lifetimeMs = lifetimeMs
    return
  }
  if (block.count >= MOST_TARGETS_OF_BLOCK) removeOldest(index, block)
  block.first = { rates, tokens, at, lifetimeMs, next: block.first }
  block.count++
  index.entries++
}

function removeOldest(index: BlockIndex, block: KnownBlock): void {
  let oldest = block.first
  for (let entry = block.first; entry; entry = entry.next) if (oldest && entry.at < oldest.at) oldest = entry
  if (oldest) remove(index, block, oldest.rates)
}

function remove(index: BlockIndex, block: KnownBlock, rates: HitRates): void {
  let before: CachedBlock | undefined
  for (let entry = block.first; entry; entry = entry.next) {
    if (entry.rates === rates) {
      if (before) before.next = entry.next
      else block.first = entry.next
      block.count--
      index.entries--
      return
    }
    before = entry
  }
}

function forget(index: BlockIndex, hash: string, rates: HitRates): void {
  const block = index.blocks.get(hash)
  if (!block) return
  remove(index, block, rates)
  if (!block.first) index.blocks.delete(hash)
}

function evict(index: BlockIndex): void {
  for (const [hash, block] of index.blocks) {
    if (index.entries <= index.most) return
    index.blocks.delete(hash)
    index.entries -= block.count
  }
}
