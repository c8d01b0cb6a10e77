import type { MediaUrls } from '../../canonical/format.ts'

/**
 * Supported URLs: images unless the provider is known not to support them, documents only if it is known to.
 * @see https://platform.openai.com/docs/guides/images-vision
 */
export const urls: MediaUrls = {
  takes: (url, kind, { facts }) =>
    (kind === 'image' ? facts?.imageUrls !== false : facts?.pdfUrls === true) && /^https?:\/\//i.test(url),
  keys: ['"image_url"', '"file_data"'],
  field: (kind) => (kind === 'image' ? 'image_url' : 'file.file_data'),
}
