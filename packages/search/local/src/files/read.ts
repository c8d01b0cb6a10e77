import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { type Refusal, refusalOf } from '../document.ts'

/** A change within so many milliseconds before reading could be followed by one that leaves no other trace. */
const FRESH = 50
/** How often a file is read again that changes meanwhile. */
const MOST_READINGS = 3

export interface FileBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly stamp: string
  /** Unix milliseconds. */
  readonly modified: number
}

/** What of a file changes with its content; undefined where there is no such file. */
export function stampOf(path: string): string | undefined {
  try {
    return stamp(lstatSync(path, { bigint: true }))
  } catch {
    return undefined
  }
}

/** Reads a regular file whole, and again when it changes meanwhile. Nothing else is ever waited for. */
export function readFileBytes(path: string, most: number): FileBytes | Refusal {
  let file: number | undefined
  try {
    if (realpathSync(path) !== path) return { reason: 'is a link' }
    // Opening a pipe waits for its other end, unless it is told not to.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    return readOpen(file, most)
  } catch (error) {
    return refusalOf(error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function readOpen(file: number, most: number): FileBytes | Refusal {
  let before = fstatSync(file, { bigint: true })
  if (!before.isFile()) return { reason: 'is no regular file' }
  for (let reading = 1; ; reading++) {
    if (before.size > most) return { reason: `huge: ${before.size} bytes, ${most} are allowed` }
    const bytes = readBytes(file, Number(before.size))
    const after = fstatSync(file, { bigint: true })
    const isWhole = stamp(before) === stamp(after) && bytes.length === Number(after.size)
    if (isWhole || reading === MOST_READINGS) {
      const isFresh = !isWhole || Date.now() - Number(after.ctimeMs) < FRESH
      return { bytes, stamp: isFresh ? `${stamp(after)} fresh` : stamp(after), modified: Number(after.mtimeMs) }
    }
    before = after
  }
}

function readBytes(file: number, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, length)
    if (read === 0) break
    length += read
  }
  return length === size ? bytes : bytes.slice(0, length)
}

function stamp({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${ino}`
}
