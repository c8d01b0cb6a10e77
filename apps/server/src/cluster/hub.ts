import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Settings } from '../config/settings.ts'
import { openFleet } from '../fleet/fleet.ts'
import { registerFleet } from '../fleet/metrics.ts'
import type { Snapshot } from '../service/snapshot.ts'
import type { WorkerNews, WorkerOrder } from './messages.ts'
import { createRateServer } from './rate-server.ts'
import { createStoreRates } from './store-rates.ts'
import type { Slot, Workers } from './workers.ts'

/** Exchange among workers, and with other nodes: rate limits, knowledge about upstreams, and changes of the store. */
export interface Hub {
  /** Handles a message of a worker, if it is for the hub. */
  onNews(slot: Slot, news: WorkerNews): void
  /** Frees what a dead worker had. */
  forget(slot: Slot): void
  /** Metrics of shared rate limits; empty without them. */
  metrics(): Promise<Snapshot>
  close(): Promise<void>
}

/** Opens the hub of the primary process, before workers start. */
export async function openHub(
  { slots, tell, tellAll }: Pick<Workers, 'slots' | 'tell' | 'tellAll'>,
  settings: Settings,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<Hub> {
  const hasRates = settings.redisUrl === undefined && settings.databaseUrl !== undefined
  const storeRates = hasRates ? createStoreRates({ slots, tell }) : undefined
  const fleet = await openFleet({
    settings,
    logger,
    rates: storeRates,
    onNotes: (notes) => tellAll({ kind: 'notes', notes }),
  })
  const rates = createRateServer({ tell }, fleet?.counters)
  const registry = new Registry()
  if (fleet) registerFleet(fleet, [registry])
  fleet?.join({
    onChange: () => tellAll({ kind: 'wake' }),
    onRouting: (records) => tellAll({ kind: 'routing', records }),
  })
  /** Tells a new worker what others know. */
  const greet = (slot: Slot): void => {
    if (!fleet) return
    tell(slot, { kind: 'notes', notes: fleet.notes() })
    void fleet.stored().then((records) => tell(slot, { kind: 'routing', records }))
  }
  const tellOthers = (from: Slot, order: WorkerOrder): void => {
    for (const slot of slots) if (slot !== from) tell(slot, order)
  }

  return {
    onNews(slot, news) {
      switch (news.kind) {
        case 'rates':
          return rates.asked(slot, news.questions, news.leaves)
        case 'routing':
          tellOthers(slot, { kind: 'routing', records: news.records })
          return fleet?.share(news.records)
        case 'changed':
          tellOthers(slot, { kind: 'wake' })
          return fleet?.changed()
        case 'exchanged':
          return storeRates?.exchanged(news.id, news.reply)
        case 'listening':
          return greet(slot)
      }
    },
    forget(slot) {
      rates.forget(slot)
      storeRates?.forget(slot)
    },
    metrics: () => registry.getMetricsAsJSON(),
    close: async () => fleet?.close(),
  }
}
