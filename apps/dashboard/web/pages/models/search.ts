import { type Fields, oneOf, type SearchOf, text, wholeNumber } from '../../view/search.ts'

/** What a model may take beside text. */
export const TAKES = ['image', 'pdf', 'audio', 'video'] as const
/** What a model may do. */
export const CAN = ['tools', 'reasoning'] as const

/** What the list is filtered by. */
export const MODEL_FILTERS = {
  /** In the id, or the name of a provider. */
  find: text,
  family: text,
  provider: text,
  takes: oneOf(TAKES),
  can: oneOf(CAN),
  /** Context window at least, in tokens. */
  fits: wholeNumber(1, 100_000_000),
  /** Input at most, in cents per million tokens. */
  below: wholeNumber(0, 100_000_000),
} satisfies Fields

export type ModelFilters = SearchOf<typeof MODEL_FILTERS>

/** Most models that are compared. */
export const MOST_COMPARED = 4

/** What the address of the page says beside what all pages share: `compare` has ids, by commas. */
export const MODELS_SEARCH = { ...MODEL_FILTERS, row: text, sort: text, compare: text } satisfies Fields

export type ModelsSearch = SearchOf<typeof MODELS_SEARCH>

/** Ids of an address, each once. */
export function comparedOf(compare: string | undefined): readonly string[] {
  const ids = (compare ?? '').split(',').filter((id) => id !== '')
  return [...new Set(ids)].slice(0, MOST_COMPARED)
}
