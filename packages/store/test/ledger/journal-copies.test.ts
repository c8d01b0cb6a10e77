import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { openConnection, type StoreConnection } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'
import { runSql } from '../../src/database/transaction.ts'
import type { IngestParts } from '../../src/ledger/ingest.ts'
import { ingestOldCopies } from '../../src/ledger/journal-copies.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createWriterCalls } from '../../src/threads/writer.ts'
import { open as openJournalOf, temporaryFolder } from '../journal/journals.ts'
import { temporaryDatabase } from '../support/stores.ts'
import { requestIds, rows } from './ledgers.ts'

/** Two nodes of one Postgres: one that settles rows, and one that looks after it. */
async function openNodes() {
  const databaseUrl = await temporaryDatabase()
  const open = async (): Promise<StoreConnection> => {
    const connection = await openConnection({ url: databaseUrl })
    onTestFinished(() => connection.close())
    return connection
  }
  const connection = await open()
  await migrate(connection)
  const partsOf = async (dataDir: string): Promise<IngestParts> => ({
    connection: await open(),
    dataDir,
    zone: 'UTC',
    quarantine: { add() {} },
    onQuarantine() {},
    onProblem() {},
  })
  const { journal, dataDir } = openJournalOf({ dataDir: temporaryFolder() })
  const parts = await partsOf(dataDir)
  const writer = createWriterCalls({ ...parts, run: journal.run, retention: {} })
  const ledger = createLedger({
    journal,
    ingestUpTo: writer.ingestUpTo,
    copyUpTo: writer.copyUpTo,
    onProblem: parts.onProblem,
  })
  onTestFinished(() => ledger.abandon())
  return { connection, ledger, other: await partsOf(temporaryFolder()) }
}

/** Keeps all nodes from adding to sums, as another node does whose transaction takes long. */
async function blockSums({ db }: StoreConnection): Promise<() => Promise<void>> {
  const transaction = await db.startTransaction().execute()
  await runSql(transaction, 'LOCK TABLE usage_hours IN EXCLUSIVE MODE')
  return () => transaction.rollback().execute()
}

/** Ends the connections that wait for a lock, as the loss of their node does. */
async function endWaiting({ db }: StoreConnection): Promise<void> {
  const waiting = `datname = current_database() AND wait_event_type = 'Lock'`
  await runSql(db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`)
}

const copies = ({ db }: StoreConnection) => db.selectFrom('journal_copies').select('records').execute()

describe.skipIf(!process.env['TEST_DATABASE_URL'])('Rows that wait for other nodes', () => {
  it('are copied meanwhile, so that another node stores them once if their disk is lost', async () => {
    const { connection, ledger, other } = await openNodes()
    const release = await blockSums(connection)
    for (const row of rows('first', 3)) await ledger.settle(row)
    await vi.waitFor(async () => expect(await copies(connection)).toHaveLength(1), { timeout: 5_000 })
    for (const row of rows('second', 2)) await ledger.settle(row)
    await vi.waitFor(async () => expect(await copies(connection)).toHaveLength(2), { timeout: 5_000 })
    ledger.abandon()
    await endWaiting(connection)
    await release()
    await ingestOldCopies(other, Date.now() + 59_000)
    expect(await copies(connection)).toHaveLength(2)
    for (let again = 0; again < 2; again += 1) await ingestOldCopies(other, Date.now() + 61_000)
    expect(await copies(connection)).toEqual([])
    expect(await requestIds(connection)).toEqual(['first0', 'first1', 'first2', 'second0', 'second1'])
    expect((await check(connection)).filter(({ level }) => level === 'fault')).toEqual([])
  })

  it('have no copies once they are stored', async () => {
    const { connection, ledger } = await openNodes()
    const release = await blockSums(connection)
    for (const row of rows('row', 3)) await ledger.settle(row)
    await vi.waitFor(async () => expect(await copies(connection)).toHaveLength(1), { timeout: 5_000 })
    await release()
    await ledger.ingest()
    expect(await requestIds(connection)).toEqual(['row0', 'row1', 'row2'])
    expect(await copies(connection)).toEqual([])
    expect(ledger.isIngested()).toBe(true)
  })
})
