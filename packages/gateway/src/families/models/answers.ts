import type { Format, Json, ModelShapes, Price, Rates, Tariff } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
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

function shapesOf({ modelShapes = chatCompletions.modelShapes }: Format): ModelShapes {
  if (!modelShapes) throw new TypeError('Chat completions have no shapes of models.')
  return modelShapes
}

/** The answer about one model. @throws HeadgateError `not-found` where there is none. */
export function modelAnswer(model: ListedModel | undefined, id: string, format: Format): Json {
  if (model) return shapesOf(format).one(model, beside(model))
  throw new HeadgateError(
    'not-found',
    `There is no model "${id.slice(0, 128)}". GET /v1/models lists those that can be called.`,
    { param: 'model' },
  )
}

/** The answer of `GET /v1/models`. */
export function modelsAnswer(models: readonly ListedModel[], format: Format): Json {
  const { one, list } = shapesOf(format)
  return list(
    models,
    models.map((model) => one(model, beside(model))),
  )
}
