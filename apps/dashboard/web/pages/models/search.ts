import { oneOf, type SearchFields, type SearchOf, text, wholeNumber } from '../../view/search.ts'

/** Input types other than text. */
export const TAKES = ['image', 'pdf', 'audio', 'video'] as const
/** Capabilities of models. */
export const CAN = ['tools', 'reasoning'] as const

export const PRICES = ['known', 'unknown'] as const

/** Filters of the list. */
export const MODEL_FILTERS = {
  /** Part of the model ID or of a provider name. */
  find: text,
  family: text,
  provider: text,
  takes: oneOf(TAKES),
  can: oneOf(CAN),
  /** Minimum context window, in tokens. */
  fits: wholeNumber(1, 100_000_000),
  /** Maximum input price, in cents per million tokens. */
  below: wholeNumber(0, 100_000_000),
  /** `unknown`: a provider of the model has no price. */
  price: oneOf(PRICES),
} satisfies SearchFields

export type ModelFilters = SearchOf<typeof MODEL_FILTERS>

/** Maximum number of compared models. */
export const MAX_COMPARED = 4

/** Search parameters of the page. `compare` has IDs, separated by commas. */
export const MODELS_SEARCH = { ...MODEL_FILTERS, row: text, sort: text, compare: text } satisfies SearchFields

export type ModelsSearch = SearchOf<typeof MODELS_SEARCH>

/** Unique IDs of the parameter `compare`. */
export function comparedOf(compare: string | undefined): readonly string[] {
  const ids = (compare ?? '').split(',').filter((id) => id !== '')
  return [...new Set(ids)].slice(0, MAX_COMPARED)
}
