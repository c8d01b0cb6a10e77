/** Default of `metrics.maxSeries`. */
export const MAX_SERIES = 10_000
/** Label value of what has no separate series: unknown models, and everything beyond the limit. */
export const OTHER = '_other'

/** Maximum number of series whose labels callers influence. */
export interface SeriesLimit {
  /** Admits new series, or counts a request that has none. */
  admit(count: number): boolean
  /** Counts series that always exist. */
  add(count: number): void
  /** True if no series is left. The request is counted then. */
  isFull(): boolean
  /** Number of values that were added to {@link OTHER} because of the limit. */
  folded(): number
  /** Number of series. */
  size(): number
}

/** Creates a limit of `most` series. */
export function createSeriesLimit(most = MAX_SERIES): SeriesLimit {
  let size = 0
  let folded = 0
  return {
    admit(count) {
      if (size + count > most) {
        folded++
        return false
      }
      size += count
      return true
    },
    add(count) {
      size += count
    },
    isFull() {
      if (size < most) return false
      folded++
      return true
    },
    folded: () => folded,
    size: () => size,
  }
}
