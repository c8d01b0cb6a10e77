import { statSync } from 'node:fs'
import { readHeader, readSegment, segmentFile } from './segment.ts'

/** Usage rows missing in a segment. */
export interface Truncation {
  readonly segment: number
  readonly rows: number
}

/**
 * Truncation of the segment before this one, whose header records the size of its predecessor. An incomplete last line,
 * which a full disk causes, is not a loss. Undefined if nothing is missing, and for the first segment.
 * @param ingested position up to which the journal was ingested before, and number of usage rows of its segment, if known
 */
export function truncationBefore(
  folder: string,
  segment: number,
  ingested?: { readonly segment: number; readonly offset: number; readonly rows?: number },
): Truncation | undefined {
  const { before } = readHeader(folder, segment) ?? {}
  if (!before) return undefined
  // All of it was ingested, and it may be deleted since.
  if (ingested?.segment === before.segment && ingested.offset >= before.size) return undefined
  const size = sizeOf(folder, before.segment)
  if (size >= before.size) return undefined
  const known = ingested?.segment === before.segment ? ingested.rows : undefined
  return { segment: before.segment, rows: before.rows - (known ?? (size > 0 ? rowsIn(folder, before.segment) : 0)) }
}

/** Number of usage rows in a segment, up to an offset. */
export function rowsIn(folder: string, segment: number, upto?: number): number {
  return readSegment(folder, segment, 0, upto).records.filter(({ kind }) => kind === 'e').length
}

/** Bytes of a segment; 0 if it is missing. */
export function sizeOf(folder: string, segment: number): number {
  return statSync(segmentFile(folder, segment), { throwIfNoEntry: false })?.size ?? 0
}
