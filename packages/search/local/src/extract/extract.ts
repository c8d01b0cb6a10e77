import type { Extract, Refusal } from '../document.ts'
import type { Kind } from '../kind.ts'
import { charsetOf, decode } from './decode.ts'
import { readHtml } from './html.ts'
import { readMarkdown } from './markdown.ts'
import { readPdf } from './pdf.ts'

/** A file or a page as it came. */
export interface Raw {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: Kind
  /** Encoding that a server declares. */
  readonly charset?: string | undefined
  /** URL of a page, against which its links are read. */
  readonly base?: string | undefined
}

/** The text of a file or a page, or why there is none. */
export async function extract({ bytes, kind, charset, base }: Raw): Promise<Extract | Refusal> {
  if (kind.reader === 'pdf') return readPdf(bytes)
  const decoded = decode(bytes, charset ?? (kind.reader === 'html' ? charsetOf(bytes) : undefined))
  if ('reason' in decoded) return decoded
  if (kind.reader === 'markdown') return readMarkdown(decoded.text)
  if (kind.reader === 'text') return { text: decoded.text }
  const page = readHtml(decoded.text, base)
  return page.hidden && base !== undefined ? { reason: 'asks not to be in any index (robots: noindex)' } : page
}
