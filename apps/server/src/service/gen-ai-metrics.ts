import type { UsageRow } from '@headgate/gateway'
import {
  type Dialect,
  DURATION_BOUNDS,
  GEN_AI_METRICS,
  type GenAiMeasure,
  operationOf,
  prometheusName,
  TOKEN_BOUNDS,
} from '@headgate/telemetry'
import { createHistogram, type Histogram, type HistogramObserver, seriesOf } from './histograms.ts'
import { OTHER, type SeriesLimit } from './series-limit.ts'
import type { MetricLabels, Snapshot, SnapshotMetric } from './snapshot.ts'

/** Metrics of model calls by the conventions of OpenTelemetry. */
export interface GenAiMetrics {
  /** @param chunks number of pieces in which the stream arrived */
  observe(row: UsageRow, chunks: number | undefined): void
  snapshot(): Snapshot
}

export interface GenAiMetricsOptions {
  readonly dialect: Dialect
  readonly limit: SeriesLimit
  /** Name of a configured provider in the conventions. */
  nameOf(provider: string): string
  /** Id of a request's trace if it is exported. */
  readonly traceIdOf?: ((row: UsageRow) => string | undefined) | undefined
}

/** Values of one operation, provider and model. */
interface CallLine {
  readonly labels: MetricLabels
  /** Line that gets what has no separate series; undefined for this line itself. */
  readonly other: CallLine | undefined
  readonly isInference: boolean
  /** Durations by error; an empty error is success. */
  readonly durations: Map<string, HistogramObserver>
  readonly observers: Partial<Record<GenAiMeasure | 'input' | 'output', HistogramObserver>>
  readonly counters: Map<GenAiMeasure, Map<string, number>>
}

/** Lines of one provider and operation, by model. */
interface OperationLines {
  readonly labels: MetricLabels
  readonly isInference: boolean
  readonly other: CallLine
  readonly models: Map<string, CallLine>
}

/** Operations that are not inference. */
const OTHER_OPERATIONS: ReadonlySet<string> = new Set(['embeddings', 'retrieval', 'rerank', 'moderation'])
const SUCCESS = ''
const MODALITIES = ['text', 'image', 'audio'] as const
const UNKNOWN = 'unknown'

type CallUsage = NonNullable<UsageRow['usage']>

/** Creates the metrics. */
export function createGenAiMetrics(options: GenAiMetricsOptions): GenAiMetrics {
  const metrics = GEN_AI_METRICS[options.dialect]
  const histograms = createHistograms(options)
  const lines = createCallLines(options)
  const observerOf = histograms.observerOf

  const observeServed = (line: CallLine, row: UsageRow, served: UsageRow['attempts'][number], chunks = 0): void => {
    const { usage } = row
    if (usage) {
      if (usage.input !== undefined) observerOf(line, 'input')?.add(usage.input)
      if (usage.output !== undefined) observerOf(line, 'output')?.add(usage.output)
      if (metrics.inputUsage) addUsage(line, usage, options.limit)
    }
    if (!row.stream || row.firstByteMs === undefined) return
    const firstByteAt = row.startedAt + row.firstByteMs
    const first = (firstByteAt - served.startedAt) / 1_000
    if (first >= 0) observerOf(line, 'firstChunk')?.add(first, row)
    const rest = (served.startedAt + served.durationMs - firstByteAt) / 1_000
    if (chunks > 1 && rest >= 0) observerOf(line, 'perChunk')?.addMany(rest / (chunks - 1), chunks - 1)
  }
  return {
    observe(row, chunks) {
      const { attempts } = row
      let isLast = true
      for (let at = attempts.length - 1; at >= 0; at--) {
        const attempt = attempts[at]
        if (!attempt) continue
        const isOwn = attempt.family === undefined || attempt.family === row.family
        const line = lines.of(row, attempt, isOwn)
        const { failure, status } = attempt
        const error = failure === undefined ? SUCCESS : status !== undefined && status >= 400 ? String(status) : failure
        histograms.durationOf(line, error)?.add(attempt.durationMs / 1_000, row)
        if (isOwn && isLast && failure === undefined) observeServed(line, row, attempt, chunks)
        if (isOwn) isLast = false
      }
    },
    snapshot: () => [...histograms.snapshot(), ...counterMetrics(options.dialect, lines.all())],
  }
}

/** Creates lines, as many as the limit allows. */
function createCallLines({ nameOf, limit }: GenAiMetricsOptions) {
  const operations = new Map<string, Map<string, OperationLines>>()
  const byName = new Map<string, OperationLines>()
  const linesOf = (provider: string, operation: string): OperationLines => {
    const known = operations.get(provider)?.get(operation)
    if (known) return known
    // Several configured providers can have the same name in the conventions.
    const name = nameOf(provider)
    const key = `${name}\n${operation}`
    const labels = { gen_ai_operation_name: operation, gen_ai_provider_name: name }
    const isInference = !OTHER_OPERATIONS.has(operation)
    const own = byName.get(key) ?? {
      labels,
      isInference,
      other: callLine(operation === 'retrieval' ? labels : withModel(labels, OTHER), isInference, undefined),
      models: new Map<string, CallLine>(),
    }
    byName.set(key, own)
    const ofProvider = operations.get(provider) ?? new Map<string, OperationLines>()
    operations.set(provider, ofProvider.set(operation, own))
    return own
  }
  return {
    of({ family, format }: UsageRow, attempt: UsageRow['attempts'][number], isOwn: boolean): CallLine {
      const operation = isOwn ? operationOf(family, format) : 'retrieval'
      const { labels, isInference, other, models } = linesOf(attempt.provider, operation)
      // Search backends have no models.
      if (operation === 'retrieval') return other
      const known = models.get(attempt.model)
      if (known) return known
      // Callers can send any name, so that only served models count.
      if (attempt.failure !== undefined || limit.isFull()) return other
      const line = callLine(withModel(labels, attempt.model), isInference, other)
      models.set(attempt.model, line)
      return line
    },
    all: () => [...byName.values()].flatMap(({ other, models }) => [other, ...models.values()]),
  }
}

