import { join } from 'node:path'
import type { StoreConnection } from '../database/connection.ts'
import { runSql, transact, type WriteTransaction } from '../database/transaction.ts'
import { createOpenBegins, type OpenBegins } from '../journal/begins.ts'
import { journalFolder } from '../journal/process-run.ts'
import type { BeginRecord, JournalRecord } from '../journal/record.ts'
import { readSegment, segmentsOf } from '../journal/segment.ts'
import type { LedgerRow } from '../usage/row.ts'
import { lostRow } from './lost-row.ts'

/** Position in a journal at which records begin. */
interface RecordsStart {
  readonly segment: number
  readonly offset: number
}

/**
 * Begin records of requests in progress, in the store. If a machine is lost with its journal, the store knows which
 * requests it had begun.
 */
export interface BegunRequests {
  /** Stores the begin records of one part of a run's journal. Call it before the rows of this part are written. */
  add(run: string, start: RecordsStart, records: readonly JournalRecord[]): Promise<void>
  /** Call it if the rows of a part could not be written, since the part is read again. */
  reset(run: string): void
}

interface RunBegins {
  readonly open: OpenBegins
  /** Ids of requests in the store. */
  readonly stored: Set<string>
  /** Ids of requests in the store whose rows are written with this part, and can be deleted with the next one. */
  readonly ended: Set<string>
}

/** Rows per statement. */
const BATCH = 1_000

export function createBegunRequests(connection: StoreConnection, dataDir: string): BegunRequests {
  const runs = new Map<string, RunBegins>()
  return {
    async add(run, start, records) {
      const begins = runs.get(run) ?? readBegins(join(journalFolder(dataDir), run), start)
      runs.set(run, begins)
      const { open, stored, ended } = begins
      const over = [...ended]
      const begun = new Set<string>()
      for (const record of records) {
        open.add(record)
        if (record.kind === 'b') begun.add(record.id)
        else if (stored.has(idOf(record))) ended.add(idOf(record))
      }
      const rows = [...begun].map((id) => [id, open.of(id)] as const).filter(([, of]) => of.length > 0)
      if (rows.length === 0 && over.length < BATCH) return
      await transact(connection, (trx) => store(connection, trx, run, { rows, over }))
      for (const [id] of rows) stored.add(id)
      for (const id of over) {
        stored.delete(id)
        ended.delete(id)
      }
    },
    reset: (run) => void runs.delete(run),
  }
}

/** Begin records before a position: the first existing segment repeats the records of earlier segments. */
function readBegins(folder: string, { segment: last, offset }: RecordsStart): RunBegins {
  const open = createOpenBegins()
  for (const segment of segmentsOf(folder)) {
    if (segment > last || (segment === last && offset === 0)) break
    const { records } = readSegment(folder, segment, 0, segment === last ? offset : undefined)
    for (const record of records) open.add(record)
  }
  return { open, stored: new Set(open.all().map(({ id }) => id)), ended: new Set() }
}

function idOf(record: JournalRecord): string {
  return record.kind === 'e' ? record.row.id : record.id
}

interface BeginChanges {
  readonly rows: readonly (readonly [id: string, begins: readonly BeginRecord[]])[]
  /** Ids of requests to delete. */
  readonly over: readonly string[]
}

async function store(
  connection: StoreConnection,
  trx: WriteTransaction,
  run: string,
  { rows, over }: BeginChanges,
): Promise<void> {
  if (connection.kind === 'postgres') await runSql(trx, 'SET LOCAL synchronous_commit = on')
  for (let start = 0; start < rows.length; start += BATCH)
    await trx
      .insertInto('budget_begins')
      .values(rows.slice(start, start + BATCH).map(([id, begins]) => ({ run, id, begins: JSON.stringify(begins) })))
      .onConflict((conflict) =>
        conflict.columns(['run', 'id']).doUpdateSet(({ ref }) => ({ begins: ref('excluded.begins') })),
      )
      .execute()
  for (let start = 0; start < over.length; start += BATCH)
    await trx
      .deleteFrom('budget_begins')
      .where('run', '=', run)
      .where('id', 'in', over.slice(start, start + BATCH))
      .execute()
}

/**
 * Removes the begin records of a lost process run. Resolves with a row `lost` for each request. Rows that the store has
 * already count unchanged.
 */
export async function takeBegunRequests(trx: WriteTransaction, run: string): Promise<LedgerRow[]> {
  const found = await trx.selectFrom('budget_begins').select('begins').where('run', '=', run).execute()
  if (found.length > 0) await forgetBegunRequests(trx, run)
  return found.map(({ begins }) => lostRow(JSON.parse(begins) as BeginRecord[], run))
}

/** Deletes the begin records of a process run. */
export async function forgetBegunRequests(trx: WriteTransaction, run: string): Promise<void> {
  await trx.deleteFrom('budget_begins').where('run', '=', run).execute()
}
