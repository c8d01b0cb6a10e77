import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { candidates, type ServedFamily } from '../../routing/candidates.ts'
import { createInstances, type Instance, listing } from '../../routing/catalog.ts'

/** What is known of the models of providers before any of them was asked. */
export interface KnownModels {
  /**
   * Whether the id is `listed` by a provider; `open`: some provider would be asked for it all the same; `nobody` would.
   */
  standing(model: string): 'listed' | 'open' | 'nobody'
  /** Ids under which models can be called: bare, and behind the name of their provider. */
  readonly ids: readonly string[]
  /**
   * Names that prices go by, `provider/model`, of the providers' own names of models. Others may be right of providers
   * in `open`.
   */
  readonly priced: readonly string[]
  /** Providers that take ids that nobody lists. */
  readonly open: readonly string[]
  readonly listed: readonly ListedModel[]
}

/** A model that a provider lists. */
export interface ListedModel {
  /** Name of the provider. */
  readonly provider: string
  /** How it can be called: behind the name of its provider, and bare. */
  readonly names: readonly string[]
  /** Names of prices that would be its own. */
  readonly priceNames: readonly string[]
  /** Whether its provider knows a price. */
  readonly isPriced: boolean
  /** Whether its maximum output is known. */
  readonly isLimited: boolean
  /** Families that it serves; absent = not known. */
  readonly families?: readonly string[]
}

const ANY: ServedFamily = { id: 'any', has: () => true }

/** Says of ids of a configuration whether anybody has such a model. */
export function knownModels(providers: GatewayOptions['providers']): KnownModels {
  const instances = createInstances(providers)
  const listed = instances.flatMap(listedAt)
  return {
    standing(model) {
      const found = candidates(instances, {}, { model, vendor: undefined, family: ANY })
      if (found.length === 0) return 'nobody'
      return found.some(({ facts }) => facts !== undefined) ? 'listed' : 'open'
    },
    ids: instances.flatMap((instance) => listing(instance).flatMap(({ id }) => [id, `${instance.name}/${id}`])),
    priced: listed.flatMap(({ priceNames }) => priceNames),
    listed,
    open: instances.filter(({ closed }) => !closed).map(({ name }) => name),
  }
}

function listedAt(instance: Instance): ListedModel[] {
  const { name } = instance
  return listing(instance).map(({ id, upstream = id, is, price, output, families }) => ({
    provider: name,
    names: [`${name}/${id}`, id],
    priceNames: [upstream, ...(is === undefined ? [] : [is])].map((model) => `${name}/${model}`),
    isPriced: price !== undefined,
    isLimited: output !== undefined,
    ...(families && { families }),
  }))
}
