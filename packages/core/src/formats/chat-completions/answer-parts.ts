import type { Block, Citation, MediaBlock, ReasoningBlock, TextBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { dropped, type Loss, under } from '../../chat/loss.ts'
import { dataUrl } from './media-write.ts'
import { writeSealedThinking } from './reasoning.ts'
import { isOwnSide } from './side.ts'

/** The blocks of one type. */
export function ofType<T extends Block['type']>(blocks: readonly Block[], type: T): Extract<Block, { type: T }>[] {
  return blocks.filter((block): block is Extract<Block, { type: T }> => block.type === type)
}

/** Citations as annotations of the whole text. A citation without a URL has no place. */
export function writeAnnotations(blocks: readonly TextBlock[], losses: Loss[]): Json[] {
  const out: Json[] = []
  let offset = 0
  for (const block of blocks) {
    for (const citation of block.citations ?? []) {
      const annotation = writeAnnotation(citation, offset, block.text.length)
      if (annotation) out.push(annotation)
      else dropped(losses, under(block, 'citations'), 'a citation needs a URL here')
    }
    offset += block.text.length
  }
  return out
}

/** A citation without a span is of the whole block, which starts at `offset`. */
export function writeAnnotation(citation: Citation, offset: number, length: number): Json | undefined {
  const own = isOwnSide(citation.side) ? citation.side.fields : undefined
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

/** Images of an answer, which the vendor's own format has no place for, in the field that imitators share. */
export function writeImages(blocks: readonly MediaBlock[], first = 0): Json[] {
  return blocks.map((block, index) => ({ type: 'image_url', image_url: { url: urlOf(block) }, index: first + index }))
}

function urlOf({ source, mime }: MediaBlock): string {
  if (source.type === 'base64') return dataUrl(mime ?? 'image/png', source.data)
  return source.type === 'url' ? source.url : ''
}

/** Whether a media block of an answer can be given to the caller as an image. */
export function isImage(block: MediaBlock): boolean {
  return block.kind === 'image' && (block.source.type === 'base64' || block.source.type === 'url')
}

/** What the model thought: as text to show, and, where it is signed, as blocks to send back. */
export function writeReasoning(blocks: readonly ReasoningBlock[], out: Json): void {
  const shown = blocks.map((block) => block.text).join('')
  if (shown !== '') out['reasoning_content'] = shown
  if (blocks.some((block) => block.signature)) out['thinking_blocks'] = blocks.map(writeSealedThinking)
}
