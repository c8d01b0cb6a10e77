import { uuidv7 } from '@headgate/gateway/ports'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createBudgets } from '../src/budgets/engine.ts'
import { bookLostRun } from '../src/budgets/lost-runs.ts'
import { openConnection, type StoreConnection } from '../src/database/connection.ts'
import { journalFolder, runsIn } from '../src/journal/process-run.ts'
import { createEndedRunIngest } from '../src/ledger/ended-runs.ts'
import { createLedger } from '../src/ledger/ledger.ts'
import { beginOwnRuns, type OwnRunsParts } from '../src/own-runs.ts'
import { locationOf, openStore, type StoreOptions } from '../src/store.ts'
import { createWriterCalls } from '../src/threads/writer.ts'
import { accountsOf, admits, DOLLAR, define, openWorld, refusal, startProcess } from './budgets/engines.ts'
import { ask, DIME, rowOf } from './budgets/requests.ts'
import { open as openJournalOf, temporaryFolder } from './journal/journals.ts'
import { openParts, row, rows } from './ledger/ledgers.ts'
import { stores, temporaryDatabase } from './support/stores.ts'

const DATABASE_URL = process.env['TEST_DATABASE_URL']
const KINDS = [
  ['SQLite', async () => undefined] as const,
  ...(DATABASE_URL ? [['Postgres', temporaryDatabase] as const] : []),
]
const MINUTE = 60_001
const PATIENCE = { timeout: 20_000, interval: 20 }

/** A store with its threads, and another connection to it. */
async function opened(databaseUrl: string | undefined, more: Partial<StoreOptions> = {}) {
  const problems: string[] = []
  const place = { dataDir: temporaryFolder(), ...(databaseUrl && { databaseUrl }) }
  const store = await openStore({ ...place, ...more, onProblem: (problem) => void problems.push(problem) })
  onTestFinished(() => store.close())
  const connection = await openConnection(locationOf(place))
  onTestFinished(() => connection.close())
  await store.budgets.set({ scope: 'key', owner: 'key_1', limit: 5n * DOLLAR, period: 'forever' })
  const runs = () => runsIn(journalFolder(place.dataDir))
  /** Another node finds that this one has sent no heartbeat for a minute. */
  const book = async (): Promise<boolean> =>
    bookLostRun(
      { connection, dataDir: temporaryFolder(), zone: 'UTC', now: () => Date.now() + MINUTE, onProblem() {} },
      runs()[0] ?? '',
    )
  return { store, connection, problems, runs, book }
}

const account = async (connection: StoreConnection) => (await accountsOf(connection))[0]

describe.each(KINDS)('A process whose run was closed in %s', (_, url) => {
  it('continues with another run at once, and settles its requests in the closed one', async () => {
    const { store, connection, problems, runs, book } = await opened(await url())
    const [first] = runs()
    const running = ask()
    expect(await store.budgets.reserve(running)).toBeUndefined()
    expect(await book()).toBe(true)
    await vi.waitUntil(() => problems.some((text) => text.includes('It continues as')), PATIENCE)
    expect(runs()).toHaveLength(2)
    const next = ask()
    await vi.waitUntil(async () => (await store.budgets.reserve({ ...next })) === undefined, PATIENCE)
    // Further calls of a request of the closed run are refused, and its row is in the store as any other.
    expect(await store.budgets.reserve(running)).toMatchObject({ why: 'away' })
    await store.ledger.settle(rowOf(running, DIME / 2))
    await store.ledger.settle(rowOf(next, DIME / 5))
    await vi.waitUntil(() => !runs().includes(first ?? ''), PATIENCE)
    await store.ledger.ingest()
    const spent = BigInt(DIME / 2 + DIME / 5)
    expect(await account(connection)).toMatchObject({ spent, counted: spent })
    expect([store.ledger.isIngested(), store.ledger.lost(), store.budgets.missed().requests]).toEqual([true, 0, 0])
    expect(problems).toHaveLength(1)
  })

  it('stops in order with requests of the closed run in progress, whose journal stays', async () => {
    const { store, problems, runs, book } = await opened(await url())
    const [first] = runs()
    await store.budgets.reserve(ask())
    await book()
    await vi.waitUntil(() => problems.length > 0, PATIENCE)
    await store.close()
    expect(runs()).toEqual([first])
  })
})

