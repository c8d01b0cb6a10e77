import type { Price, PriceBook } from '@headgate/gateway/ports'
import type { PriceRow } from './row.ts'

/** Price history in memory. */
export interface PriceHistory extends PriceBook {
  /** Adds rows. Known rows change nothing. */
  add(rows: readonly PriceRow[]): void
}

/** Prices of one model from one source, oldest first. */
type PriceEntries = {
  readonly id: string
  readonly validFrom: number
  /** Time at which this process read the price, in monotonic milliseconds. */
  readonly learnedAt: number
  readonly price: Price | undefined
}[]

interface PricesBySource {
  readonly config: PriceEntries
  readonly store: PriceEntries
  readonly catalog: PriceEntries
}

function insert(line: PriceEntries, { id, validFrom, rates }: PriceRow, learnedAt: number): void {
  if (line.some((entry) => entry.id === id)) return
  const after = line.findLastIndex((entry) => entry.validFrom <= validFrom)
  line.splice(after + 1, 0, { id, validFrom, learnedAt, price: rates ? { ...rates, id } : undefined })
}

export interface PriceClocks {
  /** Clock of request times, Unix milliseconds. */
  readonly now?: () => number
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: () => number
}

/**
 * Creates a price history. Configured prices take precedence, then prices set in the store, then the catalog. A price
 * applies from its time, and to all requests that begin after this process has read it, since the clock that wrote its
 * time may be ahead.
 */
export function createPriceHistory(
  rows: readonly PriceRow[],
  { now = Date.now, elapsed = performance.now.bind(performance) }: PriceClocks = {},
): PriceHistory {
  const providers = new Map<string, Map<string, PricesBySource>>()
  const linesOf = (provider: string, model: string): PricesBySource => {
    let models = providers.get(provider)
    if (!models) {
      models = new Map()
      providers.set(provider, models)
    }
    let lines = models.get(model)
    if (!lines) {
      lines = { config: [], store: [], catalog: [] }
      models.set(model, lines)
    }
    return lines
  }
  const priceAt = (line: PriceEntries, at: number): Price | undefined => {
    for (let index = line.length - 1; index >= 0; index--) {
      const entry = line[index]
      if (entry && (entry.validFrom <= at || entry.learnedAt <= elapsed() - Math.max(0, now() - at))) return entry.price
    }
    return undefined
  }
  const book: PriceHistory = {
    add(added) {
      const learnedAt = elapsed()
      for (const row of added) insert(linesOf(row.provider, row.model)[row.source], row, learnedAt)
    },
    priceOf(provider, model, at) {
      const lines = providers.get(provider)?.get(model)
      return lines && (priceAt(lines.config, at) ?? priceAt(lines.store, at) ?? priceAt(lines.catalog, at))
    },
  }
  book.add(rows)
  return book
}
