import { createMetrics } from '../../apps/server/src/service/metrics.ts'
import type { BudgetRefusal } from '../../packages/gateway/src/ports/budgets.ts'
import type { AccessRecord } from '../../packages/gateway/src/ports/gateway-options.ts'
import type { HealthReport } from '../../packages/gateway/src/routing/health.ts'
import type { BudgetStatus } from '../../packages/store/src/budgets/status.ts'
import type { SinkState } from '../../packages/store/src/sinks/exporter.ts'
import { GEN_AI_METRICS, prometheusName } from '../../packages/telemetry/src/gen-ai-metrics.ts'
import { code, table } from './markdown.ts'
import { SAMPLE_RECORD } from './sample-record.ts'

const FAILED: AccessRecord = {
  requestId: 'req_2',
  method: 'POST',
  path: '/v1/messages',
  status: 401,
  durationMs: 1,
  error: { kind: 'bad-key' },
}

const REFUSED: BudgetRefusal = {
  why: 'limit',
  spent: 5n,
  held: 0n,
  room: 0n,
  budget: { name: '$5 a day', scope: 'key', limit: 5n, period: 'day' },
}

const HEALTH: HealthReport = {
  provider: 'openai',
  endpoint: 'eu',
  model: 'gpt-4.1',
  restsUntil: Date.UTC(2200, 0, 1),
  inFlight: 1,
  remaining: { requests: 1, tokens: 1 },
}

const SHED = { reason: 'queue-full', serviceClass: 'batch' } as const

const BUDGET: BudgetStatus = {
  id: 'b1',
  scope: 'key',
  owner: 'key_1',
  name: '$5 a day',
  limit: 5n,
  period: 'day',
  zone: 'UTC',
  soft: false,
  counts: 'charged',
  spent: 1n,
  leased: 0n,
  held: 0n,
}

const SINK: SinkState = { name: 'bucket', sent: 1, refused: 0, leftOut: 0, waitingBytes: 0, lagMs: 0 }

/** Metrics of model calls, with their name in each convention. */
export function genAiMetricsTable(): string {
  const rows = (['1.41', 'gen-ai-0.1'] as const).flatMap((dialect) =>
    Object.values(GEN_AI_METRICS[dialect]).map((metric) => [
      code(dialect),
      code(prometheusName(metric)),
      code(metric.name),
      metric.type,
      metric.meaning,
    ]),
  )
  const unique = rows.filter(([, name], at) => rows.findIndex(([, other]) => other === name) === at)
  return table(['conventions', 'on `/metrics`', 'over OTLP', 'type', 'meaning'], unique)
}

/** Metrics of the program with their labels, from a scrape. */
export async function metricsTable(): Promise<string> {
  const metrics = createMetrics({
    inFlight: () => 0,
    queued: () => 0,
    health: () => [HEALTH],
    stored: () => true,
    waiting: () => 0,
    quarantined: () => 0,
    lost: () => 0,
    missed: () => 0,
    budgets: async () => [BUDGET],
    spans: { sent: 0, dropped: 0 },
    sinks: { all: () => [SINK] },
    fleet: { isShared: () => true, calls: () => ({ answered: 1, failed: 0, refused: 0, skipped: 0 }) },
  })
  metrics.observe({ ...SAMPLE_RECORD, chunks: 9, overhead: { inMs: 1, outMs: 1 }, shed: SHED })
  metrics.observe({ ...FAILED, overrun: 1 })
  metrics.budgetRefused(REFUSED)
  metrics.rateRefused({ scope: 'key', unit: 'requests' })
  const text = await metrics.text()
  const helps = [...text.matchAll(/^# HELP (headgate_\w+) (.*)\n# TYPE \w+ (\w+)$/gm)]
  return table(
    ['metric', 'type', 'labels', 'meaning'],
    helps.map(([, name = '', help = '', type = '']) => [
      code(name),
      type,
      labelsOf(text, name).map(code).join(', '),
      help,
    ]),
  )
}

function labelsOf(text: string, name: string): string[] {
  const line = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, 'm').exec(text)?.[1] ?? ''
  return [...line.matchAll(/(\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : [label]))
}
