import type { Connection } from '../database/connection.ts'
import { type LatencyQuery, usageLatency } from './latency.ts'
import { type ObservedQuery, observedModels } from './observed.ts'
import { type KeyUsageQuery, usageOfKey } from './of-key.ts'
import { type PageQuery, usagePage } from './page.ts'
import { type RequestQuery, usageOfRequest } from './request.ts'
import { type RowsQuery, usageRows } from './rows.ts'
import { usageSeries } from './series.ts'
import { columnsOf } from './series-columns.ts'
import type { SeriesQuery } from './series-query.ts'
import { daysByModel, type UpstreamDaysQuery } from './upstream-days.ts'

/** Functions that read usage from a connection. */
export type UsageCalls = ReturnType<typeof createUsageCalls>

/** Usage functions of a connection. @param zoneOf resolves with the time zone of daily sums */
export function createUsageCalls(connection: Connection, zoneOf: () => Promise<string>) {
  return {
    usagePage: (query: PageQuery) => usagePage(connection, query),
    usageRows: (query: RowsQuery) => usageRows(connection, query),
    usageOfRequest: (query: RequestQuery) => usageOfRequest(connection, query),
    usageSeries: async (query: SeriesQuery) =>
      columnsOf(await usageSeries(connection, { zone: await zoneOf(), ...query })),
    dayZone: zoneOf,
    usageLatency: (query: LatencyQuery) => usageLatency(connection, query),
    daysByModel: (query: UpstreamDaysQuery) => daysByModel(connection, query),
    observedModels: (query: ObservedQuery) => observedModels(connection, query),
    usageOfKey: async (query: Omit<KeyUsageQuery, 'zone'>) =>
      usageOfKey(connection, { zone: await zoneOf(), ...query }),
  }
}
