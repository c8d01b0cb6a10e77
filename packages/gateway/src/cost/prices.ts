import { KINDS, type Price, type Rates, type Tariff } from '@headgate/core/canonical'
import type { GatewayOptions, PriceBook } from '../ports/gateway-options.ts'

/**
 * 1,000 US dollars per million tokens, in nano-dollars. No model costs that much; a price entered in the wrong unit
 * does.
 */
const DEAR = 1_000_000_000_000

function dearIn(rates: Rates, prefix: string): string[] {
  return KINDS.filter((kind) => (rates[kind] ?? 0) > DEAR).map((kind) => `${prefix}${kind}`)
}

function dearInTariff(tariff: Tariff, prefix = ''): string[] {
  return [...dearIn(tariff, prefix), ...(tariff.long ? dearIn(tariff.long, `${prefix}long.`) : [])]
}

/**
 * Paths of the rates above 1,000 US dollars per million tokens. Such rates are usually entered in the wrong unit.
 *
 * @example
 * ```ts
 * dearRates({ id: 'p1', input: 2_000_000_000, output: 8_000_000_000_000_000 }) // ['output']
 * ```
 */
export function dearRates(price: Price): string[] {
  const tiers = Object.entries(price.tiers ?? {})
  return [
    ...dearInTariff(price),
    ...tiers.flatMap(([name, tier]) => ('factor' in tier ? [] : dearInTariff(tier, `tiers.${name}.`))),
  ]
}

function isBook(prices: NonNullable<GatewayOptions['prices']>): prices is PriceBook {
  return typeof prices.priceOf === 'function'
}

/** Price book of a gateway. Warns about prices that look wrong. */
export function bookOf(prices: GatewayOptions['prices'], warn: (message: string) => void): PriceBook {
  if (!prices) return { priceOf: () => undefined }
  if (isBook(prices)) return prices
  for (const [model, price] of Object.entries(prices)) {
    const dear = dearRates(price)
    if (dear.length > 0)
      warn(
        `The price of ${model} is above 1,000 US dollars per million tokens (${dear.join(', ')}). Check its unit: rates are nano-dollars per million tokens.`,
      )
  }
  return { priceOf: (provider, model) => prices[`${provider}/${model}`] }
}
