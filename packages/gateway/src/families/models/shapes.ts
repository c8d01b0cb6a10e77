import type { Json, Price, Rates, Tariff } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import type { ListedModel } from './list.ts'

/**
 * What is told of a model in every shape, in fields that no vendor has. A price that is not known is null, which is not
 * nothing.
 */
function beside({ providers, inputs, families, deprecated, price }: ListedModel): Json {
  return {
    providers,
    ...(inputs && { inputs }),
    ...(families && { families }),
    ...(deprecated !== undefined && { deprecated }),
    price: price ? dollarPrice(price) : null,
  }
}

/** In US dollars per million tokens and per unit, as an entry of `prices` in the configuration of the program. */
function dollarPrice({ id, units, tiers, minimum, ...tariff }: Price): Json {
  return {
    ...dollarTariff(tariff),
    ...(tiers && { tiers: mapped(tiers, (tier) => ('factor' in tier ? tier : dollarTariff(tier))) }),
    ...(minimum !== undefined && { minimum: dollars(minimum) }),
    ...(units && { units: mapped(units, dollars) }),
    id,
  }
}

function dollarTariff({ long, ...rates }: Tariff): Json {
  if (!long) return dollarRates(rates)
  const { above, ...longRates } = long
  return { ...dollarRates(rates), long: { above, ...dollarRates(longRates) } }
}

function dollarRates(rates: Rates): Json {
  return mapped({ ...rates }, dollars)
}

function dollars(nanos: number): number {
  return nanos / 1e9
}

function mapped<In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** `created` is 0, the beginning of 1970, if it is unknown: typed clients reject a model without a number. */
function chatShape(model: ListedModel): Json {
  return {
    id: model.id,
    object: 'model',
    created: model.created ?? 0,
    owned_by: model.providers[0] ?? 'headgate',
    ...beside(model),
    ...(model.context !== undefined && { context_length: model.context }),
    ...(model.output !== undefined && { max_output_tokens: model.output }),
  }
}

/**
 * A date that is not known is the beginning of 1970, as the vendor has it. @see
 * https://platform.claude.com/docs/en/api/models/list
 */
function messagesShape(model: ListedModel): Json {
  return {
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: new Date((model.created ?? 0) * 1000).toISOString(),
    // What is not known is null there.
    max_input_tokens: model.context ?? null,
    max_tokens: model.output ?? null,
    ...beside(model),
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
    ...beside(model),
  }
}

const SHAPES: Readonly<Record<string, (model: ListedModel) => Json>> = {
  messages: messagesShape,
  'generate-content': generateShape,
}

/** The answer about one model. @throws HeadgateError `not-found` where there is none. */
export function modelAnswer(model: ListedModel | undefined, id: string, format: string): Json {
  if (model) return (SHAPES[format] ?? chatShape)(model)
  throw new HeadgateError(
    'not-found',
    `There is no model "${id.slice(0, 128)}". GET /v1/models lists those that can be called.`,
    {
      param: 'model',
    },
  )
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
