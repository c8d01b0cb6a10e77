import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'

/** What writes bytes of `buffer` from `offset` on, and says how many: a nearly full disk takes some of them. */
export type Write = (file: number, buffer: Uint8Array, offset: number) => number

/** Appends lines to a file that no other process writes, and syncs it. All of them are there then, or none and it throws. */
export function appendLines(path: string, lines: readonly string[], write: Write = writeSync): void {
  const file = openSync(path, 'a', 0o600)
  try {
    const { size } = fstatSync(file)
    try {
      writeWhole(file, Buffer.from(lines.map((line) => `${line}\n`).join('')), write)
      fsyncSync(file)
    } catch (error) {
      ftruncateSync(file, size)
      if (size === 0) rmSync(path, { force: true })
      throw error
    }
  } finally {
    closeSync(file)
  }
}

/** What is left of a short write is written again: the next one says why it was short. */
function writeWhole(file: number, bytes: Uint8Array, write: Write): void {
  for (let done = 0; done < bytes.length; ) {
    const written = write(file, bytes, done)
    if (written <= 0) throw new Error('nothing more can be written')
    done += written
  }
}