function withModel(labels: MetricLabels, model: string): MetricLabels {
  return { ...labels, gen_ai_request_model: model }
}

function callLine(labels: MetricLabels, isInference: boolean, other: CallLine | undefined): CallLine {
  return { labels, other, isInference, durations: new Map(), observers: {}, counters: new Map() }
}

/** Histograms of a dialect. */
function createHistograms({ dialect, limit, traceIdOf }: GenAiMetricsOptions) {
  const metrics = GEN_AI_METRICS[dialect]
  const byName = new Map<string, { readonly histogram: Histogram; readonly series: number }>()
  const histogramOf = (measure: GenAiMeasure) => {
    const metric = metrics[measure]
    if (!metric) return undefined
    const known = byName.get(metric.name)
    if (known) return known
    const bounds = metric.unit === 's' ? DURATION_BOUNDS : TOKEN_BOUNDS
    const exemplars = metric.unit === 's' ? { traceIdOf } : {}
    const histogram = createHistogram({ name: prometheusName(metric), help: metric.meaning, bounds, ...exemplars })
    const made = { histogram, series: seriesOf(bounds) }
    byName.set(metric.name, made)
    return made
  }
  const create = (line: CallLine, measure: GenAiMeasure, labels: MetricLabels): HistogramObserver | undefined => {
    const found = histogramOf(measure)
    if (!found) return undefined
    if (!line.other) limit.add(found.series)
    else if (!limit.admit(found.series)) return undefined
    return found.histogram.observed({ ...line.labels, ...labels })
  }
  const durationOf = (line: CallLine, error: string): HistogramObserver | undefined => {
    const known = line.durations.get(error)
    if (known) return known
    const labels: MetricLabels = error === SUCCESS ? {} : { error_type: error }
    const made = create(line, line.isInference ? 'duration' : 'otherDuration', labels)
    if (made) line.durations.set(error, made)
    return made ?? (line.other && durationOf(line.other, error))
  }
  const observerOf = (line: CallLine, what: GenAiMeasure | 'input' | 'output'): HistogramObserver | undefined => {
    const known = line.observers[what]
    if (known) return known
    const made = createOne(line, what)
    if (made) line.observers[what] = made
    return made ?? (line.other && observerOf(line.other, what))
  }
  const createOne = (line: CallLine, what: GenAiMeasure | 'input' | 'output'): HistogramObserver | undefined => {
    if (what !== 'input' && what !== 'output') return create(line, what, {})
    if (metrics.tokenUsage) return create(line, 'tokenUsage', { gen_ai_token_type: what })
    return line.isInference ? create(line, what === 'input' ? 'inputTokens' : 'outputTokens', {}) : undefined
  }
  return {
    durationOf,
    observerOf,
    snapshot: (): SnapshotMetric[] => [...byName.values()].map(({ histogram }) => histogram.metric()),
  }
}

/** Adds the tokens of a call to its counters by modality. */
function addUsage(line: CallLine, usage: CallUsage, limit: SeriesLimit): void {
  if (!line.isInference) return
  const { input, output, imageInput = 0, imageOutput = 0, audioInput = 0, audioOutput = 0 } = usage
  const inputs = { image: imageInput, audio: audioInput, text: Math.max(0, (input ?? 0) - imageInput - audioInput) }
  const outputs = {
    image: imageOutput,
    audio: audioOutput,
    text: Math.max(0, (output ?? 0) - imageOutput - audioOutput),
  }
  for (const modality of MODALITIES) {
    if (input !== undefined) count(line, 'inputUsage', modality, inputs[modality], limit)
    if (output !== undefined) count(line, 'outputUsage', modality, outputs[modality], limit)
  }
  count(line, 'cacheReadUsage', UNKNOWN, usage.cacheRead ?? 0, limit)
  count(line, 'cacheWriteUsage', UNKNOWN, usage.cacheWrite ?? 0, limit)
  count(line, 'reasoningUsage', 'text', usage.reasoning ?? 0, limit)
}

function count(line: CallLine, measure: GenAiMeasure, modality: string, value: number, limit: SeriesLimit): void {
  if (value === 0) return
  const sums = line.counters.get(measure) ?? new Map<string, number>()
  line.counters.set(measure, sums)
  const known = sums.get(modality)
  if (known !== undefined) sums.set(modality, known + value)
  else if (!line.other || limit.admit(1)) sums.set(modality, value)
  else count(line.other, measure, modality, value, limit)
}

function counterMetrics(dialect: Dialect, lines: readonly CallLine[]): SnapshotMetric[] {
  return Object.entries(GEN_AI_METRICS[dialect]).flatMap(([measure, metric]): SnapshotMetric[] => {
    if (metric.type !== 'counter') return []
    const values = lines.flatMap(({ labels, counters }) =>
      [...(counters.get(measure as GenAiMeasure) ?? [])].map(([modality, value]) => ({
        labels: { ...labels, gen_ai_token_modality: modality },
        value,
      })),
    )
    return [{ name: prometheusName(metric), help: metric.meaning, type: 'counter', aggregator: 'sum', values }]
  })
}
