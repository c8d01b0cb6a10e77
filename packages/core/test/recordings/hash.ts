import { createHash } from 'node:crypto'

/** A number that depends on the text alone. */
export function hash(source: string): number {
  return createHash('sha256').update(source).digest().readUInt32BE(0)
}

/** One of a list, always the same for the same text. */
export function pick<T>(list: readonly [T, ...T[]], source: string): T {
  return list[hash(source) % list.length] ?? list[0]
}
