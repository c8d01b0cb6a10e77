import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { candidates, type ServedFamily } from '../../routing/candidates.ts'
import { type ConfiguredInstance, createInstances, listedModels } from '../../routing/catalog.ts'

/** Models that are known before any provider lists its models. */
export interface KnownModels {
  /**
   * `listed` = a provider lists the id; `open` = a provider would be called for it although it is not listed; `unknown`
   * = no provider has it.
   */
  statusOf(model: string): 'listed' | 'open' | 'unknown'
  /** Ids of models that can be called, with and without their provider's name. */
  readonly ids: readonly string[]
  /** Valid price names: `provider/model` with the provider's own model name. Providers in `open` can have others. */
  readonly priced: readonly string[]
  /** Providers that accept unlisted ids. */
  readonly open: readonly string[]
  readonly listed: readonly KnownModel[]
}

/** A model that a provider lists. */
export interface KnownModel {
  /** Name of the provider. */
  readonly provider: string
  /** Ids that callers can use: `provider/model` and `model`. */
  readonly names: readonly string[]
  /** Price names that apply to it. */
  readonly priceNames: readonly string[]
  /** True if its provider's adapter knows a price. */
  readonly isPriced: boolean
  /** True if its maximum output is known. */
  readonly isLimited: boolean
  /** Families that it serves; absent = unknown. */
  readonly families?: readonly string[]
}

const ANY: ServedFamily = { id: 'any', has: () => true }

/**
 * Checks the ids of a configuration against the adapters' models.
 * @example
 * ```ts
 * knownModels([demo({})]).statusOf('demo') // 'listed'
 * ```
 */
export function knownModels(providers: GatewayOptions['providers']): KnownModels {
  const instances = createInstances(providers)
  const listed = instances.flatMap(listedAt)
  return {
    statusOf(model) {
      const found = candidates(instances, {}, { model, vendor: undefined, family: ANY })
      if (found.length === 0) return 'unknown'
      return found.some(({ facts }) => facts !== undefined) ? 'listed' : 'open'
    },
    ids: instances.flatMap((instance) => listedModels(instance).flatMap(({ id }) => [id, `${instance.name}/${id}`])),
    priced: listed.flatMap(({ priceNames }) => priceNames),
    listed,
    open: instances.filter(({ closed }) => !closed).map(({ name }) => name),
  }
}

function listedAt(instance: ConfiguredInstance): KnownModel[] {
  const { name } = instance
  return listedModels(instance).map(({ id, upstream = id, is, price, output, families }) => ({
    provider: name,
    names: [`${name}/${id}`, id],
    priceNames: [upstream, ...(is === undefined ? [] : [is])].map((model) => `${name}/${model}`),
    isPriced: price !== undefined,
    isLimited: output !== undefined,
    ...(families && { families }),
  }))
}
