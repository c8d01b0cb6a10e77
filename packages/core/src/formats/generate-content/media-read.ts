import type { MediaBlock, MediaSource } from '../../canonical/block.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import { cleanBase64, normalizeMime, sniff } from '../../canonical/media.ts'
import { kindOfMime } from '../../canonical/media-source.ts'
import { ownExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

const BLOB: ReadonlySet<string> = new Set(['mimeType', 'data', 'displayName'])
const FILE: ReadonlySet<string> = new Set(['fileUri', 'mimeType', 'displayName'])

/** Matches files of the Files API and Cloud Storage, which only Google can access. */
const GOOGLE_FILE = /^gs:\/\/|^https:\/\/generativelanguage\.googleapis\.com\/.*\bfiles\//

export function isGoogleFile(uri: string): boolean {
  return GOOGLE_FILE.test(uri)
}

const YOUTUBE = /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/|youtu\.be\/)/

export function isYouTube(uri: string): boolean {
  return YOUTUBE.test(uri)
}

/** Media block of a part's `inlineData` or `fileData`. Undefined for invalid base64 or a missing URI. */
export function readMedia(part: Json): MediaBlock | undefined {
  const inline = object(part['inlineData'])
  const message = inline ?? object(part['fileData'])
  if (!message) return undefined
  const source = inline ? inlineSource(inline) : fileSource(message)
  if (!source) return undefined
  const given = text(message['mimeType'])
  const mime = given ? normalizeMime(given) : source.type === 'base64' ? sniff(source.data) : undefined
  const block: MediaBlock = { type: 'media', kind: kindOf(mime, source), ...(mime !== undefined && { mime }), source }
  const name = text(message['displayName'])
  if (name !== undefined) block.name = name
  const fields = inline
    ? unknownFields(inline, BLOB, undefined, 'inlineData.')
    : unknownFields(message, FILE, undefined, 'fileData.')
  if (fields || name !== undefined) block.extensions = ownExtensions(ID, fields)
  return block
}

function inlineSource(inline: Json): MediaSource | undefined {
  const data = cleanBase64(text(inline['data']) ?? '')
  return data === undefined ? undefined : { type: 'base64', data }
}

function fileSource(file: Json): MediaSource | undefined {
  const uri = text(file['fileUri'])
  if (!uri) return undefined
  return isGoogleFile(uri) ? { type: 'file', id: uri } : { type: 'url', url: uri }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** Media type for the file name extension of a URI. */
export function mimeOfUri(uri: string): string | undefined {
  const extension = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase()
  return extension === undefined ? undefined : EXTENSIONS[extension]
}

function kindOf(mime: string | undefined, source: MediaSource): MediaBlock['kind'] {
  const uri = source.type === 'url' ? source.url : source.type === 'file' ? source.id : ''
  if (isYouTube(uri)) return 'video'
  const type = mime ?? mimeOfUri(uri)
  if (type === undefined) return source.type === 'base64' ? 'document' : 'image'
  return kindOfMime(type)
}

/** Resolutions of images. */
export const RESOLUTION = { low: 'MEDIA_RESOLUTION_LOW', high: 'MEDIA_RESOLUTION_HIGH' } as const

/** Detail for a part's `mediaResolution`. Undefined for other values. */
export function readResolution(level: unknown): 'low' | 'high' | undefined {
  if (level === RESOLUTION.low) return 'low'
  return level === RESOLUTION.high ? 'high' : undefined
}
