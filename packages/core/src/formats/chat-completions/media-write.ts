import type { MediaBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped, under } from '../../canonical/loss.ts'
import { decodeText } from '../../canonical/media.ts'
import {
  checkImageType,
  checkIsPdf,
  dataUrl,
  foreignFile,
  refusedKind,
  refusedMedia,
  refusedUrl,
} from '../../canonical/media-source.ts'
import { loseSignature } from '../../canonical/signature.ts'
import { writeExtensions } from '../../canonical/vendor-extensions.ts'
import { namesSharedFiles } from '../openai-hints.ts'
import { isVendorModel } from './models.ts'
import { sealedValue, writeExtraContent } from './reasoning.ts'
import { ID } from './wire.ts'
import { type ChatWriteState, putCache } from './write-state.ts'

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

/**
 * Content part for media in a user message. Unsupported media are rejected, since leaving them out would change the
 * meaning.
 */
export function writeMedia(context: ChatWriteState, block: MediaBlock): Json {
  const part = writePart(context, block)
  if (block.transcript !== undefined)
    dropped(context.losses, under(block, 'transcript'), 'parts have no transcript field')
  loseSignature(block, context.losses)
  writeExtensions(block, ID, part, context.losses)
  putCache(context, block, part)
  return part
}

function writePart(context: ChatWriteState, block: MediaBlock): Json {
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

function writeImage(context: ChatWriteState, block: MediaBlock): Json {
  if (block.name !== undefined) dropped(context.losses, under(block, 'name'), 'images have no name in this format')
  return {
    type: 'image_url',
    image_url: { url: imageUrl(context, block), ...(block.detail ? { detail: block.detail } : {}) },
  }
}

function imageUrl({ target, own, model }: ChatWriteState, block: MediaBlock): string {
  const { source } = block
  if (!own && isVendorModel(model)) checkImageType(block)
  if (source.type === 'base64') return dataUrl(block.mime ?? 'image/png', source.data)
  if (source.type !== 'url') throw foreignFile(block)
  if (target.facts?.imageUrls === false) throw refusedUrl(block)
  if (!/^https?:/i.test(source.url))
    throw refusedMedia(block, 'is not an http(s) URL. Send the image as base64, or an http(s) URL.')
  return source.url
}

function writeDocument(context: ChatWriteState, block: MediaBlock): Json {
  const { source } = block
  const text = plainText(context, block)
  if (text !== undefined) {
    changed(context.losses, block.at, 'a plain-text document becomes text')
    return { type: 'text', text: block.name === undefined ? text : `${block.name}\n\n${text}` }
  }
  if (source.type === 'file') {
    if (!namesSharedFiles(context.request)) throw foreignFile(block)
    return { type: 'file', file: { file_id: source.id, ...(block.name === undefined ? {} : { filename: block.name }) } }
  }
  const { own, model, target } = context
  if (!own && isVendorModel(model)) checkIsPdf(block)
  if (!own && target.facts?.documents === 'none') throw refusedKind(block)
  return {
    type: 'file',
    file: { filename: block.name ?? defaultName(block.mime), file_data: fileData(context, block) },
  }
}

/** Text of a document that the vendor would not accept as a file. Files of callers of this format stay files. */
export function plainText({ own }: Pick<ChatWriteState, 'own'>, { source, mime }: MediaBlock): string | undefined {
  if (source.type === 'text') return source.text
  if (own || source.type !== 'base64' || !mime?.startsWith('text/')) return undefined
  return decodeText(source.data)
}

function fileData({ own, target }: ChatWriteState, block: MediaBlock): string {
  const { source } = block
  if (source.type === 'base64') {
    return target.facts?.documents === 'raw' ? source.data : dataUrl(block.mime ?? 'application/pdf', source.data)
  }
  const allowed = target.facts?.pdfUrls ?? own
  if (source.type === 'url' && allowed) return source.url
  throw refusedUrl(block)
}

export function defaultName(mime: string | undefined): string {
  return mime === undefined || mime === 'application/pdf' ? 'document.pdf' : 'document'
}

function writeAudio({ losses }: ChatWriteState, block: MediaBlock): Json {
  if (block.name !== undefined) dropped(losses, under(block, 'name'), 'sounds have no name in this format')
  const { source } = block
  const format = AUDIO_FORMATS.get(block.mime ?? '')
  if (source.type !== 'base64' || !format) throw refusedKind(block, 'the base64 of wav or mp3')
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}

/**
 * Images of a response, in the field that servers besides the vendor use. `signatureOf` returns the value for
 * `extra_content`.
 */
export function writeImages(
  blocks: readonly MediaBlock[],
  signatureOf: (block: MediaBlock) => string | undefined,
  first = 0,
): Json[] {
  return blocks.map((block, index) => {
    const value = signatureOf(block)
    const signed = value === undefined ? {} : { extra_content: writeExtraContent(value) }
    return { type: 'image_url', image_url: { url: urlOf(block) }, index: first + index, ...signed }
  })
}

/** Images of a response for a caller, with sealed signatures. */
export function writeSealedImages(blocks: readonly MediaBlock[], first = 0): Json[] {
  return writeImages(blocks, ({ signature }) => signature && sealedValue(signature), first)
}

function urlOf({ source, mime }: MediaBlock): string {
  if (source.type === 'base64') return dataUrl(mime ?? 'image/png', source.data)
  return source.type === 'url' ? source.url : ''
}

/** True if a media block of a response can be sent to the caller as an image. */
export function isImage(block: MediaBlock): boolean {
  return block.kind === 'image' && (block.source.type === 'base64' || block.source.type === 'url')
}
