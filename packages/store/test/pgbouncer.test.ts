import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PgBouncer, startPgBouncer } from '../../../tools/pgbouncer.ts'
import { openCommandStore } from '../src/command-store.ts'
import { runSql, transact } from '../src/database/transaction.ts'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openStore } from '../src/store.ts'
import { ask, DIME, rowOf } from './budgets/requests.ts'
import { temporaryFolder } from './journal/journals.ts'
import { openFor, temporaryDatabase } from './support/stores.ts'

const SERVER = process.env['TEST_DATABASE_URL']

describe.skipIf(!SERVER)('a store behind PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer | undefined
  beforeAll(async () => {
    bouncer = SERVER ? await startPgBouncer(SERVER) : undefined
  })
  afterAll(() => bouncer?.remove())

  const database = async (skip: (note: string) => never): Promise<{ direct: string; url: string }> => {
    if (!bouncer) return skip('PgBouncer is not installed')
    const direct = await temporaryDatabase()
    return { direct, url: bouncer.urlOf(direct) }
  }

  it('has keys, budgets, rows, sums and shared rates of two processes', async ({ skip }) => {
    const { url: databaseUrl } = await database(skip)
    const problems: string[] = []
    const open = async () => {
      const onProblem = (problem: string) => problems.push(problem)
      const store = await openStore({ dataDir: temporaryFolder(), databaseUrl, onProblem })
      onTestFinished(() => store.close())
      return store
    }
    const [one, other] = [await open(), await open()]
    const budgets = [{ limit: 10n * BigInt(DIME), period: 'day' }] as const
    const { key, stored } = await one.keys.create({ name: 'team', budgets })
    const principal = await other.keys.findByHash(hashApiKey(key))
    if (!principal) return expect.fail('The other process does not know the key.')
    const request = ask(DIME, { principal })
    expect(await other.budgets.reserve(request)).toBeUndefined()
    await other.ledger.settle(rowOf(request, DIME))
    await other.ledger.ingest()
    expect(await one.usage.page({ limit: 10, principal: stored.id })).toHaveLength(1)
    const range = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 }
    const [point] = await one.usage.series({ ...range, by: ['key', 'model'], step: 'day' })
    expect(point).toMatchObject({ names: [stored.id, expect.any(String)], counts: { requests: 1 } })
    await expect.poll(async () => (await one.budgets.list())[0]?.spent).toBe(BigInt(DIME))
    const window = { key: 'requests', limit: 3, least: 1, want: 2, changes: [] }
    const exchange = (node: string) => ({ node, allocationMs: 1_000, windows: [window], places: [] })
    const replies = [await one.rates?.exchange(exchange('a')), await other.rates?.exchange(exchange('b'))]
    expect(replies.map((reply) => reply?.windows[0]?.granted)).toEqual([2, 1])
    await one.keys.revoke(stored.id)
    await expect.poll(() => other.keys.findByHash(hashApiKey(key))).toBeUndefined()
    expect(problems).toEqual([])
  })

  it('is backed up, checked and rebuilt by commands', async ({ skip }) => {
    const { url: databaseUrl } = await database(skip)
    const onProblem = (problem: string) => expect.fail(problem)
    const store = await openCommandStore({ dataDir: temporaryFolder(), databaseUrl, onProblem })
    onTestFinished(() => store.close())
    await store.keys.create({ name: 'team' })
    await store.backup(`${temporaryFolder()}/backup`)
    expect(await store.check()).toEqual([])
    expect(await store.rebuild()).toMatchObject({ windows: 0 })
  })

  it('limits the time of statements in each transaction, and leaves no setting in connections of others', async ({
    skip,
  }) => {
    const { url } = await database(skip)
    const connection = await openFor({ url, connections: 8 })
    const show = "SELECT current_setting('statement_timeout') AS value"
    expect(await transact(connection, (trx) => runSql(trx, show))).toEqual([{ value: '5s' }])
    await expect(transact(connection, (trx) => runSql(trx, 'SELECT pg_sleep(20)'))).rejects.toMatchObject({
      code: '57014',
    })
    const all = await Promise.all(Array.from({ length: 8 }, () => runSql(connection.db, show)))
    expect(new Set(all.flat().map((row) => Object(row).value))).toEqual(new Set(['0']))
  })
})
