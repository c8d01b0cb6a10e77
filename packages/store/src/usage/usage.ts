import type { Latency, LatencyQuery } from './latency.ts'
import type { ObservedModels, ObservedQuery } from './observed.ts'
import type { KeyUsage } from './of-key.ts'
import type { PageQuery } from './page.ts'
import type { RequestQuery, UsageOfRequest } from './request.ts'
import { type OwnedUsage, type RowsQuery, type UsageRows, usageEach } from './rows.ts'
import type { SeriesPoint } from './series.ts'
import { pointsOf } from './series-columns.ts'
import type { SeriesQuery } from './series-query.ts'
import type { StoredUsage } from './stored.ts'
import type { UpstreamDay, UpstreamDaysQuery } from './upstream-days.ts'
import type { UsageCalls } from './usage-calls.ts'

/** What was used. Asking takes the journal in first: all that has ended is there, or else as much as the store has. */
export interface Usage {
  /** Rows, newest first. */
  page(query: PageQuery): Promise<readonly StoredUsage[]>
  /**
   * Rows with what their keys belong to, newest first, in pages with a cursor. A filter that no index serves looks
   * through a bounded number of rows. @throws HeadgateError `invalid-request` for a cursor that is none.
   */
  rows(query: RowsQuery): Promise<UsageRows>
  /** The same, all of them, as they are taken: newest first, in pages. Nothing is held open between two of them. */
  each(query: Pick<RowsQuery, 'from' | 'to' | 'filters'>): AsyncIterable<readonly OwnedUsage[]>
  /** All that is known of a request, by the `x-request-id` of its answer. */
  byRequest(requestId: string, query?: Pick<RequestQuery, 'within'>): Promise<UsageOfRequest | undefined>
  /** Sums over time, from the roll-ups. @throws HeadgateError `invalid-request` for what can not be told apart. */
  series(query: SeriesQuery): Promise<readonly SeriesPoint[]>
  /** Time zone in which the days of a series begin, as `Europe/Berlin`. */
  dayZone(): Promise<string>
  /** How long the first byte of streamed answers took, from sums by hours; null where there was none. */
  latency(query: LatencyQuery): Promise<Latency | null>
  /** What a provider was used for, by its days in UTC and its models. */
  daysByModel(query: UpstreamDaysQuery): Promise<readonly UpstreamDay[]>
  /** How models have been lately, by the newest requests. The journal is not taken in for it. */
  observed(query: ObservedQuery): Promise<ObservedModels>
  /** What a key has used today, this month and in all, by the id of its principal. */
  ofKey(principal: string): Promise<KeyUsage>
  /**
   * Rows that the last page or series lacks, since the store takes none: they lie in the journal. 0 where all are
   * there.
   */
  behind(): number
}

export interface UsageParts {
  /** Takes in the journal, as far as that is possible. */
  takeIn(): Promise<void>
  readonly calls: UsageCalls
  readonly behind: Usage['behind']
}

export function createUsage({ takeIn, calls, behind }: UsageParts): Usage {
  const fresh = async <Read>(read: () => Promise<Read>): Promise<Read> => {
    await takeIn()
    return read()
  }
  return {
    page: (query) => fresh(() => calls.usagePage(query)),
    rows: (query) => fresh(() => calls.usageRows(query)),
    each: async function* (query) {
      await takeIn()
      yield* usageEach(calls.usageRows, query)
    },
    byRequest: (requestId, { within } = {}) => fresh(() => calls.usageOfRequest({ requestId, within })),
    series: async (query) => pointsOf(await fresh(() => calls.usageSeries(query))),
    dayZone: () => calls.dayZone(),
    latency: (query) => fresh(() => calls.usageLatency(query)),
    daysByModel: (query) => fresh(() => calls.daysByModel(query)),
    observed: (query) => calls.observedModels(query),
    ofKey: (principal) => fresh(() => calls.usageOfKey({ principal, at: Date.now() })),
    behind,
  }
}
