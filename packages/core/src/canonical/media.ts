/** Content of a data URL. */
export interface InlineData {
  /** Media type in lower case without parameters: `image/png`. */
  mime: string
  /** Standard base64 with padding, without whitespace. */
  data: string
}

const SPACE_OR_URL_SAFE = /[\s_-]/
const NOT_BASE64 = /[^A-Za-z0-9+/]/

/**
 * Standard base64 from a caller's base64: whitespace is removed, the URL-safe alphabet replaced, and missing padding
 * added. Undefined if the value is not base64.
 */
export function cleanBase64(data: string): string | undefined {
  let text = data
  if (SPACE_OR_URL_SAFE.test(text)) text = text.replace(/\s+/g, '').replace(/-/g, '+').replace(/_/g, '/')
  const padding = text.indexOf('=')
  if (padding !== -1) {
    const tail = text.slice(padding)
    if (tail !== '=' && tail !== '==') return undefined
    text = text.slice(0, padding)
  }
  if (NOT_BASE64.test(text) || text.length % 4 === 1) return undefined
  return text.length % 4 === 0 ? text : text + '='.repeat(4 - (text.length % 4))
}

/**
 * Parsed `data:[<mime>][;<parameter>]*[;base64],<data>`. Undefined if it is malformed. Scheme and `base64` are
 * case-insensitive, parameters are ignored, and other data is percent-decoded. A missing media type is detected from
 * the data, else `text/plain`.
 * @see https://www.rfc-editor.org/rfc/rfc2397
 */
export function parseDataUrl(url: string): InlineData | undefined {
  const comma = url.indexOf(',')
  if (comma === -1 || !/^\s*data:/i.test(url.slice(0, 64))) return undefined
  const [type = '', ...parameters] = url.slice(url.indexOf(':') + 1, comma).split(';')
  const content = url.slice(comma + 1)
  const encoded = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')
  const data = encoded
    ? cleanBase64(content.includes('%') ? text(percentDecoded(content)) : content)
    : encodeBytes(percentDecoded(content))
  if (data === undefined) return undefined
  return { mime: normalizeMime(type) || (sniff(data) ?? 'text/plain'), data }
}

const SAME_MIME: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
}

/** Registered media type in lower case without parameters. */
export function normalizeMime(mime: string): string {
  const end = mime.indexOf(';')
  const name = (end === -1 ? mime : mime.slice(0, end)).trim().toLowerCase()
  return (Object.hasOwn(SAME_MIME, name) ? SAME_MIME[name] : undefined) ?? name
}

/**
 * Media type from the first bytes of standard base64. Supports PNG, JPEG, GIF, WebP and PDF.
 * @example sniff('iVBORw0KGgo=') // 'image/png'
 */
export function sniff(data: string): string | undefined {
  if (data.startsWith('iVBORw0KGgo')) return 'image/png'
  if (data.startsWith('/9j/')) return 'image/jpeg'
  if (data.startsWith('R0lGOD')) return 'image/gif'
  if (data.startsWith('JVBERi0')) return 'application/pdf'
  if (data.startsWith('UklGR') && /^.{4}.{4}WEBP/s.test(atob(data.slice(0, 16)))) return 'image/webp'
  return undefined
}

/** UTF-8 text of standard base64. Invalid bytes become U+FFFD. */
export function decodeText(data: string): string {
  return text(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
}

/**
 * UTF-8 bytes of a string as base64.
 * @example encodeText('Hi') // 'SGk='
 */
export function encodeText(source: string): string {
  return encodeBytes(new TextEncoder().encode(source))
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Maximum arguments of one call. */
const SLICE = 8192

/** Bytes as standard base64. */
export function encodeBytes(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += SLICE) binary += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  return btoa(binary)
}

/** Percent-decoded bytes. As in browsers, a percent sign without hex digits is literal. */
function percentDecoded(source: string): Uint8Array {
  const bytes = new TextEncoder().encode(source)
  const out = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x25 ? hexByte(bytes[at + 1], bytes[at + 2]) : undefined
    out[length++] = code ?? bytes[at] ?? 0
    if (code !== undefined) at += 2
  }
  return out.subarray(0, length)
}

function hexByte(high: number | undefined, low: number | undefined): number | undefined {
  const digits = String.fromCharCode(high ?? 0, low ?? 0)
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined
}
