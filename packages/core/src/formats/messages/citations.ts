import type { Citation } from '../../canonical/block.ts'
import { compact, type Json, objects, text } from '../../canonical/json.ts'
import { ownFields, ownSide } from '../../canonical/side.ts'
import { ID } from './wire.ts'

/** Citations support the whole of their text block, so they have no span within it. */
export function readCitations(value: unknown): Citation[] | undefined {
  const found = objects(value).map(readCitation)
  return found.length > 0 ? found : undefined
}

/** Where it is a document of the request, `url` is absent. */
export function readCitation(citation: Json): Citation {
  return compact<Citation>({
    url:
      text(citation['url']) ?? (citation['type'] === 'search_result_location' ? text(citation['source']) : undefined),
    title: text(citation['title']) || text(citation['document_title']) || undefined,
    cited: text(citation['cited_text']),
    side: ownSide(ID, citation),
  })
}

/**
 * The citation in this format; one of another format becomes the location of a web search result, with an empty title
 * where it has none: a client that knows only texts refuses null. Undefined where there is nothing to link to.
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

/** Whether the vendor takes the citation back: what another format cited has no encrypted index, and is refused. */
export function isReturnable(citation: Json): boolean {
  return citation['encrypted_index'] !== ''
}
