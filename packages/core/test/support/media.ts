/** Files as small as they can be and still be known by their first bytes. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const PDF = Buffer.from('%PDF-1.4\n%%EOF\n')

/** What the type of bytes is told by. */
export const TYPES = { png: { 'content-type': 'image/png' }, pdf: { 'content-type': 'application/pdf' } } as const
