import type { MarkdownRenderer } from 'vitepress'
import { slug } from './links.ts'

/** Ids of table rows whose first cell begins with code, so that `errors#over-budget` and `configuration#keys` are links. */
export function rowAnchors(md: MarkdownRenderer): void {
  md.core.ruler.push('row-anchors', ({ tokens }) => {
    const ids = new Set<string>()
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'tr_open' || tokens[index + 1]?.type !== 'td_open') continue
      const first = tokens[index + 2]?.children?.find(({ content }) => content !== '')
      const id = first?.type === 'code_inline' ? slug(first.content) : ''
      if (id === '' || ids.has(id)) continue
      ids.add(id)
      token.attrSet('id', id)
    }
  })
}
