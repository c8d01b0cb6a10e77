import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { isObject, type Json } from '../chat/json.ts'
import { HeadgateError, invalid } from '../errors.ts'
import { tooLarge } from './node.ts'
import { headerOf, type Incoming } from './sink.ts'
import { members, type Spans } from './splice.ts'

const inflaters: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}

/** A request body: its bytes, what they say, and where each member stands. */
export interface Body {
  readonly bytes: Buffer
  readonly json: Json
  readonly spans: Spans
}

async function inflated(incoming: Incoming, bytes: Buffer, limit: number): Promise<Buffer> {
  const encoding = headerOf(incoming, 'content-encoding')?.toLowerCase()
  if (encoding === undefined || encoding === 'identity') return bytes
  const inflater = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined
  if (!inflater)
    throw invalid('content-encoding', `Unknown content-encoding "${encoding.slice(0, 32)}". Allowed: ${Object.keys(inflaters).join(', ')}.`)
  try {
    return await inflater(bytes, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw invalid('content-encoding', `The body is not valid ${encoding}.`)
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

/** Parses the bytes of a body once. @throws HeadgateError `invalid-request` when they are not one JSON object with unique keys. */
export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) throw invalid(undefined, 'The body is empty. Send a JSON object.')
  let json: unknown
  try {
    const source = bytes.toString('utf8')
    json = JSON.parse(source.charCodeAt(0) === 0xfeff ? source.slice(1) : source)
  } catch (error) {
    const position = error instanceof SyntaxError ? /at position \d+/.exec(error.message)?.[0] : undefined
    throw invalid(undefined, `The body is not valid JSON${position ? ` (${position})` : ''}. Send a JSON object.`)
  }
  if (!isObject(json)) throw invalid(undefined, `The body is ${describe(json)}. Send a JSON object.`)
  return { bytes, json, spans: members(bytes) }
}

/** Reads and parses the body of a request. `limit` counts inflated bytes. */
export async function readBody(incoming: Incoming, limit: number): Promise<Body> {
  const bytes = await incoming.read(limit)
  return parseBody(incoming.headers['content-encoding'] === undefined ? bytes : await inflated(incoming, bytes, limit))
}

/** The value of a required text field. */
export function requireText(json: Json, key: string): string {
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
