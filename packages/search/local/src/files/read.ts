import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { type Refusal, refusalOf } from '../document.ts'

/** A change within this number of milliseconds before reading could hide a later change with the same timestamp. */
const FRESH = 50
/** Maximum number of attempts to read a file that changes while it is read. */
const MOST_READINGS = 3

export interface FileBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly stamp: string
  /** Unix time in milliseconds. */
  readonly modified: number
}

/** Stamp that changes with a file's content. Undefined if the file does not exist. */
export function stampOf(path: string): string | undefined {
  try {
    return stamp(lstatSync(path, { bigint: true }))
  } catch {
    return undefined
  }
}

/** Reads a regular file completely, and again if it changes meanwhile. Never blocks on other files. */
export function readFileBytes(path: string, most: number): FileBytes | Refusal {
  let file: number | undefined
  try {
    if (realpathSync(path) !== path) return { reason: 'is a symbolic link' }
    // Opening a pipe would block until its other end opens.
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
  if (!before.isFile()) return { reason: 'is not a regular file' }
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
