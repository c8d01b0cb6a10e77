import type { FoundPage } from './block.ts'

/** Text for a gateway search that a caller sends back. Vendors reject searches that they did not run. */
export function searchAsText(query: string | undefined): string {
  return `I search the web for ${JSON.stringify(query ?? '')}.`
}

/** Text for search results. Undefined: the search failed. */
export function pagesAsText(pages: readonly Partial<FoundPage>[] | undefined): string {
  if (pages === undefined) return 'The search has failed.'
  if (pages.length === 0) return 'Nothing was found.'
  return `It was found:\n\n${pages.map(({ title, url, snippet }) => [title, url, snippet].filter(Boolean).join('\n')).join('\n\n')}`
}
