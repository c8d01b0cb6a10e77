import { crc32 } from 'node:zlib'

/** Length of the prefix of a line: eight hexadecimal digits and a space. */
const PREFIX = 9
const DIGITS = Buffer.from('0123456789abcdef')
const SPACE = 32
export const LINE_FEED = 10
/** Maximum bytes of UTF-8 per UTF-16 code unit. */
const WIDEST = 3

/** Maximum bytes of a string's line. */
export function roomFor(text: string): number {
  return PREFIX + text.length * WIDEST + 1
}

/**
 * Writes `crc32hex SP text LF` at `at`, which must have enough space, and returns the end. It writes into the buffer
 * directly, since joining strings first takes a fifth longer.
 */
export function writeLine(bytes: Buffer, at: number, text: string): number {
  const start = at + PREFIX
  const end = start + bytes.write(text, start)
  let sum = crc32(bytes.subarray(start, end))
  for (let digit = at + PREFIX - 2; digit >= at; digit--) {
    bytes[digit] = DIGITS[sum & 15] ?? 0
    sum >>>= 4
  }
  bytes[start - 1] = SPACE
  bytes[end] = LINE_FEED
  return end + 1
}

/** Number of lines that end between `start` and `end`. */
export function linesIn(bytes: Buffer, start: number, end: number): number {
  let lines = 0
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1
  return lines
}

/** Text of the line from `start` to its line feed at `end`; undefined if its checksum is wrong. */
export function lineText(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start < PREFIX) return undefined
  const text = bytes.subarray(start + PREFIX, end)
  const prefix = `${crc32(text)
    .toString(16)
    .padStart(PREFIX - 1, '0')} `
  return bytes.toString('latin1', start, start + PREFIX) === prefix ? text.toString() : undefined
}
