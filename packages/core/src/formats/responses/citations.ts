import type { Citation, TextBlock } from '../../canonical/block.ts'
import { loseCitation, loseDetails } from '../../canonical/citations.ts'
import { compact, type Json, number, objects, text } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import { extensionsOf, ownExtensions, ownFields, unknownFields } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set(['type', 'url', 'title', 'content', 'start_index', 'end_index'])

/** Citations for the annotations of text. Annotations of files are preserved, since only the vendor knows the files. */
export function readAnnotations(value: unknown): Citation[] {
  return objects(value).map(readAnnotation)
}

export function readAnnotation(item: Json): Citation {
  if (item['type'] !== 'url_citation') return { extensions: ownExtensions(ID, item) }
  return compact<Citation>({
    url: text(item['url']),
    title: text(item['title']),
    cited: text(item['content']),
    start: number(item['start_index']),
    end: number(item['end_index']),
    extensions: extensionsOf(ID, unknownFields(item, FIELDS)),
  })
}

/** Annotations for the citations of text. Citations without a URL are lost. */
export function writeAnnotations(
  block: TextBlock,
  citations: readonly Citation[],
  length: number,
  losses: Loss[],
): Json[] {
  loseDetails(block, citations, ID, ({ cited }) => cited !== undefined, losses)
  return citations.flatMap((citation): Json[] => {
    const annotation = writeAnnotation(citation, length)
    if (!annotation) loseCitation(block, losses)
    return annotation ? [annotation] : []
  })
}

/** Annotation for a citation. A citation without a span applies to the whole text. */
function writeAnnotation(citation: Citation, length: number): Json | undefined {
  const own = ownFields(citation, ID)
  if (citation.url === undefined) return own
  return {
    type: 'url_citation',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? length,
    url: citation.url,
    title: citation.title ?? '',
    ...(own && citation.cited !== undefined && { content: citation.cited }),
    ...own,
  }
}
