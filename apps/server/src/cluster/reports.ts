import type { HealthReport } from '@headgate/gateway'
import { AggregatorRegistry } from 'prom-client'
import type { Snapshot } from '../service/metrics.ts'
import type { Report } from './messages.ts'

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

/** How providers are, as far as any process knows: what rests longest, and what was said last. */
export function mergedHealth(reports: readonly Report[]): readonly HealthReport[] {
  const merged = new Map<string, HealthReport>()
  for (const text of reports.flat()) {
    if (typeof text !== 'string') continue
    const one: HealthReport = JSON.parse(text)
    const key = JSON.stringify([one.provider, one.model])
    const known = merged.get(key)
    const restsUntil = Math.max(one.restsUntil ?? 0, known?.restsUntil ?? 0)
    const [lastError] = [one.lastError ?? [], known?.lastError ?? []].flat().sort((a, b) => b.at - a.at)
    const overruns = [one.overrun ?? [], known?.overrun ?? []].flat().sort((a, b) => b.at - a.at)
    const count = overruns.reduce((sum, overrun) => sum + overrun.count, 0)
    const [overrun] = overruns.map((newest) => Object.assign({}, newest, { count }))
    merged.set(key, {
      ...one,
      ...(restsUntil > 0 && { restsUntil }),
      ...(lastError && { lastError }),
      ...(overrun && { overrun }),
    })
  }
  return [...merged.values()]
}
