import type { GatewayOptions, Price, ProviderEntry } from '@headgate/core'
import type { Settings } from '../config/settings.ts'

/** The part of the gateway's options that the configuration gives. */
export function configuredOptions({ config }: Settings, providers: readonly ProviderEntry[]): GatewayOptions {
  const { models, prices, times: { shutdown: _, ...times } = {}, limits, origins } = config
  return {
    providers,
    ...(models && { models: mapValues(models, (names) => (typeof names === 'string' ? [names] : names)) }),
    ...(prices && { prices: mapValues(prices, nanoPrice) }),
    times,
    ...(limits && { limits }),
    ...(origins && { origins }),
  }
}

type ConfiguredPrice = NonNullable<Settings['config']['prices']>[string]

/** From US dollars to integer nano-dollars, per million tokens. */
function nanoPrice({ id = 'config', input, output, cacheRead, cacheWrite }: ConfiguredPrice): Price {
  return {
    id,
    input: nano(input),
    output: nano(output),
    ...(cacheRead !== undefined && { cacheRead: nano(cacheRead) }),
    ...(cacheWrite !== undefined && { cacheWrite: nano(cacheWrite) }),
  }
}

function nano(dollars: number): number {
  return Math.round(dollars * 1e9)
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
