import { join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import { closeRun, restoreRun } from '../budgets/lost-runs.ts'
import { orphanRun } from '../budgets/process-runs.ts'
import { createOpenBegins } from '../journal/begins.ts'
import { lockRun } from '../journal/lock.ts'
import { bootId, journalFolder, removeRun, runsIn } from '../journal/process-run.ts'
import { readHeader, readSegment, segmentsOf } from '../journal/segment.ts'
import { truncationBefore } from '../journal/truncation.ts'
import type { LedgerRow } from '../usage/row.ts'
import { forgetIngestPositions } from '../usage/write.ts'
import { type IngestParts, ingestJournal, ingestRows } from './ingest.ts'
import { ingestOldCopies } from './journal-copies.ts'
import { lostRow } from './lost-row.ts'

/**
 * Function that ingests the copied records of lost process runs, and the journals of ended ones, which are those with a
 * free lock. Requests without an end
 * become rows `lost`, held at their worst-case cost, since the upstream may have charged them. A journal that only a
 * newer version can read stays for it and is reported once. With `until`, in monotonic milliseconds, it stops after the
 * current segment. Resolves with false if it stopped.
 */
export function createEndedRunIngest(parts: IngestParts, own?: string): (until?: number) => Promise<boolean> {
  const announced = new Set<string>()
  return async (until) => {
    await ingestOldCopies(parts)
    for (const run of runsIn(journalFolder(parts.dataDir))) {
      if (run === own) continue
      try {
        if (!(await ingestEndedRun(parts, run, until))) return false
      } catch (error) {
        if (!HeadgateError.is(error)) throw error
        if (!announced.has(run)) parts.onProblem(error.message)
        announced.add(run)
      }
    }
    return true
  }
}

/** Resolves with false if it stopped at the time limit. */
async function ingestEndedRun(parts: IngestParts, run: string, until: number | undefined): Promise<boolean> {
  const folder = join(journalFolder(parts.dataDir), run)
  const lock = lockRun(folder)
  if (!lock) return true
  try {
    // Read before the segments are deleted.
    const { lost, isWhole } = readRun(folder, run)
    await restoreRun(parts, run)
    if (!(await ingestJournal(parts, run, { ...(until !== undefined && { until }) })).isAll) return false
    parts.receiver?.rows(run, lost)
    await ingestRows(parts, lost)
    if (isWhole) await closeRun(parts, run)
    else await orphanRun(parts.connection, run)
    removeRun(folder)
    await forgetIngestPositions(parts.connection, run)
    return true
  } finally {
    lock.release()
  }
}

/** Requests without an end, and whether the journal is complete. */
function readRun(folder: string, run: string): { readonly lost: LedgerRow[]; readonly isWhole: boolean } {
  const open = createOpenBegins()
  const boot = bootId()
  let isWhole = true
  for (const [index, segment] of segmentsOf(folder).entries()) {
    const { records, damaged } = readSegment(folder, segment, 0)
    const header = readHeader(folder, segment)
    for (const record of records) open.add(record)
    const isCut = header?.boot !== boot && !header?.isSynced
    // Segments before the first existing one were ingested.
    isWhole &&= damaged.length === 0 && !isCut && (index === 0 || truncationBefore(folder, segment) === undefined)
  }
  return { lost: [...Map.groupBy(open.all(), ({ id }) => id).values()].map((begins) => lostRow(begins, run)), isWhole }
}
