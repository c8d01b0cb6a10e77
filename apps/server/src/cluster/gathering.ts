import type { Snapshot } from '../service/metrics.ts'
import type { Crew, Slot } from './crew.ts'
import type { About, Report } from './messages.ts'
import { remainder } from './reports.ts'

/** How long a worker may take to report, in milliseconds. */
const PATIENCE = 2_000

/** What the workers report, together. */
export interface Gathering {
  /**
   * The reasons of all why they are not ready, each with whose it is; or the metrics of all, those of workers that are
   * gone too.
   */
  gather(about: About): Promise<readonly Report[]>
  reported(id: number, report: Report): void
  /** Its worker is gone: of its metrics stays what only grows, as it was last reported. */
  forget(slot: Slot): void
}

export function createGathering({ slots, tell }: Pick<Crew, 'slots' | 'tell'>): Gathering {
  const waiting = new Map<number, { readonly slot: Slot; resolve(report: Report | undefined): void }>()
  const last = new Map<Slot, Snapshot>()
  let gone: Snapshot = []
  let lastId = 0

  /** Undefined when it does not answer. */
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
      // One that does not answer knows nothing.
      if (about === 'health')
        return Promise.all(slots.map(async (slot) => (slot.up ? await ask(slot, 'health') : undefined) ?? []))
      const snapshots = await Promise.all(slots.map(metricsOf))
      return [gone, ...snapshots]
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
