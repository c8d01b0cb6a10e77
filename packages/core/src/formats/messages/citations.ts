import type { Citation } from '../../canonical/block.ts'
import { compact, type Json, objects, text } from '../../canonical/json.ts'
import { ownExtensions, ownFields } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

/** Citations of text. They have no span, since they apply to the whole block. */
export function readCitations(value: unknown): Citation[] | undefined {
  const found = objects(value).map(readCitation)
  return found.length > 0 ? found : undefined
}

/** Citation. `url` is absent for a document of the request. */
export function readCitation(citation: Json): Citation {
  return compact<Citation>({
    url:
      text(citation['url']) ?? (citation['type'] === 'search_result_location' ? text(citation['source']) : undefined),
    title: text(citation['title']) || text(citation['document_title']) || undefined,
    cited: text(citation['cited_text']),
    extensions: ownExtensions(ID, citation),
  })
}

/**
 * Citation in this format. A citation of another format becomes the location of a web search result. A missing title is
 * empty, since typed clients reject null. Undefined without a URL.
 */
export function writeCitation(citation: Citation): Json | undefined {
  const own = ownFields(citation, ID)
  if (own || citation.url === undefined) return own
  return {
    type: 'web_search_result_location',
    url: citation.url,
    title: citation.title ?? '',
    cited_text: citation.cited ?? '',
    encrypted_index: '',
  }
}

/**
 * True if the vendor accepts the citation in a request. It rejects citations of other formats, which have no encrypted
 * index.
 */
export function isReturnable(citation: Json): boolean {
  return citation['encrypted_index'] !== ''
}
