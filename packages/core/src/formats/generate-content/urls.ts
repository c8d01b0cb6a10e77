import type { MediaUrls } from '../../canonical/format.ts'
import { kindOfMime } from '../../canonical/media-source.ts'
import { isGoogleFile, isYouTube, mimeOfUri } from './media-read.ts'

/** Media types that the vendor can fetch. */
const FETCHED = /^(?:image\/(?:jpeg|png|webp)|application\/pdf|text\/plain)$/

/**
 * Supported URLs: always files of the Files API, Cloud Storage and YouTube, which Google stores. Other URLs require a
 * model that supports them, and a file name extension for the required media type.
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
