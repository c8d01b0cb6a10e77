import { AggregatorRegistry } from 'prom-client'
import type { Snapshot } from '../service/metrics.ts'

/** The metrics of several processes as one, in the text format of Prometheus. */
export function summedText(snapshots: readonly Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics()
}

/** What is left of the metrics of processes that are gone: what only ever grows, so that no sum shrinks. */
export async function remainder(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const growing = snapshots.map((metrics) => metrics.filter(({ type }) => isGrowing(String(type))))
  return AggregatorRegistry.aggregate(growing).getMetricsAsJSON()
}

function isGrowing(type: string): boolean {
  return type === 'counter' || type === 'histogram'
}
