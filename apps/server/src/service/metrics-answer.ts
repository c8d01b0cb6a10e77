import type { IncomingMessage } from 'node:http'
import type { ShownMetrics } from './metrics.ts'
import { METRICS_TYPES, metricsFormat } from './metrics-text.ts'
import type { PlainAnswer } from './plain-answer.ts'

/** Response with the metrics in the format that the caller accepts. */
export async function metricsAnswer(
  metrics: ShownMetrics,
  { headers }: Pick<IncomingMessage, 'headers'>,
): Promise<PlainAnswer> {
  const format = metricsFormat(headers.accept)
  return { status: 200, type: METRICS_TYPES[format], body: await metrics.text(format) }
}
