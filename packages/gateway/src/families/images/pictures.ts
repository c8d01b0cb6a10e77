import { compact, isDataUrl, type Json, readDataUrl } from '@headgate/core/canonical'
import type { Content, ImageSize, MadeImage } from '@headgate/core/contract'
import { HeadgateError } from '@headgate/core/errors'
import { HEAD_BYTES, imageFacts } from './dimensions.ts'

/** Image of a response, with facts from its bytes. */
export interface Picture {
  readonly type: string
  readonly size: ImageSize | undefined
  readonly revised: string | undefined
  /** Bytes, or their base64. */
  readonly data: Buffer | string
}

/** Download of an image at a provider. @throws HeadgateError */
export type Downloader = (url: string) => Promise<Buffer>

/** Types of images whose bytes are not read. */
const OTHER_TYPES = /^image\/(?!png|jpe?g|webp|gif)[\w.+-]+$/

/** Base64 characters of {@link HEAD_BYTES} bytes. */
const HEAD_CHARACTERS = Math.ceil(HEAD_BYTES / 3) * 4

/** @throws HeadgateError if an image has no readable content */
export async function pictureOf(
  { base64, bytes, url, type, revised }: MadeImage,
  download: Downloader,
): Promise<Picture> {
  const inline = base64 ?? (url !== undefined && isDataUrl(url) ? url : undefined)
  const data = bytes ? Buffer.from(bytes) : inline === undefined ? await download(url ?? '') : cleaned(inline)
  const head =
    typeof data === 'string' ? Buffer.from(data.slice(0, HEAD_CHARACTERS), 'base64') : data.subarray(0, HEAD_BYTES)
  const facts = imageFacts(head)
  if (!facts && !OTHER_TYPES.test(type ?? ''))
    throw new HeadgateError('upstream', 'The provider returned something that is not an image.')
  return { type: facts?.type ?? type ?? '', size: facts?.size, revised, data }
}

/** Size of an image whose bytes are in the response; undefined for a URL and for unreadable bytes. */
export function inlineSize(image: MadeImage | undefined): ImageSize | undefined {
  const { bytes, base64 = '' } = image ?? {}
  const data = base64.slice(base64.slice(0, 128).indexOf(',') + 1, HEAD_CHARACTERS)
  return imageFacts(bytes ? Buffer.from(bytes.subarray(0, HEAD_BYTES)) : Buffer.from(data, 'base64'))?.size
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Standard base64 of base64 in any alphabet, or of a data URL. */
function cleaned(source: string): string {
  const text = isDataUrl(source) ? dataIn(source) : source
  const plain = /[\s_-]/.test(text) ? text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/') : text
  if (plain === '' || !BASE64.test(plain))
    throw new HeadgateError('upstream', 'The provider returned an invalid image.')
  const bare = plain.replace(/=+$/, '')
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
}

function dataIn(url: string): string {
  try {
    return readDataUrl(url, 'url').data
  } catch (cause) {
    throw new HeadgateError('upstream', 'The provider returned an invalid data URL.', { cause })
  }
}

/** Bytes of a picture. */
export function bytesOf({ data }: Picture): Buffer {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data
}

/** Bytes that are written in one step; a multiple of three, so that their base64 has no padding. */
const STEP = 192 * 1024

/** Text with pictures as base64. It is read in steps, so that no copy of all pictures exists. */
export function textWithPictures(pieces: readonly (string | Picture)[]): Content {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))
  return {
    size: parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : base64Length(part)), 0),
    async *read() {
      for (const part of parts) {
        if (Buffer.isBuffer(part)) yield part
        else yield* base64Of(part)
      }
    },
  }
}

function base64Length({ data }: Picture): number {
  return typeof data === 'string' ? data.length : Math.ceil(data.length / 3) * 4
}

function* base64Of({ data }: Picture): Generator<Buffer> {
  for (let at = 0; at < data.length; at += STEP)
    yield typeof data === 'string'
      ? Buffer.from(data.slice(at, at + STEP), 'latin1')
      : Buffer.from(data.toString('base64', at, at + STEP), 'latin1')
}

const MARK = '@'

/**
 * JSON of an object whose member `field` is the base64 of a picture.
 * @example jsonWithPicture({ type: 'completed' }, 'b64_json', picture) // ['{"b64_json":"', picture, '","type":"completed"}']
 */
export function jsonWithPicture(fields: Json, field: string, picture: Picture): (string | Picture)[] {
  const written = JSON.stringify({ [field]: MARK, ...compact(fields) })
  const at = written.indexOf(`"${MARK}"`) + 1
  return [written.slice(0, at), picture, written.slice(at + MARK.length)]
}
