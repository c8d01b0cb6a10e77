import { join } from 'node:path'
import type { StoreConnection } from '../database/connection.ts'
import { journalFolder } from '../journal/process-run.ts'
import { type JournalRecord, recordText } from '../journal/record.ts'
import { readSegment, segmentsOf } from '../journal/segment.ts'
import { type IngestParts, ingestRecords, type JournalPosition } from './ingest.ts'

/**
 * Copies of journal records in the store whose rows are still being written. Writing rows waits for other nodes, which
 * add to the same sums; copies wait for no other node. If a machine is lost with its journal, another node ingests the
 * copies.
 */
export interface JournalCopies {
  /** Copies records of a run up to a position. A call during another one does nothing. */
  copy(run: string, upTo: JournalPosition): Promise<void>
  /** Deletes copies of a run up to a position whose rows are stored. Later ones begin there. */
  drop(run: string, ingested: JournalPosition): Promise<void>
}

interface CopiedRun {
  at: JournalPosition
  /** True if the store may have copies. */
  hasCopies: boolean
  isCopying: boolean
}

const START: JournalPosition = { segment: 0, offset: 0 }

export function createJournalCopies(connection: StoreConnection, dataDir: string): JournalCopies {
  const runs = new Map<string, CopiedRun>()
  const runOf = (run: string): CopiedRun => {
    // Copies of a thread that was replaced may exist.
    const known = runs.get(run) ?? { at: START, hasCopies: true, isCopying: false }
    runs.set(run, known)
    return known
  }
  return {
    async copy(run, upTo) {
      const state = runOf(run)
      if (state.isCopying) return
      const from = state.at
      const records = recordsBetween(join(journalFolder(dataDir), run), from, upTo)
      state.at = upTo
      if (records.length === 0) return
      Object.assign(state, { hasCopies: true, isCopying: true })
      try {
        const values = { run, segment: upTo.segment, upto: upTo.offset, at: Date.now() }
        await connection.db
          .insertInto('journal_copies')
          .values(Object.assign(values, { records: `[${records.map(recordText).join(',')}]` }))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      } catch (error) {
        state.at = from
        throw error
      } finally {
        state.isCopying = false
      }
    },
    async drop(run, ingested) {
      const state = runOf(run)
      if (isBefore(state.at, ingested)) state.at = ingested
      if (!state.hasCopies) return
      state.hasCopies = state.isCopying || isBefore(ingested, state.at)
      const { segment, offset } = ingested
      await connection.db
        .deleteFrom('journal_copies')
        .where('run', '=', run)
        .where(({ and, or, eb }) =>
          or([
            eb('segment', '<', BigInt(segment)),
            and([eb('segment', '=', BigInt(segment)), eb('upto', '<=', BigInt(offset))]),
          ]),
        )
        .execute()
    },
  }
}

function isBefore(one: JournalPosition, other: JournalPosition): boolean {
  return one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset)
}

/** Records with rows or amounts. Segments that were deleted meanwhile are ingested. */
function recordsBetween(folder: string, from: JournalPosition, upTo: JournalPosition): JournalRecord[] {
  return segmentsOf(folder)
    .filter((segment) => segment >= from.segment && segment <= upTo.segment)
    .flatMap((segment) => {
      const begin = segment === from.segment ? from.offset : 0
      return readSegment(folder, segment, begin, segment === upTo.segment ? upTo.offset : undefined).records
    })
    .filter((record) => record.kind === 'e' || (record.kind === 'r' && record.spends !== undefined))
}

/** Time after which copies are of a lost run, since others are deleted within seconds, in milliseconds. */
const OLD = 60_000

/** Ingests the copies of a run, and deletes them. Rows that the store has change nothing. */
export async function ingestCopies(parts: IngestParts, run: string): Promise<void> {
  const { db } = parts.connection
  const found = db.selectFrom('journal_copies').select(['segment', 'upto', 'records']).where('run', '=', run)
  for (const { segment, upto, records } of await found.orderBy('segment').orderBy('upto').execute()) {
    await ingestRecords(parts, run, JSON.parse(records) as JournalRecord[])
    const copies = db.deleteFrom('journal_copies').where('run', '=', run)
    await copies.where('segment', '=', segment).where('upto', '=', upto).execute()
  }
}

/** Ingests old copies, whose runs are lost. */
export async function ingestOldCopies(parts: IngestParts, now = Date.now()): Promise<void> {
  const old = parts.connection.db.selectFrom('journal_copies').select('run').distinct()
  for (const { run } of await old.where('at', '<', BigInt(now - OLD)).execute()) await ingestCopies(parts, run)
}
