import type { MediaBlock, MediaSource } from '../../canonical/block.ts'
import { requiredObject, requiredString, stringField, unknownWord, wordField, wrong } from '../../canonical/fields.ts'
import { type Json, object, objects, text } from '../../canonical/json.ts'
import { parseDataUrl, sniff } from '../../canonical/media.ts'
import { hasScheme, isDataUrl, kindOfMime, readBase64, readDataUrl } from '../../canonical/media-source.ts'
import { unknownFields } from '../../canonical/vendor-extensions.ts'
import { invalid } from '../../errors.ts'
import { readExtraContent } from './reasoning.ts'

/** Media block of a part, and fields that only this format has. */
export interface ReadPart {
  block: MediaBlock
  fields: Json | undefined
}

const IMAGE_FIELDS: ReadonlySet<string> = new Set(['url', 'detail'])
const AUDIO_FIELDS: ReadonlySet<string> = new Set(['data', 'format'])
const FILE_FIELDS: ReadonlySet<string> = new Set(['file_data', 'file_id', 'filename'])

const DETAILS = ['auto', 'low', 'high', 'original'] as const

/** Reads an image part. Some clients send the URL without its object. */
export function readImagePart(part: Json, at: string): ReadPart {
  if (typeof part['image_url'] === 'string')
    return { block: imageBlock(part['image_url'], at, `${at}.image_url`), fields: undefined }
  const image = requiredObject(part, 'image_url', at)
  const block = imageBlock(requiredString(image, 'url', `${at}.image_url`), at, `${at}.image_url.url`)
  const detail = wordField(image, 'detail', `${at}.image_url`, DETAILS)
  const fields = unknownFields(
    image,
    IMAGE_FIELDS,
    detail === 'original' ? { 'image_url.detail': detail } : undefined,
    'image_url.',
  )
  if (detail && detail !== 'original') block.detail = detail
  return { block, fields }
}

/**
 * Image block for a URL.
 * @param path path of the URL, for messages.
 */
export function imageBlock(url: string, at: string, path: string): MediaBlock {
  const inline = inlineBlock(url, at, path)
  if (inline) return inline
  if (!hasScheme(url))
    throw invalid(path, `${path} is not a URL. Send an http(s) URL or a data URL such as data:image/png;base64,….`)
  return { type: 'media', at, kind: 'image', source: { type: 'url', url } }
}

/** Media block for an image of a response. Undefined if its URL is invalid. */
function imageOf(item: Json, at: string): MediaBlock | undefined {
  const image = item['image_url']
  const url = text(image) ?? text(object(image)?.['url'])
  if (url === undefined) return undefined
  const inline = parseDataUrl(url)
  if (inline) return media(inline.mime, { type: 'base64', data: inline.data }, at)
  return hasScheme(url) ? { type: 'media', at, kind: 'image', source: { type: 'url', url } } : undefined
}

export function readAudioPart(part: Json, at: string): ReadPart {
  const audio = requiredObject(part, 'input_audio', at)
  const path = `${at}.input_audio.data`
  const data = requiredString(audio, 'data', `${at}.input_audio`)
  const format = requiredString(audio, 'format', `${at}.input_audio`).toLowerCase()
  if (!/^[a-z0-9]{2,8}$/.test(format)) throw unknownWord(`${at}.input_audio.format`, format, ['wav', 'mp3'])
  const fields = unknownFields(audio, AUDIO_FIELDS, undefined, 'input_audio.')
  const inline = inlineBlock(data, at, path)
  if (inline) return { block: { ...inline, kind: 'audio', mime: `audio/${format}` }, fields }
  const block: MediaBlock = {
    type: 'media',
    at,
    kind: 'audio',
    mime: `audio/${format}`,
    source: { type: 'base64', data: readBase64(data, path) },
  }
  return { block, fields }
}

/** Reads a file part: a data URL, raw base64 (default: PDF), a URL, or the id of a file at the provider. */
export function readFilePart(part: Json, at: string): ReadPart {
  const file = requiredObject(part, 'file', at)
  const name = stringField(file, 'filename', `${at}.file`)
  const block = fileBlock(file, at)
  if (name !== undefined) block.name = name
  // The content takes precedence. Only callers of the vendor's format can send both.
  const both = (file['file_data'] ?? undefined) !== undefined && (file['file_id'] ?? undefined) !== undefined
  const fields = both ? { 'file.file_id': file['file_id'] } : undefined
  return { block, fields: unknownFields(file, FILE_FIELDS, fields, 'file.') }
}

function fileBlock(file: Json, at: string): MediaBlock {
  const path = `${at}.file.file_data`
  const data = stringField(file, 'file_data', `${at}.file`)
  const id = stringField(file, 'file_id', `${at}.file`)
  if (data === undefined) {
    if (id === undefined) throw wrong(path, 'a data URL or the base64 of a PDF', undefined)
    return { type: 'media', at, kind: 'document', source: { type: 'file', id } }
  }
  return dataBlock(data, at, path)
}

/**
 * Document block for file data.
 * @param path path of the data, for messages.
 */
export function dataBlock(data: string, at: string, path: string): MediaBlock {
  const inline = inlineBlock(data, at, path)
  if (inline) return inline
  if (hasScheme(data)) return { type: 'media', at, kind: 'document', source: { type: 'url', url: data } }
  const clean = readBase64(data, path)
  return media(sniff(clean) ?? 'application/pdf', { type: 'base64', data: clean }, at)
}

/** Media block for a data URL. Undefined for other values. */
function inlineBlock(url: string, at: string, path: string): MediaBlock | undefined {
  if (!isDataUrl(url)) return undefined
  const inline = readDataUrl(url, path)
  const type = sniff(inline.data) ?? inline.mime
  const block = media(type, { type: 'base64', data: inline.data }, at)
  return type === inline.mime ? block : { ...block, declared: inline.mime }
}

function media(mime: string, source: MediaSource, at: string): MediaBlock {
  return { type: 'media', at, kind: kindOfMime(mime), mime, source }
}

/** Images of a response, with signatures, in the field that servers besides the vendor use. */
export function readImages(value: unknown, at: string): MediaBlock[] {
  return objects(value).flatMap((item, index) => {
    const block = imageOf(item, `${at}[${index}]`)
    const signature = block && readExtraContent(item)
    return signature ? { ...block, signature } : (block ?? [])
  })
}

/** Audio of an earlier response, which only its provider stores. */
export function readAudioReference(audio: Json, at: string): MediaBlock {
  return { type: 'media', at, kind: 'audio', source: { type: 'file', id: requiredString(audio, 'id', at) } }
}
