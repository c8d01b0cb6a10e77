import { type MediaBlock, OWN_SEARCH } from '../../canonical/block.ts'
import { compact, type Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import {
  checkImageType,
  dataUrl,
  foreignFile,
  refusedKind,
  refusedMedia,
  refusedUrl,
} from '../../canonical/media-source.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { ownFields, writeExtensions } from '../../canonical/vendor-extensions.ts'
import { defaultName, plainText } from '../chat-completions/media-write.ts'
import { isVendorModel } from '../chat-completions/models.ts'
import { namesSharedFiles } from '../openai-hints.ts'
import { ID } from './wire.ts'
import { putCache, type ResponsesWriteState } from './write-state.ts'

/**
 * Part of a message or result for media. Unsupported media are rejected, since leaving them out would change the
 * meaning.
 */
export function writeMedia(context: ResponsesWriteState, block: MediaBlock): Json {
  const part = writePart(context, block)
  if (block.transcript !== undefined)
    dropped(context.losses, under(block, 'transcript'), 'parts have no transcript field')
  loseSignature(block, context.losses)
  writeExtensions(block, ID, part, context.losses)
  putCache(context, block, part)
  return part
}

function writePart(context: ResponsesWriteState, block: MediaBlock): Json {
  switch (block.kind) {
    case 'image':
      return writeImage(context, block)
    case 'document':
      return writeDocument(context, block)
    case 'audio':
      return writeAudio(context, block)
    case 'video':
      throw refusedKind(block)
  }
}

function writeImage(context: ResponsesWriteState, block: MediaBlock): Json {
  if (block.name !== undefined) dropped(context.losses, under(block, 'name'), 'images have no name in this format')
  const { own } = context
  const detail = block.detail ?? (own ? undefined : 'auto')
  return { type: 'input_image', ...imageSource(context, block), ...(detail !== undefined && { detail }) }
}

function imageSource({ own, target, model }: ResponsesWriteState, block: MediaBlock): Json {
  const { source } = block
  if (!own && isVendorModel(model)) checkImageType(block)
  if (source.type === 'base64') return { image_url: dataUrl(block.mime ?? 'image/png', source.data) }
  if (source.type === 'file' && own) return { file_id: source.id }
  if (source.type !== 'url') throw foreignFile(block)
  if (target.facts?.imageUrls === false) throw refusedUrl(block)
  if (!/^https?:/i.test(source.url))
    throw refusedMedia(block, 'is not an http(s) URL. Send the image as base64, or an http(s) URL.')
  return { image_url: source.url }
}

function writeDocument(context: ResponsesWriteState, block: MediaBlock): Json {
  const text = plainText(context, block)
  if (text !== undefined) {
    changed(context.losses, block.at, 'a plain-text document becomes text')
    return { type: 'input_text', text: block.name === undefined ? text : `${block.name}\n\n${text}` }
  }
  const { name } = block
  const source = fileSource(context, block)
  const filename = name ?? ('file_data' in source && !context.own ? defaultName(block.mime) : undefined)
  return { type: 'input_file', ...(filename !== undefined && { filename }), ...source }
}

function fileSource({ request, target }: ResponsesWriteState, block: MediaBlock): Json {
  const { source, mime } = block
  if (source.type === 'base64') return { file_data: dataUrl(mime ?? 'application/pdf', source.data) }
  if (source.type === 'file' && namesSharedFiles(request)) return { file_id: source.id }
  if (source.type !== 'url') throw foreignFile(block)
  if (target.facts?.pdfUrls === false) throw refusedUrl(block)
  return { file_url: source.url }
}

/** Part for audio, which the vendor's models do not support here. Audio of callers of this format stays unchanged. */
function writeAudio({ own }: ResponsesWriteState, block: MediaBlock): Json {
  const { source, mime = '' } = block
  if (!own || source.type !== 'base64') throw refusedKind(block)
  return { type: 'input_audio', input_audio: { data: source.data, format: mime.slice(mime.indexOf('/') + 1) } }
}

const OWN_IMAGE = `ig_${OWN_SEARCH}`

/** True for the id of an image that the gateway created, which vendors do not know. Ids of the vendor are hexadecimal. */
export function isGatewayImage(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(OWN_IMAGE)
}

/** True for the item of an image that the gateway could not create. */
export function isFailedImage(item: Json): boolean {
  return isGatewayImage(item['id']) && item['status'] === 'failed'
}

/** Message for an image that the gateway created in an earlier turn. */
export function writeShown({ source, mime = 'image/png' }: MediaBlock): Json | undefined {
  if (source.type !== 'base64') return undefined
  const image = { type: 'input_image', image_url: dataUrl(mime, source.data), detail: 'auto' }
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'The created image:' }, image] }
}

/** Call of the image tool for an image of a response. Undefined for other media. */
export function writeGenerated(block: MediaBlock, id: string): Json | undefined {
  const { kind, source, mime } = block
  if (kind !== 'image' || source.type !== 'base64') return undefined
  const format = mime?.startsWith('image/') ? { output_format: mime.slice('image/'.length) } : {}
  const { prompt, size, quality, background } = block.made ?? {}
  return {
    id: block.ref ?? id,
    type: 'image_generation_call',
    status: 'completed',
    result: source.data,
    ...format,
    ...compact({ revised_prompt: prompt, size, quality, background }),
    ...ownFields(block, ID),
  }
}
