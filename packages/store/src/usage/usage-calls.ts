import type { StoreConnection } from '../database/connection.ts'
import { type BudgetRefusalsQuery, refusalsByBudget } from '../refusals/by-budget.ts'
import {
  type FailuresQuery,
  failureCounts,
  type UnauthenticatedQuery,
  unauthenticatedAddresses,
} from '../refusals/counts.ts'
import { type ExplanationQuery, usageExplanation } from './explanation.ts'
import { type GroupsQuery, usageGroups } from './groups.ts'
import { type LatencyQuery, usageLatency } from './latency.ts'
import { type NamedDimension, namesOf } from './names.ts'
import { type ObservedQuery, observedModels } from './observed.ts'
import { type UsagePageQuery, usagePage } from './page.ts'
import { type ProviderHealthQuery, providerHealth } from './provider-health.ts'
import { type RecentUseQuery, recentUse } from './recent-use.ts'
import { type RequestQuery, requestUsage } from './request.ts'
import { type RowsQuery, usageRows } from './rows.ts'
import { usageSeries } from './series.ts'
import { columnsOf } from './series-columns.ts'
import type { SeriesQuery } from './series-query.ts'
import { daysByModel, type UpstreamDaysQuery } from './upstream-days.ts'
import { upstreamTotals } from './upstream-totals.ts'
import { type KeyUsageQuery, usageByKey } from './usage-by-key.ts'
import { type UsageMinutesQuery, usageMinutes } from './usage-minutes.ts'

/** Functions that read usage from a connection. */
export type UsageCalls = ReturnType<typeof createUsageCalls>

/** Usage functions of a connection. @param zoneOf resolves with the time zone of daily sums */
export function createUsageCalls(connection: StoreConnection, zoneOf: () => Promise<string>) {
  return {
    usagePage: (query: UsagePageQuery) => usagePage(connection, query),
    usageRows: (query: RowsQuery) => usageRows(connection, query),
    failureCounts: (query: FailuresQuery) => failureCounts(connection, query),
    unauthenticatedAddresses: (query: UnauthenticatedQuery) => unauthenticatedAddresses(connection, query),
    requestUsage: (query: RequestQuery) => requestUsage(connection, query),
    usageSeries: async (query: SeriesQuery) =>
      columnsOf(await usageSeries(connection, { zone: await zoneOf(), ...query })),
    usageGroups: async (query: Omit<GroupsQuery, 'zone'>) =>
      columnsOf(await usageGroups(connection, { zone: await zoneOf(), ...query })),
    usageExplanation: (query: ExplanationQuery) => usageExplanation(connection, query),
    namesOf: (query: { readonly of: NamedDimension; readonly ids: readonly string[] }) => namesOf(connection, query),
    upstreamTotals: (query: Omit<UpstreamDaysQuery, 'provider'>) => upstreamTotals(connection, query),
    dayZone: zoneOf,
    usageLatency: (query: LatencyQuery) => usageLatency(connection, query),
    daysByModel: (query: UpstreamDaysQuery) => daysByModel(connection, query),
    observedModels: (query: ObservedQuery) => observedModels(connection, query),
    providerHealth: (query: ProviderHealthQuery) => providerHealth(connection, query),
    usageMinutes: (query: UsageMinutesQuery) => usageMinutes(connection, query),
    recentUse: (query: RecentUseQuery) => recentUse(connection, query),
    refusalsByBudget: (query: BudgetRefusalsQuery) => refusalsByBudget(connection, query),
    usageByKey: async (query: Omit<KeyUsageQuery, 'zone'>) =>
      usageByKey(connection, { zone: await zoneOf(), ...query }),
  }
}
