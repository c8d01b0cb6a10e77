import type { MediaBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under } from '../../chat/loss.ts'
import { decodeText, sniff } from '../../chat/media.ts'
import { invalid } from '../../errors.ts'
import type { Draft } from './draft.ts'
import { FORMAT } from './wire.ts'

const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/**
 * An image or document block.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 * @throws HeadgateError `invalid-request` for what the format has no place for.
 */
export function writeMedia(block: MediaBlock, draft: Draft): Json {
  if (block.kind === 'audio' || block.kind === 'video') {
    throw invalid(
      block.at,
      `Models behind the messages format take no ${block.kind}. Leave it out, or send the request to a model that takes it.`,
    )
  }
  if (block.detail !== undefined && block.detail !== 'auto')
    dropped(draft.losses, under(block, 'detail'), 'the messages format has no detail of images')
  if (block.transcript !== undefined) dropped(draft.losses, under(block, 'transcript'), 'the messages format has no transcripts')
  if (block.signature) dropped(draft.losses, under(block, 'signature'), 'only its signer can read a signature')
  return block.kind === 'image' ? writeImage(block, draft) : writeDocument(block, draft)
}

function writeImage(block: MediaBlock, draft: Draft): Json {
  if (block.name !== undefined) dropped(draft.losses, under(block, 'name'), 'images have no name in the messages format')
  return { type: 'image', source: block.source.type === 'base64' ? inlineImage(block, block.source.data) : linked(block, draft) }
}

function inlineImage(block: MediaBlock, data: string): Json {
  // The bytes decide: a wrong media type is refused upstream.
  const mime = sniff(data) ?? block.mime
  if (mime !== undefined && IMAGES.has(mime)) return { type: 'base64', media_type: mime, data }
  throw invalid(block.at, `Images must be JPEG, PNG, GIF or WebP, but ${mime ?? 'an unknown type'} was found. Convert the image.`)
}

function writeDocument(block: MediaBlock, draft: Draft): Json {
  return { type: 'document', source: documentSource(block, draft), ...(block.name !== undefined && { title: block.name }) }
}

function documentSource(block: MediaBlock, draft: Draft): Json {
  const { source } = block
  if (source.type === 'text') return plain(source.text, block, draft)
  if (source.type !== 'base64') return linked(block, draft)
  const mime = block.mime ?? sniff(source.data)
  if (mime === 'application/pdf') return { type: 'base64', media_type: mime, data: source.data }
  if (mime !== undefined && isText(mime)) return plain(decodeText(source.data), block, draft)
  throw invalid(block.at, `Documents must be PDF or text, but ${mime ?? 'an unknown type'} was found. Convert the document.`)
}

function isText(mime: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|typescript|sql|x-ndjson)$|\+(?:json|xml)$/.test(mime)
}

function plain(data: string, block: MediaBlock, draft: Draft): Json {
  if (block.mime !== undefined && block.mime !== 'text/plain')
    changed(draft.losses, under(block, 'media_type'), 'text documents are sent as text/plain')
  return { type: 'text', media_type: 'text/plain', data }
}

function linked(block: MediaBlock, draft: Draft): Json {
  const { source } = block
  if (source.type === 'file') {
    if (block.side?.format === FORMAT) return { type: 'file', file_id: source.id }
    throw invalid(block.at, 'The file id was issued by another provider, and only that one can read it. Send the content of the file.')
  }
  if (source.type !== 'url')
    throw invalid(block.at, `An image can not be given as ${source.type}. Send its bytes as base64, or an https URL.`)
  const allowed = block.kind === 'image' ? draft.target.facts?.imageUrls : draft.target.facts?.pdfUrls
  if (allowed === false) throw invalid(block.at, `This provider takes no ${block.kind} by URL. Send its bytes as base64.`)
  if (/^https:\/\//i.test(source.url)) return { type: 'url', url: source.url }
  throw invalid(
    block.at,
    `A URL of ${block.kind === 'image' ? 'an image' : 'a document'} must start with https://. Send an https URL, or the bytes as base64.`,
  )
}
