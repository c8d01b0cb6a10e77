import { oneOf, type SearchFields, type SearchOf, text } from '../../view/search.ts'

/** Tabs of the page. */
export const TABS = ['providers', 'installed', 'doctor'] as const
export type ProvidersTab = (typeof TABS)[number]

/** Search parameters of the page. */
export const PROVIDERS_SEARCH = { row: text, tab: oneOf(TABS) } satisfies SearchFields

export type ProvidersSearch = SearchOf<typeof PROVIDERS_SEARCH>
