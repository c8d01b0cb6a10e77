import type { ManagementProvider } from '@headgate/accounts'
import type { HealthReport, ProviderEntry } from '@headgate/gateway'
import type { HealthCounts, ProviderHealth } from '@headgate/store'
import { totalOf } from '../service/endpoint-health.ts'

type ManagementEndpoint = NonNullable<ManagementProvider['endpoints']>[number]
type ShownLimit = NonNullable<ManagementEndpoint['limits']>[number]
type DeclaredEndpoint = NonNullable<ProviderEntry['endpoints']>[number]

/** Maximum number of upstream limits per endpoint. */
const LIMITS = 20

/** Calls of a provider on all nodes. */
type KnownCalls = Pick<ProviderHealth, 'state' | 'calls' | 'failed' | 'endpoints'>

const NO_CALLS: KnownCalls = { state: 'unknown', calls: 0, failed: 0, endpoints: {} }

/**
 * Endpoints of an enabled provider, in the order of the configuration, by the reports of this node and the calls of all
 * nodes.
 */
export function endpointsOf(
  reports: readonly HealthReport[],
  { endpoints = [] }: Pick<ProviderEntry, 'endpoints'>,
  known: KnownCalls = NO_CALLS,
  now = Date.now(),
): readonly ManagementEndpoint[] {
  if (endpoints.length < 2) return [healthOf(reports, endpoints[0]?.labels, known, now)]
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    ...(endpoint.priority !== undefined && { priority: endpoint.priority }),
    ...(endpoint.weight !== undefined && { weight: endpoint.weight }),
    ...(endpoint.group !== undefined && { group: endpoint.group }),
    ...healthOf(
      reports.filter((report) => report.endpoint === endpoint.name),
      endpoint.labels,
      known.endpoints[endpoint.name] ?? NO_CALLS,
      now,
    ),
  }))
}

function healthOf(
  reports: readonly HealthReport[],
  labels: DeclaredEndpoint['labels'],
  { state, calls, failed }: HealthCounts,
  now: number,
): Omit<ManagementEndpoint, 'name'> {
  const ends = reports.flatMap(({ model, restsUntil }) => (model === undefined ? (restsUntil ?? []) : []))
  const [lastError] = reports.flatMap((report) => report.lastError ?? []).sort((one, other) => other.at - one.at)
  const inFlight = totalOf(reports, (report) => report.inFlight)
  const limits = reports.flatMap((report) => limitOf(report, now)).slice(0, LIMITS)
  return {
    state: stateIn(state, ends.length > 0),
    calls,
    failed,
    ...(ends.length > 0 && { restsUntil: Math.max(...ends) }),
    ...(lastError && { lastError }),
    ...(labels && { labels }),
    ...(inFlight !== undefined && { inFlight }),
    ...(limits.length > 0 && { limits }),
  }
}

/** State of an endpoint or provider. A failing one stays so in a cooldown, which other nodes do not have. */
export function stateIn(state: HealthCounts['state'], isResting: boolean): ManagementEndpoint['state'] {
  return isResting && state !== 'failing' ? 'cooldown' : state
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
