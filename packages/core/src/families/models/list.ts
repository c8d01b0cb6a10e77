import type { Json } from '../../canonical/json.ts'
import { HeadgateError } from '../../errors.ts'
import type { Core } from '../../pipeline/core.ts'
import { mayUse } from '../../pipeline/permission.ts'
import { candidates, type ServedFamily } from '../../routing/candidates.ts'
import { type Instance, listing } from '../../routing/catalog.ts'

/** A model that can be called now. */
export interface ListedModel {
  readonly id: string
  /** Instances that serve it. */
  readonly providers: string[]
  readonly context?: number
  readonly output?: number
  /** Families that it serves, where that is known. */
  readonly families?: readonly string[]
}

/**
 * Every model that can be called, aliases first, each once with all its providers. Of a key that may not use all, those that it
 * may, under the name by which it may: `model`, else `provider/model`.
 *
 * @param allowed patterns of models, see `modelsOf`
 */
export function listModels(
  { instances, aliases, served }: Pick<Core, 'instances' | 'aliases' | 'served'>,
  allowed?: readonly string[],
): ListedModel[] {
  const models = allModels(instances, aliases, served())
  if (!allowed) return models
  return models.flatMap((model) => {
    if (mayUse(allowed, model.id)) return [model]
    if (Object.hasOwn(aliases, model.id)) return []
    const named = model.providers.map((name): ListedModel => ({ ...model, id: `${name}/${model.id}`, providers: [name] }))
    return named.filter(({ id }) => mayUse(allowed, id))
  })
}

function allModels(
  instances: readonly Instance[],
  aliases: Readonly<Record<string, readonly string[]>>,
  family: ServedFamily,
): ListedModel[] {
  const models = new Map<string, ListedModel>()
  for (const alias of Object.keys(aliases)) {
    const targets = candidates(instances, aliases, { model: alias, vendor: undefined, family })
    const [first] = targets
    const families = first?.facts?.families
    if (first)
      models.set(alias, { id: alias, providers: [...new Set(targets.map(({ instance }) => instance.name))], ...(families && { families }) })
  }
  for (const instance of instances) {
    if (!family.has(instance.provider)) continue
    for (const { id, context, output, families } of listing(instance)) {
      const known = models.get(id)
      if (known) {
        if (!known.providers.includes(instance.name)) known.providers.push(instance.name)
      } else
        models.set(id, {
          id,
          providers: [instance.name],
          ...(context !== undefined && { context }),
          ...(output !== undefined && { output }),
          ...(families && { families }),
        })
    }
  }
  return [...models.values()]
}

/** The time that a list needs for a model whose age is not known: Unix time in seconds. */
const UNKNOWN_TIME = 0

function chatShape(model: ListedModel): Json {
  return {
    id: model.id,
    object: 'model',
    created: UNKNOWN_TIME,
    owned_by: model.providers[0] ?? 'headgate',
    providers: model.providers,
    ...(model.context !== undefined && { context_length: model.context }),
    ...(model.families && { families: model.families }),
  }
}

function messagesShape(model: ListedModel): Json {
  return {
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: new Date(UNKNOWN_TIME).toISOString(),
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

/**
 * The answer of `GET /v1/models` or of one model.
 * @throws HeadgateError `not-found` for an id that is not listed.
 */
export function modelsAnswer(models: readonly ListedModel[], id: string | undefined, format: string): Json {
  const shape = SHAPES[format] ?? chatShape
  if (id !== undefined) {
    const model = models.find((one) => one.id === id)
    if (!model)
      throw new HeadgateError('not-found', `There is no model "${id.slice(0, 128)}". GET /v1/models lists those that can be called.`, {
        param: 'model',
      })
    return shape(model)
  }
  const all = models.map(shape)
  switch (format) {
    case 'messages':
      return { data: all, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }
    case 'generate-content':
      return { models: all }
    default:
      return { object: 'list', data: all }
  }
}
