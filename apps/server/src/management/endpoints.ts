import type { ManagementProvider } from '@headgate/accounts'
import type { HealthReport, ProviderEntry } from '@headgate/gateway'
import { totalOf } from '../service/endpoint-health.ts'

type ManagementEndpoint = NonNullable<ManagementProvider['endpoints']>[number]
type ShownLimit = NonNullable<ManagementEndpoint['limits']>[number]
type DeclaredEndpoint = NonNullable<ProviderEntry['endpoints']>[number]

/** Maximum number of upstream limits per endpoint. */
const LIMITS = 20

/** Endpoints of an enabled provider with their health, in the order of the configuration. */
export function endpointsOf(
  reports: readonly HealthReport[],
  { endpoints = [] }: Pick<ProviderEntry, 'endpoints'>,
  now = Date.now(),
): readonly ManagementEndpoint[] {
  if (endpoints.length < 2) return [healthOf(reports, endpoints[0]?.labels, now)]
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    ...(endpoint.priority !== undefined && { priority: endpoint.priority }),
    ...(endpoint.weight !== undefined && { weight: endpoint.weight }),
    ...(endpoint.group !== undefined && { group: endpoint.group }),
    ...healthOf(
      reports.filter((report) => report.endpoint === endpoint.name),
      endpoint.labels,
      now,
    ),
  }))
}

function healthOf(
  reports: readonly HealthReport[],
  labels: DeclaredEndpoint['labels'],
  now: number,
): Omit<ManagementEndpoint, 'name'> {
  const ends = reports.flatMap(({ model, restsUntil }) => (model === undefined ? (restsUntil ?? []) : []))
  const [lastError] = reports.flatMap((report) => report.lastError ?? []).sort((one, other) => other.at - one.at)
  const calls = totalOf(reports, ({ recent }) => recent?.calls)
  const failures = totalOf(reports, ({ recent }) => recent?.failures)
  const inFlight = totalOf(reports, (report) => report.inFlight)
  const limits = reports.flatMap((report) => limitOf(report, now)).slice(0, LIMITS)
  return {
    state: ends.length > 0 ? 'resting' : 'up',
    ...(ends.length > 0 && { restsUntil: Math.max(...ends) }),
    ...(lastError && { lastError }),
    ...(labels && { labels }),
    ...(calls !== undefined && { recent: { calls, failures: failures ?? 0 } }),
    ...(inFlight !== undefined && { inFlight }),
    ...(limits.length > 0 && { limits }),
  }
}

/** Limit of a report. Amounts before the reset of their window are unknown after it. */
function limitOf({ model, limit, remaining }: HealthReport, now: number): readonly ShownLimit[] {
  const current = (remaining?.resetAt ?? now) >= now ? remaining : undefined
  const { requests, tokens, resetAt } = current ?? {}
  if (limit === undefined && requests === undefined && tokens === undefined) return []
  return [
    {
      ...(model !== undefined && { model }),
      ...(limit !== undefined && { concurrent: limit }),
      ...(requests !== undefined && { requests }),
      ...(tokens !== undefined && { tokens }),
      ...(resetAt !== undefined && { resetAt }),
    },
  ]
}
