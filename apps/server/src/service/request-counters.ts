import type { AccessRecord, UsageRow } from '@headgate/gateway'
import { PROVIDER_FAULTS } from '@headgate/gateway/ports'
import { METRIC_LABELS, type MetricLabel } from '../config/metric-labels.ts'
import { createHistogram, type HistogramObserver, REQUEST_BOUNDS } from './histograms.ts'
import { OTHER, type SeriesLimit } from './series-limit.ts'
import type { MetricLabels, Snapshot, SnapshotMetric, SnapshotValue } from './snapshot.ts'

/** Label value of requests that did not reach a provider, and of requests without a key or project. */
const NONE = 'none'
/** Status classes by first digit of the status code. */
const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

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

/** Counters of {@link CountedLine}, with the label that divides each. */
const COUNTERS = [
  ['requests', 'headgate_requests_total', 'Requests, by status class.', 'status'],
  [
    'failures',
    'headgate_failures_total',
    'Requests that failed, by kind of failure. `fault`: `provider`, `gateway` or `caller`.',
    'kind',
  ],
  ['tokens', 'headgate_tokens_total', 'Tokens, by kind; input and output are totals.', 'kind'],
  [
    'units',
    'headgate_units_total',
    'Billed units other than tokens, by unit: `searches` of the web or of an index by an upstream, `images`, `seconds` and so on.',
    'unit',
  ],
] as const

type CounterName = (typeof COUNTERS)[number][0]
type Sums = Map<string, number>

/** Counts of one combination of labels. */
export interface CountedLine {
  readonly labels: MetricLabels
  /** Line that gets what has no separate series; undefined for this line itself. */
  readonly other: CountedLine | undefined
  readonly sums: Readonly<Record<CounterName, Sums>>
  /** Sum of costs in nano-dollars. Added doubles drift, and exceed 2^53. */
  cost: bigint | undefined
  readonly times: LineTimes
}

interface LineTimes {
  readonly duration: HistogramObserver
  readonly firstByte: HistogramObserver
  readonly perToken: HistogramObserver
}

/** Upstream calls of one endpoint, by kind of failure. */
interface EndpointCalls {
  /** MetricLabels. Without an endpoint, the provider has only one. */
  readonly labels: MetricLabels
  readonly sums: Sums
}

/** Metrics counted per request. They do not use the counters of prom-client, which cost ten times as much. */
export interface RequestCounters {
  /** Counts a request. Returns its line. */
  observe(record: AccessRecord): CountedLine
  snapshot(): Snapshot
}

export interface RequestCountersOptions {
  readonly labels: readonly MetricLabel[]
  readonly limit: SeriesLimit
  /** Id of a request's trace if it is exported. */
  readonly traceIdOf?: ((row: UsageRow) => string | undefined) | undefined
}

/** Side that caused a failure. `caller`: its request, key or limits. */
export function faultOf(kind: string): 'provider' | 'gateway' | 'caller' {
  if (PROVIDER_FAULTS.has(kind)) return 'provider'
  return kind === 'internal' || kind === 'unavailable' ? 'gateway' : 'caller'
}

/** Creates the counters. */
export function createRequestCounters(options: RequestCountersOptions): RequestCounters {
  const { limit } = options
  const times = createTimes(options)
  const lines = createLines(options, times.of)
  const calls = new Map<string, EndpointCalls>()
  const add = (line: CountedLine, counter: CounterName, key: string, value: number): void => {
    const sums = line.sums[counter]
    const known = sums.get(key)
    if (known !== undefined) sums.set(key, known + value)
    else if (!line.other || limit.admit(1)) {
      if (!line.other) limit.add(1)
      sums.set(key, value)
    } else add(line.other, counter, key, value)
  }
  const addCost = (line: CountedLine, charged: number): void => {
    if (line.cost !== undefined) line.cost += BigInt(charged)
    else if (!line.other || limit.admit(1)) {
      if (!line.other) limit.add(1)
      line.cost = BigInt(charged)
    } else addCost(line.other, charged)
  }
  const observeUsage = (line: CountedLine, row: UsageRow): void => {
    const { usage, attempts, firstByteMs, billed, charged } = row
    if (usage) {
      for (const [kind, field] of TOKENS) {
        const count = usage[field]
        if (count !== undefined && count > 0) add(line, 'tokens', kind, count)
      }
      for (const unit in usage.units) add(line, 'units', unit, usage.units[unit] ?? 0)
    }
    for (const attempt of attempts) addCall(calls, attempt)
    if (firstByteMs !== undefined) {
      line.times.firstByte.add(firstByteMs / 1_000, row)
      const output = row.stream ? (usage?.output ?? 0) : 0
      if (output > 1) line.times.perToken.add((row.durationMs - firstByteMs) / 1_000 / (output - 1))
    }
    if (billed && charged !== null) addCost(line, charged)
  }
  return {
    observe(record) {
      const { status, durationMs, usage, error } = record
      const line = lines.of(record)
      add(line, 'requests', CLASSES[Math.floor(status / 100)] ?? CLASSES[0], 1)
      line.times.duration.add(durationMs / 1_000, usage)
      if (error) add(line, 'failures', error.kind, 1)
      if (usage) observeUsage(line, usage)
      return line
    },
    snapshot: () => [...counterMetrics(lines.all()), attemptMetric(calls), costMetric(lines.all()), ...times.metrics()],
  }
}

function addCall(calls: Map<string, EndpointCalls>, attempt: UsageRow['attempts'][number]): void {
  const { provider, endpoint, failure = NONE } = attempt
  const key = endpoint === undefined ? provider : `${provider}\n${endpoint}`
  let own = calls.get(key)
  if (!own) {
    own = { labels: { provider, ...(endpoint !== undefined && { endpoint }) }, sums: new Map() }
    calls.set(key, own)
  }
  own.sums.set(failure, (own.sums.get(failure) ?? 0) + 1)
}

