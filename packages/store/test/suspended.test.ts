import { describe, expect, it } from 'vitest'
import { beginLocking, runSql, transact } from '../src/database/transaction.ts'
import { stores } from './support/stores.ts'

const postgres = stores().find(({ name }) => name === 'Postgres')
const LOCK = 'SELECT pg_advisory_xact_lock(29)'

describe.skipIf(!postgres)('Transactions of two processes in Postgres', () => {
  it('wait at most two seconds for a process that was suspended while it held a lock', {
    timeout: 60_000,
  }, async () => {
    const [one, other] = (await postgres?.openTwice?.()) ?? expect.fail('It opens twice.')
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
