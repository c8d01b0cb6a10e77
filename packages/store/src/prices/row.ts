import type { Price } from '@headgate/gateway/ports'

/** Where a price comes from. That of the configuration wins, then what somebody has set while the program runs. */
export type PriceSource = 'config' | 'store' | 'catalog'

/** What something costs: a price without its id. */
export type StoredRates = Omit<Price, 'id'>

/**
 * What a model at a provider costs from one moment until the next row of the same source. Rows are added, never
 * changed.
 */
export interface PriceRow {
  /** Unique, and to be read by people: `config:openai/gpt-5@2026-11-22T13:00:00.000Z`. Usage rows have it. */
  readonly id: string
  /** Name of the instance. */
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  readonly source: PriceSource
  /** Unix time in milliseconds. */
  readonly validFrom: number
  /** Null = from then on this source has no price. */
  readonly rates: StoredRates | null
}
