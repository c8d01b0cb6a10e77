import type { MediaBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { decodeText, sniff } from '../../canonical/media.ts'
import { foreignFile, refusedKind, refusedMedia, refusedUrl } from '../../canonical/media-source.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { isOwn } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'
import type { MessagesWriteState } from './write-state.ts'

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/**
 * Image or document block.
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 * @throws HeadgateError of kind `invalid-request` for media that the format does not support.
 */
export function writeMedia(context: MessagesWriteState, block: MediaBlock): Json {
  const { losses } = context
  if (block.kind === 'audio' || block.kind === 'video') throw refusedKind(block)
  if (block.detail !== undefined && block.detail !== 'auto')
    dropped(losses, under(block, 'detail'), 'the messages format has no image detail')
  if (block.transcript !== undefined)
    dropped(losses, under(block, 'transcript'), 'the messages format has no transcripts')
  loseSignature(block, losses)
  return block.kind === 'image' ? writeImage(context, block) : writeDocument(context, block)
}

function writeImage(context: MessagesWriteState, block: MediaBlock): Json {
  if (block.name !== undefined)
    dropped(context.losses, under(block, 'name'), 'images have no name in the messages format')
  return {
    type: 'image',
    source: block.source.type === 'base64' ? inlineImage(block, block.source.data) : linked(context, block),
  }
}

function inlineImage(block: MediaBlock, data: string): Json {
  // The first bytes take precedence, since the vendor rejects a wrong media type.
  const mime = sniff(data) ?? block.mime
  if (mime !== undefined && IMAGES.has(mime)) return { type: 'base64', media_type: mime, data }
  throw refusedMedia(block, `is an image of ${mime ?? 'unknown type'}. Send JPEG, PNG, GIF or WebP.`)
}

function writeDocument(context: MessagesWriteState, block: MediaBlock): Json {
  return {
    type: 'document',
    source: documentSource(context, block),
    ...(block.name !== undefined && { title: block.name }),
  }
}

function documentSource(context: MessagesWriteState, block: MediaBlock): Json {
  const { source } = block
  if (source.type === 'text') return plainText(context, block, source.text)
  if (source.type !== 'base64') return linked(context, block)
  const mime = block.mime ?? sniff(source.data)
  if (mime === 'application/pdf') return { type: 'base64', media_type: mime, data: source.data }
  if (mime !== undefined && isText(mime)) return plainText(context, block, decodeText(source.data))
  throw refusedMedia(block, `is a document of ${mime ?? 'unknown type'}. Send PDF or text.`)
}

function isText(mime: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|typescript|sql|x-ndjson)$|\+(?:json|xml)$/.test(mime)
}

function plainText({ losses }: MessagesWriteState, block: MediaBlock, data: string): Json {
  if (block.mime !== undefined && block.mime !== 'text/plain')
    changed(losses, under(block, 'media_type'), 'text documents are sent as text/plain')
  return { type: 'text', media_type: 'text/plain', data }
}

function linked({ target }: MessagesWriteState, block: MediaBlock): Json {
  const { source } = block
  if (source.type === 'file') {
    if (isOwn(block, ID)) return { type: 'file', file_id: source.id }
    throw foreignFile(block)
  }
  if (source.type !== 'url')
    throw refusedMedia(block, `is of type ${source.type}. Send its bytes as base64, or an https URL.`)
  const allowed = block.kind === 'image' ? target.facts?.imageUrls : target.facts?.pdfUrls
  if (allowed === false) throw refusedUrl(block)
  if (/^https:\/\//i.test(source.url)) return { type: 'url', url: source.url }
  throw refusedMedia(block, 'is not an https URL. Send an https URL, or the bytes as base64.')
}
