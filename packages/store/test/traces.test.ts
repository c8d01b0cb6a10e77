import { expect, it } from 'vitest'
import { versionsOf } from '../src/keys/changes.ts'
import { createKey } from '../src/keys/keys.ts'
import { retain } from '../src/retention/retention.ts'
import { createTraces } from '../src/traces/traces.ts'
import { describeStores, stores } from './support/stores.ts'

const DAY = 86_400_000

const trace = (id: number, endsAt = DAY) => ({
  requestId: `req_${id}`,
  key: 'key_1',
  at: endsAt - DAY,
  endsAt,
  sealed: `v1.${id}`,
})

describeStores(stores(), 'What went over the wire, in $name', ({ open }) => {
  it('is there until its time is over, once', async () => {
    const connection = await open()
    let now = 0
    const traces = createTraces(connection, () => now)
    await traces.add(trace(1))
    await traces.add({ ...trace(1), sealed: 'another' })
    expect(await traces.read('req_1')).toEqual(trace(1))
    expect(await traces.read('req_2')).toBeUndefined()
    now = DAY
    expect(await traces.read('req_1')).toBeUndefined()
    await retain(connection, { now })
    expect(await connection.db.selectFrom('traces').selectAll().execute()).toEqual([])
  })

  it('makes room for newer ones', async () => {
    const connection = await open()
    const traces = createTraces(connection, () => 0)
    const rows = Array.from({ length: 2_000 }, (_, nth) => {
      const { requestId, key, at, endsAt, sealed } = trace(nth, DAY + nth)
      return { request_id: requestId, key_id: key, at: BigInt(at), ends_at: BigInt(endsAt), sealed }
    })
    for (let from = 0; from < rows.length; from += 100)
      await connection.db
        .insertInto('traces')
        .values(rows.slice(from, from + 100))
        .execute()
    await traces.add(trace(2_000, DAY + 2_000))
    expect([await traces.read('req_0'), (await traces.read('req_1'))?.sealed]).toEqual([undefined, 'v1.1'])
  })

  it('tells by numbers that something has changed', async () => {
    const connection = await open()
    const before = await versionsOf(connection)
    await createKey(connection, {})
    const after = await versionsOf(connection)
    expect(after['keys']).toBeGreaterThan(before['keys'] ?? 0)
  })
})
