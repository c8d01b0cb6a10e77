import type { MediaBlock } from '../../chat/block.ts'
import type { Json } from '../../chat/json.ts'
import { changed, dropped, under } from '../../chat/loss.ts'
import { decodeText } from '../../chat/media.ts'
import { type HeadgateError, invalid } from '../../errors.ts'
import { putSide } from './side.ts'
import { putCache, type Writing } from './writing.ts'

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

/** A media block as a content part of a user message. What has no place is refused, as leaving it out would change the meaning. */
export function writeMedia(context: Writing, block: MediaBlock): Json {
  const part = writePart(context, block)
  putSide(block, part, context.losses)
  putCache(context, block, part)
  return part
}

function writePart(context: Writing, block: MediaBlock): Json {
  switch (block.kind) {
    case 'image':
      return writeImage(context, block)
    case 'document':
      return writeDocument(context, block)
    case 'audio':
      return writeAudio(context, block)
    case 'video':
      throw refused(block, 'is a video, which this model does not take. Leave it out, or name a model that takes it.')
  }
}

function writeImage(context: Writing, block: MediaBlock): Json {
  if (block.name !== undefined) dropped(context.losses, under(block, 'name'), 'images have no name here')
  return { type: 'image_url', image_url: { url: imageUrl(context, block), ...(block.detail ? { detail: block.detail } : {}) } }
}

function imageUrl({ target }: Writing, { source, mime, ...block }: MediaBlock): string {
  if (source.type === 'base64') return dataUrl(mime ?? 'image/png', source.data)
  if (source.type !== 'url') throw refused(block, 'is a file of another provider. Send the image itself, or its URL.')
  if (target.facts?.imageUrls === false) throw refused(block, 'is a URL, which this provider does not take. Send the image as base64.')
  if (!/^https?:/i.test(source.url)) throw refused(block, 'is no http(s) URL. Send the image itself, or an http(s) URL.')
  return source.url
}

function writeDocument(context: Writing, block: MediaBlock): Json {
  const { source } = block
  const text = plainText(context, block)
  if (text !== undefined) {
    changed(context.losses, block.at, 'a document of plain text becomes text')
    return { type: 'text', text: block.name === undefined ? text : `${block.name}\n\n${text}` }
  }
  if (source.type === 'file') {
    if (!context.own) throw refused(block, 'is a file of another provider. Send the document itself.')
    return { type: 'file', file: { file_id: source.id, ...(block.name === undefined ? {} : { filename: block.name }) } }
  }
  return { type: 'file', file: { filename: block.name ?? defaultName(block.mime), file_data: fileData(context, block) } }
}

/** The text of a document that the vendor would not take as a file. A caller's own file stays one. */
function plainText({ own }: Writing, { source, mime }: MediaBlock): string | undefined {
  if (source.type === 'text') return source.text
  if (own || source.type !== 'base64' || !mime?.startsWith('text/')) return undefined
  return decodeText(source.data)
}

function fileData({ own, target }: Writing, { source, mime, ...block }: MediaBlock): string {
  if (source.type === 'base64') {
    return target.facts?.documents === 'raw' ? source.data : dataUrl(mime ?? 'application/pdf', source.data)
  }
  const allowed = target.facts?.pdfUrls ?? own
  if (source.type === 'url' && allowed) return source.url
  throw refused(block, 'is a URL, which this provider does not take for documents. Send the document as base64.')
}

function defaultName(mime: string | undefined): string {
  return mime === undefined || mime === 'application/pdf' ? 'document.pdf' : 'document'
}

function writeAudio(_context: Writing, block: MediaBlock): Json {
  const { source } = block
  const format = AUDIO_FORMATS.get(block.mime ?? '')
  if (source.type !== 'base64' || !format) throw refused(block, 'is audio that this model does not take. Send the base64 of wav or mp3.')
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}

function refused(block: { at?: string }, what: string): HeadgateError {
  return invalid(block.at, `${block.at ?? 'A part of the content'} ${what}`)
}

export function dataUrl(mime: string, data: string): string {
  return `data:${mime};base64,${data}`
}
