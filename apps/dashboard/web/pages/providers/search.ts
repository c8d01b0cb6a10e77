import { type Fields, oneOf, type SearchOf, text } from '../../view/search.ts'

/** The views of the page. */
export const TABS = ['providers', 'installed', 'doctor'] as const
export type TabId = (typeof TABS)[number]

/** What the address of the page says beside what all pages share. */
export const PROVIDERS_SEARCH = { row: text, tab: oneOf(TABS) } satisfies Fields

export type ProvidersSearch = SearchOf<typeof PROVIDERS_SEARCH>
