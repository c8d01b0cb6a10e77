import type { Refusal } from '../document.ts'

/** Share of control characters above which a file counts as binary. */
const MOST_CONTROLS = 0.1

/** Text of a file: UTF-8, UTF-16 with a byte order mark, or the encoding that HTML or a server declares. */
export function decode(bytes: Uint8Array, declared?: string): { readonly text: string } | Refusal {
  const encoding = markedEncoding(bytes) ?? knownEncoding(declared) ?? 'utf-8'
  if (!encoding.startsWith('utf-16') && bytes.includes(0)) return { reason: 'binary: it contains NUL bytes' }
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return { reason: `broken encoding: it is not ${encoding.toUpperCase()}` }
  }
  return controlsIn(text) > text.length * MOST_CONTROLS
    ? { reason: 'binary: it contains many control characters' }
    : { text }
}

/** Number of control characters other than white space. */
function controlsIn(text: string): number {
  let controls = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 127 || code === 0xfffe || (code < 32 && (code < 9 || code > 13))) controls++
  }
  return controls
}

/** Encoding in `<meta charset>`, searched in the first kilobyte as in browsers. */
export function charsetOf(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024))
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1]
}

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

function knownEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
