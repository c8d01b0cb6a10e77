import type { SearchFields } from '../../view/search.ts'
import { oneOf, type SearchOf, text } from '../../view/search.ts'

/** Tabs of the page. */
export const KINDS = [
  'chat',
  'search',
  'embeddings',
  'images',
  'speech',
  'transcription',
  'moderations',
  'video',
] as const
export type PlaygroundTab = (typeof KINDS)[number]

/** Maximum number of models side by side. */
export const MAX_MODELS = 4

/** Search parameters of the page. `models` has names, separated by commas: `gpt-5.4-mini,claude-haiku-4-5`. */
export const PLAYGROUND_SEARCH = { kind: oneOf(KINDS), models: text } satisfies SearchFields

export type PlaygroundSearch = SearchOf<typeof PLAYGROUND_SEARCH>

/** Unique models of the parameter `models`. */
export function modelsOf(models: string | undefined): readonly string[] {
  const names = (models ?? '').split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_MODELS)
}
