/** Values by key that are forgotten after a time, the oldest first where there are too many. */
export interface Memory<T> {
  get(key: string, now: number): T | undefined
  set(key: string, value: T, now: number): void
}

interface Entry<T> {
  readonly value: T
  /** In milliseconds, by the clock of whoever asks. */
  readonly until: number
}

/** `length` is in milliseconds. */
export function createMemory<T>(length: number, most: number): Memory<T> {
  const entries = new Map<string, Entry<T>>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (!entry || entry.until > now) return entry?.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now) {
      // A map keeps the order in which keys came: what is set again is the newest.
      entries.delete(key)
      entries.set(key, { value, until: now + length })
      for (const [oldest, entry] of entries) {
        if (entries.size <= most && entry.until > now) break
        entries.delete(oldest)
      }
    },
  }
}
