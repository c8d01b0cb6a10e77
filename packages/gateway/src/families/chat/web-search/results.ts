import type { FoundPage, ToolCallBlock, ToolResultBlock } from '@headgate/core/canonical'
import { parseArguments, text } from '@headgate/core/canonical'

/** Longer words are cut: backends take about as many. */
const LONGEST_QUERY = 2_048

/** What a call searches for; undefined where it says nothing. */
export function queryOf({ arguments: args }: ToolCallBlock): string | undefined {
  const query = text(parseArguments(args)?.['query'])?.trim().slice(0, LONGEST_QUERY).toWellFormed()
  return query === '' ? undefined : query
}

/** Pages as the model is told them, numbered from `first` on. */
export function pagesText(pages: readonly FoundPage[], first: number): string {
  if (pages.length === 0) return 'Nothing was found.'
  return pages
    .map(({ url, title, snippet, published }, index) => {
      const lines = [`[${first + index}] ${title ?? url}`, url, published && `Published: ${published}`, snippet]
      return lines.filter(Boolean).join('\n')
    })
    .join('\n\n')
}

export function resultOf({ id, name }: ToolCallBlock, said: string, isError = false): ToolResultBlock {
  return { type: 'tool-result', id, name, blocks: [{ type: 'text', text: said }], ...(isError && { error: true }) }
}
