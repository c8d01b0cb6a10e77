import type { Extract, Refusal } from '../document.ts'
import type { FileKind } from '../kind.ts'
import { charsetOf, decode } from './decode.ts'
import { readHtml } from './html.ts'
import { readMarkdown } from './markdown.ts'
import { readPdf } from './pdf.ts'

/** Raw file or page. */
export interface Raw {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: FileKind
  /** Encoding declared by a server. */
  readonly charset?: string | undefined
  /** URL of a page, to resolve its links. */
  readonly base?: string | undefined
}

/** Text of a file or page, or the reason why it has none. */
export async function extract({ bytes, kind, charset, base }: Raw): Promise<Extract | Refusal> {
  if (kind.reader === 'pdf') return readPdf(bytes)
  const decoded = decode(bytes, charset ?? (kind.reader === 'html' ? charsetOf(bytes) : undefined))
  if ('reason' in decoded) return decoded
  if (kind.reader === 'markdown') return readMarkdown(decoded.text)
  if (kind.reader === 'text') return { text: decoded.text }
  const page = readHtml(decoded.text, base)
  return page.hidden && base !== undefined ? { reason: 'excluded from search by the page (robots: noindex)' } : page
}
