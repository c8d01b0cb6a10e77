import type { MediaBlock } from '../../canonical/block.ts'
import type { Json } from '../../canonical/json.ts'
import { dropped, type Loss, under } from '../../canonical/loss.ts'
import { encodeText, sniff } from '../../canonical/media.ts'
import { foreignFile, refusedUrl } from '../../canonical/media-source.ts'
import type { ChatFacts } from '../../canonical/target.ts'
import { isOwn } from '../../canonical/vendor-extensions.ts'
import { isGoogleFile, isYouTube, mimeOfUri, RESOLUTION } from './media-read.ts'
import { ID } from './wire.ts'

/** Default media types, since a file part must have one. */
const USUAL: Readonly<Record<MediaBlock['kind'], string>> = {
  image: 'image/jpeg',
  document: 'application/pdf',
  audio: 'audio/mpeg',
  video: 'video/mp4',
}

/**
 * `inlineData` or `fileData` of a part.
 * @throws HeadgateError of kind `invalid-request` for a file of another provider, or a URL that the provider does not
 * fetch.
 */
export function writeMedia(block: MediaBlock, facts: ChatFacts | undefined, losses: Loss[]): Json {
  const { source } = block
  const own = isOwn(block, ID)
  // Only callers of the vendor's format can name files: the Gemini API rejects names, Vertex AI accepts them.
  if (block.name !== undefined && !own) dropped(losses, under(block, 'name'), 'files have no names in this format')
  const name = block.name !== undefined && own ? { displayName: block.name } : {}
  if (block.transcript !== undefined) dropped(losses, under(block, 'transcript'), 'audio has no transcript field')
  switch (source.type) {
    case 'base64':
      return {
        inlineData: { mimeType: block.mime ?? sniff(source.data) ?? USUAL[block.kind], data: source.data, ...name },
      }
    case 'text':
      return { inlineData: { mimeType: block.mime ?? 'text/plain', data: encodeText(source.text), ...name } }
    case 'url':
      checkUrl(block, source.url, facts)
      return { fileData: { ...fileMime(block, source.url), fileUri: source.url, ...name } }
    case 'file':
      if (!isGoogleFile(source.id)) throw foreignFile(block)
      return { fileData: { ...fileMime(block, source.id), fileUri: source.id, ...name } }
  }
}

/** Media type of a URI. Optional for files of Google, required for others. */
function fileMime(block: MediaBlock, uri: string): Json {
  const mime = block.mime ?? mimeOfUri(uri) ?? (isGoogleFile(uri) || isYouTube(uri) ? undefined : USUAL[block.kind])
  return mime === undefined ? {} : { mimeType: mime }
}

function checkUrl(block: MediaBlock, url: string, facts: ChatFacts | undefined): void {
  if (isGoogleFile(url) || isYouTube(url)) return
  const passes = (block.kind === 'document' ? facts?.pdfUrls : undefined) ?? facts?.imageUrls
  if (passes === false) throw refusedUrl(block)
}

/** Writes the resolution of an image, if the model supports it. */
export function writeResolution(block: MediaBlock, known: boolean, part: Json, losses: Loss[]): void {
  if (block.detail === undefined || block.detail === 'auto') return
  if (known) part['mediaResolution'] = { level: RESOLUTION[block.detail] }
  else dropped(losses, under(block, 'detail'), 'the model does not support an image resolution')
}
