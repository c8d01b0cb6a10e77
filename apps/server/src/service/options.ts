import type { GatewayOptions, Price, ProviderEntry, SearchOptions } from '@headgate/gateway'
import { implausibleRates } from '@headgate/gateway/operate'
import { type CurrentPrice, catalogPrices, configuredPrices } from '@headgate/store'
import type { Settings } from '../config/settings.ts'

/** Gateway options from the configuration and the discovered adapters. */
export function configuredOptions(
  { config, dataDir }: Settings,
  providers: readonly ProviderEntry[],
  search?: SearchOptions,
): GatewayOptions {
  const {
    models,
    server: { origins, trustedProxies } = {},
    times: { shutdown: _, header: __, ...times } = {},
    limits: given = {},
  } = config
  const { connections: ___, models: ____, projects: _____, ...limits } = given
  return {
    providers,
    ...(search && { search, dataDir }),
    ...(models && { models: mapValues(models, (names) => (typeof names === 'string' ? [names] : names)) }),
    ...(origins && { origins }),
    ...(trustedProxies && { trustedProxies }),
    times,
    limits,
    ...spendingOptions(config),
  }
}

/** Options for requests that budgets limit. */
function spendingOptions({ budgets: { leastOutput, unknownPrice } = {} }: Settings['config']) {
  const spending = { ...(leastOutput !== undefined && { leastOutput }), ...(unknownPrice && { unknownPrice }) }
  return { spending }
}

/** Current prices: configured ones, and those known to the adapters' packages. */
export function currentPrices({ config }: Settings, providers: readonly ProviderEntry[]): CurrentPrice[] {
  return [
    ...configuredPrices(mapValues(config.prices ?? {}, nanoPrice)),
    ...providers.flatMap(({ name, provider }) => catalogPrices(name ?? provider.name, provider.known ?? [])),
  ]
}

/** Warnings about configured prices that look like mistakes, one sentence each. */
export function priceWarnings({ config }: Settings): string[] {
  return Object.entries(config.prices ?? {}).flatMap(([model, price]) => {
    const dear = implausibleRates(nanoPrice(price))
    if (dear.length === 0) return []
    return `The price of ${model} is above 1,000 US dollars per million tokens (${dear.join(', ')}). Prices are per million tokens.`
  })
}

/** Warning for a gateway that browser origins can call; empty without origins. */
export function originWarnings({ config: { server: { origins = [] } = {} } }: Settings): string[] {
  if (origins.length === 0) return []
  return [
    `server.origins: ${origins.join(', ')} may call model paths. Anyone who uses this page or app can read the API key in it: give each user a separate key with a budget.`,
  ]
}

type PriceTariff = Omit<Price, 'id' | 'units' | 'tiers' | 'minimum'>
type PriceRates = Omit<PriceTariff, 'long'>
type ConfiguredPrice = NonNullable<Settings['config']['prices']>[string]

/** Converts US dollars to integer nano-dollars, per million tokens and per unit. */
function nanoPrice({ id = 'config', units, tiers, minimum, ...tariff }: ConfiguredPrice): Price {
  return {
    ...nanoTariff(tariff),
    id,
    ...(units && { units: mapValues(units, nano) }),
    ...(tiers && { tiers: mapValues(tiers, (tier) => ('factor' in tier ? tier : nanoTariff(tier))) }),
    ...(minimum !== undefined && { minimum: nano(minimum) }),
  }
}

function nanoTariff({ long, ...rates }: PriceTariff): PriceTariff {
  if (!long) return nanoRates(rates)
  const { above, ...longRates } = long
  return { ...nanoRates(rates), long: { ...nanoRates(longRates), above } }
}

function nanoRates(rates: PriceRates): PriceRates {
  const { input, output, ...others } = rates
  return { input: nano(input), output: nano(output), ...mapValues(others, nano) }
}

function nano(dollars: number): number {
  return Math.round(dollars * 1e9)
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
