import type { Price } from '@headgate/gateway/ports'

/**
 * Source of a price. The configuration takes precedence, then prices that were set while a gateway ran, then the
 * catalog.
 */
export type PriceSource = 'config' | 'store' | 'catalog'

/** Rates of a price, without its id. */
export type StoredRates = Omit<Price, 'id'>

/**
 * Price of a model at a provider, from its time until the next row of the same source. Rows are added, never changed.
 */
export interface PriceRow {
  /** Unique readable id, which usage rows refer to: `config:openai/gpt-5@2026-11-22T13:00:00.000Z`. */
  readonly id: string
  /** Name of the instance. */
  readonly provider: string
  /** Model name at the provider. */
  readonly model: string
  readonly source: PriceSource
  /** Unix milliseconds. */
  readonly validFrom: number
  /** Rates; null ends the price of this source. */
  readonly rates: StoredRates | null
}
