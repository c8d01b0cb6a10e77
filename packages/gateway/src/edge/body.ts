import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { exactJson, isObject, type Json } from '@headgate/core/canonical'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import type { MemoryLease } from '../http/memory.ts'
import { LARGE_BODY } from '../http/turns.ts'
import type { GatewayLimits } from '../ports/gateway-options.ts'
import { tooLarge } from './node.ts'
import { headerOf, type Incoming } from './sink.ts'
import { type ByteSpans, createCounters, members, skipSpace } from './splice.ts'

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const gunzipped: Inflate = promisify(zlib.gunzip)
const inflatedRaw: Inflate = promisify(zlib.inflate)
const unbrotlied: Inflate = promisify(zlib.brotliDecompress)
const unzstd = promisify(zlib.zstdDecompress)
/** Maximum window of 32 MB. A frame can request this memory in its header. */
const ZSTD = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 25 } }

const inflaters: Readonly<Record<string, Inflate>> = {
  gzip: gunzipped,
  deflate: inflatedRaw,
  br: unbrotlied,
  zstd: (bytes, options) => unzstd(bytes, { ...ZSTD, ...options }),
}

/** Maximum ratio of decompression beyond the first megabyte. JSON compresses to a tenth of its size. */
const MAX_INFLATION = 100
const FREE_INFLATED_BYTES = 1024 * 1024
/** Maximum number of values in a compressed body: a fixed part, and more for each compressed byte. */
const FREE_VALUES = 65_536
const VALUES_PER_BYTE = 2
/** Approximate memory of a parsed value in addition to its text, in bytes. */
const VALUE_SIZE = 64

/** Request body: its bytes, the parsed JSON, and the position of each top-level member. */
export interface ParsedBody {
  readonly bytes: Buffer
  readonly json: Json
  readonly spans: ByteSpans
}

/**
 * Decompressed body and the maximum number of its values. First takes the maximum memory that it may need, then
 * corrects it to its size.
 */
async function decompressed(
  encoding: string,
  bytes: Buffer,
  limits: BodyLimits,
  memory: MemoryLease | undefined,
): Promise<[Buffer, number]> {
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (!inflater)
    throw invalid(
      'content-encoding',
      `Unknown content-encoding "${encoding.slice(0, 32)}". Allowed: ${Object.keys(inflaters).join(', ')}.`,
    )
  const most = Math.min(limits.body, FREE_INFLATED_BYTES + MAX_INFLATION * bytes.length)
  memory?.take(most)
  try {
    const whole = await inflater(bytes, { maxOutputLength: most })
    memory?.take(whole.length - most - bytes.length)
    return [whole, Math.min(limits.values, FREE_VALUES + VALUES_PER_BYTE * bytes.length)]
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'))
      throw invalid('content-encoding', `The body is not valid ${encoding}.`)
    if (most === limits.body) throw tooLarge(most)
    throw new HeadgateError(
      'too-large',
      `The body decompresses to more than ${MAX_INFLATION} times its size. Send it uncompressed.`,
    )
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Limits of {@link GatewayLimits} that apply to one body. */
export type BodyLimits = Pick<GatewayLimits, 'body' | 'values' | 'members'>

const OPEN = 123
const OPEN_LIST = 91

/** First significant byte of a JSON text. */
function firstByte(bytes: Buffer): number | undefined {
  return bytes[skipSpace(bytes, bytes[0] === 0xef ? 3 : 0)]
}

/**
 * Parses a body once. Values are counted before, because a body of brackets needs forty times its size in memory.
 * @param limits of values and object members; default: none
 * @throws HeadgateError `invalid-request` if the body is not one JSON object with unique keys, or exceeds the limits
 */
export function parseBody(
  bytes: Buffer,
  limits?: Pick<GatewayLimits, 'values' | 'members'>,
  memory?: MemoryLease,
): ParsedBody {
  if (bytes.length === 0) throw invalid(undefined, 'The body is empty. Send a JSON object.')
  const first = firstByte(bytes)
  if (first === OPEN_LIST) throw invalid(undefined, 'The body is an array. Send a JSON object.')
  const count = createCounters(limits?.values, limits?.members)
  const spans = first === OPEN ? members(bytes, count) : undefined
  memory?.take(count.values * VALUE_SIZE)
  let json: unknown
  try {
    const source = bytes.toString('utf8')
    const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
    json = count.hasLongNumber ? exactJson(text) : JSON.parse(text)
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position \d+/.exec(error.message)?.[0] : undefined
    throw invalid(undefined, `The body is not valid JSON${position ? ` (${position})` : ''}. Send a JSON object.`)
  }
  if (!isObject(json) || !spans) throw invalid(undefined, `The body is ${describe(json)}. Send a JSON object.`)
  return { bytes, json, spans }
}

/** Reads and parses the body of a request. Its memory counts until the request ends. */
export async function readBody(incoming: Incoming, limits: BodyLimits, memory?: MemoryLease): Promise<ParsedBody> {
  const bytes = await incoming.read(limits.body, memory && ((size) => memory.take(size)))
  if (incoming.headers['content-encoding'] === undefined) return parseBody(bytes, limits, memory)
  const encoding = headerOf(incoming, 'content-encoding')?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return parseBody(bytes, limits, memory)
  const [whole, values] = await decompressed(encoding, bytes, limits, memory)
  const parse = (): ParsedBody => parseBody(whole, { values, members: limits.members }, memory)
  return whole.length < LARGE_BODY ? parse() : takeTurn(parse)
}

/** Value of a required string field. */
export function requireString(json: Json, key: string): string {
  const value = json[key]
  if (typeof value === 'string' && value !== '') return value
  throw new HeadgateError(
    'invalid-request',
    value === undefined
      ? `The field ${key} is missing.`
      : `The field ${key} must be a non-empty string; found ${value === '' ? 'an empty one' : describe(value)}.`,
    { param: key },
  )
}
