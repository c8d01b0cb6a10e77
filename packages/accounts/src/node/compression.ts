import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'

/** Content coding of a response. */
export type Coding = 'br' | 'gzip'

/** Size from which a response is compressed, in bytes. */
export const COMPRESS_FROM = 4_096

/** Compression level at which a list of 50 kB takes about a millisecond. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const LEVELS: readonly Coding[] = ['br', 'gzip']
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/** Best coding that `Accept-Encoding` allows; undefined = none. */
export function codingOf(accepted: string | undefined): Coding | undefined {
  const allowed = (accepted ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    return parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)) ? [] : [name]
  })
  return LEVELS.find((coding) => allowed.includes(coding))
}

/** True for a type of text that compression makes smaller. */
export function isCompressible(type: string | null): boolean {
  return type !== null && /^(?:application\/(?:json|x-ndjson|problem\+json)|text\/csv)\b/.test(type)
}

export function compressed(bytes: Uint8Array, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? brotli(bytes, BROTLI) : gzipped(bytes)
}

/** Stream that compresses what is written to it. */
export function compressor(coding: Coding) {
  return coding === 'br' ? createBrotliCompress(BROTLI) : createGzip()
}
