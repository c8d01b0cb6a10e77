import type { Frame } from '../canonical/format.ts'
import { HeadgateError } from '../errors.ts'

const LF = 10
const CR = 13

/** Maximum bytes of one frame. */
export const MAX_FRAME = 16 * 1024 * 1024

/** Splits a stream of bytes at frame boundaries. */
export interface Splitter {
  /**
   * Returns everything up to the last boundary; the tail waits.
   * @throws HeadgateError if a frame is too large.
   */
  push(chunk: Uint8Array): Uint8Array | undefined
  /** Returns the number of bytes in the tail. */
  held(): number
  /** Returns the tail after the last boundary. */
  rest(): Uint8Array | undefined
}

function join(pieces: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  if (pieces.length === 0) return last
  let size = last.length
  for (const piece of pieces) size += piece.length
  const out = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  out.set(last, at)
  return out
}

/**
 * Creates a splitter.
 * @param boundary returns the index after the last boundary in `chunk`, or 0.
 */
function splitter(boundary: (chunk: Uint8Array, before1: number, before2: number) => number): Splitter {
  let tail: Uint8Array[] = []
  let size = 0
  let before1 = -1
  let before2 = -1
  return {
    push(chunk) {
      const cut = boundary(chunk, before1, before2)
      before2 = chunk.length > 1 ? (chunk[chunk.length - 2] ?? -1) : before1
      before1 = chunk[chunk.length - 1] ?? before1
      if (cut === 0) {
        if (chunk.length > 0) tail.push(chunk)
        size += chunk.length
        if (size > MAX_FRAME) throw new HeadgateError('upstream', 'The upstream sent a frame of more than 16 MB.')
        return undefined
      }
      const whole = join(tail, cut === chunk.length ? chunk : chunk.subarray(0, cut))
      tail = cut === chunk.length ? [] : [chunk.subarray(cut)]
      size = chunk.length - cut
      return whole
    },
    held: () => size,
    rest() {
      const last = tail.pop()
      if (!last) return undefined
      const whole = join(tail, last)
      tail = []
      size = 0
      return whole
    },
  }
}

/** Index after the last blank line: LF LF, LF CR LF or CR CR. */
function lastBlankLine(chunk: Uint8Array, before1: number, before2: number): number {
  const at = (index: number): number =>
    index >= 0 ? (chunk[index] ?? -1) : index === -1 ? before1 : index === -2 ? before2 : -1
  for (let i = chunk.length - 1; i >= 0; i--) {
    const byte = chunk[i]
    if (byte === LF) {
      const previous = at(i - 1)
      if (previous === LF || (previous === CR && at(i - 2) === LF)) return i + 1
    } else if (byte === CR && at(i - 1) === CR) return i + 1
  }
  return 0
}

export function sseSplitter(): Splitter {
  return splitter(lastBlankLine)
}

export function lineSplitter(): Splitter {
  return splitter((chunk) => chunk.lastIndexOf(LF) + 1)
}

/**
 * Events in server-sent frames. Comments, `id` and `retry` are ignored, and `data` lines are joined with LF. A last
 * event without a blank line is included.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function readFrames(source: string): Frame[] {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  const frames: Frame[] = []
  let event: string | undefined
  let data: string | undefined
  const flush = (): void => {
    if (data !== undefined) frames.push(event === undefined ? { data } : { event, data })
    event = undefined
    data = undefined
  }
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (start < text.length) {
    let end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    if (end === start) flush()
    else if (text.startsWith('data', start)) {
      const value = fieldValue(text, start + 4, end)
      if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith('event', start)) event = fieldValue(text, start + 5, end) ?? event
    start = end + 1
  }
  flush()
  return frames
}

/** Value of a field whose name ends at `at`. Undefined if the name is longer. */
function fieldValue(text: string, at: number, end: number): string | undefined {
  if (at === end) return ''
  if (text.charCodeAt(at) !== 58) return undefined
  return text.slice(text.charCodeAt(at + 1) === 32 ? at + 2 : at + 1, end)
}

/** JSON values, one per line. */
export function readLines(source: string): Frame[] {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((data) => ({ data }))
}

/** Lines of server-sent events without data. */
const NO_DATA = /^(?::|(?:event|id|retry):)/

/** JSON values, one per line, plain or as `data` of server-sent events. */
export function readDataLines(source: string): Frame[] {
  return readLines(source).flatMap(({ data }) => {
    if (data.startsWith('data:')) return { data: data.slice(5).trimStart() }
    return NO_DATA.test(data) ? [] : { data }
  })
}

/** Last frame with a final blank line, which clients require. */
export function closeFrame(rest: Uint8Array): Uint8Array {
  const last = rest[rest.length - 1]
  const closed = new Uint8Array(rest.length + (last === LF || last === CR ? 1 : 2)).fill(LF, rest.length)
  closed.set(rest)
  return closed
}

/** Bytes of each whole frame in a chunk that ends at a frame boundary. */
export function splitFrames(piece: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = []
  let start = 0
  let lineStart = 0
  for (let i = 0; i < piece.length; i++) {
    const byte = piece[i]
    if (byte !== LF && !(byte === CR && piece[i + 1] !== LF)) continue
    const isBlank = i === lineStart || (i === lineStart + 1 && byte === LF && piece[lineStart] === CR)
    lineStart = i + 1
    if (!isBlank) continue
    frames.push(piece.subarray(start, i + 1))
    start = i + 1
  }
  if (start < piece.length) frames.push(piece.subarray(start))
  return frames
}

/** Server-sent event for a frame. */
export function writeFrame(frame: Frame): string {
  const data = frame.data.includes('\n') ? frame.data.replaceAll('\n', '\ndata: ') : frame.data
  return `${frame.event === undefined ? '' : `event: ${frame.event}\n`}data: ${data}\n\n`
}
