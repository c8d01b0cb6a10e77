import type { ModelFacts, Price } from '@headgate/core/canonical'
import { type Candidate, candidates } from '../../routing/candidates.ts'
import { listing } from '../../routing/catalog.ts'
import type { Core } from '../../serve/core.ts'
import { mayUse } from '../../serve/permission.ts'

/** A model that can be called now. */
export interface ListedModel {
  readonly id: string
  /** Instances that serve it. */
  readonly providers: string[]
  /** Unix time in seconds. */
  readonly created?: number
  readonly context?: number
  readonly output?: number
  /** Families that it serves, where that is known. */
  readonly families?: readonly string[]
  readonly inputs?: ModelFacts['inputs']
  /** Whether its provider has announced its end. */
  readonly deprecated?: boolean
  /** What it costs at the first of its providers; absent = not known. */
  readonly price?: Price
}

/** What there is to be called. */
export type Catalog = Pick<Core, 'instances' | 'aliases' | 'served' | 'priceOf'>

/**
 * Every model that can be called, aliases first, each once with all its providers. Of a key that may not use all, those
 * that it may, under the name by which it may: `model`, else `provider/model`.
 *
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

/**
 * The model of an id as requests name it, listed or not: also `provider/model`, and what only a provider's claims say
 * is its own.
 */
export function modelNamed({ instances, aliases, served, priceOf }: Catalog, id: string): ListedModel | undefined {
  const family = served()
  const targets = candidates(instances, aliases, { model: id, vendor: undefined, family }).filter(
    ({ instance, facts }) => family.has(instance.provider, facts),
  )
  const [first] = targets
  if (!first) return undefined
  const { families, created, ...known } = factsOf(first, priceOf)
  const providers = [...new Set(targets.map(({ instance }) => instance.name))]
  // The models of an alias may differ in all but what they are for, and it has no date of its own.
  const isAlias = Object.hasOwn(aliases, id)
  return {
    id,
    providers,
    ...(!isAlias && created !== undefined && { created }),
    ...((!isAlias || targets.length === 1) && known),
    ...(families && { families }),
  }
}

/** The end of the year 9999: what is later is no date that all formats can write. */
const LATEST = 253_402_300_800

/** What a list says of a model. */
function factsOf(target: Candidate, priceOf: Catalog['priceOf']): Omit<ListedModel, 'id' | 'providers'> {
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
    for (const facts of listing(instance)) {
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
