import { type HeadgateError, invalid } from '../errors.ts'
import type { MediaBlock } from './block.ts'
import { cleanBase64, type InlineData, parseDataUrl, sniff } from './media.ts'

/** Kind of media for a media type. */
export function kindOfMime(mime: string): MediaBlock['kind'] {
  if (mime.startsWith('image/')) return 'image'
  if (mime.startsWith('audio/')) return 'audio'
  return mime.startsWith('video/') ? 'video' : 'document'
}

/**
 * Data URL of base64.
 * @example dataUrl('image/png', 'iVBO…') // 'data:image/png;base64,iVBO…'
 */
export function dataUrl(mime: string, data: string): string {
  return `data:${mime};base64,${data}`
}

export function isDataUrl(url: string): boolean {
  return /^\s*data:/i.test(url.slice(0, 64))
}

/** True for a string with a URL scheme. */
export function hasScheme(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url)
}

/**
 * Content of a data URL.
 * @throws HeadgateError of kind `invalid-request` if it is malformed.
 */
export function readDataUrl(url: string, path: string): InlineData {
  const inline = parseDataUrl(url)
  if (!inline) throw invalid(path, `${path} is a malformed data URL. Send data:<media type>;base64,<base64>.`)
  return inline
}

/**
 * Standard base64 without whitespace.
 * @throws HeadgateError of kind `invalid-request` if the value is empty or not base64.
 */
export function readBase64(data: string, path: string): string {
  const clean = data === '' ? undefined : cleanBase64(data)
  if (clean === undefined)
    throw invalid(path, `${path} is not base64. Send the content of the file as standard base64.`)
  return clean
}

/**
 * Error for unsupported media, since leaving them out would change the meaning.
 * @param what rest of the sentence after the path.
 * @example throw refusedMedia(block, 'is too large. Send at most 5 MB.')
 */
export function refusedMedia(block: MediaBlock, what: string): HeadgateError {
  return invalid(block.at, `${block.at ?? 'A part of the content'} ${what}`)
}

/**
 * Error for sound or video that the model does not support.
 * @param takes supported alternative, if any.
 * @example throw refusedKind(block, 'text or images')
 */
export function refusedKind(block: MediaBlock, takes?: string): HeadgateError {
  const what =
    block.kind === 'audio'
      ? 'is audio, which this model does not support'
      : `is a ${block.kind}, which this model does not support`
  return refusedMedia(block, `${what}. ${takes ? `Send ${takes}` : 'Remove it'}, or choose a model that supports it.`)
}

/**
 * Error for a file id of another provider.
 * @example if (block.source.type === 'file') throw foreignFile(block)
 */
export function foreignFile(block: MediaBlock): HeadgateError {
  return refusedMedia(block, `is a file of another provider. Send its content instead of the file id.`)
}

/** Image types that OpenAI and Anthropic support. */
const COMMON_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/**
 * Rejects inline images other than PNG, JPEG, GIF and WebP. The first bytes override the declared type.
 * @see https://platform.openai.com/docs/guides/images-vision
 * @throws HeadgateError of kind `invalid-request` with the block.
 */
export function checkImageType(block: MediaBlock): void {
  if (block.kind !== 'image' || block.source.type !== 'base64') return
  const mime = sniff(block.source.data) ?? block.mime
  if (mime !== undefined && !COMMON_IMAGES.has(mime))
    throw refusedMedia(block, `is an image of ${mime}, which this model does not support. Send PNG, JPEG, GIF or WebP.`)
}

/**
 * Rejects inline documents other than PDF.
 * @see https://platform.openai.com/docs/guides/pdf-files
 * @throws HeadgateError of kind `invalid-request` with the block.
 */
export function checkIsPdf(block: MediaBlock): void {
  if (block.kind !== 'document' || block.source.type !== 'base64') return
  const mime = sniff(block.source.data) ?? block.mime
  if (mime !== undefined && mime !== 'application/pdf')
    throw refusedMedia(block, `is a document of type ${mime}, which this model does not support. Send PDF or text.`)
}

/**
 * Error for a URL that the provider does not support.
 * @example if (block.source.type === 'url') throw refusedUrl(block)
 */
export function refusedUrl(block: MediaBlock): HeadgateError {
  return refusedMedia(
    block,
    `is a URL, which this provider does not support for ${block.kind}s. Send the ${block.kind} as base64.`,
  )
}
