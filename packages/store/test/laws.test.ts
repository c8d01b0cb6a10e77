import fc from 'fast-check'
import { expect, it } from 'vitest'
import { check } from '../src/backup/check.ts'
import { runSql } from '../src/database/transaction.ts'
import { TABLES } from '../src/schema/tables.ts'
import type { LedgerRow } from '../src/usage/row.ts'
import { usageSeries } from '../src/usage/series.ts'
import { writeRows } from '../src/usage/write.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe']
const amount = fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: null })

/** Rows of a few days and a few dimensions, each with an id of its own. */
const rows = fc
  .array(
    fc.record({
      startedAt: fc.nat({ max: 4 * 86_400_000 }).map((offset) => START + offset),
      model: fc.constantFrom('a', 'b', '\uD800', '\uDC00', 'nul\0'),
      principal: fc.constantFrom('k', 'l'),
      status: fc.constantFrom(0, 200, 500),
      cost: amount,
      charged: amount,
      held: fc.option(fc.bigInt({ min: 0n, max: 2n ** 60n }).map(String), { nil: '0' }),
      tags: fc.constantFrom(undefined, { team: 'a' }, { team: 'b', job: 'x' }, { team: 'nul\0', '\uD800': '\uDC00' }),
      usage: fc.record({ input: fc.nat(), output: fc.nat(), units: fc.record({ images: fc.nat(), other: fc.nat() }) }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((changes) => changes.map((change, number) => ledgerRow(number, change)))

/** Batches that hold each of the rows, in any order, some of them again. */
const batchesOf = (all: readonly LedgerRow[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...all], { minLength: all.length }),
      fc.shuffledSubarray([...all]),
      fc.integer({ min: 1, max: 12 }),
    )
    .map(([first, again, size]) => [...first.slice(0, size), ...again, ...first.slice(size)])
    .chain((sequence) =>
      fc.array(fc.integer({ min: 1, max: 15 }), { minLength: sequence.length }).map((sizes) => split(sequence, sizes)),
    )

function split(sequence: readonly LedgerRow[], sizes: readonly number[]): LedgerRow[][] {
  const batches: LedgerRow[][] = []
  for (let start = 0; start < sequence.length; start += sizes[batches.length - 1] ?? 1)
    batches.push(sequence.slice(start, start + (sizes[batches.length] ?? 1)))
  return batches
}

const total = (values: readonly (string | number | null | undefined)[]) =>
  values.reduce((sum: bigint, value) => sum + BigInt(value ?? 0), 0n)

describeStores(stores(), 'rows in $name', ({ name, open }) => {
  it('add up to their hours and their days, in whatever batches, order and repetition they come, and none is there twice', async () => {
    const connection = await open()
    const runs = fc.asyncProperty(
      rows.chain((all) =>
        fc.record({ all: fc.constant(all), batches: batchesOf(all), zone: fc.constantFrom(...zones) }),
      ),
      async ({ all, batches, zone }) => {
        for (const table of Object.keys(TABLES)) await runSql(connection.db, `DELETE FROM ${table}`)
        let written = 0
        for (const batch of batches) written += (await writeRows(connection, { rows: batch, zone })).written
        expect(written).toBe(all.length)
        const [stored] = await connection.db
          .selectFrom('usage')
          .select(({ fn }) => fn.countAll().as('count'))
          .execute()
        expect(Number(stored?.count)).toBe(all.length)
        expect(await check(connection, { zone })).toEqual([])
        for (const step of ['hour', 'day'] as const) {
          const points = await usageSeries(connection, {
            from: START - 86_400_000,
            to: START + 9 * 86_400_000,
            by: 'model',
            step,
            zone,
          })
          for (const money of ['cost', 'charged', 'held'] as const)
            expect(total(points.map((point) => point[money]))).toBe(total(all.map((row) => row[money])))
          expect(total(points.map(({ counts }) => counts.unpriced))).toBe(
            BigInt(all.filter(({ cost }) => cost === null).length),
          )
          expect(total(points.map(({ counts }) => counts.images))).toBe(
            total(all.map(({ usage }) => usage?.units?.['images'])),
          )
        }
      },
    )
    await fc.assert(runs, { numRuns: name === 'SQLite' ? 25 : 6 })
  })
})

describeStores(
  stores().filter(({ openTwice }) => openTwice),
  'two writers of $name',
  ({ openTwice }) => {
    it('that take in the same rows at the same time count each of them once', async () => {
      const writers = (await openTwice?.()) ?? []
      const all = Array.from({ length: 400 }, (_, number) =>
        ledgerRow(number, { model: `m${number % 9}`, principal: `k${number % 5}` }),
      )
      const batches = Array.from({ length: 20 }, (_, index) => all.slice(index * 20, index * 20 + 20))
      const write = async (connection: (typeof writers)[number], order: LedgerRow[][]) => {
        let written = 0
        for (const rows of order)
          written += (await writeRows(connection, { rows, zone: 'UTC', position: { run: 'a', segment: 1, upto: 1 } }))
            .written
        return written
      }
      const [one, other] = writers
      if (!one || !other) throw new Error('There are no two connections')
      const counts = await Promise.all([
        write(one, batches),
        write(other, batches.toReversed()),
        write(one, batches.toReversed()),
      ])
      expect(counts.reduce((sum, count) => sum + count)).toBe(400)
      expect((await check(one)).filter(({ level }) => level === 'fault')).toEqual([])
    })
  },
)
