import { memoryIdempotency } from '@headgate/gateway'
import { expect, it } from 'vitest'
import { createIdempotencyStore } from '../../src/idempotency/idempotency.ts'
import { retain } from '../../src/retention/retention.ts'
import { open } from '../opened.ts'
import { describeStores, stores } from '../support/stores.ts'
import { describeIdempotency, testExecution } from './suite.ts'

describeIdempotency('memory', async () => memoryIdempotency())
describeIdempotency('a store with its threads', async () => (await open()).store.idempotency)
describeStores(stores(), '$name', ({ name, open, openTwice }) => {
  describeIdempotency(name, async () => createIdempotencyStore(await open()))

  it(`Executions are deleted when they have expired, in ${name}`, async () => {
    const connection = await open()
    const store = createIdempotencyStore(connection)
    for (const number of [1, 2]) await store.begin(testExecution(number), 60_000)
    await store.finish(testExecution(1), 'outcome', 3_600_000)
    const left = async (now: number) => {
      await retain(connection, { now })
      return (await connection.db.selectFrom('idempotent_responses').select('id').orderBy('id').execute()).length
    }
    expect([await left(Date.now()), await left(Date.now() + 120_000), await left(Date.now() + 7_200_000)]).toEqual([
      2, 1, 0,
    ])
  })

  it.skipIf(!openTwice)(
    `Of two processes one executes a request, the other finds its outcome, in ${name}`,
    async () => {
      const connections = await openTwice?.()
      if (!connections) throw new Error('There is no second connection.')
      const [one, other] = [createIdempotencyStore(connections[0]), createIdempotencyStore(connections[1])]
      const [first, second] = [testExecution(1), testExecution(1, { run: 'req_2' })]
      const [mine, theirs] = await Promise.all([one.begin(first, 60_000), other.begin(second, 60_000)])
      expect([mine, theirs].filter((record) => record === undefined)).toHaveLength(1)
      const [executor, waiter, run] = mine === undefined ? [one, other, first] : [other, one, second]
      await executor.finish(run, 'outcome', 60_000)
      expect(await waiter.find('id-1')).toMatchObject({ outcome: 'outcome' })
    },
  )
})

it('Executions outlive the process', async () => {
  const { store, dataDir } = await open()
  await store.idempotency.begin(testExecution(1), 60_000)
  await store.idempotency.finish(testExecution(1), 'outcome', 60_000)
  await store.close()
  expect(await (await open(dataDir)).store.idempotency.find('id-1')).toMatchObject({ outcome: 'outcome' })
})
