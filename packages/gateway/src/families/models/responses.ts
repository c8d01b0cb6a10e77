import type { Format, Json, ModelShapes, Price, Rates, Tariff } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import type { ListedModel } from './list.ts'

/** Headgate's additions to a model in every shape. An unknown price is null, not zero. */
function extraFields({ providers, inputs, families, deprecated, price }: ListedModel): Json {
  return {
    providers,
    ...(inputs && { inputs }),
    ...(families && { families }),
    ...(deprecated !== undefined && { deprecated }),
    price: price ? dollarPrice(price) : null,
  }
}

/** A price in US dollars per million tokens and units, like an entry of `prices` in the configuration. */
function dollarPrice({ id, units, variants, least, tiers, minimum, ...tariff }: Price): Json {
  return {
    ...dollarTariff(tariff),
    ...(tiers && { tiers: mapped(tiers, (tier) => ('factor' in tier ? tier : dollarTariff(tier))) }),
    ...(minimum !== undefined && { minimum: dollars(minimum) }),
    ...(units && { units: mapped(units, dollars) }),
    ...(variants && { variants: mapped(variants, (rates) => mapped(rates, dollars)) }),
    ...(least && { least }),
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
  if (!modelShapes) throw new TypeError('The chat completions format has no `modelShapes`.')
  return modelShapes
}

/** Response for one model. @throws HeadgateError `not-found` if the model is unknown. */
export function modelResponse(model: ListedModel | undefined, id: string, format: Format): Json {
  if (model) return shapesOf(format).one(model, extraFields(model))
  throw new HeadgateError(
    'not-found',
    `The model "${id.slice(0, 128)}" was not found. GET /v1/models lists the available models.`,
    { param: 'model' },
  )
}

/** Response of `GET /v1/models`. */
export function modelListResponse(models: readonly ListedModel[], format: Format): Json {
  const { one, list } = shapesOf(format)
  return list(
    models,
    models.map((model) => one(model, extraFields(model))),
  )
}
