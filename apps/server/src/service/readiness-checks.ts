/** Requests of `/readyz`, which show whether a load balancer checks the program. */
export interface ReadinessChecks {
  /** Counts a request. @param isReady its answer */
  count(isReady: boolean): void
  /** Default of `times.drain` in milliseconds: 5,000 behind a load balancer, else 0. */
  defaultDrain(): number
}

/** Time for load balancers to notice that the program is stopping, in milliseconds. */
const DRAIN = 5_000
/** Maximum age of the last check of a load balancer, in milliseconds. */
const RECENT = 30_000

/**
 * Counts the checks of one program. Checks up to the first positive answer do not count: scripts also wait for it, but
 * only load balancers check again. @param now monotonic clock in milliseconds
 */
export function createReadinessChecks(now: () => number = () => performance.now()): ReadinessChecks {
  let wasReady = false
  let last = Number.NEGATIVE_INFINITY
  return {
    count(isReady) {
      if (wasReady) last = now()
      wasReady ||= isReady
    },
    defaultDrain: () => (now() - last <= RECENT ? DRAIN : 0),
  }
}
