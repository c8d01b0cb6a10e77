import type { MediaUrls } from '../../canonical/format.ts'

/**
 * Supported URLs: images and documents, unless the provider is known not to support them.
 * @see https://platform.openai.com/docs/guides/images-vision
 * @see https://platform.openai.com/docs/guides/pdf-files
 */
export const urls: MediaUrls = {
  takes: (url, kind, { facts }) =>
    (kind === 'image' ? facts?.imageUrls : facts?.pdfUrls) !== false && /^https?:\/\//i.test(url),
  keys: ['"image_url"', '"file_url"', '"file_data"'],
  field: (kind) => (kind === 'image' ? 'image_url' : 'file_url'),
}
