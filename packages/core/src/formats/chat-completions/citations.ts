import { type Block, blocksOf, type Citation, type TextBlock } from '../../canonical/block.ts'
import { blockFinder, loseCitation, loseDetails } from '../../canonical/citations.ts'
import { compact, type Json, number, object, objects, text } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import { extensionsOf, ownExtensions, ownFields, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readExtraContent } from './reasoning.ts'
import { ID } from './wire.ts'

const FIELDS: ReadonlySet<string> = new Set(['url', 'title', 'content', 'start_index', 'end_index'])

/** Citations in annotations of the type `url_citation`. Other annotations are preserved. */
export function readAnnotations(value: unknown): Citation[] {
  return objects(value).map((item) => {
    const inner = object(item['url_citation'])
    if (!inner) return { extensions: ownExtensions(ID, item) }
    return compact<Citation>({
      url: text(inner['url']),
      title: text(inner['title']),
      cited: text(inner['content']),
      start: number(inner['start_index']),
      end: number(inner['end_index']),
      extensions: extensionsOf(ID, unknownFields(inner, FIELDS)),
    })
  })
}

/** Attaches the citations and the signature of a message to its text blocks. */
export function attachToText(blocks: Block[], message: Json, at: string): void {
  const citations = readAnnotations(message['annotations'])
  const signature = readExtraContent(message)
  if (citations.length === 0 && !signature) return
  const texts = blocksOf(blocks, 'text')
  const last = texts.at(-1) ?? { type: 'text', at: `${at}.content`, text: '' }
  if (texts.length === 0) blocks.push(last)
  if (signature) last.signature = signature
  attachCitations(texts.length === 0 ? [last] : texts, citations)
}

/** Attaches citations to the block that contains their start. Spans are converted from the whole text to the block. */
function attachCitations(texts: readonly TextBlock[], citations: readonly Citation[]): void {
  if (citations.length === 0) return
  const placeOf = blockFinder(texts)
  const end = texts.length - 1
  const length = texts.reduce((total, block) => total + block.text.length, 0)
  const beyond = { index: end, start: length - (texts[end]?.text.length ?? 0) }
  for (const citation of citations) {
    const { index, start } = placeOf(citation.start ?? 0) ?? beyond
    const block = texts[index]
    if (!block) continue
    if (citation.start !== undefined) citation.start -= start
    if (citation.end !== undefined) citation.end -= start
    block.citations ??= []
    block.citations.push(citation)
  }
}

/** Annotations for the citations of text blocks. Citations without a URL are lost. */
export function writeAnnotations(blocks: readonly TextBlock[], losses: Loss[]): Json[] {
  const out: Json[] = []
  let offset = 0
  for (const block of blocks) {
    loseDetails(block, block.citations ?? [], ID, () => false, losses)
    for (const citation of block.citations ?? []) {
      const annotation = writeAnnotation(citation, offset, block.text.length)
      if (annotation) out.push(annotation)
      else loseCitation(block, losses)
    }
    offset += block.text.length
  }
  return out
}

/** Annotation for a citation. A citation without a span applies to the whole block, which starts at `offset`. */
export function writeAnnotation(citation: Citation, offset: number, length: number): Json | undefined {
  const own = ownFields(citation, ID)
  if (citation.url === undefined) return own
  const inner: Json = {
    start_index: offset + (citation.start ?? 0),
    end_index: offset + (citation.end ?? length),
    title: citation.title ?? '',
    url: citation.url,
    ...(citation.cited === undefined ? {} : { content: citation.cited }),
    ...own,
  }
  return { type: 'url_citation', url_citation: inner }
}
