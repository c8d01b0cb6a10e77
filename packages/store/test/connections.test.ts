import { describe, expect, it, onTestFinished } from 'vitest'
import { runSql, transact } from '../src/database/transaction.ts'
import { hashApiKey } from '../src/keys/api-key.ts'
import { openStore } from '../src/store.ts'
import { openFor, temporaryDatabase, temporaryFolder } from './support/stores.ts'

describe.skipIf(!process.env['TEST_DATABASE_URL'])('The connections of a process to Postgres', () => {
  const open = async (connections?: number) => {
    const databaseUrl = await temporaryDatabase()
    const store = await openStore({ dataDir: temporaryFolder(), databaseUrl, connections, onProblem: () => {} })
    onTestFinished(() => store.close())
    return { store, direct: await openFor({ url: databaseUrl }) }
  }
  const series = { from: Date.now() - 86_400_000, to: Date.now(), by: 'model', step: 'day' } as const

  it.each([
    [undefined, 5],
    [1, 3],
  ])(
    'are at most as many as configured for each of its threads, and one for copies of its journal: %s',
    async (connections, most) => {
      const { store, direct } = await open(connections)
      const { key } = await store.keys.create({})
      await Promise.all([
        ...Array.from({ length: 20 }, () => store.usage.series(series)),
        ...Array.from({ length: 20 }, (_, index) => store.keys.findByHash(hashApiKey(`${key}${index}`))),
        ...Array.from({ length: 20 }, () => store.keys.create({})),
      ])
      const [row] = await runSql(
        direct.db,
        'SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      expect(Number(Object(row).count)).toBeLessThanOrEqual(most)
    },
  )

  it('leave one for keys while sums wait', async () => {
    const { store, direct } = await open()
    const { key, stored } = await store.keys.create({})
    const sums = await transact(direct, async (trx) => {
      await runSql(trx, 'LOCK TABLE usage_model_days IN ACCESS EXCLUSIVE MODE')
      const waiting = [1, 2, 3].map(() => store.usage.series(series).then(() => 'sums'))
      const lookup = Promise.resolve(store.keys.findByHash(hashApiKey(key)))
      expect(await Promise.race([...waiting, lookup])).toMatchObject({ id: stored.id })
      return waiting
    })
    expect(await Promise.all(sums)).toEqual(['sums', 'sums', 'sums'])
  })
})
