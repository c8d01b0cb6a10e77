import type { MediaUrls } from '../../chat/format.ts'
import { isGoogleFile, isYouTube } from './media-read.ts'

/**
 * What Google itself keeps is taken always: files of its Files API and of Cloud Storage, films of YouTube. Any other URL is
 * taken only where the provider is known to, as Vertex AI does.
 *
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods
 */
export const urls: MediaUrls = {
  takes(url, kind, { facts }) {
    if (isGoogleFile(url) || isYouTube(url)) return true
    const passes = (kind === 'document' ? facts?.pdfUrls : undefined) ?? facts?.imageUrls
    return passes === true && /^https?:\/\//i.test(url)
  },
  keys: ['"fileUri"', '"file_uri"'],
  field: () => 'fileData.fileUri',
}
