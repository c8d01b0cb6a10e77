import type { AccessRecord, BudgetRefusal, HealthReport, RateRefusal, UsageRow } from '@headgate/gateway'
import { SERVICE_CLASSES, type ServiceClass } from '@headgate/gateway/ports'
import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { type FleetState, registerFleet } from '../fleet/metrics.ts'
import { createDurations, type DurationObserver } from './durations.ts'
import { registerEndpoints } from './endpoint-metrics.ts'

/**
 * Metrics of the program. Labels are configured names, constants of the program, and a bounded number of served models.
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
  /** Content type of `text`. */
  readonly contentType: string
  /** Metrics in the text format of Prometheus. */
  text(): Promise<string>
}

/** Serializable metrics of one process. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

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
  /** Shared rate limits. Default: none. */
  readonly fleet?: FleetState
}

const SERVED = ['provider', 'family', 'format', 'model'] as const
/** Label value of requests that did not reach a provider. */
const NONE = 'none'
/** Label value of models beyond the limit, and of models that served no request. */
const OTHER = 'other'
/** Models with a separate label in each process. A caller can send any name, so only served models count. */
const MODELS = 100
/** Metrics of prom-client whose names break Prometheus' conventions: gauges that end in `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Kinds of tokens. `input` and `output` are totals that include the other kinds. */
const TOKENS = [
  ['input', 'input'],
  ['output', 'output'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite'],
  ['reasoning', 'reasoning'],
  ['audio_input', 'audioInput'],
  ['audio_output', 'audioOutput'],
  ['image_input', 'imageInput'],
  ['image_output', 'imageOutput'],
] as const

type ServedLabels = Record<(typeof SERVED)[number], string>

const NOWHERE: ServedLabels = { provider: NONE, family: NONE, format: NONE, model: NONE }
/** Status classes by first digit of the status code. */
const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

/** Pending increments of a counter by label value. */
type PendingSums = Map<string, number>

/** Pending upstream calls of one endpoint, by kind of failure. */
interface EndpointCalls {
  /** Labels. Without an endpoint, the provider has only one. */
  readonly of: { readonly provider: string; readonly endpoint?: string }
  readonly sums: PendingSums
}

/** Pending values of one provider, family, format and model. */
interface MetricLine {
  readonly served: ServedLabels
  readonly requests: PendingSums
  readonly failures: PendingSums
  readonly tokens: PendingSums
  readonly units: PendingSums
  readonly duration: DurationObserver
  readonly firstByte: DurationObserver
}

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const registers = [registry]
  const counters = createCounters(registers)
  const lines = createLines()
  registerCost(lines.costs, registers)
  registerSources(sources, registers)
  if (sources.fleet) registerFleet(sources.fleet, registers)
  registerEndpoints(sources.health, registers)
  const { budgetRefusals, overruns, rateRefusals, shed } = createRefusalCounters(registers)
  total(
    'headgate_budget_bounds_missed_total',
    'Requests that cost more than what was reserved for them.',
    sources.missed,
    registers,
  )

  const flush = () => lines.drainTo(counters)
  return {
    observe: (record) => {
      const { provider, model } = lines.observe(record)
      if (record.overrun !== undefined) overruns.inc({ provider, model })
      if (record.shed) shed.inc({ reason: record.shed.reason, class: record.shed.serviceClass })
    },
    budgetRefused: ({ why, budget: { scope } }) => budgetRefusals.inc({ scope, why }),
    rateRefused: ({ scope, unit }) => rateRefusals.inc({ scope, unit }),
    contentType: registry.contentType,
    text: async () => {
      flush()
      const own = AggregatorRegistry.aggregate([await lines.durations()])
      return `${await registry.metrics()}\n${await own.metrics()}`
    },
    snapshot: async () => {
      flush()
      return [...(await registry.getMetricsAsJSON()), ...(await lines.durations())]
    },
  }
}

type Counters = ReturnType<typeof createCounters>

function createCounters(registers: Registry[]) {
  const requests = new Counter({
    name: 'headgate_requests_total',
    help: 'Requests, by status class.',
    labelNames: [...SERVED, 'status'],
    registers,
  })
  const failures = new Counter({
    name: 'headgate_failures_total',
    help: 'Requests that failed, by kind of failure.',
    labelNames: [...SERVED, 'kind'],
    registers,
  })
  const attempts = new Counter({
    name: 'headgate_attempts_total',
    help: 'Upstream calls, by kind of failure or "none". Without the label `endpoint`, the provider has only one.',
    labelNames: ['provider', 'endpoint', 'failure'],
    registers,
  })
  const tokens = new Counter({
    name: 'headgate_tokens_total',
    help: 'Tokens, by kind; input and output are totals.',
    labelNames: [...SERVED, 'kind'],
    registers,
  })
  const units = new Counter({
    name: 'headgate_units_total',
    help: 'Billed units other than tokens, by unit: `searches` of the web or of an index by an upstream, `images`, `seconds` and so on.',
    labelNames: [...SERVED, 'unit'],
    registers,
  })
  return { requests, failures, attempts, tokens, units }
}

/**
 * Registers the cost counter. @param costs nano-dollars by provider and model: added doubles drift, and exceed 2^53.
 */
