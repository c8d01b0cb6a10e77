import type { MediaUrls } from '../../canonical/format.ts'

/**
 * Supported URLs: https URLs of images and PDFs, unless the provider is known not to support them.
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export const urls: MediaUrls = {
  takes: (url, kind, { facts }) =>
    (kind === 'image' ? facts?.imageUrls : facts?.pdfUrls) !== false && /^https:\/\//i.test(url),
  keys: ['"source"'],
  field: () => 'source.url',
}
