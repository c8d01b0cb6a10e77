/** Result of a search for lost process runs. */
export interface LostRunSearch {
  /** Number of process runs with a recent heartbeat, including this one. */
  readonly runs: number
  /** True if a run may be lost: search again soon. */
  readonly isPending: boolean
}

/**
 * Times of searches, in milliseconds: interval of one process, its maximum with many processes, and time between the
 * two searches that must find the same heartbeat. A lost lease counts as spent within 90 s: after 60 s without a
 * heartbeat, `most` with its deviation, and `again`.
 */
const TIMES = { every: 5_000, most: 12_000, again: 10_000 }

/** Deviation of an interval, so that processes do not search at the same time. */
const DEVIATION = 0.2

/**
 * Time until the next search, in milliseconds. Up to 24 processes search twice a second together; more of them search
 * every 12 s each.
 * @param random from 0 to 1
 */
export function nextLostRunSearch({ runs, isPending }: LostRunSearch, random: number = Math.random()): number {
  if (isPending) return TIMES.again
  return Math.min(TIMES.every * Math.max(1, runs / 10), TIMES.most) * (1 - DEVIATION + 2 * DEVIATION * random)
}

/** Searches for lost process runs until `end` is called. A search that fails is repeated. */
export function watchLostRuns(search: () => Promise<LostRunSearch | undefined>): { end(): void } {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const look = async (): Promise<void> => {
    // The ledger reports a store that does not answer.
    schedule(await search().catch(() => undefined))
  }
  const schedule = (result: LostRunSearch = { runs: 1, isPending: false }): void => {
    if (!isOver) timer = setTimeout(look, nextLostRunSearch(result)).unref()
  }
  schedule()
  return {
    end() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
