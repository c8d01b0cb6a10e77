import type { Correction } from './corrections.ts'
import type { ListedCost, ListedModel } from './models-dev.ts'

const INPUTS = ['text', 'image', 'pdf', 'audio', 'video']
const OUTPUTS = ['text', 'image', 'audio', 'video']

/** Placeholder for the name of a constant in the written file. */
export const SOURCE_NAME = Symbol('source')

/**
 * Tells if a model has text input and output. Speech to text and rerank have prices in other units, and models.dev
 * gives image generators a context of 0.
 */
export function isText(id: string, { family = '', limit, modalities }: ListedModel): boolean {
  const takesText = modalities.input.includes('text') && modalities.output.includes('text')
  return takesText && limit.context > 0 && !/rerank/i.test(`${id} ${family}`)
}

/** `ModelFacts` of core. Unknown facts are undefined. `same` is the model's shared name. */
export function factsOf(
  id: string,
  model: ListedModel,
  correction: Correction,
  same: string | undefined,
): Record<string, unknown> {
  const { limit, modalities, cost } = model
  const known = INPUTS.filter((input) => modalities.input.includes(input))
  const inputs = correction.inputs?.(known) ?? known
  const when = { created: createdOf(model), deprecated: model.status === 'deprecated' || undefined }
  // models.dev has the vector length of an embedding model as its output.
  if (/embed/i.test(`${id} ${model.family ?? ''}`))
    return {
      id,
      same,
      families: ['embeddings'],
      ...when,
      context: limit.context,
      inputs,
      price: cost && priceOf(id, cost, {}),
    }
  const outputs = OUTPUTS.filter((output) => modalities.output.includes(output))
  return {
    id,
    same,
    families: ['chat'],
    ...when,
    context: limit.context,
    output: limit.output || undefined,
    inputs,
    outputs: outputs.length > 1 ? outputs : undefined,
    tools: correction.tools?.includes(id) || model.tool_call,
    reasoning: model.reasoning,
    sampling: samplingOf(model),
    price: cost && priceOf(id, cost, correction),
  }
}

/** Creation date from a year, month and day, or without a day. */
function createdOf({ release_date: date = '' }: ListedModel): number | undefined {
  const time = /^\d{4}-\d\d(-\d\d)?$/.test(date) ? Date.parse(date) : Number.NaN
  return Number.isNaN(time) ? undefined : time / 1000
}

/** Support of sampling parameters. Undefined for a model that only accepts them if reasoning is off. */
function samplingOf({ temperature, reasoning_options: options = [] }: ListedModel): boolean | undefined {
  const switchable = options.some(({ values }) => values?.includes('none'))
  return temperature === false && switchable ? undefined : temperature
}

type Price = Record<string, unknown>

/** Price of a model. Undefined if models.dev has a price that `Price` cannot express. */
function priceOf(id: string, cost: NonNullable<ListedModel['cost']>, correction: Correction): Price | undefined {
  const { tiers = [] } = cost
  const [tier] = tiers
  // Zero can mean that a plan or a trial includes the model, unless its name marks it as free.
  const isUnknown = cost.input === 0 && cost.output === 0 && !id.endsWith(':free')
  const isOther = cost.reasoning !== undefined && cost.reasoning !== cost.output
  const isWrong = correction.unpriced !== undefined || correction.wrongPrices?.includes(id)
  if (isUnknown || isOther || tiers.length > 1 || isWrong) return undefined
  const long = tier && {
    above: tier.tier.size,
    ...ratesOf({ ...tier, output: tier.output ?? cost.output }, correction),
  }
  return {
    id: SOURCE_NAME,
    ...ratesOf(cost, correction),
    long,
    tiers: correction.tiers && mapped(correction.tiers, (factor) => ({ factor })),
    units: correction.units && mapped(correction.units, nano),
  }
}

function ratesOf(given: ListedCost, { cacheWriteLong }: Correction): Record<string, number | undefined> {
  return {
    input: nano(given.input),
    output: nano(given.output),
    // A free cache read means that the model has no cache.
    cacheRead: given.cache_read ? nano(given.cache_read) : undefined,
    // A free cache write is charged as input.
    cacheWrite: given.cache_write ? nano(given.cache_write) : undefined,
    cacheWriteLong:
      given.cache_write === undefined || cacheWriteLong === undefined ? undefined : nano(given.input * cacheWriteLong),
    audioInput: nano(given.input_audio),
    audioOutput: nano(given.output_audio),
  }
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** Dollars as nano-dollars. */
function nano(dollars: number | undefined): number | undefined {
  return dollars === undefined ? undefined : Math.round(dollars * 1_000_000_000)
}
