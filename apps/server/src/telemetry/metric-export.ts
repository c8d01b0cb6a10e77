import { hostname } from 'node:os'
import {
  type Attribute,
  createMetricExporter,
  GEN_AI_METRICS,
  type HistogramPoint,
  type MetricExporter,
  type MetricSettings,
  type OtlpMetric,
  prometheusName,
} from '@headgate/telemetry'
import { version } from '../program.ts'
import type { Snapshot, SnapshotMetric, SnapshotValue } from '../service/snapshot.ts'

export interface MetricExportParts {
  readonly settings: MetricSettings
  /** Metrics of the whole program. */
  read(): Promise<Snapshot>
  onProblem(message: string): void
}

/** Exports the metrics of the program in intervals, until it is closed. */
export function openMetricExport({ settings, read, onProblem }: MetricExportParts): MetricExporter {
  const { resource } = settings
  const own: readonly Attribute[] = [
    ['service.version', version],
    ['service.instance.id', hostname()],
  ]
  const added = own.filter(([name]) => !resource.some(([known]) => known === name))
  return createMetricExporter({
    settings: { ...settings, resource: [...resource, ...added] },
    version,
    startedAt: performance.timeOrigin,
    read: async () => exportedMetrics(await read()),
    onProblem,
  })
}

/** Metrics of the gateway. OpenTelemetry has other names for metrics of the process and the runtime, which are left out. */
export function exportedMetrics(snapshot: Snapshot): OtlpMetric[] {
  return snapshot.flatMap((metric) => {
    const { name, help, values } = metric
    if (values.length === 0 || !/^(?:headgate|gen_ai)_/.test(name)) return []
    return [{ description: help, ...exportedName(metric), data: dataOf(metric) }]
  })
}

const GEN_AI = new Map(
  Object.values(GEN_AI_METRICS).flatMap((metrics) =>
    Object.values(metrics).map((metric) => [prometheusName(metric), metric] as const),
  ),
)

/** Name and unit from which Prometheus makes the name on `/metrics` again. */
function exportedName({ name, type }: SnapshotMetric): Pick<OtlpMetric, 'name' | 'unit'> {
  const known = GEN_AI.get(name)
  if (known) return { name: known.name, unit: known.unit }
  const base = name.replace(/^headgate_/, 'headgate.')
  const counted = type === 'counter' ? base.replace(/_total$/, '') : base
  const timed = counted.replace(/_seconds$/, '')
  return { name: timed, unit: timed === counted ? '' : 's' }
}

/** Labels with other names in OpenTelemetry. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  gen_ai_operation_name: 'gen_ai.operation.name',
  gen_ai_provider_name: 'gen_ai.provider.name',
  gen_ai_request_model: 'gen_ai.request.model',
  gen_ai_token_type: 'gen_ai.token.type',
  gen_ai_token_modality: 'gen_ai.token.modality',
  error_type: 'error.type',
}

function attributesOf({ labels }: Pick<SnapshotValue, 'labels'>): Attribute[] {
  return Object.entries(labels).flatMap(([name, value]): Attribute[] =>
    value === undefined || name === 'le' ? [] : [[ATTRIBUTES[name] ?? name, String(value)]],
  )
}

function dataOf({ name, type, values }: SnapshotMetric): OtlpMetric['data'] {
  if (type === 'histogram') return { kind: 'histogram', points: histogramPoints(name, values) }
  const points = values.map((value) => ({ attributes: attributesOf(value), value: value.value }))
  return type === 'counter' ? { kind: 'counter', points } : { kind: 'gauge', points }
}

/** Points from the cumulative buckets of Prometheus. */
function histogramPoints(name: string, values: readonly SnapshotValue[]): HistogramPoint[] {
  const lines = Map.groupBy(values, (value) => JSON.stringify(attributesOf(value)))
  return [...lines.values()].flatMap((own): HistogramPoint[] => {
    const buckets = own
      .filter(({ metricName }) => metricName === `${name}_bucket`)
      .sort((a, b) => boundOf(a) - boundOf(b))
    const [first] = buckets
    if (!first) return []
    const sum = own.find(({ metricName }) => metricName === `${name}_sum`)?.value ?? 0
    return [
      {
        attributes: attributesOf(first),
        bounds: buckets.map(boundOf).filter(Number.isFinite),
        counts: buckets.map(({ value }, place) => value - (buckets[place - 1]?.value ?? 0)),
        sum,
        exemplars: buckets.flatMap(({ exemplar }) => exemplar ?? []),
      },
    ]
  })
}

function boundOf({ labels: { le } }: SnapshotValue): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}
