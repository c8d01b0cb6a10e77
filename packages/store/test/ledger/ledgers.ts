import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type UsageRow, uuidv7 } from '@headgate/gateway/ports'
import { onTestFinished, vi } from 'vitest'
import { openConnection, type StoreConnection } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { SqliteConnection } from '../../src/database/sqlite.ts'
import type { JournalOptions } from '../../src/journal/journal.ts'
import type { IngestParts } from '../../src/ledger/ingest.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createQuarantine, type Quarantine } from '../../src/ledger/quarantine.ts'
import { createWriterCalls } from '../../src/threads/writer.ts'
import { open as openJournalOf, temporaryFolder } from '../journal/journals.ts'
import { end } from '../journal/row.ts'

/** A row of a request that was served. */
export function row(requestId: string, change: Readonly<Record<string, unknown>> = {}): UsageRow {
  return end(uuidv7(), { requestId, ...change }).row
}

export function rows(prefix: string, count: number): UsageRow[] {
  return Array.from({ length: count }, (_, index) => row(`${prefix}${index}`))
}

/** A row that no column could take: it has lost the time that it took. */
export function refused(requestId: string): UsageRow {
  return row(requestId, { durationMs: Number.NaN })
}

interface Options extends Partial<Pick<JournalOptions, 'dataDir' | 'rotate'>> {
  readonly quarantine?: Quarantine
}

/** A store on this thread, for the length of one test, and what takes journals into it. */
export async function openParts({ dataDir = temporaryFolder(), quarantine = createQuarantine(dataDir) }: Options = {}) {
  const connection = await openConnection({ file: join(dataDir, 'headgate.db') })
  if (connection.kind !== 'sqlite') throw new Error('A file is SQLite.')
  onTestFinished(() => connection.close())
  await migrate(connection)
  const problems: string[] = []
  const onQuarantine = vi.fn<(message: string) => void>()
  const parts: IngestParts = {
    connection,
    dataDir,
    zone: 'UTC',
    quarantine,
    onQuarantine,
    onProblem: (problem) => problems.push(problem),
  }
  return { dataDir, connection, parts, problems, onQuarantine, ids: () => requestIds(connection) }
}

/** The same, with the ledger of a process. */
export async function openLedger(options: Options = {}) {
  const opened = await openParts(options)
  const { journal } = openJournalOf({ ...(options.rotate && { rotate: options.rotate }), dataDir: opened.dataDir })
  const writer = createWriterCalls({ ...opened.parts, run: journal.run, retention: {} })
  const ingestUpTo = vi.fn(writer.ingestUpTo)
  const ledger = createLedger({ journal, ingestUpTo, onProblem: opened.parts.onProblem })
  onTestFinished(() => ledger.abandon())
  return { ...opened, journal, ingestUpTo, ledger }
}

/** Sorted. */
export async function requestIds({ db }: StoreConnection): Promise<string[]> {
  return (await db.selectFrom('usage').select('request_id').orderBy('request_id').execute()).map(
    (one) => one.request_id,
  )
}

/** Keeps the store from being written, as a full disk would; returns what ends it. */
export function fill({ database }: SqliteConnection): () => void {
  const { page_count } = database.prepare('PRAGMA page_count').get() ?? {}
  database.exec(`PRAGMA max_page_count = ${Number(page_count)}`)
  return () => database.exec('PRAGMA max_page_count = 1000000')
}

/** What lies in the files for what was refused. */
export function putAsideIn(dataDir: string): Record<string, unknown>[] {
  const files = readdirSync(dataDir).filter((name) => name.startsWith('usage-quarantine'))
  return files.flatMap((name) =>
    readFileSync(join(dataDir, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
}
