import type { BudgetRefusals, BudgetRefusalsQuery } from '../refusals/by-budget.ts'
import type { FailureCount, FailuresQuery, UnauthenticatedAddress, UnauthenticatedQuery } from '../refusals/counts.ts'
import type { ExplanationQuery, UsageExplanation } from './explanation.ts'
import type { GroupsQuery } from './groups.ts'
import type { Latency, LatencyQuery } from './latency.ts'
import type { NamedDimension } from './names.ts'
import type { ObservedModels, ObservedQuery } from './observed.ts'
import type { UsagePageQuery } from './page.ts'
import type { ProviderHealth, ProviderHealthQuery } from './provider-health.ts'
import type { RecentUse, RecentUseQuery } from './recent-use.ts'
import type { RequestQuery, RequestUsage } from './request.ts'
import { type OwnedUsage, type RowsQuery, type UsageRows, usageEach } from './rows.ts'
import type { SeriesPoint } from './series.ts'
import { pointsOf } from './series-columns.ts'
import type { SeriesQuery } from './series-query.ts'
import type { StoredUsage } from './stored.ts'
import type { UpstreamDay, UpstreamDaysQuery } from './upstream-days.ts'
import type { UpstreamTotal } from './upstream-totals.ts'
import type { KeyUsage } from './usage-by-key.ts'
import type { UsageCalls } from './usage-calls.ts'
import type { UsageMinutes, UsageMinutesQuery } from './usage-minutes.ts'

/** Usage queries. Each ingests the journal first, so that ended requests are included if the store accepts them. */
export interface UsageQueries {
  /** Rows, newest first. */
  page(query: UsagePageQuery): Promise<readonly StoredUsage[]>
  /**
   * Rows with the owners of their keys, newest first, in pages with a cursor. A filter without an index searches a
   * bounded number of rows.
   * @throws HeadgateError `invalid-request` for an invalid cursor
   */
  rows(query: RowsQuery): Promise<UsageRows>
  /** All rows of a range, newest first, in pages that are read on demand. Nothing stays open between pages. */
  each(query: Pick<RowsQuery, 'from' | 'to' | 'filters' | 'refused'>): AsyncIterable<readonly OwnedUsage[]>
  /** Failed and refused requests by hour, kind of failure and group, with exact numbers. */
  failures(query: FailuresQuery): Promise<readonly FailureCount[]>
  /** Refused requests of unknown callers by address and reason, the most first. */
  unauthenticated(query: UnauthenticatedQuery): Promise<readonly UnauthenticatedAddress[]>
  /** Usage of one request, by the `x-request-id` of its response. */
  byRequest(requestId: string, query?: Pick<RequestQuery, 'within'>): Promise<RequestUsage | undefined>
  /**
   * Sums over time, from the roll-ups.
   * @throws HeadgateError `invalid-request` for an invalid combination of dimensions or filters
   */
  series(query: SeriesQuery): Promise<readonly SeriesPoint[]>
  /**
   * Usage of any range by group, highest charge first, with the rest last: a point for each group.
   * @throws HeadgateError `invalid-request` for an invalid combination of dimensions or filters
   */
  groups(query: Omit<GroupsQuery, 'zone'>): Promise<readonly SeriesPoint[]>
  /** Losses, requests saved by failover and cached input of the newest requests of a range. */
  explain(query: ExplanationQuery): Promise<UsageExplanation>
  /** Names of keys, projects or members, by id. */
  namesOf(of: NamedDimension, ids: readonly string[]): Promise<Readonly<Record<string, string>>>
  /** Usage of a range of UTC days by provider and model. */
  upstreamTotals(query: Omit<UpstreamDaysQuery, 'provider'>): Promise<readonly UpstreamTotal[]>
  /** Time zone in which the days of a series begin, such as `Europe/Berlin`. */
  dayZone(): Promise<string>
  /** Time until the first byte of streamed responses, from hourly and daily sums; null without streamed responses. */
  latency(query: LatencyQuery): Promise<Latency | null>
  /** Usage of a provider by UTC day and model. */
  daysByModel(query: UpstreamDaysQuery): Promise<readonly UpstreamDay[]>
  /** Statistics of models from the newest requests. Does not ingest the journal. */
  observed(query: ObservedQuery): Promise<ObservedModels>
  /** Health of providers by the calls of all nodes in the last minutes. */
  providerHealth(query: ProviderHealthQuery): Promise<readonly ProviderHealth[]>
  /** Usage by minute within the last 48 hours. */
  minutes(query: UsageMinutesQuery): Promise<UsageMinutes>
  /** Use of each key within the last minute, to compare with its rate limits. */
  recentUse(query: RecentUseQuery): Promise<readonly RecentUse[]>
  /** Recorded refusals since a time, by the budget that refused. */
  refusalsByBudget(query: BudgetRefusalsQuery): Promise<readonly BudgetRefusals[]>
  /** Usage of a key today, this month and in total, by the id of its principal. */
  byKey(principal: string): Promise<KeyUsage>
  /**
   * Number of rows that the last page or series lacks, since the store does not accept them and they are still in the
   * journal. 0 if complete.
   */
  behind(): number
}

export interface UsageParts {
  /** Ingests the journal, as far as the store accepts it. */
  ingest(): Promise<void>
  readonly calls: UsageCalls
  readonly behind: UsageQueries['behind']
}

export function createUsage({ ingest, calls, behind }: UsageParts): UsageQueries {
  const fresh = async <Read>(read: () => Promise<Read>): Promise<Read> => {
    await ingest()
    return read()
  }
  return {
    page: (query) => fresh(() => calls.usagePage(query)),
    rows: (query) => fresh(() => calls.usageRows(query)),
    each: async function* (query) {
      await ingest()
      yield* usageEach(calls.usageRows, query)
    },
    failures: (query) => fresh(() => calls.failureCounts(query)),
    unauthenticated: (query) => fresh(() => calls.unauthenticatedAddresses(query)),
    byRequest: (requestId, { within } = {}) => fresh(() => calls.requestUsage({ requestId, within })),
    series: async (query) => pointsOf(await fresh(() => calls.usageSeries(query))),
    groups: async (query) => pointsOf(await fresh(() => calls.usageGroups(query))),
    explain: (query) => fresh(() => calls.usageExplanation(query)),
    namesOf: (of, ids) => calls.namesOf({ of, ids }),
    upstreamTotals: (query) => fresh(() => calls.upstreamTotals(query)),
    dayZone: () => calls.dayZone(),
    latency: (query) => fresh(() => calls.usageLatency(query)),
    daysByModel: (query) => fresh(() => calls.daysByModel(query)),
    observed: (query) => calls.observedModels(query),
    providerHealth: (query) => fresh(() => calls.providerHealth(query)),
    minutes: (query) => fresh(() => calls.usageMinutes(query)),
    recentUse: (query) => fresh(() => calls.recentUse(query)),
    refusalsByBudget: (query) => fresh(() => calls.refusalsByBudget(query)),
    byKey: (principal) => fresh(() => calls.usageByKey({ principal, at: Date.now() })),
    behind,
  }
}
