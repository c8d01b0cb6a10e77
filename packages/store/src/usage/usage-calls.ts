import type { Connection } from '../database/connection.ts'
import { type Latency, type LatencyQuery, usageLatency } from './latency.ts'
import { type ObservedModels, type ObservedQuery, observedModels } from './observed.ts'
import { type KeyUsage, type KeyUsageQuery, usageOfKey } from './of-key.ts'
import { type PageQuery, usagePage } from './page.ts'
import { type RequestQuery, type UsageOfRequest, usageOfRequest } from './request.ts'
import { type RowsQuery, type UsageRows, usageRows } from './rows.ts'
import { usageSeries } from './series.ts'
import { columnsOf, type SeriesColumns } from './series-columns.ts'
import type { SeriesQuery } from './series-query.ts'
import type { StoredUsage } from './stored.ts'
import { daysByModel, type UpstreamDay, type UpstreamDaysQuery } from './upstream-days.ts'

/** What a store is asked of usage, by whoever has a connection to it. */
export type UsageCalls = {
  usagePage(query: PageQuery): Promise<readonly StoredUsage[]>
  usageRows(query: RowsQuery): Promise<UsageRows>
  usageOfRequest(query: RequestQuery): Promise<UsageOfRequest | undefined>
  usageSeries(query: SeriesQuery): Promise<SeriesColumns>
  dayZone(): Promise<string>
  usageLatency(query: LatencyQuery): Promise<Latency | null>
  daysByModel(query: UpstreamDaysQuery): Promise<readonly UpstreamDay[]>
  observedModels(query: ObservedQuery): Promise<ObservedModels>
  usageOfKey(query: Omit<KeyUsageQuery, 'zone'>): Promise<KeyUsage>
}

/** `zoneOf` says in which time zone days of sums begin. */
export function createUsageCalls(connection: Connection, zoneOf: () => Promise<string>): UsageCalls {
  return {
    usagePage: (query) => usagePage(connection, query),
    usageRows: (query) => usageRows(connection, query),
    usageOfRequest: (query) => usageOfRequest(connection, query),
    usageSeries: async (query) => columnsOf(await usageSeries(connection, { zone: await zoneOf(), ...query })),
    dayZone: zoneOf,
    usageLatency: (query) => usageLatency(connection, query),
    daysByModel: (query) => daysByModel(connection, query),
    observedModels: (query) => observedModels(connection, query),
    usageOfKey: async (query) => usageOfKey(connection, { zone: await zoneOf(), ...query }),
  }
}
