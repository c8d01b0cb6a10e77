import type { AccessRecord, BudgetRefusal, HealthReport, RateRefusal, UsageRow } from '@headgate/gateway'
import { SERVICE_CLASSES, type ServiceClass } from '@headgate/gateway/ports'
import type { BudgetStatus } from '@headgate/store'
import type { Dialect, SpanCounts } from '@headgate/telemetry'
import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { MetricLabel } from '../config/metric-labels.ts'
import { type FleetState, registerFleet } from '../fleet/metrics.ts'
import { version } from '../program.ts'
import { registerSinks, type SinkStates } from '../sinks/states.ts'
import { registerBudgets } from './budget-metrics.ts'
import { registerEndpoints } from './endpoint-metrics.ts'
import { createGenAiMetrics } from './gen-ai-metrics.ts'
import { createHistogram } from './histograms.ts'
import { type MetricsFormat, metricsText } from './metrics-text.ts'
import { createRequestCounters } from './request-counters.ts'
import { createSeriesLimit, type SeriesLimit } from './series-limit.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Metrics of the program. Labels are configured names, constants of the program, and a bounded number of served models,
 * keys and projects.
 */
export interface Metrics extends ShownMetrics {
  observe(record: AccessRecord): void
  /** Counts a call that a budget refused. */
  budgetRefused(refusal: BudgetRefusal): void
  /** Counts a request that a rate limit refused. */
  rateRefused(refusal: Pick<RateRefusal, 'scope' | 'unit'>): void
  /** Current values, to be added to those from other processes. */
  snapshot(): Promise<Snapshot>
}

export interface ShownMetrics {
  /** Metrics as text. Default: the text format of Prometheus. */
  text(format?: MetricsFormat): Promise<string>
}

export interface MetricsSources {
  inFlight(): number
  /** Requests of a class that wait for the gateway or an endpoint. */
  queued(serviceClass: ServiceClass): number
  /** Health of providers, as observed by this process. */
  health(): readonly HealthReport[]
  /** True while the store accepts usage rows. */
  stored(): boolean
  /** Usage rows that wait in memory. */
  waiting(): number
  /** Usage rows that were quarantined. */
  quarantined(): number
  /** Usage rows that were lost. */
  lost(): number
  /** Requests that cost more than was reserved for them. */
  missed(): number
  /** Budgets with the least left, at most `most`. Default: none. */
  budgets?(most: number): Promise<readonly BudgetStatus[]>
  /** Shared rate limits. Default: none. */
  readonly fleet?: FleetState
  /** Sinks of usage rows. Default: none. */
  readonly sinks?: Pick<SinkStates, 'all'> | undefined
  /** Numbers of exported spans. Default: spans are not exported. */
  readonly spans?: Readonly<SpanCounts> | undefined
}

/** Choices of labels and names. */
export interface MetricsOptions {
  /** Additional labels of counters. Default: `model`. */
  readonly labels?: readonly MetricLabel[] | undefined
  /** Maximum number of series with models, keys or projects. Default: 10,000. */
  readonly maxSeries?: number | undefined
  /** Conventions of the metrics of model calls. Default: `1.41`. */
  readonly dialect?: Dialect | undefined
  /** Name of a configured provider in the conventions. Default: its configured name. */
  readonly nameOf?: ((provider: string) => string) | undefined
  /** Id of a request's trace if it is exported. Default: no exemplars. */
  readonly traceIdOf?: ((row: UsageRow) => string | undefined) | undefined
}

/** Metrics of prom-client whose names break Prometheus' conventions: gauges that end in `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Upper bounds of the gateway's own time in seconds: 0.1 ms to 0.4 s. */
const OVERHEAD_BOUNDS = Array.from({ length: 13 }, (_, power) => 2 ** power / 10_000)

export function createMetrics(sources: MetricsSources, options: MetricsOptions = {}): Metrics {
  const { labels = ['model'], maxSeries, dialect = '1.41', nameOf = (provider) => provider, traceIdOf } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const registers = [registry]
  const limit = createSeriesLimit(maxSeries)
  const requests = createRequestCounters({ labels, limit, traceIdOf })
  const genAi = createGenAiMetrics({ dialect, limit, nameOf, traceIdOf })
  const overhead = createOverhead(traceIdOf)
  registerProgram(limit, registers)
  registerSources(sources, registers)
  if (sources.fleet) registerFleet(sources.fleet, registers)
  registerEndpoints(sources.health, registers)
  if (sources.budgets) registerBudgets(sources.budgets, registers)
  if (sources.sinks) registerSinks(sources.sinks, registers)
  if (sources.spans) registerSpans(sources.spans, registers)
  const { budgetRefusals, overruns, rateRefusals, shed } = createRefusalCounters(registers)
  total(
    'headgate_budget_bounds_missed_total',
    'Requests that cost more than what was reserved for them.',
    sources.missed,
    registers,
  )

  const snapshot = async (): Promise<Snapshot> => [
    ...(await registry.getMetricsAsJSON()),
    ...requests.snapshot(),
    overhead.metric(),
    ...genAi.snapshot(),
  ]
  return {
    observe: (record) => {
      const { provider = '', model } = requests.observe(record).labels
      const { usage, chunks, overrun } = record
      if (usage) genAi.observe(usage, chunks)
      overhead.observe(record)
      if (overrun !== undefined) overruns.inc({ provider, ...(model !== undefined && { model }) })
      if (record.shed) shed.inc({ reason: record.shed.reason, class: record.shed.serviceClass })
    },
    budgetRefused: ({ why, budget: { scope } }) => budgetRefusals.inc({ scope, why }),
    rateRefused: ({ scope, unit }) => rateRefusals.inc({ scope, unit }),
    text: async (format = 'prometheus') => metricsText(await snapshot(), format),
    snapshot,
  }
}