function registerCost(costs: ReadonlyMap<MetricLine, bigint>, registers: Registry[]): void {
  new Counter({
    name: 'headgate_cost_dollars_total',
    help: 'Cost of billed requests in US dollars.',
    labelNames: ['provider', 'model'],
    registers,
    collect() {
      this.reset()
      for (const [{ served }, nanos] of costs)
        this.inc({ provider: served.provider, model: served.model }, Number(nanos) / 1e9)
    },
  })
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

/**
 * Sums counted per request and added to the counters when they are read. Adding to a counter costs ten times as much.
 */
interface MetricLines {
  readonly costs: ReadonlyMap<MetricLine, bigint>
  /** Counts a request. Returns its labels. */
  observe(record: AccessRecord): ServedLabels
  drainTo(counters: Counters): void
  durations(): Promise<Snapshot>
}

function createLines(): MetricLines {
  const duration = createDurations('headgate_request_duration_seconds', 'Time until the end of the response.')
  const firstByte = createDurations('headgate_first_byte_seconds', 'Time until the first byte of the response.')
  const lines = new Map<string, MetricLine>()
  const calls = new Map<string, EndpointCalls>()
  const costs = new Map<MetricLine, bigint>()
  /** Histograms without the model label: each line has one bucket per bound. */
  const times = new Map<string, Pick<MetricLine, 'duration' | 'firstByte'>>()
  const timesOf = (labels: Omit<ServedLabels, 'model'>): Pick<MetricLine, 'duration' | 'firstByte'> => {
    const key = `${labels.provider}|${labels.family}|${labels.format}`
    const known = times.get(key) ?? { duration: duration.observed(labels), firstByte: firstByte.observed(labels) }
    times.set(key, known)
    return known
  }
  const models = new Set<string>()
  const labelOf = (model: string, isServed: boolean): string => {
    if (models.has(model)) return model
    if (!isServed || models.size >= MODELS) return OTHER
    models.add(model)
    return model
  }
  const lineOf = ({ provider, family, format, model }: ServedLabels): MetricLine => {
    const key = `${provider}|${family}|${format}|${model}`
    let line = lines.get(key)
    if (!line) {
      const served = { provider, family, format, model }
      line = {
        served,
        requests: new Map(),
        failures: new Map(),
        tokens: new Map(),
        units: new Map(),
        ...timesOf({ provider, family, format }),
      }
      lines.set(key, line)
    }
    return line
  }

  return {
    costs,
    observe: ({ status, durationMs, usage, error }) => {
      const line = lineOf(usage ? { ...usage, model: labelOf(usage.model, status < 400) } : NOWHERE)
      add(line.requests, CLASSES[Math.floor(status / 100)] ?? CLASSES[0], 1)
      line.duration.add(durationMs / 1_000)
      if (error) add(line.failures, error.kind, 1)
      if (usage) observeUsage(usage, { line, calls, costs })
      return line.served
    },
    drainTo: (counters) => drainLines(lines, calls, counters),
    durations: () => Promise.all([duration.metric(), firstByte.metric()]),
  }
}

interface UsageCounters {
  readonly line: MetricLine
  /** Attempts by provider and endpoint. */
  readonly calls: Map<string, EndpointCalls>
  readonly costs: Map<MetricLine, bigint>
}

function observeUsage(row: UsageRow, { line, calls, costs }: UsageCounters): void {
  if (row.usage) {
    for (const [kind, field] of TOKENS) {
      const count = row.usage[field]
      if (count !== undefined && count > 0) add(line.tokens, kind, count)
    }
    for (const unit in row.usage.units) add(line.units, unit, row.usage.units[unit] ?? 0)
  }
  for (const { provider, endpoint, failure = NONE } of row.attempts) {
    const key = endpoint === undefined ? provider : `${provider}\n${endpoint}`
    let own = calls.get(key)
    if (!own) {
      own = { of: { provider, ...(endpoint !== undefined && { endpoint }) }, sums: new Map() }
      calls.set(key, own)
    }
    add(own.sums, failure, 1)
  }
  if (row.firstByteMs !== undefined) line.firstByte.add(row.firstByteMs / 1_000)
  if (row.billed && row.charged !== null) costs.set(line, (costs.get(line) ?? 0n) + BigInt(row.charged))
}

function drainLines(
  lines: ReadonlyMap<string, MetricLine>,
  calls: ReadonlyMap<string, EndpointCalls>,
  counters: Counters,
): void {
  const { requests, failures, attempts, tokens, units } = counters
  for (const line of lines.values()) {
    const { served } = line
    drain(line.requests, (status, value) => requests.inc({ ...served, status }, value))
    drain(line.failures, (kind, value) => failures.inc({ ...served, kind }, value))
    drain(line.tokens, (kind, value) => tokens.inc({ ...served, kind }, value))
    drain(line.units, (unit, value) => units.inc({ ...served, unit }, value))
  }
  for (const { of, sums } of calls.values()) drain(sums, (failure, value) => attempts.inc({ ...of, failure }, value))
}

function add(sums: PendingSums, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value)
}

function drain(sums: PendingSums, to: (key: string, value: number) => void): void {
  for (const [key, value] of sums) to(key, value)
  sums.clear()
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
