import type { HealthReport } from '@headgate/gateway'
import { Gauge, type Registry } from 'prom-client'
import { byEndpoint, totalOf } from './endpoint-health.ts'

/** Maximum number of models in a gauge. Callers choose model names, so there must be a limit. */
const MODELS = 100

/** Registers the gauges of endpoints. @param health reports of this process */
export function registerEndpoints(health: () => readonly HealthReport[], registers: Registry[]): void {
  new Gauge({
    name: 'headgate_endpoint_in_flight',
    help: 'Open calls of an endpoint.',
    labelNames: ['provider', 'endpoint'],
    registers,
    aggregator: 'sum',
    collect() {
      this.reset()
      for (const [provider, reports] of Map.groupBy(health(), (report) => report.provider))
        for (const [endpoint, own] of byEndpoint(reports)) {
          const calls = totalOf(own, ({ inFlight }) => inFlight)
          if (calls !== undefined) this.set(labelsOf({ provider, endpoint }), calls)
        }
    },
  })
  new Gauge({
    name: 'headgate_endpoint_resting',
    help: '1 while an endpoint, or one of its models, has a cooldown in any process, otherwise 0.',
    labelNames: ['provider', 'endpoint', 'model'],
    registers,
    aggregator: 'max',
    collect() {
      this.reset()
      const now = Date.now()
      const isResting = ({ restsUntil = 0 }: HealthReport): boolean => restsUntil > now
      const first = health().toSorted((one, other) => Number(isResting(other)) - Number(isResting(one)))
      for (const report of first.slice(0, MODELS)) this.set(labelsOf(report), Number(isResting(report)))
    },
  })
  new Gauge({
    name: 'headgate_endpoint_cooldown_seconds',
    help: 'Remaining cooldown of an endpoint or of one of its models; absent without a cooldown.',
    labelNames: ['provider', 'endpoint', 'model'],
    registers,
    aggregator: 'max',
    collect() {
      this.reset()
      const now = Date.now()
      const untilOf = ({ restsUntil = 0 }: HealthReport): number => restsUntil
      const resting = health().filter((report) => untilOf(report) > now)
      const longest = resting.sort((one, other) => untilOf(other) - untilOf(one)).slice(0, MODELS)
      for (const report of longest) this.set(labelsOf(report), (untilOf(report) - now) / 1_000)
    },
  })
  new Gauge({
    name: 'headgate_endpoint_limit_remaining',
    help: 'Rest of an upstream limit as last reported by the upstream, by unit: `requests`, `tokens`.',
    labelNames: ['provider', 'endpoint', 'model', 'unit'],
    registers,
    // Each process knows the responses to its own calls.
    aggregator: 'min',
    collect() {
      this.reset()
      const limited = health().filter(({ remaining }) => remaining)
      for (const report of limited.slice(0, MODELS))
        for (const unit of ['requests', 'tokens'] as const) {
          const rest = report.remaining?.[unit]
          if (rest !== undefined) this.set({ ...labelsOf(report), unit }, rest)
        }
    },
  })
}

type EndpointLabels = Partial<Record<'endpoint' | 'model', string>> & { readonly provider: string }

/** Labels without absent ones, which Prometheus treats like empty ones. */
function labelsOf({ provider, endpoint = '', model }: Pick<HealthReport, 'provider' | 'endpoint' | 'model'>) {
  const labels: EndpointLabels = {
    provider,
    ...(endpoint !== '' && { endpoint }),
    ...(model !== undefined && { model }),
  }
  return labels
}