const TOKEN_TIME_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]

/** Histograms without the labels of the configuration. */
function createTimes({ traceIdOf }: RequestCountersOptions) {
  const [duration, firstByte, perToken] = [
    createHistogram({
      name: 'headgate_request_duration_seconds',
      help: 'Time until the end of the response.',
      bounds: REQUEST_BOUNDS,
      traceIdOf,
    }),
    createHistogram({
      name: 'headgate_first_byte_seconds',
      help: 'Time until the first byte of the response.',
      bounds: REQUEST_BOUNDS,
      traceIdOf,
    }),
    createHistogram({
      name: 'headgate_time_per_output_token_seconds',
      help: 'Time from the first byte of a stream to its end, divided by the output tokens after the first.',
      bounds: TOKEN_TIME_BOUNDS,
    }),
  ] as const
  const known = new Map<string, LineTimes>()
  return {
    of(key: string, labels: MetricLabels): LineTimes {
      const own = known.get(key) ?? {
        duration: duration.observed(labels),
        firstByte: firstByte.observed(labels),
        perToken: perToken.observed(labels),
      }
      known.set(key, own)
      return own
    },
    metrics: (): Snapshot => [duration.metric(), firstByte.metric(), perToken.metric()],
  }
}

/** Creates lines, as many as the limit allows. */
function createLines(
  { labels, limit }: RequestCountersOptions,
  timesOf: (key: string, labels: MetricLabels) => LineTimes,
) {
  const lines = new Map<string, CountedLine>()
  const [hasModel, hasKey, hasProject] = METRIC_LABELS.map((label) => labels.includes(label))
  const create = (
    served: MetricLabels,
    chosen: MetricLabels,
    key: string,
    other: CountedLine | undefined,
  ): CountedLine => {
    const line: CountedLine = {
      labels: { ...served, ...chosen },
      other,
      sums: { requests: new Map(), failures: new Map(), tokens: new Map(), units: new Map() },
      cost: undefined,
      times: timesOf(JSON.stringify(served), served),
    }
    lines.set(key, line)
    return line
  }
  /** Models that served a request. Callers can send any other name. */
  const models = new Set<string>()
  const modelOf = ({ usage, status }: AccessRecord): string => {
    if (!usage) return NONE
    if (models.has(usage.model)) return usage.model
    if (status >= 400 || limit.isFull()) return OTHER
    models.add(usage.model)
    return usage.model
  }
  const otherLine = (served: MetricLabels): CountedLine => {
    const key = `${OTHER}|${served['provider']}|${served['family']}|${served['format']}`
    const chosen = Object.fromEntries(METRIC_LABELS.filter((one) => labels.includes(one)).map((one) => [one, OTHER]))
    return lines.get(key) ?? create(served, chosen, key, undefined)
  }
  return {
    of(record: AccessRecord): CountedLine {
      const { provider = NONE, family = NONE, format = NONE } = record.usage ?? {}
      const model = hasModel ? modelOf(record) : ''
      const owner = hasKey ? (record.principal ?? NONE) : ''
      const project = hasProject ? (record.project ?? NONE) : ''
      const key = `${provider}|${family}|${format}|${model}|${owner}|${project}`
      const known = lines.get(key)
      if (known) return known
      const served = { provider, family, format }
      const isOther =
        (hasModel || hasKey || hasProject) && [model, owner, project].every((one) => one === OTHER || one === '')
      if (isOther || limit.isFull()) return otherLine(served)
      const chosen = {
        ...(hasModel && { model }),
        ...(hasKey && { key: owner }),
        ...(hasProject && { project }),
      }
      return create(served, chosen, key, otherLine(served))
    },
    all: (): readonly CountedLine[] => [...lines.values()],
  }
}

function counterMetrics(lines: readonly CountedLine[]): SnapshotMetric[] {
  return COUNTERS.map(([counter, name, help, label]) => ({
    name,
    help,
    type: 'counter',
    aggregator: 'sum',
    values: lines.flatMap(({ labels, sums }) =>
      [...sums[counter]].map(([key, value]) => ({
        labels: { ...labels, [label]: key, ...(counter === 'failures' && { fault: faultOf(key) }) },
        value,
      })),
    ),
  }))
}

function attemptMetric(calls: ReadonlyMap<string, EndpointCalls>): SnapshotMetric {
  return {
    name: 'headgate_attempts_total',
    help: 'Upstream calls, by kind of failure or "none". Without the label `endpoint`, the provider has only one.',
    type: 'counter',
    aggregator: 'sum',
    values: [...calls.values()].flatMap(({ labels, sums }) =>
      [...sums].map(([failure, value]) => ({ labels: { ...labels, failure }, value })),
    ),
  }
}

/** Costs, without the labels `family` and `format`. */
function costMetric(lines: readonly CountedLine[]): SnapshotMetric {
  const sums = new Map<string, { readonly labels: MetricLabels; nanos: bigint }>()
  for (const { labels, cost } of lines) {
    if (cost === undefined) continue
    const { family: _, format: __, ...own } = labels
    const key = JSON.stringify(own)
    const known = sums.get(key) ?? { labels: own, nanos: 0n }
    known.nanos += cost
    sums.set(key, known)
  }
  const values = [...sums.values()].map(({ labels, nanos }): SnapshotValue => ({ labels, value: Number(nanos) / 1e9 }))
  return {
    name: 'headgate_cost_dollars_total',
    help: 'Cost of billed requests in US dollars.',
    type: 'counter',
    aggregator: 'sum',
    values,
  }
}
