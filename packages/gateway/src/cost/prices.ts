import { KINDS, type Price, type Rates, type Tariff } from '@headgate/core/canonical'
import type { GatewayOptions, PriceBook } from '../ports/gateway-options.ts'

/**
 * 1,000 US dollars per million tokens, in nano-dollars. No model costs that much; a price entered in the wrong unit
 * does.
 */
const IMPLAUSIBLE = 1_000_000_000_000

function implausibleIn(rates: Rates, prefix: string): string[] {
  return KINDS.filter((kind) => (rates[kind] ?? 0) > IMPLAUSIBLE).map((kind) => `${prefix}${kind}`)
}

function implausibleInTariff(tariff: Tariff, prefix = ''): string[] {
  return [...implausibleIn(tariff, prefix), ...(tariff.long ? implausibleIn(tariff.long, `${prefix}long.`) : [])]
}

/**
 * Paths of the rates above 1,000 US dollars per million tokens. Such rates are usually entered in the wrong unit.
 *
 * @example
 * ```ts
 * implausibleRates({ id: 'p1', input: 2_000_000_000, output: 8_000_000_000_000_000 }) // ['output']
 * ```
 */
export function implausibleRates(price: Price): string[] {
  const tiers = Object.entries(price.tiers ?? {})
  return [
    ...implausibleInTariff(price),
    ...tiers.flatMap(([name, tier]) => ('factor' in tier ? [] : implausibleInTariff(tier, `tiers.${name}.`))),
  ]
}

function isBook(prices: NonNullable<GatewayOptions['prices']>): prices is PriceBook {
  return typeof prices.priceOf === 'function'
}

/** Price book of a gateway. Warns about prices that look wrong. */
export function priceBookOf(prices: GatewayOptions['prices'], warn: (message: string) => void): PriceBook {
  if (!prices) return { priceOf: () => undefined }
  if (isBook(prices)) return prices
  for (const [model, price] of Object.entries(prices)) {
    const implausible = implausibleRates(price)
    if (implausible.length > 0)
      warn(
        `The price of ${model} is above 1,000 US dollars per million tokens (${implausible.join(', ')}). Check its unit: rates are nano-dollars per million tokens.`,
      )
  }
  return { priceOf: (provider, model) => prices[`${provider}/${model}`] }
}
