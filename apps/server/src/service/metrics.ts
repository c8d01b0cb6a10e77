import type { AccessRecord, UsageRow } from '@headgate/core'
import {
  type Aggregator,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

/** What the program counts. Labels are names from the configuration and words of the program, never a caller's text. */
export interface Metrics extends ShownMetrics {
  observe(record: AccessRecord): void
  /** What they are now, to be added to those of others. */
  snapshot(): Promise<Snapshot>
}

export interface ShownMetrics {
  readonly contentType: string
  /** In the text format of Prometheus. */
  text(): Promise<string>
}

/** The metrics of one process: data, for other processes. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

export interface MetricsSources {
  inFlight(): number
  /** Whether the store takes usage rows. */
  stored(): boolean
  /** Usage rows: see the ledger. */
  waiting(): number
  putAside(): number
  lost(): number
}

const SERVED = ['provider', 'family', 'format'] as const
/** Stands where a request did not get as far as a provider. */
const NONE = 'none'
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900]

/** Kinds of tokens. `input` and `output` are totals: the others are shares of them. */
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

type Served = Record<(typeof SERVED)[number], string>

/** What is still to be added to a counter. */
interface Sum {
  readonly counter: Counter
  readonly labels: Record<string, string>
  value: number
}

export function createMetrics({ inFlight, stored, waiting, putAside, lost }: MetricsSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

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
    help: 'Calls of upstreams, by kind of failure or "none".',
    labelNames: ['provider', 'failure'],
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
    help: 'What is counted beside tokens, by unit: `searches` of the web or of an index that an upstream ran, `images`, `seconds` and so on.',
    labelNames: [...SERVED, 'unit'],
    registers,
  })
  /** Nano-dollars by provider: doubles that are added up drift, and pass 2^53. */
  const costs = new Map<string, bigint>()
  new Counter({
    name: 'headgate_cost_dollars_total',
    help: 'Cost of billed requests in US dollars.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset()
      for (const [provider, nanos] of costs) this.inc({ provider }, Number(nanos) / 1e9)
    },
  })
  const duration = createDurations('headgate_request_duration_seconds', 'Time until the end of the answer.', registers)
  const firstByte = createDurations('headgate_first_byte_seconds', 'Time until the first byte of the answer.', registers)
  gauge('headgate_requests_in_flight', 'Requests that are open.', inFlight, registers)
  gauge(
    'headgate_store_writable',
    '1 while the store takes usage rows, 0 while they stay in the journal.',
    () => Number(stored()),
    registers,
    'min',
  )
  gauge('headgate_usage_rows_waiting', 'Usage rows that wait in memory, since the journal can not be written.', waiting, registers)
  total('headgate_usage_rows_put_aside_total', 'Usage rows that the store refused and that lie in a file beside it.', putAside, registers)
  total('headgate_usage_rows_lost_total', 'Usage rows that neither the journal nor memory could take.', lost, registers)

  /** Counted per combination of labels on the way, and added to the counters when somebody looks: adding costs ten times as much. */
  const sums = new Map<string, Sum>()
  const sumOf = (key: string, counter: Counter, labels: () => Record<string, string>): Sum => {
    let sum = sums.get(key)
    if (!sum) {
      sum = { counter, labels: labels(), value: 0 }
      sums.set(key, sum)
    }
    return sum
  }
  const observeUsage = (row: UsageRow, key: string, served: Served) => {
    if (row.usage) {
      for (const [kind, field] of TOKENS) {
        const count = row.usage[field]
        if (count !== undefined && count > 0) sumOf(`t|${key}|${kind}`, tokens, () => ({ ...served, kind })).value += count
      }
      for (const unit in row.usage.units) sumOf(`u|${key}|${unit}`, units, () => ({ ...served, unit })).value += row.usage.units[unit] ?? 0
    }
    for (const { provider, failure = NONE } of row.attempts) {
      sumOf(`a|${provider}|${failure}`, attempts, () => ({ provider, failure })).value++
    }
    if (row.firstByteMs !== undefined) firstByte.observe(key, served, row.firstByteMs / 1_000)
    if (row.billed && row.charged !== null) costs.set(row.provider, (costs.get(row.provider) ?? 0n) + BigInt(row.charged))
  }

  const flush = () => {
    for (const sum of sums.values()) sum.counter.inc(sum.labels, sum.value)
    sums.clear()
    duration.flush()
    firstByte.flush()
  }

  return {
    observe: ({ status, durationMs, usage, error }) => {
      const served = { provider: usage?.provider ?? NONE, family: usage?.family ?? NONE, format: usage?.format ?? NONE }
      const key = `${served.provider}|${served.family}|${served.format}`
      const digit = Math.floor(status / 100)
      sumOf(`r|${key}|${digit}`, requests, () => ({ ...served, status: `${digit}xx` })).value++
      duration.observe(key, served, durationMs / 1_000)
      if (error) sumOf(`f|${key}|${error.kind}`, failures, () => ({ ...served, kind: error.kind })).value++
      if (usage) observeUsage(usage, key, served)
    },
    contentType: registry.contentType,
    text: () => {
      flush()
      return registry.metrics()
    },
    snapshot: () => {
      flush()
      return registry.getMetricsAsJSON()
    },
  }
}

/** A histogram whose observations wait, few at a time, until somebody looks: one costs as much as ten pushes to a list. */
interface Durations {
  /** `key` stands for the labels. Seconds. */
  observe(key: string, labels: Served, seconds: number): void
  flush(): void
}

/** So many observations of one combination of labels wait at most. */
const WAITING = 1_000

function createDurations(name: string, help: string, registers: Registry[]): Durations {
  const histogram = new Histogram({ name, help, labelNames: SERVED, buckets: DURATIONS, registers })
  const waiting = new Map<string, { labels: Served; seconds: number[] }>()
  const drain = ({ labels, seconds }: { labels: Served; seconds: number[] }): void => {
    const observer = histogram.labels(labels)
    for (const one of seconds) observer.observe(one)
    seconds.length = 0
  }
  return {
    observe(key, labels, seconds) {
      let line = waiting.get(key)
      if (!line) {
        line = { labels, seconds: [] }
        waiting.set(key, line)
      }
      if (line.seconds.push(seconds) >= WAITING) drain(line)
    },
    flush() {
      for (const line of waiting.values()) drain(line)
    },
  }
}

/** Of several processes the values are added up, unless another way is named. */
function gauge(name: string, help: string, value: () => number, registers: Registry[], aggregator: Aggregator = 'sum'): Gauge {
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

/** A counter that something else keeps. */
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
