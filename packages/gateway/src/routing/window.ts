/** Amount counted within one time slot. */
export interface Bucket {
  readonly slot: number
  amount: number
  /** True after the bucket left the window. */
  isOver: boolean
  next: Bucket | undefined
}

/**
 * Sliding window. It covers at least the last `slots * slotMs` milliseconds, since a slot leaves only when all of it is
 * older. It stores only slots with a count. Times are of a monotonic clock.
 */
export interface SlidingWindow {
  readonly slotMs: number
  readonly slots: number
  used: number
  oldest: Bucket | undefined
  newest: Bucket | undefined
}

export function createWindow(slotMs: number, slots: number): SlidingWindow {
  return { slotMs, slots, used: 0, oldest: undefined, newest: undefined }
}

/** Amount within the window. */
export function usedOf(window: SlidingWindow, now: number): number {
  const last = Math.floor(now / window.slotMs) - window.slots
  let bucket = window.oldest
  while (bucket && bucket.slot < last) {
    bucket.isOver = true
    window.used -= bucket.amount
    bucket = bucket.next
  }
  window.oldest = bucket
  if (!bucket) {
    window.newest = undefined
    window.used = 0
  }
  return window.used
}

/** Adds an amount and returns its bucket. */
export function count(window: SlidingWindow, amount: number, now: number): Bucket {
  const slot = Math.max(Math.floor(now / window.slotMs), window.newest?.slot ?? 0)
  window.used += amount
  if (window.newest?.slot === slot) {
    window.newest.amount += amount
    return window.newest
  }
  const bucket: Bucket = { slot, amount, isOver: false, next: undefined }
  if (window.newest) window.newest.next = bucket
  else window.oldest = bucket
  window.newest = bucket
  return bucket
}

/** Subtracts an amount from a bucket, unless the bucket has left the window. */
export function uncount(window: SlidingWindow, bucket: Bucket, amount: number): void {
  if (bucket.isOver) return
  bucket.amount -= amount
  window.used -= amount
}

function leavesAt({ slotMs, slots }: SlidingWindow, { slot }: Bucket): number {
  return (slot + slots + 1) * slotMs
}

/** Whole milliseconds until the amount is at most `most` without new counts; 0 = now. `most` must be at least 0. */
export function msUntil(window: SlidingWindow, most: number, now: number): number {
  let used = usedOf(window, now)
  let bucket = window.oldest
  if (used <= most || !bucket) return 0
  for (;;) {
    used -= bucket.amount
    if (used <= most || !bucket.next) return Math.ceil(leavesAt(window, bucket) - now)
    bucket = bucket.next
  }
}

/** Whole milliseconds until the window is empty. */
export function msUntilEmpty(window: SlidingWindow, now: number): number {
  return usedOf(window, now) > 0 && window.newest ? Math.ceil(leavesAt(window, window.newest) - now) : 0
}
