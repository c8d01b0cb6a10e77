import { type AppliedLimit, type RateRefusal, usedInWindow } from '@headgate/gateway/ports'
import { type AllocatedLimit, createLimit, keyOfLimit, windowsOfLimit } from './limits.ts'
import { isUnused } from './places.ts'

/** Number of limits before the first removal of idle ones. */
const FIRST_SWEEP = 1_000

/** Limits of a node with their allocations. Idle ones are removed when new ones need space. */
export class LimitTable {
  /** Limits with changes that the store does not know. */
  readonly changed = new Set<AllocatedLimit>()
  readonly #limits = new Map<string, AllocatedLimit>()
  readonly #most: number
  #sweepAt: number

  /** @param most maximum number of limits */
  constructor(most: number) {
    this.#most = most
    this.#sweepAt = Math.min(FIRST_SWEEP, most)
  }

  get size(): number {
    return this.#limits.size
  }

  values(): IterableIterator<AllocatedLimit> {
    return this.#limits.values()
  }

  get(key: string): AllocatedLimit | undefined {
    return this.#limits.get(key)
  }

  /** Limit, which is created if it is new. */
  of(applied: AppliedLimit, now: number): AllocatedLimit {
    const key = keyOfLimit(applied)
    const known = this.#limits.get(key)
    if (known) return known
    const target = createLimit(key, this.changed, now)
    this.#limits.set(key, target)
    return target
  }

  /** First limits with changes that the store does not know. */
  firstChanged(most: number): readonly AllocatedLimit[] {
    const first: AllocatedLimit[] = []
    for (const target of this.changed) {
      if (first.length === most) break
      first.push(target)
    }
    return first
  }

  /** Removes idle limits if new ones need space. The cost per request stays constant. */
  makeSpace(limits: readonly AppliedLimit[], now: number): RateRefusal | undefined {
    if (this.#limits.size + limits.length <= this.#sweepAt) return undefined
    const fresh = limits.filter((applied) => !this.#limits.has(keyOfLimit(applied))).length
    if (fresh === 0 || this.#limits.size + fresh <= this.#sweepAt) return undefined
    for (const [key, target] of this.#limits) if (isIdle(target, now)) this.#limits.delete(key)
    this.#sweepAt = Math.min(this.#most, Math.max(FIRST_SWEEP, 2 * this.#limits.size))
    const [first] = limits
    if (!first || this.#limits.size + fresh <= this.#most) return undefined
    const { scope, id } = first
    const state = { unit: 'concurrent', limit: this.#most, remaining: 0, resetMs: 0 } as const
    return { scope, id, ...state, asked: 1, retryAfterMs: 1_000, states: [] }
  }
}

/** True if nothing of a limit is counted any more. */
function isIdle(target: AllocatedLimit, now: number): boolean {
  const { places, waiting, changedAt } = target
  if (waiting > 0 || changedAt !== undefined) return false
  if (places && (places.running > 0 || !isUnused(places))) return false
  return windowsOfLimit(target).every(({ own, grants }) => grants.length === 0 && usedInWindow(own, now) === 0)
}