describe('A process that ends', () => {
  /** A run whose first segments are ingested and deleted, and its end. */
  async function ending(change: Partial<OwnRunsParts> = {}) {
    const { parts, connection, problems, dataDir } = await openParts()
    const { journal } = openJournalOf({ dataDir, rotate: { bytes: 1, ms: 1e9 } })
    const writer = createWriterCalls({ ...parts, run: journal.run, retention: {} })
    const ledger = createLedger({ journal, ingestUpTo: writer.ingestUpTo, onProblem() {} })
    const engine = createBudgets({ journal, store: Object(null), onProblem() {}, onClosed() {} })
    const runs = beginOwnRuns(journal, {
      open: () => journal,
      begin: () => ({ journal, ledger, engine, keeper: { refresh: async () => {}, recalled() {}, end() {} } }),
      endLeases: writer.endLeases,
      forget: writer.forget,
      cut: () => 0,
      onProblem() {},
      ...change,
    })
    for (const one of rows('a', 3)) await ledger.settle(one)
    await ledger.ingest()
    const positions = connection.db.selectFrom('ingest_positions').selectAll()
    return { runs, parts, problems, journal, dataDir, forget: writer.forget, positions: () => positions.execute() }
  }

  it('leaves neither a journal nor its positions', async () => {
    const { runs, dataDir, positions } = await ending()
    await runs.close()
    expect([runsIn(journalFolder(dataDir)), await positions()]).toEqual([[], []])
  })

  it('deletes its journal before another process can regard its deleted segments as lost', async () => {
    const found: string[][] = []
    const { runs, parts, problems, dataDir, forget } = await ending({
      // Another process searches for journals as soon as the positions are gone.
      forget: async (run) => {
        await forget(run)
        await createEndedRunIngest(parts)()
        found.push(runsIn(journalFolder(dataDir)))
      },
    })
    await runs.close()
    expect([found, problems]).toEqual([[[]], []])
  })

  it('keeps its journal and its positions if the answer about its leases is lost', async () => {
    const { runs, parts, problems, journal, dataDir } = await ending({
      endLeases: async () => {
        throw new Error('The answer is lost.')
      },
    })
    await runs.close()
    expect(runsIn(journalFolder(dataDir))).toEqual([journal.run])
    await createEndedRunIngest(parts)()
    expect([runsIn(journalFolder(dataDir)), problems]).toEqual([[], []])
  })
})

describe.skipIf(!DATABASE_URL)('Rows of a node without a durable disk', () => {
  it('are in Postgres before its requests end with `journal: "postgres"`, and so are its begun requests', async () => {
    const { store, connection, book } = await opened(await temporaryDatabase(), { journal: 'postgres' })
    await store.ledger.settle(row('at-once', { principal: 'key_2' }))
    const requests = connection.db.selectFrom('usage').select('request_id')
    const ids = async () => (await requests.execute()).map(({ request_id }) => request_id)
    expect(await ids()).toEqual(['at-once'])
    const [done, running] = [ask(), ask(3 * DIME)]
    for (const request of [done, running]) expect(await store.budgets.reserve(request)).toBeUndefined()
    const begins = connection.db.selectFrom('budget_begins').select('id')
    const begun = async () => (await begins.execute()).map(({ id }) => id)
    expect((await begun()).sort()).toEqual([done.id, running.id].sort())
    await store.ledger.settle(rowOf(done, DIME / 2))
    expect(await ids()).toHaveLength(2)
    // The node is lost: what it had begun is known by request, and its row corrects that once it arrives.
    expect(await book()).toBe(true)
    const lost = connection.db.selectFrom('usage').select(['id', 'principal', 'held']).where('why', '=', 'lost')
    expect(await lost.execute()).toEqual([{ id: running.id, principal: 'key_1', held: 3n * BigInt(DIME) }])
    await store.ledger.settle(rowOf(running, DIME))
    const spent = BigInt(DIME / 2 + DIME)
    await vi.waitFor(async () => {
      expect(await account(connection)).toMatchObject({ spent, counted: spent, leased: 0n })
      expect(await begun()).toEqual([])
    }, PATIENCE)
  })
})

describe('A process that waits for its database', () => {
  const away = async (): Promise<boolean> => {
    throw new Error('The database is away.')
  }

  it('ends its requests while the database is away: their rows are in the journal', async () => {
    const { journal } = openJournalOf()
    const ledger = createLedger({ journal, ingestUpTo: away, awaitsStore: true, onProblem() {} })
    onTestFinished(() => ledger.abandon())
    await ledger.settle(row('one'))
    await ledger.settle(row('two'))
    expect([ledger.stored(), journal.written().rows]).toEqual([false, 2])
  })

  it('waits for the store, with all rows that wait', async () => {
    const { journal } = openJournalOf()
    const taken: number[] = []
    const first = Promise.withResolvers<void>()
    const ingestUpTo = async (): Promise<boolean> => {
      const { rows: written } = journal.written()
      if (taken.length === 0) await first.promise
      taken.push(written)
      return false
    }
    const ledger = createLedger({ journal, ingestUpTo, awaitsStore: true, onProblem() {} })
    onTestFinished(() => ledger.abandon())
    let isSettled = false
    const all = Promise.all(rows('r', 5).map((one) => ledger.settle(one))).then(() => {
      isSettled = true
    })
    await vi.waitUntil(() => journal.written().rows === 5, PATIENCE)
    expect(isSettled).toBe(false)
    first.resolve()
    await all
    expect(taken.at(-1)).toBe(5)
    expect(taken.length).toBeLessThanOrEqual(2)
  })

  it('refuses requests with budgets while their begin records cannot be stored, and reserves nothing', async () => {
    const [sqlite] = stores()
    if (!sqlite) throw new Error('SQLite is there.')
    let isThere = false
    const world = await openWorld(await sqlite.open(), { begun: async () => isThere })
    await define(world.connection)
    const one = await startProcess(world)
    expect(await refusal(one, ask())).toMatchObject({ why: 'away' })
    expect(one.engine.underway()).toBe(0)
    isThere = true
    // Nothing of the refused request is left: the whole budget can be reserved.
    expect(await admits(one, ask(Number(5n * DOLLAR), { id: uuidv7() }))).toBe(true)
  })
})
