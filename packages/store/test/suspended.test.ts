import { expect, it } from 'vitest'
import { beginLocking, runSql, transact } from '../src/database/transaction.ts'
import { describeStores, stores } from './support/stores.ts'

const postgres = stores()
  .filter(({ openTwice }) => openTwice)
  .filter(({ name }) => name === 'Postgres')
const LOCK = 'SELECT pg_advisory_xact_lock(29)'

describeStores(postgres, 'transactions of two processes in $name', ({ openTwice }) => {
  it('wait at most two seconds for a process that was suspended while it held a lock', {
    timeout: 60_000,
  }, async () => {
    const [one, other] = (await openTwice?.()) ?? expect.fail('It opens twice.')
    const suspended = transact(other, async (trx) => {
      await beginLocking(other, trx)
      await runSql(trx, LOCK)
      const begun = performance.now()
      await transact(one, (own) => runSql(own, LOCK))
      expect(performance.now() - begun).toBeLessThan(4_500)
      await runSql(trx, 'SELECT 1')
    })
    await expect(suspended).rejects.toThrow()
  })
})
