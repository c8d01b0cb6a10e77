import { AggregatorRegistry } from 'prom-client'

/** Measurement of a request whose trace is exported. */
export interface SnapshotExemplar {
  readonly value: number
  /** Unix time in milliseconds. */
  readonly at: number
  readonly traceId: string
}

/** Labels of a value that is counted per request. */
export type MetricLabels = Readonly<Record<string, string>>

/** Value of a metric in {@link Snapshot}. */
export interface SnapshotValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>
  readonly value: number
  /** Name with the suffix of a histogram's part. Default: the name of the metric. */
  readonly metricName?: string | undefined
  readonly exemplar?: SnapshotExemplar | undefined
}

/** Metric in {@link Snapshot}. */
export interface SnapshotMetric {
  readonly name: string
  readonly help: string
  /** `counter`, `gauge`, `histogram`. */
  readonly type: unknown
  /** Combination of the values of several processes. */
  readonly aggregator: string
  readonly values: readonly SnapshotValue[]
}

/** Serializable metrics of one process. */
export type Snapshot = readonly SnapshotMetric[]

/** Labels of a value as text, to find the same value in another snapshot. */
function keyOf({ metricName = '', labels }: SnapshotValue): string {
  const entries = Object.entries(labels).map(([name, value]) => [name, String(value)] as const)
  return JSON.stringify([metricName, entries.sort(([one], [other]) => (one < other ? -1 : 1))])
}

/** Metrics of several processes in one, with the newest exemplars. */
export async function mergedSnapshot(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const [only, ...others] = snapshots.filter(({ length }) => length > 0)
  if (only && others.length === 0) return only
  const merged: Snapshot = await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON()
  const exemplars = newestExemplars(snapshots)
  if (exemplars.size === 0) return merged
  return merged.map((metric) => {
    const own = exemplars.get(metric.name)
    if (!own) return metric
    return { ...metric, values: metric.values.map((value) => ({ ...value, exemplar: own.get(keyOf(value)) })) }
  })
}

/** Newest exemplars by metric and {@link keyOf}. */
function newestExemplars(snapshots: readonly Snapshot[]): Map<string, Map<string, SnapshotExemplar>> {
  const newest = new Map<string, Map<string, SnapshotExemplar>>()
  for (const { name, values } of snapshots.flat())
    for (const value of values) {
      const { exemplar } = value
      if (!exemplar) continue
      const own = newest.get(name) ?? new Map<string, SnapshotExemplar>()
      newest.set(name, own)
      const key = keyOf(value)
      const known = own.get(key)
      if (!known || known.at < exemplar.at) own.set(key, exemplar)
    }
  return newest
}
