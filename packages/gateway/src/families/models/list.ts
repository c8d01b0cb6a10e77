import type { ModelFacts, Price } from '@headgate/core/canonical'
import { candidates, type PricedModel } from '../../routing/candidates.ts'
import { listedModels } from '../../routing/catalog.ts'
import type { Core } from '../../serve/core.ts'
import { mayUse } from '../../serve/permission.ts'

/** A model that callers can use. */
export interface ListedModel {
  readonly id: string
  /** Names of the instances that serve it. */
  readonly providers: string[]
  /** Unix time in seconds. */
  readonly created?: number
  readonly context?: number
  readonly output?: number
  /** Families that it serves; absent = unknown. */
  readonly families?: readonly string[]
  readonly inputs?: ModelFacts['inputs']
  /** True if its provider has announced its end. */
  readonly deprecated?: boolean
  /** Price at the first of its providers; absent = unknown. */
  readonly price?: Price
}

/** Sources of the model list. */
export type Catalog = Pick<Core, 'instances' | 'aliases' | 'served' | 'priceOf'>

/**
 * All models, aliases first, each once with all its providers. A restricted key gets only its models, under an id that
 * it can use: `model`, else `provider/model`.
 * @param allowed patterns of models, see `modelsOf`
 */
export function listModels(catalog: Catalog, allowed?: readonly string[]): ListedModel[] {
  const { aliases } = catalog
  const models = allModels(catalog)
  if (!allowed) return models
  return models.flatMap((model) => {
    if (mayUse(allowed, model.id)) return [model]
    if (Object.hasOwn(aliases, model.id)) return []
    const named = model.providers.map(
      (name): ListedModel => ({ ...model, id: `${name}/${model.id}`, providers: [name] }),
    )
    return named.filter(({ id }) => mayUse(allowed, id))
  })
}

/** A model by id, listed or not. The id can be `provider/model`, or an id that a provider claims. */
export function modelNamed({ instances, aliases, served, priceOf }: Catalog, id: string): ListedModel | undefined {
  const family = served()
  const targets = candidates(instances, aliases, { model: id, vendor: undefined, family }).filter(
    ({ instance, facts }) => family.has(instance.provider, facts),
  )
  const [first] = targets
  if (!first) return undefined
  const { families, created, ...known } = factsOf(first, priceOf)
  const providers = [...new Set(targets.map(({ instance }) => instance.name))]
  // Targets of an alias share only their families, and an alias has no creation date.
  const isAlias = Object.hasOwn(aliases, id)
  return {
    id,
    providers,
    ...(!isAlias && created !== undefined && { created }),
    ...((!isAlias || targets.length === 1) && known),
    ...(families && { families }),
  }
}

/** End of the year 9999. Some formats cannot write later dates. */
const LATEST = 253_402_300_800

/** Facts of a model in the list. */
function factsOf(target: PricedModel, priceOf: Catalog['priceOf']): Omit<ListedModel, 'id' | 'providers'> {
  const { created, context, output, families, inputs, deprecated }: Partial<ModelFacts> = target.facts ?? {}
  const price = priceOf(target, Date.now())
  return {
    ...(created !== undefined && created > 0 && created < LATEST && { created }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && { output }),
    ...(families && { families }),
    ...(inputs && { inputs }),
    ...(deprecated !== undefined && { deprecated }),
    ...(price && { price }),
  }
}

function allModels(catalog: Catalog): ListedModel[] {
  const { instances, aliases, served, priceOf } = catalog
  const family = served()
  const models = new Map<string, ListedModel>()
  for (const alias of Object.keys(aliases)) {
    const model = modelNamed(catalog, alias)
    if (model) models.set(alias, model)
  }
  for (const instance of instances) {
    for (const facts of listedModels(instance)) {
      if (!family.has(instance.provider, facts)) continue
      const known = models.get(facts.id)
      if (!known) {
        const target = { instance, model: facts.upstream ?? facts.id, facts }
        models.set(facts.id, { id: facts.id, providers: [instance.name], ...factsOf(target, priceOf) })
      } else if (!known.providers.includes(instance.name)) known.providers.push(instance.name)
    }
  }
  return [...models.values()]
}
