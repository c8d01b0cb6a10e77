/** What was counted within one slot of time. */
export interface Bucket {
  readonly slot: number
  amount: number
  /** It counts no more. */
  isOver: boolean
  next: Bucket | undefined
}

/**
 * What was counted lately: never less than in the last `slots * slotMs` milliseconds, as a slot leaves when all of it
 * is so long ago. It takes memory for the slots in which something was counted. Times are those of a clock that never
 * jumps.
 */
export interface Window {
  readonly slotMs: number
  readonly slots: number
  used: number
  oldest: Bucket | undefined
  newest: Bucket | undefined
}

export function createWindow(slotMs: number, slots: number): Window {
  return { slotMs, slots, used: 0, oldest: undefined, newest: undefined }
}

/** How much counts at a time. */
export function usedOf(window: Window, now: number): number {
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

/** Counts something, and gives the bucket that it is in. */
export function count(window: Window, amount: number, now: number): Bucket {
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

/** Takes back some of what was counted, where it still counts. */
export function uncount(window: Window, bucket: Bucket, amount: number): void {
  if (bucket.isOver) return
  bucket.amount -= amount
  window.used -= amount
}

function leavesAt({ slotMs, slots }: Window, { slot }: Bucket): number {
  return (slot + slots + 1) * slotMs
}

/** Whole milliseconds until no more than `most` counts, if nothing is added; 0 = at once. `most` is at least 0. */
export function msUntil(window: Window, most: number, now: number): number {
  let used = usedOf(window, now)
  let bucket = window.oldest
  if (used <= most || !bucket) return 0
  for (;;) {
    used -= bucket.amount
    if (used <= most || !bucket.next) return Math.ceil(leavesAt(window, bucket) - now)
    bucket = bucket.next
  }
}

/** Whole milliseconds until nothing counts. */
export function msUntilEmpty(window: Window, now: number): number {
  return usedOf(window, now) > 0 && window.newest ? Math.ceil(leavesAt(window, window.newest) - now) : 0
}
