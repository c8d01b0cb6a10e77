import type { Fields } from '../../view/search.ts'
import { oneOf, type SearchOf, text } from '../../view/search.ts'

/** What can be tried. */
export const KINDS = ['chat', 'search', 'embeddings', 'video'] as const
export type Kind = (typeof KINDS)[number]

/** Most models side by side. */
export const MOST_MODELS = 4

/**
 * What the address of the page says beside what all pages share: `kind`, and `models` as
 * `gpt-5.4-mini,claude-haiku-4-5`.
 */
export const PLAYGROUND_SEARCH = { kind: oneOf(KINDS), models: text } satisfies Fields

export type PlaygroundSearch = SearchOf<typeof PLAYGROUND_SEARCH>

/** Models of an address, each once. */
export function modelsOf(models: string | undefined): readonly string[] {
  const names = (models ?? '').split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS)
}
