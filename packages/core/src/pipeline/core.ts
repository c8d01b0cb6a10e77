import type { Price } from '../canonical/target.ts'
import type { Download } from '../http/download.ts'
import type { Upstreams } from '../http/upstream.ts'
import type { UsageRow } from '../contract/ledger.ts'
import type { Limits, Times } from '../contract/ports.ts'
import type { Candidate } from '../routing/candidates.ts'
import type { Instance } from '../routing/catalog.ts'
import type { Health } from '../routing/health.ts'
import type { LiveLists } from '../routing/live-lists.ts'

/** What the families share: the gateway's parts, put together once. */
export interface Core {
  readonly instances: readonly Instance[]
  readonly aliases: Readonly<Record<string, readonly string[]>>
  readonly upstreams: Upstreams
  readonly lists: LiveLists
  readonly health: Health
  readonly times: Times
  readonly limits: Limits
  readonly download: Download
  /** About how many tokens a text is. */
  estimate(text: string): number | Promise<number>
  priceOf(candidate: Candidate): Price | undefined
  /** Settles a row; a ledger that fails is a warning, never the caller's problem. Undefined when there is nothing to wait for. */
  settle(row: UsageRow): Promise<void> | undefined
}
