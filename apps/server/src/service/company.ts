import type { HealthReport } from '@headgate/gateway'
import type { RateCounters } from '@headgate/gateway/ports'

/** Those together with whom a server is one program: what is asked of one is answered for all. */
export interface Company {
  /** How many they are. What the configuration limits for the program is divided among them. */
  readonly size: number
  /** What counts for rate limits, together. */
  readonly counters: RateCounters
  /** Why no request should be sent here now, each reason with whose it is; empty = all are ready. */
  notReady(): Promise<readonly string[]>
  /** How providers are, as far as any of them knows. */
  health(): Promise<readonly HealthReport[]>
  /** The metrics of all, added up, in the text format of Prometheus. */
  metrics(): Promise<string>
}
