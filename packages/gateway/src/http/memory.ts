import { getHeapStatistics } from 'node:v8'
import { HeadgateError } from '@headgate/core/errors'

/**
 * Share of the process's memory: a body or response exists several times while it is parsed, translated and written.
 */
const SHARE_OF_MEMORY = 1 / 8
/** Minimum number of bodies in the memory quota, so that one key can hold two. */
const MIN_BODIES = 4
/** Memory of the quota per request that may wait for the first byte of one upstream, in bytes. */
const BYTES_PER_WAITING = 65_536
/** Minimum number of requests that may wait for one upstream. */
const MIN_WAITING = 2_000
/** Unused accounts are removed when there are more. */
const MAX_ACCOUNTS = 10_000

export interface MemoryLimits {
  /** Maximum bytes of all requests together. */
  readonly total: number
  /** Maximum bytes of the requests of one key. */
  readonly perKey: number
}

/**
 * Memory of one request: its body, the response that is read for it, and bytes that its caller has not received yet.
 */
export interface MemoryLease {
  /** Key that the memory counts for; set before the first `take`. */
  key: string
  /**
   * Takes more bytes; a negative number returns bytes.
   * @throws HeadgateError `over-limit` if the quota is exhausted
   */
  take(bytes: number): void
  /** Sets the amount to a smaller one, or to memory that is allocated already. Never throws. */
  keep(bytes: number): void
  /** Returns everything. */
  release(): void
}

/**
 * Limit of the memory of all requests together, in bytes. A key can hold at most `perKey`, and never more than is still
 * free: several keys with large requests always leave memory for small requests of another key.
 */
export interface MemoryQuota {
  lease(): MemoryLease
  readonly held: number
}

/** Memory of the process in bytes: the heap's limit, or the container's memory if that is less. */
function processMemory(): number {
  const container = process.constrainedMemory?.() ?? 0
  const heap = getHeapStatistics().heap_size_limit
  return container > 0 ? Math.min(heap, container) : heap
}

/** Default of the quota in bytes: an eighth of the process's memory, at least four bodies. */
export function defaultMemory(body: number): number {
  return Math.max(MIN_BODIES * body, Math.floor(processMemory() * SHARE_OF_MEMORY))
}

/**
 * Default number of requests that may wait for the first byte of one upstream: one for each 64 KiB of the quota, at
 * least 2,000.
 */
export function defaultWaiting(memory: number): number {
  return Math.max(MIN_WAITING, Math.floor(memory / BYTES_PER_WAITING))
}

/** Memory of one response while it is read whole. */
export interface ResponseMemory {
  /**
   * Takes the announced size before the transfer: a response that does not fit is not transferred.
   * @throws HeadgateError `over-limit`
   */
  head(headers: Readonly<Record<string, unknown>>): void
  /**
   * Takes bytes beyond the announced size.
   * @throws HeadgateError `over-limit`
   */
  data(bytes: number): void
  /** Returns everything, for a response that is not used. */
  release(): void
}

export function createResponseMemory(memory: Pick<MemoryLease, 'take'>): ResponseMemory {
  let taken = 0
  let size = 0
  const reach = (bytes: number): void => {
    if (bytes <= taken) return
    memory.take(bytes - taken)
    taken = bytes
  }
  return {
    head: (headers) => reach(Number(headers['content-length']) || 0),
    data(bytes) {
      size += bytes
      reach(size)
    },
    release() {
      memory.take(-taken)
      taken = 0
      size = 0
    },
  }
}

interface MemoryAccount {
  held: number
}

function overLimit(): HeadgateError {
  return new HeadgateError('over-limit', 'The gateway has no memory left for this request. Try again in one second.', {
    retryAfterMs: 1_000,
  })
}

/** Lease of one request, with methods on its prototype, because it is created on the hot path. */
class RequestMemory implements MemoryLease {
  key = ''
  private own = 0
  private account: MemoryAccount | undefined
  private readonly quota: Quota

  constructor(quota: Quota) {
    this.quota = quota
  }

  take(bytes: number): void {
    this.account ??= this.quota.accountOf(this.key)
    if (bytes > 0 && !this.quota.allows(this.account, bytes)) throw overLimit()
    this.add(bytes)
  }

  keep(bytes: number): void {
    if (bytes === this.own) return
    this.account ??= this.quota.accountOf(this.key)
    this.add(bytes - this.own)
  }

  release(): void {
    this.keep(0)
  }

  private add(bytes: number): void {
    this.own += bytes
    this.quota.held += bytes
    if (this.account) this.account.held += bytes
  }
}

class Quota implements MemoryQuota {
  held = 0
  private readonly limits: MemoryLimits
  private readonly accounts = new Map<string, MemoryAccount>()

  constructor(limits: MemoryLimits) {
    this.limits = limits
  }

  lease(): MemoryLease {
    return new RequestMemory(this)
  }

  allows({ held }: MemoryAccount, bytes: number): boolean {
    return held + bytes <= this.limits.perKey && this.held + held + bytes <= this.limits.total
  }

  /** Unused accounts stay: a map with as many deletions as additions keeps its outgrown tables. */
  accountOf(key: string): MemoryAccount {
    const known = this.accounts.get(key)
    if (known) return known
    if (this.accounts.size >= MAX_ACCOUNTS)
      for (const [other, { held }] of this.accounts) if (held === 0) this.accounts.delete(other)
    const account: MemoryAccount = { held: 0 }
    this.accounts.set(key, account)
    return account
  }
}

export function createMemoryQuota(limits: MemoryLimits): MemoryQuota {
  return new Quota(limits)
}
