import { headerOf, type ResponseHeaders } from '../../edge/sink.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { type Context, sendHead, sendWholeBody } from '../../serve/context.ts'

/** Types to serve as themselves. All others are served as files, including SVG, which can contain scripts. */
const SHOWN = /^(video|image|audio)\/(?!svg)[a-z0-9.+-]+$/i
const PASSED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const
const EXTENSIONS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
}

function fileHeaders(type: string, name: string): ResponseHeaders {
  const shown = SHOWN.test(type) ? type.toLowerCase() : 'application/octet-stream'
  return {
    'content-type': shown,
    'content-disposition': `inline; filename="${name}.${EXTENSIONS[shown] ?? 'bin'}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  }
}

/** Response headers of a file from the upstream. */
export function contentHeaders(upstream: UpstreamHeaders, name: string): ResponseHeaders {
  const headers = fileHeaders(String(upstream['content-type'] ?? '').split(';')[0] ?? '', name)
  for (const passed of PASSED) {
    const value = upstream[passed]
    if (value !== undefined) headers[passed] = value
  }
  return headers
}

/**
 * Requested byte range; undefined = all bytes; `unsatisfiable` = outside the file.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
 */
export function readRange(
  range: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}

/** Responds with bytes or a range of them. */
export function sendBytes(context: Context, bytes: Uint8Array, type: string, name: string): void {
  const headers = { ...fileHeaders(type, name), 'accept-ranges': 'bytes' }
  // There is no entity tag, so `if-range` cannot match.
  const isResumed = headerOf(context.incoming, 'if-range') !== undefined
  const range = isResumed ? undefined : readRange(headerOf(context.incoming, 'range'), bytes.length)
  if (range === 'unsatisfiable') {
    sendHead(context, 416, { ...headers, 'content-range': `bytes */${bytes.length}`, 'content-length': '0' })
    context.sink.end()
    return
  }
  const { start, end } = range ?? { start: 0, end: bytes.length - 1 }
  const all = range ? { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` } : headers
  sendWholeBody(context, range ? 206 : 200, all, bytes.subarray(start, end + 1))
}
