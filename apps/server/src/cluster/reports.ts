import type { HealthReport } from '@headgate/gateway'
import { type MetricsFormat, metricsText } from '../service/metrics-text.ts'
import { mergedSnapshot, type Snapshot } from '../service/snapshot.ts'
import type { About, Report } from './messages.ts'
import type { Slot, Workers } from './workers.ts'

/** Time limit of a worker's report in milliseconds. */
const PATIENCE = 2_000

/** Combined reports of the workers. */
export interface Reports {
  /** Reasons for not being ready, each with its worker; or metrics of all workers, including dead ones. */
  gather(about: About): Promise<readonly Report[]>
  reported(id: number, report: Report): void
  /** Forgets a dead worker. Its last counters and histograms are kept. */
  forget(slot: Slot): void
}

/** @param own metrics of the primary process; default: none */
export function createReports(
  { slots, tell }: Pick<Workers, 'slots' | 'tell'>,
  own?: () => Promise<Snapshot>,
): Reports {
  const waiting = new Map<number, { readonly slot: Slot; resolve(report: Report | undefined): void }>()
  const last = new Map<Slot, Snapshot>()
  let gone: Snapshot = []
  let lastId = 0

  /** Undefined if the worker does not answer. */
  const ask = async (slot: Slot, about: About): Promise<Report | undefined> => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<Report | undefined>()
    const timer = setTimeout(() => resolve(undefined), PATIENCE)
    waiting.set(id, { slot, resolve })
    tell(slot, { kind: 'report', id, about })
    const report = await promise
    clearTimeout(timer)
    waiting.delete(id)
    return report
  }

  const reasonsOf = async (slot: Slot): Promise<readonly string[]> => {
    const report = slot.up ? await ask(slot, 'readiness') : undefined
    const reasons = report ?? [slot.up ? 'it does not answer' : 'it is being started']
    return reasons.map((reason) => `worker ${slot.number}: ${String(reason)}`)
  }
  const metricsOf = async (slot: Slot): Promise<Snapshot> => {
    const { worker } = slot
    const report = slot.up ? await ask(slot, 'metrics') : undefined
    const snapshot = report?.filter((one) => typeof one !== 'string')
    if (snapshot && slot.worker === worker) last.set(slot, snapshot)
    return snapshot ?? last.get(slot) ?? []
  }

  return {
    gather: async (about) => {
      if (about === 'readiness') return Promise.all(slots.map(reasonsOf))
      // A worker that does not answer has no health reports.
      if (about === 'health')
        return Promise.all(slots.map(async (slot) => (slot.up ? await ask(slot, 'health') : undefined) ?? []))
      const snapshots = await Promise.all(slots.map(metricsOf))
      return [gone, ...snapshots, ...(own ? [await own()] : [])]
    },
    reported: (id, report) => waiting.get(id)?.resolve(report),
    forget: (slot) => {
      const snapshot = last.get(slot)
      last.delete(slot)
      for (const one of waiting.values()) if (one.slot === slot) one.resolve(undefined)
      if (snapshot) void remainder([gone, snapshot]).then((sum) => (gone = sum))
    },
  }
}

/** Metrics in a report. */
export function snapshotOf(report: Report): Snapshot {
  return report.filter((one) => typeof one !== 'string')
}

/** Sum of the metrics of several processes as text. */
export async function summedText(
  snapshots: readonly Snapshot[],
  format: MetricsFormat = 'prometheus',
): Promise<string> {
  return metricsText(await mergedSnapshot(snapshots), format)
}

/** Counters and histograms of dead processes. They are kept because sums must never shrink. */
async function remainder(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const growing = snapshots.map((metrics) => metrics.filter(({ type }) => isGrowing(String(type))))
  return mergedSnapshot(growing)
}

function isGrowing(type: string): boolean {
  return type === 'counter' || type === 'histogram'
}

/**
 * Health of providers, combined from all processes: the longest cooldown, the newest error, and sums of calls, of
 * failures and of requests in flight.
 */
export function mergedHealth(reports: readonly Report[]): readonly HealthReport[] {
  const all = reports.flat().flatMap((text): HealthReport[] => (typeof text === 'string' ? [JSON.parse(text)] : []))
  const targets = Map.groupBy(all, ({ provider, endpoint, model }) => JSON.stringify([provider, endpoint, model]))
  return [...targets.values()].flatMap((own) => merged(own) ?? [])
}

/** Combined reports of one target; undefined without reports. */
function merged(reports: readonly HealthReport[]): HealthReport | undefined {
  const [first] = reports
  if (!first) return undefined
  const restsUntil = largest(reports.flatMap((one) => one.restsUntil ?? []))
  const [lastError] = reports.flatMap((one) => one.lastError ?? []).sort((a, b) => b.at - a.at)
  const overruns = reports.flatMap((one) => one.overrun ?? []).sort((a, b) => b.at - a.at)
  const count = overruns.reduce((total, one) => total + one.count, 0)
  const [overrun] = overruns.map((newest) => Object.assign({}, newest, { count }))
  const inFlight = sum(reports.flatMap((one) => one.inFlight ?? []))
  const limit = sum(reports.flatMap((one) => one.limit ?? []))
  const recent = reports.flatMap((one) => one.recent ?? [])
  const [calls, failures] = [sum(recent.map((one) => one.calls)), sum(recent.map((one) => one.failures))]
  const [remaining] = reports.flatMap((one) => one.remaining ?? []).sort(byNewest)
  return {
    ...first,
    ...(restsUntil !== undefined && { restsUntil }),
    ...(lastError && { lastError }),
    ...(overrun && { overrun }),
    ...(inFlight !== undefined && { inFlight }),
    ...(limit !== undefined && { limit }),
    ...(remaining && { remaining }),
    ...(calls !== undefined && failures !== undefined && { recent: { calls, failures } }),
  }
}

type RemainingLimit = NonNullable<HealthReport['remaining']>

/** Order of remaining limits: the latest window first, then the one with the least left. */
function byNewest(one: RemainingLimit, other: RemainingLimit): number {
  const order = (other.resetAt ?? 0) - (one.resetAt ?? 0)
  return order === 0 ? (one.requests ?? one.tokens ?? 0) - (other.requests ?? other.tokens ?? 0) : order
}

function largest(values: readonly number[]): number | undefined {
  return values.length > 0 ? Math.max(...values) : undefined
}

function sum(values: readonly number[]): number | undefined {
  return values.length > 0 ? values.reduce((total, value) => total + value, 0) : undefined
}
