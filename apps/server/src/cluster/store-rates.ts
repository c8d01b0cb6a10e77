import type { RateExchangeReply, SharedRates } from '@headgate/gateway/ports'
import type { Slot, Workers } from './workers.ts'

/** Time limit of an exchange in milliseconds. */
const PATIENCE = 1_000

/** Shared rates in the store of the workers. The primary process has no store. */
export interface StoreRates extends SharedRates {
  /** `reply`: undefined if the store did not answer. */
  exchanged(id: number, reply: RateExchangeReply | undefined): void
  /** Ends the exchanges of a dead worker. */
  forget(slot: Slot): void
}

interface PendingExchange {
  readonly slot: Slot
  settle(reply: RateExchangeReply | undefined): void
}

/** Creates shared rates that the first serving worker exchanges with its store. */
export function createStoreRates({ slots, tell }: Pick<Workers, 'slots' | 'tell'>): StoreRates {
  const waiting = new Map<number, PendingExchange>()
  let lastId = 0
  return {
    async exchange(exchange) {
      const slot = slots.find(({ up }) => up)
      if (!slot) throw new Error('no worker serves yet')
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<RateExchangeReply | undefined>()
      const timer = setTimeout(resolve, PATIENCE, undefined)
      waiting.set(id, { slot, settle: resolve })
      tell(slot, { kind: 'exchange', id, exchange })
      const reply = await promise
      clearTimeout(timer)
      waiting.delete(id)
      if (!reply) throw new Error('the store does not answer')
      return reply
    },
    exchanged: (id, reply) => waiting.get(id)?.settle(reply),
    forget(slot) {
      for (const one of waiting.values()) if (one.slot === slot) one.settle(undefined)
    },
  }
}
