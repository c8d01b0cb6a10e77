import type { FoundPage } from './block.ts'

/** A search of the gateway's that a caller sends back, in words: no vendor takes a search that it has not made. */
export function toldSearch(query: string | undefined): string {
  return `I search the web for ${JSON.stringify(query ?? '')}.`
}

/** What such a search has found; undefined = it has failed. */
export function toldPages(pages: readonly Partial<FoundPage>[] | undefined): string {
  if (pages === undefined) return 'The search has failed.'
  if (pages.length === 0) return 'Nothing was found.'
  return `It was found:\n\n${pages.map(({ title, url, snippet }) => [title, url, snippet].filter(Boolean).join('\n')).join('\n\n')}`
}