/** Time that the gateway adds to requests. */
function createOverhead(traceIdOf: MetricsOptions['traceIdOf']) {
  const histogram = createHistogram({
    name: 'headgate_overhead_seconds',
    help: 'Time that the gateway adds, by part: `in` from the arrival of a request to the start of its first call, `out` from the bytes of the upstream to the first byte for the caller.',
    bounds: OVERHEAD_BOUNDS,
    traceIdOf,
  })
  const before = histogram.observed({ part: 'in' })
  const after = histogram.observed({ part: 'out' })
  return {
    observe({ overhead, usage }: AccessRecord): void {
      if (!overhead) return
      before.add(overhead.inMs / 1_000, usage)
      if (overhead.outMs !== undefined) after.add(overhead.outMs / 1_000, usage)
    },
    metric: histogram.metric,
  }
}

function registerProgram(limit: SeriesLimit, registers: Registry[]): void {
  new Gauge({
    name: 'headgate_build_info',
    help: 'Version of the program; always 1.',
    labelNames: ['version'],
    registers,
    aggregator: 'first',
    collect() {
      this.set({ version }, 1)
    },
  })
  total(
    'headgate_series_folded_total',
    'Values that were counted for `_other` because `metrics.maxSeries` is reached.',
    limit.folded,
    registers,
  )
}

function registerSpans(spans: Readonly<SpanCounts>, registers: Registry[]): void {
  total('headgate_spans_sent_total', 'Spans that the receiver of traces accepted.', () => spans.sent, registers)
  total(
    'headgate_spans_dropped_total',
    'Spans that were lost because the receiver of traces was away, too slow, or rejected them.',
    () => spans.dropped,
    registers,
  )
}

function registerSources(
  { inFlight, queued, stored, waiting, quarantined, lost }: MetricsSources,
  registers: Registry[],
): void {
  gauge('headgate_requests_in_flight', 'Open requests.', inFlight, registers)
  new Gauge({
    name: 'headgate_waiting_requests',
    help: 'Requests that wait because the gateway or each endpoint has its maximum number, by class: `interactive`, `normal`, `batch`.',
    labelNames: ['class'],
    registers,
    collect() {
      for (const one of SERVICE_CLASSES) this.set({ class: one }, queued(one))
    },
  })
  gauge(
    'headgate_store_writable',
    '1 while the store accepts usage rows, 0 while they stay in the journal.',
    () => Number(stored()),
    registers,
    'min',
  )
  gauge(
    'headgate_usage_rows_waiting',
    'Usage rows that wait in memory because the journal cannot be written.',
    waiting,
    registers,
  )
  total(
    'headgate_usage_rows_quarantined_total',
    'Quarantined usage rows: the store rejected them, and they are in a separate file.',
    quarantined,
    registers,
  )
  total(
    'headgate_usage_rows_lost_total',
    'Lost usage rows: neither the journal nor memory could store them.',
    lost,
    registers,
  )
}

function createRefusalCounters(registers: Registry[]) {
  const budgetRefusals = new Counter({
    name: 'headgate_budget_refusals_total',
    help: 'Upstream calls refused by a budget, by scope and reason: `limit`, `price-unknown`, `away`. The request may have used a cheaper candidate.',
    labelNames: ['scope', 'why'],
    registers,
  })
  const overruns = new Counter({
    name: 'headgate_output_overruns_total',
    help: 'Responses with more output tokens than the limit sent to the upstream.',
    labelNames: ['provider', 'model'],
    registers,
  })
  const rateRefusals = new Counter({
    name: 'headgate_rate_refusals_total',
    help: 'Requests refused by a rate limit, by scope and unit: `requests`, `tokens`, `concurrent`.',
    labelNames: ['scope', 'unit'],
    registers,
  })
  const shed = new Counter({
    name: 'headgate_shed_total',
    help: 'Requests refused because the gateway or each endpoint had too much to do, by reason and class: `event-loop-delay`, `memory`, `queue-full`, `queue-timeout`.',
    labelNames: ['reason', 'class'],
    registers,
  })
  return { budgetRefusals, overruns, rateRefusals, shed }
}

/** Gauge. Values of several processes are added up, unless `aggregator` says otherwise. */
function gauge(
  name: string,
  help: string,
  value: () => number,
  registers: Registry[],
  aggregator: Aggregator = 'sum',
): Gauge {
  return new Gauge({
    name,
    help,
    registers,
    aggregator,
    collect() {
      this.set(value())
    },
  })
}

/** Counter whose value is kept by its source. */
function total(name: string, help: string, value: () => number, registers: Registry[]): Counter {
  return new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset()
      this.inc(value())
    },
  })
}
