import type { Snapshot, SnapshotExemplar, SnapshotMetric, SnapshotValue } from './snapshot.ts'

/** Text format of metrics. */
export type MetricsFormat = 'prometheus' | 'openmetrics'

/** Content types by format. */
export const METRICS_TYPES: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** Format that a caller accepts. @param accept header of the request */
export function metricsFormat(accept = ''): MetricsFormat {
  return accept.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus'
}

const TOTAL = '_total'
/** Units of OpenMetrics by the ending of a name. */
const UNITS = ['seconds', 'bytes'] as const

/**
 * Metrics as text. Only OpenMetrics has exemplars.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
export function metricsText(snapshot: Snapshot, format: MetricsFormat): string {
  const isOpen = format === 'openmetrics'
  const parts = snapshot.filter(({ values }) => values.length > 0).map((metric) => metricText(metric, isOpen))
  return isOpen ? `${parts.join('')}# EOF\n` : parts.join('\n')
}

function metricText(metric: SnapshotMetric, isOpen: boolean): string {
  const { name, help, values } = metric
  const type = String(metric.type)
  const family = isOpen && type === 'counter' && name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name
  const unit = isOpen ? UNITS.find((one) => family.endsWith(`_${one}`)) : undefined
  let text = `# HELP ${family} ${escaped(help)}\n# TYPE ${family} ${type}\n`
  if (unit !== undefined) text += `# UNIT ${family} ${unit}\n`
  for (const value of values) text += sampleText(name, value, isOpen)
  return text
}

function sampleText(
  name: string,
  { metricName = name, labels, value, exemplar }: SnapshotValue,
  isOpen: boolean,
): string {
  const end = isOpen && exemplar ? exemplarText(exemplar) : ''
  return `${metricName}${labelsText(labels)} ${numberText(value)}${end}\n`
}

function labelsText(labels: SnapshotValue['labels']): string {
  let text = ''
  for (const name in labels) {
    const value = labels[name]
    if (value === undefined) continue
    text += `${text === '' ? '{' : ','}${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`
  }
  return text === '' ? '' : `${text}}`
}

function exemplarText({ traceId, value, at }: SnapshotExemplar): string {
  return ` # {trace_id="${traceId}"} ${numberText(value)} ${at / 1_000}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
