import type { IdempotencyStore, IdempotentExecution } from '../../ports/idempotency.ts'

/** Limits of a store in memory. */
export interface MemoryIdempotencyLimits {
  /** Maximum number of ended executions; default 10,000. The oldest are forgotten first. */
  readonly count?: number | undefined
  /**
   * Maximum bytes of all outcomes; default 67,108,864. Beyond it, the oldest responses are removed, and repetitions of
   * their requests get a 409.
   */
  readonly bytes?: number | undefined
}

interface MemoryRecord extends IdempotentExecution {
  /** Undefined while the request runs; null = removed. */
  outcome: string | null | undefined
  expiresAt: number
}

const COUNT = 10_000
const BYTES = 64 * 1024 * 1024

/**
 * Creates a store of idempotent executions that is kept in memory. Use it if you embed the gateway in one process, and
 * in tests.
 *
 * @example
 * ```ts
 * const idempotency = { store: memoryIdempotency({ bytes: 16_777_216 }), keepMs: 3_600_000 }
 * const gateway = createGateway({ providers, authenticate, idempotency })
 * ```
 */
export function memoryIdempotency({ count = COUNT, bytes = BYTES }: MemoryIdempotencyLimits = {}): IdempotencyStore {
  const running = new Map<string, MemoryRecord>()
  /** Records in the order of their end. */
  const ended = new Map<string, MemoryRecord>()
  /** Records with an outcome, in the same order. */
  const full = new Set<MemoryRecord>()
  let held = 0

  const removeOutcome = (record: MemoryRecord): void => {
    if (full.delete(record)) held -= record.outcome?.length ?? 0
    record.outcome = null
  }
  const forget = (record: MemoryRecord): void => {
    removeOutcome(record)
    ended.delete(record.id)
  }
  const removeOldest = (): void => {
    const moment = Date.now()
    for (const record of ended.values()) {
      if (ended.size <= count && record.expiresAt > moment) break
      forget(record)
    }
    for (const record of full) {
      if (held <= bytes) break
      removeOutcome(record)
    }
  }
  const known = (id: string): MemoryRecord | undefined => {
    const record = running.get(id) ?? ended.get(id)
    if (!record || record.expiresAt > Date.now()) return record
    if (!running.delete(id)) forget(record)
    return undefined
  }

  return {
    async begin(execution, runMs) {
      const record = known(execution.id)
      if (record) return record
      running.set(execution.id, { ...execution, outcome: undefined, expiresAt: Date.now() + runMs })
      return undefined
    },
    async find(id) {
      return known(id)
    },
    async finish({ id, run }, outcome, keepMs) {
      const record = running.get(id)
      if (record?.run !== run) return
      running.delete(id)
      record.outcome = outcome
      record.expiresAt = Date.now() + keepMs
      ended.set(id, record)
      full.add(record)
      held += outcome.length
      removeOldest()
    },
    async drop({ id, run }) {
      if (running.get(id)?.run === run) running.delete(id)
    },
  }
}
