import { crc32 } from 'node:zlib'
import type { Frame } from '@headgate/core/canonical'
import { isObject, parse, text } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { lineSplitter, MAX_FRAME, type Splitter } from '@headgate/core/formats'

/** Size of the prelude: total length, length of the headers, checksum of both. */
const PRELUDE = 12
const CHECKSUM = 4
/** Header type of a string with a two-byte length. */
const STRING = 7
/** Sizes of the other header types: booleans, byte, short, int, long, (bytes), timestamp, uuid. */
const SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

function broken(what: string): HeadgateError {
  return new HeadgateError('upstream', `The provider's event stream is broken: ${what}.`)
}

/** Splits `application/vnd.amazon.eventstream` at message boundaries. */
export function eventStreamSplitter(): Splitter {
  let pieces: Uint8Array[] = []
  let size = 0
  /** Bytes that must arrive before the next message can be split; they are concatenated once. */
  let needed = PRELUDE
  const take = (): Buffer => {
    const [only] = pieces
    const waiting =
      pieces.length === 1 && only ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(pieces)
    pieces = []
    size = 0
    return waiting
  }
  return {
    push(chunk) {
      if (chunk.length > 0) pieces.push(chunk)
      size += chunk.length
      if (size < needed) return undefined
      const waiting = take()
      let end = 0
      needed = PRELUDE
      while (waiting.length - end >= PRELUDE) {
        const length = waiting.readUInt32BE(end)
        if (length < PRELUDE + CHECKSUM || length > MAX_FRAME) throw broken(`a message of ${length} bytes`)
        needed = length
        if (waiting.length - end < length) break
        end += length
        needed = PRELUDE
      }
      if (end < waiting.length) pieces.push(waiting.subarray(end))
      size = waiting.length - end
      return end === 0 ? undefined : waiting.subarray(0, end)
    },
    held: () => size,
    rest: () => (size > 0 ? take() : undefined),
  }
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {}
  let at = 0
  while (at < bytes.length) {
    const nameLength = bytes.readUInt8(at)
    const name = bytes.toString('utf8', at + 1, at + 1 + nameLength)
    at += 1 + nameLength
    const type = bytes.readUInt8(at)
    at += 1
    const size = SIZES[type] ?? bytes.readUInt16BE(at)
    if (SIZES[type] === undefined) at += 2
    if (type === STRING) headers[name] = bytes.toString('utf8', at, at + size)
    at += size
  }
  return headers
}

/** Exception as JSON of a shape that every format can read; undefined if the message is not an exception. */
function exceptionOf(headers: Readonly<Record<string, string>>, payload: Buffer): string | undefined {
  const type = headers[':exception-type'] ?? headers[':error-code']
  if (type === undefined) return undefined
  const payloadText = payload.toString('utf8')
  const body = parse(payloadText)
  const message = isObject(body) ? (text(body['message']) ?? text(body['Message'])) : headers[':error-message']
  return JSON.stringify({ error: { type, message: message ?? payloadText } })
}

function frameOf(headers: Readonly<Record<string, string>>, payload: Buffer): Frame {
  const exception = exceptionOf(headers, payload)
  if (exception !== undefined) return { event: 'error', data: exception }
  const event = headers[':event-type']
  const data = payload.toString('utf8')
  return event === undefined ? { data } : { event, data }
}

/** @see https://smithy.io/2.0/aws/amazon-eventstream.html */
function eachMessage(
  piece: Uint8Array,
  visit: (headers: Readonly<Record<string, string>>, payload: Buffer) => void,
): void {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  let at = 0
  while (at < bytes.length) {
    if (bytes.length - at < PRELUDE + CHECKSUM) throw broken('a message is cut')
    const length = bytes.readUInt32BE(at)
    const headersLength = bytes.readUInt32BE(at + 4)
    const end = at + length - CHECKSUM
    if (end + CHECKSUM > bytes.length || headersLength > length - PRELUDE - CHECKSUM) throw broken('a length is wrong')
    if (crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(end)) throw broken('a checksum is wrong')
    const start = at + PRELUDE
    visit(headersIn(bytes.subarray(start, start + headersLength)), bytes.subarray(start + headersLength, end))
    at += length
  }
}

function headersIn(bytes: Buffer): Record<string, string> {
  try {
    return readHeaders(bytes)
  } catch (error) {
    if (error instanceof RangeError) throw broken('its headers are cut')
    throw error
  }
}

/** Events of complete messages: their `:event-type` and payload. */
export function readEventStream(piece: Uint8Array): Frame[] {
  const frames: Frame[] = []
  eachMessage(piece, (headers, payload) => void frames.push(frameOf(headers, payload)))
  return frames
}

/**
 * Splits the concatenated payloads of messages into lines. A message may end within a line or even within a character.
 * An exception becomes a line, and the incomplete line before it is dropped.
 */
export function payloadLineSplitter(): Splitter {
  const messages = eventStreamSplitter()
  const lines = lineSplitter()
  return {
    push(chunk) {
      const whole = messages.push(chunk)
      if (!whole) return undefined
      const out: Uint8Array[] = []
      let payloads: Uint8Array[] = []
      const cut = (): void => {
        const piece = lines.push(Buffer.concat(payloads))
        payloads = []
        if (piece) out.push(piece)
      }
      eachMessage(whole, (headers, payload) => {
        const exception = exceptionOf(headers, payload)
        if (exception === undefined) {
          payloads.push(payload)
          return
        }
        cut()
        lines.rest()
        out.push(Buffer.from(`${exception}\n`))
      })
      cut()
      return out.length === 0 ? undefined : Buffer.concat(out)
    },
    held: () => messages.held() + lines.held(),
    rest: lines.rest,
  }
}
