import type { FoundPage, ToolCallBlock, ToolResultBlock } from '@headgate/core/canonical'
import { parseArguments, text } from '@headgate/core/canonical'

/** Maximum characters of a query, which is about what backends accept. */
const LONGEST_QUERY = 2_048

/** Search query of a tool call; undefined if it has none. */
export function queryOf({ arguments: args }: ToolCallBlock): string | undefined {
  const query = text(parseArguments(args)?.['query'])?.trim().slice(0, LONGEST_QUERY).toWellFormed()
  return query === '' ? undefined : query
}

/** Pages as text for the model, numbered from `first`. */
export function pagesText(pages: readonly FoundPage[], first: number): string {
  if (pages.length === 0) return 'No results.'
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
