import type { GatewayOptions, Price, ProviderEntry, SearchOptions } from '@headgate/core'
import type { Settings } from '../config/settings.ts'

/** The part of the gateway's options that the configuration gives, and what was found. */
export function configuredOptions(
  { config, dataDir }: Settings,
  providers: readonly ProviderEntry[],
  search?: SearchOptions,
): GatewayOptions {
  const {
    models,
    prices,
    times: { shutdown: _, header: __, ...times } = {},
    limits: { connections: ___, ...limits } = {},
    origins,
  } = config
  return {
    providers,
    ...(search && { search, dataDir }),
    ...(models && { models: mapValues(models, (names) => (typeof names === 'string' ? [names] : names)) }),
    ...(prices && { prices: mapValues(prices, nanoPrice) }),
    times,
    limits,
    ...(origins && { origins }),
  }
}

type Rates = Omit<Price, 'id' | 'long' | 'units'>
type ConfiguredPrice = NonNullable<Settings['config']['prices']>[string]

/** From US dollars to integer nano-dollars, per million tokens and per unit. */
function nanoPrice({ id = 'config', long, units, ...rates }: ConfiguredPrice): Price {
  const price = { ...nanoRates(rates), id, ...(units && { units: mapValues(units, nano) }) }
  if (!long) return price
  const { above, ...longRates } = long
  return { ...price, long: { ...nanoRates(longRates), above } }
}

function nanoRates(rates: Rates): Rates {
  const { input, output, ...others } = rates
  return { input: nano(input), output: nano(output), ...mapValues(others, nano) }
}

function nano(dollars: number): number {
  return Math.round(dollars * 1e9)
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
