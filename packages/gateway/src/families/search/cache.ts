/** Cache of values by key. Values expire, and the oldest leave when the cache is full. */
export interface SearchCache<T> {
  get(key: string, now: number): T | undefined
  set(key: string, value: T, now: number): void
}

interface CacheEntry<T> {
  readonly value: T
  /** Expiry in milliseconds, on the same clock as `now`. */
  readonly until: number
}

/** `length` is the time to live in milliseconds; `most` is the maximum number of values. */
export function createSearchCache<T>(length: number, most: number): SearchCache<T> {
  const entries = new Map<string, CacheEntry<T>>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (!entry || entry.until > now) return entry?.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now) {
      // A map keeps insertion order. Deleting first makes this key the newest.
      entries.delete(key)
      entries.set(key, { value, until: now + length })
      for (const [oldest, entry] of entries) {
        if (entries.size <= most && entry.until > now) break
        entries.delete(oldest)
      }
    },
  }
}
