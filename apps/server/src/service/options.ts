import { resolve } from 'node:path'
import type {
  EndpointEntry,
  EndpointLimits,
  GatewayOptions,
  ModelAlias,
  Price,
  ProviderEntry,
  RoutingOptions,
  SameModels,
  SearchOptions,
} from '@headgate/gateway'
import { implausibleRates } from '@headgate/gateway/operate'
import { type CurrentPrice, catalogPrices, configuredPrices, conversationSecret, type Secret } from '@headgate/store'
import type { AliasConfig, RoutingConfig } from '../config/routing.ts'
import type { Settings } from '../config/settings.ts'

/** Default of `limits.eventLoopDelay`. */
const EVENT_LOOP_DELAY_MS = 250

/** Parts of the options that are not in the settings. */
export interface ConfiguredParts {
  readonly search?: SearchOptions | undefined
  /** Secret of the gateway. Default: hashes of conversations have a random secret. */
  readonly secret?: Secret | undefined
  /** Number of processes of the program; default 1. */
  readonly size?: number | undefined
}

/** Gateway options from the configuration and the discovered adapters. */
export function configuredOptions(
  { config, dataDir, redisUrl }: Settings,
  providers: readonly ProviderEntry[],
  { search, secret, size = 1 }: ConfiguredParts = {},
): GatewayOptions {
  const {
    models,
    voices,
    routing,
    server: { origins, trustedProxies } = {},
    times: { shutdown: _, header: __, drain: _drain, ...times } = {},
    limits: given = {},
  } = config
  const { connections: ___, models: ____, projects: _____, eventLoopDelay = EVENT_LOOP_DELAY_MS, ...limits } = given
  return {
    providers: providers.map((entry) => processEntry(entry, size)),
    ...(search && { search, dataDir }),
    ...(models && { models: mapValues(models, modelAlias) }),
    ...(voices && { voices }),
    ...((routing || secret) && { routing: routingOptions(routing, secret, size > 1 || redisUrl !== undefined) }),
    ...(origins && { origins }),
    ...(trustedProxies && { trustedProxies }),
    times,
    spoolFolder: resolve(dataDir, config.spool ?? 'spool'),
    limits: { ...limits, ...(eventLoopDelay !== false && { eventLoopDelay }) },
    ...spendingOptions(config),
  }
}

/** Provider in one of `size` processes: each has its part of the limits of endpoints. */
function processEntry({ endpoints, ...entry }: ProviderEntry, size: number): ProviderEntry {
  if (!endpoints) return entry
  const part = (whole: number): number => Math.max(1, Math.floor(whole / size))
  const partOf = ({ limits, ...endpoint }: EndpointEntry): EndpointEntry =>
    limits ? { ...endpoint, limits: mapValues(definedOf(limits), part) } : endpoint
  return { ...entry, endpoints: endpoints.map(partOf) }
}

function definedOf(limits: EndpointLimits): Record<string, number> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

function modelAlias(alias: AliasConfig): readonly string[] | ModelAlias {
  if (typeof alias === 'string') return [alias]
  if (Array.isArray(alias)) return alias
  const { maxPrice, labels, firstByte, ...others } = alias
  return {
    ...others,
    ...(maxPrice && { maxPrice: mapValues(maxPrice, nano) }),
    ...(labels && { labels: mapValues(labels, (values) => [values].flat().map(String)) }),
    ...(firstByte !== undefined && { firstByteMs: firstByte }),
  }
}

function routingOptions(
  { same, ...others }: RoutingConfig = {},
  secret?: Secret,
  sharesCaches = false,
): RoutingOptions {
  return {
    ...others,
    ...(same !== undefined && same !== false && { same: sameModels(same) }),
    ...(secret && { secret: conversationSecret(secret) }),
    ...(sharesCaches && { sharesCaches }),
  }
}

function sameModels(same: Exclude<RoutingConfig['same'], false | undefined>): SameModels {
  return same === true || Array.isArray(same) ? { models: same } : same
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

type PriceTariff = Omit<Price, 'id' | 'units' | 'variants' | 'least' | 'tiers' | 'minimum'>
type PriceRates = Omit<PriceTariff, 'long'>
type ConfiguredPrice = NonNullable<Settings['config']['prices']>[string]

/** Converts US dollars to integer nano-dollars, per million tokens and units. */
export function nanoPrice({
  id = 'config',
  units,
  variants,
  least,
  tiers,
  minimum,
  ...tariff
}: ConfiguredPrice): Price {
  return {
    ...nanoTariff(tariff),
    id,
    ...(units && { units: mapValues(units, nano) }),
    ...(variants && { variants: mapValues(variants, (rates) => mapValues(rates, nano)) }),
    ...(least && { least }),
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
