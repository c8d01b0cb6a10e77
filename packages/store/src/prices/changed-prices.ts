import type { ModelFacts, Price } from '@headgate/gateway/ports'
import type { PriceRow, PriceSource, StoredRates } from './row.ts'

/** Current price of a model at a provider, from one source. */
export interface CurrentPrice extends Pick<PriceRow, 'provider' | 'model' | 'source'> {
  readonly price: Price
}

/** Configured prices: `provider/model` → price. Provider names contain no slash. */
export function configuredPrices(prices: Readonly<Record<string, Price>>): CurrentPrice[] {
  return Object.entries(prices).map(([key, price]) => {
    const slash = key.indexOf('/')
    return { provider: key.slice(0, slash), model: key.slice(slash + 1), source: 'config', price }
  })
}

/** Prices in an adapter's catalog for the models of one of its instances. */
export function catalogPrices(provider: string, known: readonly ModelFacts[]): CurrentPrice[] {
  return known.flatMap(({ id, upstream = id, price }) =>
    price ? [{ provider, model: upstream, source: 'catalog' as const, price }] : [],
  )
}

/** Canonical JSON of rates, independent of the order of their fields. */
function textOf(rates: unknown): string {
  return JSON.stringify(rates, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function ratesOf({ id: _, ...rates }: Price): StoredRates {
  return rates
}

function keyOf({ source, provider, model }: Pick<PriceRow, 'provider' | 'model' | 'source'>): string {
  return `${source}:${provider}/${model}`
}

/** Newest row of each source and model. */
function newest(known: readonly PriceRow[]): Map<string, PriceRow> {
  const last = new Map<string, PriceRow>()
  for (const row of known) {
    const key = keyOf(row)
    const other = last.get(key)
    if (!other || other.validFrom <= row.validFrom) last.set(key, row)
  }
  return last
}

/** Source and the id of the price: `catalog(models.dev@2026-07-02)`. */
function labelOf(source: PriceSource, id: string): string {
  return id === source ? source : `${source}(${id})`
}

/**
 * Rows for changed prices: one for each new or changed price, valid from now on, and
 * an end for each price removed
 * from the configuration. Times of one model strictly increase, even if the clock steps back.
 * @param now Unix milliseconds
 */
export function changedPrices(known: readonly PriceRow[], current: readonly CurrentPrice[], now: number): PriceRow[] {
  const last = newest(known)
  const rows: PriceRow[] = []
  const add = (
    { provider, model, source }: Pick<PriceRow, 'provider' | 'model' | 'source'>,
    label: string,
    rates: StoredRates | null,
  ): void => {
    const validFrom = Math.max(now, (last.get(keyOf({ provider, model, source }))?.validFrom ?? 0) + 1)
    const id = `${label}:${provider}/${model}@${new Date(validFrom).toISOString()}`
    rows.push({ id, provider, model, source, validFrom, rates })
  }
  const named = new Map(current.map((one) => [keyOf(one), one]))
  for (const [key, one] of named) {
    const before = last.get(key)
    const rates = ratesOf(one.price)
    if (before?.rates && textOf(before.rates) === textOf(rates)) continue
    add(one, labelOf(one.source, one.price.id), rates)
  }
  for (const [key, row] of last) {
    if (row.source === 'config' && row.rates && !named.has(key)) add(row, 'config(ended)', null)
  }
  return rows
}
