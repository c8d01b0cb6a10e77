import { createMetrics, type MetricsOptions } from '../src/service/metrics.ts'

/** Metrics of a program without requests. */
export function idleMetrics(options: MetricsOptions = {}) {
  const zero = () => 0
  return createMetrics(
    {
      inFlight: zero,
      queued: zero,
      health: () => [],
      stored: () => true,
      waiting: zero,
      quarantined: zero,
      lost: zero,
      missed: zero,
    },
    options,
  )
}
