import { join } from 'node:path'
import { HeadgateError } from '@headgate/gateway/ports'
import { closeRun, orphanRun } from '../budgets/process-runs.ts'
import type { Spend } from '../budgets/spend.ts'
import { createOpenBegins } from '../journal/begins.ts'
import { lockRun } from '../journal/lock.ts'
import { bootId, journalFolder, removeRun, runsIn } from '../journal/process-run.ts'
import type { BeginRecord } from '../journal/record.ts'
import { readHeader, readSegment, segmentsOf } from '../journal/segment.ts'
import { truncationBefore } from '../journal/truncation.ts'
import type { LedgerRow } from '../usage/row.ts'
import { forgetIngestPositions } from '../usage/write.ts'
import { type IngestParts, ingestJournal, ingestRows } from './ingest.ts'

/**
 * Function that ingests the journals of ended process runs, which are those with a free lock. Requests without an end
 * become rows `lost`, held at their worst-case cost, since the upstream may have charged them. A journal that only a
 * newer version can read stays for it and is reported once. With `until`, in monotonic milliseconds, it stops after the
 * current segment. Resolves with false if it stopped.
 */
export function createEndedRunIngest(parts: IngestParts, own?: string): (until?: number) => Promise<boolean> {
  const announced = new Set<string>()
  return async (until) => {
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
    if (!(await ingestJournal(parts, run, { ...(until !== undefined && { until }) })).isAll) return false
    await ingestRows(parts, lost)
    if (isWhole) await closeRun(parts.connection, run)
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

/** Lost request, with one begin record per upstream call. */
function lostRow(begins: readonly BeginRecord[], run: string): LedgerRow {
  const [first, last] = [begins[0], begins.at(-1)]
  if (!first || !last) throw new TypeError('A request has begun at least once.')
  const { id, principal, family, format, model, tags } = first
  const { provider, endpoint, providerModel, priceId } = last
  return {
    id,
    requestId: id,
    principal,
    tags,
    family,
    format,
    model,
    provider,
    endpoint,
    providerModel,
    priceId,
    startedAt: first.at,
    stream: false,
    translated: false,
    status: 0,
    billed: false,
    why: 'lost',
    cost: null,
    charged: null,
    held: String(begins.reduce((sum, { bound }) => sum + BigInt(bound), 0n)),
    losses: [],
    durationMs: 0,
    run,
    spends: heldBy(begins),
    attempts: begins.map((begin) => ({
      provider: begin.provider,
      endpoint: begin.endpoint,
      model: begin.providerModel,
      startedAt: begin.at,
      durationMs: 0,
      cost: null,
      priceId: begin.priceId,
    })),
  }
}

/** Reserved amounts count as spent. */
function heldBy(begins: readonly BeginRecord[]): Spend[] {
  const spends = new Map<string, Spend>()
  for (const { bound, holds = [] } of begins)
    for (const hold of holds) {
      const key = `${hold.budget}\0${hold.win}`
      const amount = String(BigInt(spends.get(key)?.amount ?? 0) + BigInt(bound))
      spends.set(key, { ...hold, amount, held: amount })
    }
  return [...spends.values()]
}
