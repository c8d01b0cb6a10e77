import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import { rebuild } from '../src/backup/rebuild.ts'
import type { StoreConnection } from '../src/database/connection.ts'
import { writeDayZones } from '../src/database/day-zones.ts'
import { writeSetting } from '../src/database/settings.ts'
import { runSql, transact } from '../src/database/transaction.ts'
import { NAMED_DAYS, TABLES } from '../src/schema/tables.ts'
import { moveDays } from '../src/usage/move-days.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const DAY = 86_400_000
const HOURS = ['usage_hours', 'usage_tag_hours', 'usage_first_byte_hours'] as const
const DAYS = [
  'usage_days',
  'usage_model_days',
  'usage_key_days',
  'usage_key_status_days',
  'usage_key_model_days',
  'usage_tag_days',
  'usage_upstream_days',
  'usage_first_byte_days',
] as const
const DERIVED = [...HOURS, ...DAYS, 'budget_windows'] as const

/**
 * A row every 50 minutes of four days, of two models and two keys, with tags, streams and what they count for in a
 * budget.
 */
const rows = Array.from({ length: 120 }, (_, number) => {
  const startedAt = START + number * 50 * 60_000
  const startsAt = Math.floor(startedAt / DAY) * DAY
  const win = `${new Date(startsAt).toISOString().slice(0, 10)}@UTC`
  return ledgerRow(number, {
    startedAt,
    model: number % 3 === 0 ? 'a' : 'b',
    principal: number % 2 === 0 ? 'k' : 'l',
    cost: number,
    charged: number,
    stream: number % 2 === 0,
    firstByteMs: number * 40,
    run: 'run',
    spends: [
      {
        budget: 'b',
        win,
        startsAt,
        endsAt: startsAt + DAY,
        amount: String(number),
        held: String(number % 5),
        isFree: true,
      },
    ],
    ...(number % 4 > 0 && { tags: { team: `t${number % 3}`, job: 'nightly' } }),
  })
})

async function contents({ db }: StoreConnection): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const table of DERIVED)
    all[table] = await runSql(db, `SELECT * FROM ${table} ORDER BY ${TABLES[table].key.join(', ')}`)
  return all
}

const lastColumn = (table: (typeof DERIVED)[number]) =>
  table === 'budget_windows' ? 'spent' : (Object.keys(TABLES[table].columns).at(-1) ?? '')

/** What may become of a table: amounts that are wrong, rows that are gone, rows that belong to another period. */
const damages = fc.uniqueArray(
  fc.record({
    table: fc.constantFrom(...DERIVED),
    how: fc.constantFrom('add', 'delete', 'move'),
    share: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 4, selector: ({ table }) => table },
)

async function damage(
  { db }: StoreConnection,
  { table, how, share }: { table: (typeof DERIVED)[number]; how: string; share: number },
) {
  const measure = lastColumn(table)
  const some = `${table === 'budget_windows' ? 'starts_at / 86400000' : '1'} % ${share} = ${table === 'budget_windows' ? 0 : `1 % ${share}`}`
  if (how === 'add' || table === 'budget_windows')
    return runSql(db, `UPDATE ${table} SET ${measure} = ${measure} + 7 WHERE ${some}`)
  if (how === 'delete') return runSql(db, `DELETE FROM ${table} WHERE ${measure} % ${share} = 0`)
  const period = Object.hasOwn(TABLES[table].columns, 'hour') ? 'hour' : 'day'
  const named = NAMED_DAYS.some((name) => name === table)
  return runSql(db, `UPDATE ${table} SET ${period} = ${named ? `'9' || day` : `${period} + ${100 * DAY}`}`)
}

const heldSums = ({ db }: StoreConnection) =>
  runSql(
    db,
    'SELECT budget, win, principal, sum(held) AS held FROM budget_held GROUP BY budget, win, principal ORDER BY budget, win, principal',
  )

describeStores(stores(), 'rebuilding derived tables in $name', ({ open }) => {
  it('makes them what they were, whatever has become of them, and repeats without a change', {
    tags: ['full'],
  }, async () => {
    const connection = await open()
    await transact(connection, (trx) => writeDayZones(trx, { zone: 'Asia/Kolkata' }))
    await writeRows(connection, { rows, zone: 'UTC' })
    const before = await contents(connection)
    expect(await check(connection)).toEqual([])
    const runs = fc.asyncProperty(damages, async (all) => {
      for (const one of all) await damage(connection, one)
      const rebuilt = await rebuild(connection)
      expect(await check(connection)).toEqual([])
      expect(await contents(connection)).toEqual(before)
      expect(rebuilt.hours).toBeGreaterThan(90)
    })
    await fc.assert(runs, { numRuns: 6 })
    expect(await rebuild(connection)).toMatchObject({ windows: 0 })
    expect(await contents(connection)).toEqual(before)
  })

  it('makes all that a check finds right', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    const before = await contents(connection)
    const held = await heldSums(connection)
    for (const table of DERIVED) await damage(connection, { table, how: 'add', share: 1 })
    await runSql(connection.db, "UPDATE budget_held SET held = held + 7 WHERE principal = 'k'")
    await runSql(connection.db, "DELETE FROM budget_held WHERE principal = 'l'")
    const found = (await check(connection)).map(({ kind, details }) => details['table'] ?? kind)
    expect(new Set(found)).toEqual(new Set([...HOURS, ...DAYS, 'budgets-differ']))
    expect(await rebuild(connection)).toMatchObject({ hours: 100, days: 6, windows: 6 })
    expect(await check(connection)).toEqual([])
    expect(await contents(connection)).toEqual(before)
    expect(held.length).toBeGreaterThan(0)
    expect(await heldSums(connection)).toEqual(held)
  })

  it('leaves periods alone that rows do not cover, ends a move of days, and keeps what is written meanwhile', async () => {
    const connection = await open()
    await transact(connection, (trx) => writeDayZones(trx, { zone: 'UTC' }))
    await writeRows(connection, { rows: rows.slice(0, 100), zone: 'UTC' })
    const from = Math.floor(START / DAY) * DAY + 2 * DAY
    await transact(connection, (trx) => writeSetting(trx, 'usage_from', String(from)))
    for (const table of ['usage', 'usage_attempts', 'usage_budgets'])
      await runSql(connection.db, `DELETE FROM ${table} WHERE at < ${from}`)
    const hours = () =>
      runSql(connection.db, `SELECT * FROM usage_hours WHERE hour < ${from} ORDER BY hour, model, principal`)
    const windows = () => runSql(connection.db, `SELECT * FROM budget_windows WHERE starts_at < ${from} ORDER BY win`)
    const old = [await hours(), await windows()]
    await moveDays(connection, { zone: 'Asia/Kolkata', chunk: 10 })
    await runSql(connection.db, 'UPDATE usage_hours SET cost = cost + 1')
    await runSql(connection.db, `UPDATE usage_hours SET cost = cost - 1 WHERE hour < ${from}`)
    await Promise.all([
      rebuild(connection),
      ...[100, 105, 110, 115].map((at) => writeRows(connection, { rows: rows.slice(at, at + 5), zone: 'UTC' })),
    ])
    expect([await hours(), await windows()]).toEqual(old)
    expect(await check(connection)).toEqual([])
  })
})
