import { createMetrics } from '../../apps/server/src/service/metrics.ts'
import type { BudgetRefusal } from '../../packages/gateway/src/ports/budgets.ts'
import type { AccessRecord } from '../../packages/gateway/src/ports/gateway-options.ts'
import type { HealthReport } from '../../packages/gateway/src/routing/health.ts'
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
    fleet: { isShared: () => true, calls: () => ({ answered: 1, failed: 0, refused: 0, skipped: 0 }) },
  })
  metrics.observe(SAMPLE_RECORD)
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
