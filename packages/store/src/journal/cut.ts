import { statSync } from 'node:fs'
import { readHeader, readSegment, segmentFile } from './segment.ts'

/** Usage rows that a segment lacks. */
export interface Cut {
  readonly segment: number
  readonly rows: number
}

/**
 * What is missing of the segment before this one: the header says how much its life had written there. Half a line,
 * which a full disk leaves, is not missing. `taken`: usage rows of a segment that are taken in, if that is known.
 * Undefined if nothing is missing, and for the first segment.
 */
export function cutBefore(
  folder: string,
  segment: number,
  taken?: { readonly segment: number; readonly rows?: number },
): Cut | undefined {
  const { before } = readHeader(folder, segment) ?? {}
  if (!before) return undefined
  const size = sizeOf(folder, before.segment)
  if (size >= before.size) return undefined
  const known = taken?.segment === before.segment ? taken.rows : undefined
  return { segment: before.segment, rows: before.rows - (known ?? (size > 0 ? rowsIn(folder, before.segment) : 0)) }
}

/** How many usage rows lie in a segment, up to an offset. */
export function rowsIn(folder: string, segment: number, upto?: number): number {
  return readSegment(folder, segment, 0, upto).records.filter(({ kind }) => kind === 'e').length
}

/** Bytes of a segment; 0 if it is missing. */
export function sizeOf(folder: string, segment: number): number {
  return statSync(segmentFile(folder, segment), { throwIfNoEntry: false })?.size ?? 0
}
