import { type HeadgateError, invalid } from '../errors.ts'
import type { MediaBlock } from './block.ts'
import { cleanBase64, type InlineData, parseDataUrl, sniff } from './media.ts'

/** What a media type is to a model. */
export function kindOfMime(mime: string): MediaBlock['kind'] {
  if (mime.startsWith('image/')) return 'image'
  if (mime.startsWith('audio/')) return 'audio'
  return mime.startsWith('video/') ? 'video' : 'document'
}

export function dataUrl(mime: string, data: string): string {
  return `data:${mime};base64,${data}`
}

export function isDataUrl(url: string): boolean {
  return /^\s*data:/i.test(url.slice(0, 64))
}

/** Whether a text starts like a URL of any kind. */
export function hasScheme(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url)
}

/** The content of a data URL. @throws HeadgateError `invalid-request` naming `path` when it is malformed. */
export function readDataUrl(url: string, path: string): InlineData {
  const inline = parseDataUrl(url)
  if (!inline) throw invalid(path, `${path} is a malformed data URL. Send data:<media type>;base64,<base64>.`)
  return inline
}

/** Standard base64. @throws HeadgateError `invalid-request` naming `path` when it is none, or empty. */
export function readBase64(data: string, path: string): string {
  const clean = data === '' ? undefined : cleanBase64(data)
  if (clean === undefined)
    throw invalid(path, `${path} is not base64. Send the content of the file as standard base64.`)
  return clean
}

/** The error for media that have no place: leaving them out would change the meaning. */
export function refusedMedia(block: MediaBlock, what: string): HeadgateError {
  return invalid(block.at, `${block.at ?? 'A part of the content'} ${what}`)
}

/** The error for sound or film that the model does not take. `takes`: what it does take, if anything. */
export function refusedKind(block: MediaBlock, takes?: string): HeadgateError {
  const what =
    block.kind === 'audio'
      ? 'is audio that this model does not take'
      : `is a ${block.kind}, which this model does not take`
  return refusedMedia(block, `${what}. ${takes ? `Send ${takes}` : 'Leave it out'}, or name a model that takes it.`)
}

/** The error for an id that only another provider knows. */
export function foreignFile(block: MediaBlock): HeadgateError {
  return refusedMedia(block, `is a file of another provider. Send the ${block.kind} itself.`)
}

/** Types of images that OpenAI and Anthropic take. */
const COMMON_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/**
 * Refuses inline images of other types than PNG, JPEG, GIF and WebP. The first bytes decide, else the declared type.
 *
 * @see https://platform.openai.com/docs/guides/images-vision
 * @throws HeadgateError `invalid-request` that names the block.
 */
export function checkImageType(block: MediaBlock): void {
  if (block.kind !== 'image' || block.source.type !== 'base64') return
  const mime = sniff(block.source.data) ?? block.mime
  if (mime !== undefined && !COMMON_IMAGES.has(mime))
    throw refusedMedia(block, `is an image of ${mime}, which this model does not take. Send PNG, JPEG, GIF or WebP.`)
}

/**
 * Refuses inline documents of other types than PDF.
 *
 * @see https://platform.openai.com/docs/guides/pdf-files
 * @throws HeadgateError `invalid-request` that names the block.
 */
export function checkIsPdf(block: MediaBlock): void {
  if (block.kind !== 'document' || block.source.type !== 'base64') return
  const mime = sniff(block.source.data) ?? block.mime
  if (mime !== undefined && mime !== 'application/pdf')
    throw refusedMedia(block, `is a document of ${mime}. Send PDF or text.`)
}

/** The error for a URL where content is due. */
export function refusedUrl(block: MediaBlock): HeadgateError {
  return refusedMedia(
    block,
    `is a URL, which this provider does not take for ${block.kind}s. Send the ${block.kind} as base64, not by URL.`,
  )
}
