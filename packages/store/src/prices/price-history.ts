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

/** Change of the difference of two clocks that is a step, in milliseconds. */
const STEP_MS = 1_000
/** Maximum number of known steps. Requests that began before more steps count as older than they are. */
const MOST_STEPS = 1_000

/** Difference of the clock of request times from the monotonic clock, from a monotonic moment on. */
interface TimeOffset {
  readonly since: number
  offset: number
}

export interface PriceClocks {
  /** Clock of request times, Unix milliseconds. */
  readonly now?: () => number
  /** Monotonic clock, in milliseconds. */
  readonly elapsed?: () => number
}

/**
 * Monotonic moments of request times. The clock of request times may step. A request that began before a step forward
 * is not older than it is.
 */
function createMoments(now: () => number, elapsed: () => number) {
  const offsets: TimeOffset[] = [{ since: Number.NEGATIVE_INFINITY, offset: now() - elapsed() }]
  let lookedAt = elapsed()
  return {
    /** Notices a step. Called often, since a step that was undone before is not seen. */
    look(): void {
      const at = elapsed()
      const offset = now() - at
      const last = offsets.at(-1) as TimeOffset
      if (Math.abs(offset - last.offset) <= STEP_MS) last.offset = offset
      // The request that notices a step may have begun after it.
      else if (offsets.push({ since: lookedAt, offset }) > MOST_STEPS) offsets.shift()
      lookedAt = at
    },
    /** Monotonic moment of a time; at most the present one. */
    of(at: number): number {
      const begun = offsets.findLast(({ since, offset }) => at - offset >= since) ?? offsets[0]
      return Math.min(elapsed(), at - (begun as TimeOffset).offset)
    },
  }
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
  const moments = createMoments(now, elapsed)
  const priceAt = (line: PriceEntries, at: number): Price | undefined =>
    line.findLast(({ validFrom, learnedAt }) => validFrom <= at || learnedAt <= moments.of(at))?.price
  const book: PriceHistory = {
    add(added) {
      const learnedAt = elapsed()
      for (const row of added) insert(linesOf(row.provider, row.model)[row.source], row, learnedAt)
    },
    priceOf(provider, model, at) {
      moments.look()
      const lines = providers.get(provider)?.get(model)
      return lines && (priceAt(lines.config, at) ?? priceAt(lines.store, at) ?? priceAt(lines.catalog, at))
    },
  }
  book.add(rows)
  return book
}
