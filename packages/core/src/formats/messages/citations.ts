import type { Citation } from '../../chat/block.ts'
import { isObject, type Json, objects, text } from '../../chat/json.ts'
import { FORMAT } from './wire.ts'

/** Citations support the whole of their text block, so they have no span within it. */
export function readCitations(value: unknown): Citation[] | undefined {
  const found = objects(value).map(readCitation)
  return found.length > 0 ? found : undefined
}

/** Where it is a document of the request, `url` is absent. */
export function readCitation(citation: Json): Citation {
  const url = text(citation['url']) ?? (citation['type'] === 'search_result_location' ? text(citation['source']) : undefined)
  const title = text(citation['title']) ?? text(citation['document_title'])
  const cited = text(citation['cited_text'])
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(cited !== undefined && { cited }),
    side: { format: FORMAT, fields: citation },
  }
}

/**
 * The citation in this format; one of another format becomes the location of a web search result. Undefined where there is
 * nothing to link to.
 */
export function writeCitation(citation: Citation): Json | undefined {
  if (citation.side?.format === FORMAT) return citation.side.fields
  if (citation.url === undefined) return undefined
  return {
    type: 'web_search_result_location',
    url: citation.url,
    title: citation.title ?? null,
    cited_text: citation.cited ?? '',
    encrypted_index: '',
  }
}

/** Whether the vendor takes the citation back: what another format cited has no encrypted index, and is refused. */
export function isReturnable(citation: Json): boolean {
  return !('encrypted_index' in citation) || (isObject(citation) && citation['encrypted_index'] !== '')
}
