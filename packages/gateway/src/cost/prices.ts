import { KINDS, type Price, type Rates, type Tariff } from '@headgate/core/canonical'
import type { GatewayOptions, PriceBook } from '../ports/gateway-options.ts'

/**
 * A thousand dollars per million tokens, in nano-dollars. No model costs so much; a price that was meant for something
 * else does.
 */
const DEAR = 1_000_000_000_000

function dearIn(rates: Rates, prefix: string): string[] {
  return KINDS.filter((kind) => (rates[kind] ?? 0) > DEAR).map((kind) => `${prefix}${kind}`)
}

function dearInTariff(tariff: Tariff, prefix = ''): string[] {
  return [...dearIn(tariff, prefix), ...(tariff.long ? dearIn(tariff.long, `${prefix}long.`) : [])]
}

/** Rates that are above 1,000 US dollars per million tokens, by their paths: `input`, `tiers.priority.long.output`. */
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

/** The prices of a gateway as a book. What looks like a mistake in a record is told. */
export function bookOf(prices: GatewayOptions['prices'], warn: (message: string) => void): PriceBook {
  if (!prices) return { priceOf: () => undefined }
  if (isBook(prices)) return prices
  for (const [model, price] of Object.entries(prices)) {
    const dear = dearRates(price)
    if (dear.length > 0)
      warn(
        `The price of ${model} is above 1,000 US dollars per million tokens (${dear.join(', ')}). Prices are those of a million tokens.`,
      )
  }
  return { priceOf: (provider, model) => prices[`${provider}/${model}`] }
}
