import type { Price, PriceBook } from '@headgate/core/store'
import type { PriceRow } from './row.ts'

/** The dated prices in memory. */
export interface DatedPrices extends PriceBook {
  /** Takes in rows; those that it has already change nothing. */
  add(rows: readonly PriceRow[]): void
}

/** What one source says of one model, oldest first. */
type Line = { readonly id: string; readonly validFrom: number; readonly price: Price | undefined }[]

interface Lines {
  readonly config: Line
  readonly store: Line
  readonly catalogue: Line
}

/** Most requests began after the last change. */
function priceAt(line: Line, at: number): Price | undefined {
  for (let index = line.length - 1; index >= 0; index--) {
    const entry = line[index]
    if (entry && entry.validFrom <= at) return entry.price
  }
  return undefined
}

function insert(line: Line, { id, validFrom, rates }: PriceRow): void {
  if (line.some((entry) => entry.id === id)) return
  const after = line.findLastIndex((entry) => entry.validFrom <= validFrom)
  line.splice(after + 1, 0, { id, validFrom, price: rates ? { ...rates, id } : undefined })
}

/** A book of dated prices. What the configuration says wins, then what was set, then the catalogue: each for as long as it says something. */
export function createPriceBook(rows: readonly PriceRow[]): DatedPrices {
  const providers = new Map<string, Map<string, Lines>>()
  const linesOf = (provider: string, model: string): Lines => {
    let models = providers.get(provider)
    if (!models) {
      models = new Map()
      providers.set(provider, models)
    }
    let lines = models.get(model)
    if (!lines) {
      lines = { config: [], store: [], catalogue: [] }
      models.set(model, lines)
    }
    return lines
  }
  const book: DatedPrices = {
    add(added) {
      for (const row of added) insert(linesOf(row.provider, row.model)[row.source], row)
    },
    priceOf(provider, model, at) {
      const lines = providers.get(provider)?.get(model)
      return lines && (priceAt(lines.config, at) ?? priceAt(lines.store, at) ?? priceAt(lines.catalogue, at))
    },
  }
  book.add(rows)
  return book
}
