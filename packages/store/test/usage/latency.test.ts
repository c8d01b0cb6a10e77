import { expect, it } from 'vitest'
import { check } from '../../src/backup/check.ts'
import { runSql } from '../../src/database/transaction.ts'
import { usageLatency } from '../../src/usage/latency.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { environmentOf, knowPrincipals, memberOf, projectOf } from './owners.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Midnight in UTC. */
const MIDNIGHT = Date.UTC(2026, 10, 1)

describeStores(stores(), 'How long first bytes took, in $name', ({ open }) => {
  const row = (id: number, changes: Parameters<typeof ledgerRow>[1]) =>
    ledgerRow(id, { startedAt: MIDNIGHT, principal: 'key_1', stream: true, status: 200, firstByteMs: 100, ...changes })

  it('is told of all streamed answers of a range, however many there are', async () => {
    const connection = await open()
    const times = Array.from({ length: 1_000 }, (_, index) => 200 + index)
    const rows = times.map((firstByteMs, index) =>
      row(index, { firstByteMs, startedAt: MIDNIGHT + (index % 72) * HOUR }),
    )
    await writeRows(connection, { rows, zone: 'UTC' })
    await writeRows(connection, { rows, zone: 'UTC' })
    const all = await usageLatency(connection, { from: MIDNIGHT, to: MIDNIGHT + 3 * DAY })
    expect(all?.requests).toBe(1_000)
    // Off by a tenth of what they are at most.
    expect(Math.abs(Number(all?.p50) - 700)).toBeLessThan(70)
    expect(Math.abs(Number(all?.p95) - 1_150)).toBeLessThan(115)
    const within = rows.filter(({ startedAt }) => startedAt >= MIDNIGHT + 5 * HOUR && startedAt < MIDNIGHT + 51 * HOUR)
    const some = await usageLatency(connection, { from: MIDNIGHT + 5.5 * HOUR, to: MIDNIGHT + 51 * HOUR })
    expect(some?.requests).toBe(within.length)
    expect((await usageLatency(connection, { from: MIDNIGHT + 2 * HOUR, to: MIDNIGHT + 3 * HOUR }))?.requests).toBe(14)
    expect(await usageLatency(connection, { from: MIDNIGHT + 4 * DAY, to: MIDNIGHT + 9 * DAY })).toBeNull()
    expect(await check(connection, { zone: 'UTC' })).toEqual([])
    await runSql(connection.db, `UPDATE usage_first_byte_days SET longer = longer + 1 WHERE day = ${MIDNIGHT}`)
    expect((await check(connection, { zone: 'UTC' }))[0]?.details).toMatchObject({
      table: 'usage_first_byte_days',
      longer: '0 ≠ 1',
    })
  })

  it('leaves out what was no stream, failed, or sets another row right; times of any length count', async () => {
    const connection = await open()
    const rows = [
      row(1, { firstByteMs: 0 }),
      row(2, { firstByteMs: 900_000 }),
      row(3, { stream: false }),
      row(4, { status: 502 }),
      row(5, { status: 0 }),
      row(6, { firstByteMs: undefined }),
      row(7, { corrects: row(1, {}).id }),
    ]
    await writeRows(connection, { rows, zone: 'UTC' })
    expect(await usageLatency(connection, { from: MIDNIGHT, to: MIDNIGHT + HOUR })).toEqual({
      p50: 10,
      p95: 75_000,
      requests: 2,
    })
  })

  it('is told of a key, a project, an environment and a person', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const rows = Array.from({ length: 40 }, (_, index) => row(index, { principal: `key_${index % 10}` }))
    await writeRows(connection, { rows, zone: 'UTC' })
    const requests = async (filters: object) =>
      (await usageLatency(connection, { from: MIDNIGHT, to: MIDNIGHT + DAY, filters }))?.requests ?? 0
    expect(await requests({ key: 'key_3' })).toBe(4)
    expect(await requests({ key: 'key_none' })).toBe(0)
    expect(await requests({ member: "' OR 1=1 --" })).toBe(0)
    const ofOwners = {
      project: [projectOf, 'prj_1'],
      environment: [environmentOf, 'staging'],
      member: [memberOf, 'usr_0'],
    } as const
    for (const [field, [ownerOf, owner]] of Object.entries(ofOwners)) {
      const own = rows.filter(({ principal }) => ownerOf(principal) === owner)
      expect([field, await requests({ [field]: owner })]).toEqual([field, own.length])
    }
  })
})
