import type { Block, MediaBlock } from './block.ts'
import { changed, type Loss } from './loss.ts'
import { normalizeMime, sniff } from './media.ts'
import { kindOfMime } from './media-source.ts'
import type { ChatRequest } from './request.ts'

/** Media type in the first bytes of an image or document, if it differs from the declared type. */
function otherType({ kind, mime, declared, source }: MediaBlock): string | undefined {
  if (declared !== undefined) return mime
  if (source.type !== 'base64' || mime === undefined || (kind !== 'image' && kind !== 'document')) return undefined
  const type = sniff(source.data)
  return type === normalizeMime(mime) ? undefined : type
}

/**
 * Copy of a request with the correct types of all images and documents, based on their first bytes. Vendors reject or
 * misread wrong types. Unknown bytes keep the declared type.
 */
export function correctMediaTypes(request: ChatRequest, losses: Loss[]): ChatRequest {
  if (!request.messages.some(({ blocks }) => hasOtherType(blocks))) return request
  const trueBlock = (block: Block): Block => {
    if (block.type === 'tool-result') return { ...block, blocks: block.blocks.map(trueBlock) }
    const type = block.type === 'media' ? otherType(block) : undefined
    if (block.type !== 'media' || type === undefined) return block
    changed(losses, block.at, `its first bytes show ${type}, not the declared type`)
    return { ...block, mime: type, kind: kindOfMime(type) }
  }
  return {
    ...request,
    messages: request.messages.map((message) => ({ ...message, blocks: message.blocks.map(trueBlock) })),
  }
}

function hasOtherType(blocks: readonly Block[]): boolean {
  return blocks.some((block) =>
    block.type === 'tool-result'
      ? hasOtherType(block.blocks)
      : block.type === 'media' && otherType(block) !== undefined,
  )
}
