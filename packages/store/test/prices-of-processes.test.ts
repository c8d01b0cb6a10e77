import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { transact } from '../src/database/transaction.ts'
import { setPriceWithin } from '../src/prices/set.ts'
import { openStore } from '../src/store.ts'
import { openFor, temporaryFolder } from './support/stores.ts'

it('A price that somebody sets holds in a process that runs', async () => {
  const dataDir = temporaryFolder()
  const store = await openStore({ dataDir, onProblem: () => {} })
  onTestFinished(() => store.close())
  await store.prices.update([
    { provider: 'p', model: 'm', source: 'catalog', price: { id: 'models.dev', input: 7, output: 7 } },
  ])
  const connection = await openFor({ file: join(dataDir, 'headgate.db') })
  const set = (input: number | null) =>
    transact(connection, (trx) =>
      setPriceWithin(
        connection,
        trx,
        { provider: 'p', model: 'm', rates: input === null ? null : { input, output: 1 } },
        Date.now(),
      ),
    )
  const holds = (input: number) =>
    vi.waitUntil(() => store.prices.priceOf('p', 'm', Date.now() + 1_000)?.input === input, {
      timeout: 20_000,
      interval: 10,
    })
  expect(store.prices.priceOf('p', 'm', Date.now())?.input).toBe(7)
  await set(3)
  await holds(3)
  await set(null)
  await holds(7)
})
