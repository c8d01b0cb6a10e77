import type { MediaUrls } from '../../canonical/format.ts'
import { kindOfMime } from '../../canonical/media-source.ts'
import { isGoogleFile, isYouTube, mimeOfUri } from './media-read.ts'

/** Types of what the vendor fetches itself, of those that are inlined otherwise. */
const FETCHED = /^(?:image\/(?:jpeg|png|webp)|application\/pdf|text\/plain)$/

/**
 * What Google itself keeps is taken always: files of its Files API and of Cloud Storage, films of YouTube. Any other
 * URL is taken only where the model is known to, and only if its ending tells the type, which has to be sent with it.
 *
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods
 */
export const urls: MediaUrls = {
  takes(url, kind, { facts }) {
    if (isGoogleFile(url) || isYouTube(url)) return true
    const passes = (kind === 'document' ? facts?.pdfUrls : undefined) ?? facts?.imageUrls
    if (passes !== true || !/^https:\/\//i.test(url)) return false
    const mime = mimeOfUri(url)
    return mime !== undefined && FETCHED.test(mime) && kindOfMime(mime) === kind
  },
  keys: ['"fileUri"', '"file_uri"'],
  field: () => 'fileData.fileUri',
}
