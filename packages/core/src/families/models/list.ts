import type { Json } from '../../canonical/json.ts'
import type { ModelFacts } from '../../canonical/target.ts'
import { HeadgateError } from '../../errors.ts'
import type { Core } from '../../pipeline/core.ts'
import { mayUse } from '../../pipeline/permission.ts'
import { candidates } from '../../routing/candidates.ts'
import { listing } from '../../routing/catalog.ts'

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
}

/** What there is to be called. */
export type Catalog = Pick<Core, 'instances' | 'aliases' | 'served'>

/**
 * Every model that can be called, aliases first, each once with all its providers. Of a key that may not use all, those that it
 * may, under the name by which it may: `model`, else `provider/model`.
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
    const named = model.providers.map((name): ListedModel => ({ ...model, id: `${name}/${model.id}`, providers: [name] }))
    return named.filter(({ id }) => mayUse(allowed, id))
  })
}

/** The model of an id as requests name it, listed or not: also `provider/model`, and what only a provider's claims say is its own. */
export function modelNamed({ instances, aliases, served }: Catalog, id: string): ListedModel | undefined {
  const family = served()
  const targets = candidates(instances, aliases, { model: id, vendor: undefined, family }).filter(({ instance, facts }) =>
    family.has(instance.provider, facts),
  )
  const [first] = targets
  if (!first) return undefined
  const { families, ...known } = factsOf(first.facts)
  const providers = [...new Set(targets.map(({ instance }) => instance.name))]
  // The models of an alias may differ in all but what they are for.
  return { id, providers, ...(!Object.hasOwn(aliases, id) && known), ...(families && { families }) }
}

/** The end of the year 9999: what is later is no date that all formats can write. */
const LATEST = 253_402_300_800

/** What a list says of a model. */
function factsOf({ created, context, output, families }: Partial<ModelFacts> = {}): Omit<ListedModel, 'id' | 'providers'> {
  return {
    ...(created !== undefined && created > 0 && created < LATEST && { created }),
    ...(context !== undefined && { context }),
    ...(output !== undefined && { output }),
    ...(families && { families }),
  }
}

function allModels(catalog: Catalog): ListedModel[] {
  const { instances, aliases, served } = catalog
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
      if (!known) models.set(facts.id, { id: facts.id, providers: [instance.name], ...factsOf(facts) })
      else if (!known.providers.includes(instance.name)) known.providers.push(instance.name)
    }
  }
  return [...models.values()]
}

/** `created` is left out where it is not known: the wire has no word for that, and clients do not ask for it. */
function chatShape(model: ListedModel): Json {
  return {
    id: model.id,
    object: 'model',
    ...(model.created !== undefined && { created: model.created }),
    owned_by: model.providers[0] ?? 'headgate',
    providers: model.providers,
    ...(model.context !== undefined && { context_length: model.context }),
    ...(model.families && { families: model.families }),
  }
}

/** A date that is not known is the beginning of 1970, as the vendor has it. @see https://platform.claude.com/docs/en/api/models/list */
function messagesShape(model: ListedModel): Json {
  return {
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: new Date((model.created ?? 0) * 1000).toISOString(),
    providers: model.providers,
  }
}

/** Methods of the Gemini API by family. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  chat: ['generateContent', 'countTokens'],
  embeddings: ['embedContent'],
}

function generateShape(model: ListedModel): Json {
  return {
    name: `models/${model.id}`,
    displayName: model.id,
    ...(model.context !== undefined && { inputTokenLimit: model.context }),
    ...(model.output !== undefined && { outputTokenLimit: model.output }),
    supportedGenerationMethods: (model.families ?? ['chat']).flatMap((family) => METHODS[family] ?? []),
    providers: model.providers,
  }
}

const SHAPES: Readonly<Record<string, (model: ListedModel) => Json>> = { messages: messagesShape, 'generate-content': generateShape }

/** The answer about one model. @throws HeadgateError `not-found` where there is none. */
export function modelAnswer(model: ListedModel | undefined, id: string, format: string): Json {
  if (model) return (SHAPES[format] ?? chatShape)(model)
  throw new HeadgateError('not-found', `There is no model "${id.slice(0, 128)}". GET /v1/models lists those that can be called.`, {
    param: 'model',
  })
}

/** The answer of `GET /v1/models`. */
export function modelsAnswer(models: readonly ListedModel[], format: string): Json {
  const all = models.map(SHAPES[format] ?? chatShape)
  switch (format) {
    case 'messages':
      return { data: all, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }
    case 'generate-content':
      return { models: all }
    default:
      return { object: 'list', data: all }
  }
}
