import { setInterval as every } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../src/database/connection.ts'
import { locationOf, openStore } from '../../src/store.ts'
import { temporaryFolder } from '../journal/journals.ts'
import { temporaryDatabase } from '../support/stores.ts'
import { rows } from './ledgers.ts'

/** Interval of the load in milliseconds, rows of each, and their number: 1,000 rows a second for 4 s. */
const [INTERVAL, ROWS, TURNS] = [50, 50, 80]

describe.skipIf(!process.env['TEST_DATABASE_URL'])('Rows of a process under load', () => {
  it('are in Postgres within a second, without anyone who asks for them', { timeout: 60_000 }, async () => {
    const place = { dataDir: temporaryFolder(), databaseUrl: await temporaryDatabase() }
    const store = await openStore({ ...place, onProblem() {} })
    onTestFinished(() => store.close())
    const connection = await openConnection(locationOf(place))
    onTestFinished(() => connection.close())
    const count = connection.db.selectFrom('usage').select(({ fn }) => fn.countAll<bigint>().as('rows'))
    const settled: { readonly at: number; readonly rows: number }[] = []
    const late: number[] = []
    for await (const _ of every(INTERVAL)) {
      const turn = settled.length + 1
      if (turn <= TURNS) await Promise.all(rows(`turn${turn}-`, ROWS).map((row) => store.ledger.settle(row)))
      const at = performance.now()
      settled.push({ at, rows: Math.min(turn, TURNS) * ROWS })
      const stored = Number((await count.executeTakeFirstOrThrow()).rows)
      const due = settled.findLast((one) => one.at < at - 1_000)?.rows ?? 0
      if (stored < due) late.push(due - stored)
      if (stored === TURNS * ROWS) break
    }
    expect(late).toEqual([])
  })
})
