import {
  type ExchangeContext,
  exchangePlaces,
  exchangeWindow,
  NODE_SEEN_MS,
  type NodePlaces,
  type RateExchange,
  type RateExchangeReply,
  type SharedRates,
  type SlotAmounts,
} from '@headgate/gateway/ports'

/** Shared rates in memory. */
export interface MemorySharedRates extends Required<SharedRates> {
  /** Applies an exchange like {@link SharedRates.exchange}, without a promise. */
  exchangeNow(exchange: RateExchange): RateExchangeReply
  /** Loses all counts. The data have a new id afterwards. */
  clear(): void
}

export interface MemorySharedRatesOptions {
  /** Clock of the store in Unix milliseconds; default: the time of day. */
  readonly now?: (() => number) | undefined
}

/** Data of the store. */
interface SharedCounts {
  /** Listeners for free places, by node. */
  readonly listeners: Map<string, (key: string) => void>
  readonly windows: Map<string, SlotAmounts>
  readonly places: Map<string, NodePlaces>
  /** Times of the last exchange, by node. */
  readonly seen: Map<string, number>
}

function entryOf<Value>(values: Map<string, Value>, key: string, create: () => Value): Value {
  const known = values.get(key)
  if (known) return known
  const value = create()
  values.set(key, value)
  return value
}

function exchangeWith(counts: SharedCounts, { node, windows, places }: RateExchange, context: ExchangeContext) {
  const { now } = context
  counts.seen.set(node, now)
  for (const [other, at] of counts.seen) if (at <= now - NODE_SEEN_MS) counts.seen.delete(other)
  const isSeen = (other: string): boolean => counts.seen.has(other)
  const reply = {
    windows: windows.map((one) => {
      const amounts = entryOf(counts.windows, one.key, (): SlotAmounts => new Map())
      const windowReply = exchangeWindow(amounts, one, context)
      if (amounts.size === 0) counts.windows.delete(one.key)
      return windowReply
    }),
    places: places.map((one) => {
      const held = entryOf(counts.places, one.key, (): NodePlaces => new Map())
      const { reply: placesReply, woken } = exchangePlaces(held, one, { node, now, isSeen })
      if (held.size === 0) counts.places.delete(one.key)
      for (const other of woken) counts.listeners.get(other)?.(one.key)
      return placesReply
    }),
  }
  return { ...reply, now, nodes: counts.seen.size }
}

/**
 * Counts of rate limits in memory, for tests and simulations of several nodes in one process, and as the reference for
 * stores. An exchange is atomic.
 * @example
 * ```ts
 * const shared = createMemorySharedRates()
 * const nodes = ['a', 'b'].map((node) => createAllocations({ shared, node }))
 * ```
 */
export function createMemorySharedRates({ now = Date.now }: MemorySharedRatesOptions = {}): MemorySharedRates {
  const counts: SharedCounts = { listeners: new Map(), windows: new Map(), places: new Map(), seen: new Map() }
  let generation = 1
  let since: number | undefined

  const exchangeNow = (exchange: RateExchange): RateExchangeReply => {
    const reply = exchangeWith(counts, exchange, { now: Math.floor(now()), allocationMs: exchange.allocationMs })
    return { ...reply, instance: `memory-${generation}`, since }
  }
  return {
    exchangeNow,
    async exchange(exchange) {
      return exchangeNow(exchange)
    },
    onFreePlaces(node, listener) {
      counts.listeners.set(node, listener)
    },
    clear() {
      generation++
      since = Math.floor(now())
      counts.windows.clear()
      counts.places.clear()
      counts.seen.clear()
    },
  }
}
