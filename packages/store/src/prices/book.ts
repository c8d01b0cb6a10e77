import type { Price, PriceBook } from '@headgate/gateway/ports'
import type { PriceRow } from './row.ts'

/** The dated prices in memory. */
export interface DatedPrices extends PriceBook {
  /** Takes in rows; those that it has already change nothing. */
  add(rows: readonly PriceRow[]): void
}

/** What one source says of one model, oldest first. */
type Line = {
  readonly id: string
  readonly validFrom: number
  /** When this process learned of it, in milliseconds of a clock that never steps. */
  readonly learnedAt: number
  readonly price: Price | undefined
}[]

interface Lines {
  readonly config: Line
  readonly store: Line
  readonly catalog: Line
}

function insert(line: Line, { id, validFrom, rates }: PriceRow, learnedAt: number): void {
  if (line.some((entry) => entry.id === id)) return
  const after = line.findLastIndex((entry) => entry.validFrom <= validFrom)
  line.splice(after + 1, 0, { id, validFrom, learnedAt, price: rates ? { ...rates, id } : undefined })
}

export interface PriceClocks {
  /** Unix milliseconds, by which requests begin. */
  readonly now?: () => number
  /** Milliseconds of a clock that never steps. */
  readonly elapsed?: () => number
}

/**
 * A book of dated prices. Those of the configuration win, then those that were set, then the catalog. A price is
 * valid from its time, and for all requests that begin after this process has learned of it: the clock that wrote its
 * time may be ahead of this one.
 */
export function createPriceBook(
  rows: readonly PriceRow[],
  { now = Date.now, elapsed = performance.now.bind(performance) }: PriceClocks = {},
): DatedPrices {
  const providers = new Map<string, Map<string, Lines>>()
  const linesOf = (provider: string, model: string): Lines => {
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
  const priceAt = (line: Line, at: number): Price | undefined => {
    for (let index = line.length - 1; index >= 0; index--) {
      const entry = line[index]
      if (entry && (entry.validFrom <= at || entry.learnedAt <= elapsed() - Math.max(0, now() - at))) return entry.price
    }
    return undefined
  }
  const book: DatedPrices = {
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
