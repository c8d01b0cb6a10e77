import { expect, it } from 'vitest'
import type { LedgerRow } from '../../src/usage/row.ts'
import { usageSeries } from '../../src/usage/series.ts'
import type { SeriesFilters, SeriesQuery, UsageDimension } from '../../src/usage/series-query.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { environmentOf, knowPrincipals, memberOf, projectOf } from './owners.ts'

const HOUR = 3_600_000
const DIMENSIONS: readonly UsageDimension[] = [
  'model',
  'provider',
  'key',
  'project',
  'environment',
  'member',
  'family',
  'status',
]
const rows = Array.from({ length: 400 }, (_, number) =>
  ledgerRow(number, {
    model: `m${number % 5}`,
    principal: `key_${number % 10}`,
    provider: number % 7 === 0 ? 'other' : 'mine',
    status: number % 9 === 0 ? 500 : 200,
    family: number % 4 === 0 ? 'embeddings' : 'chat',
    startedAt: START + number * 900_000,
    cost: number,
    charged: number,
  }),
)

const OF: Readonly<Record<UsageDimension, (row: LedgerRow) => string | null>> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  key: ({ principal }) => principal,
  project: ({ principal }) => projectOf(principal),
  environment: ({ principal }) => environmentOf(principal),
  member: ({ principal }) => memberOf(principal),
  family: ({ family }) => family,
  status: ({ status }) => String(status),
}

/** Requests, failures and charges by the text of their period and names. */
function expected(
  by: readonly UsageDimension[],
  step: 'hour' | 'day',
  filters: SeriesFilters = {},
): Map<string, unknown> {
  const sums = new Map<string, [number, number, number]>()
  for (const row of rows) {
    if (!Object.entries(filters).every(([name, value]) => OF[name as UsageDimension](row) === String(value))) continue
    const period =
      step === 'hour' ? Math.floor(row.startedAt / HOUR) * HOUR : new Date(row.startedAt).toISOString().slice(0, 10)
    const key = JSON.stringify([period, by.map((one) => OF[one](row))])
    const sum = sums.get(key) ?? [0, 0, 0]
    sums.set(key, [sum[0] + 1, sum[1] + (row.status === 500 ? 1 : 0), sum[2] + Number(row.charged)])
  }
  return sums
}

const range = { from: START, to: START + 400 * 900_000 }
const WHOLE_HOUR = Math.ceil(START / HOUR) * HOUR

describeStores(stores(), 'a series of $name', ({ open }) => {
  it('is by any one or two of what tells usage apart, with filters', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const pairs = DIMENSIONS.flatMap((one) => DIMENSIONS.map((other) => (one === other ? [one] : [one, other])))
    const filters: SeriesFilters[] = [
      {},
      { project: 'prj_1' },
      { member: 'usr_0', status: 500 },
      { key: 'key_9', model: 'm4', environment: undefined },
    ]
    for (const [index, by] of pairs.entries())
      for (const step of ['hour', 'day'] as const) {
        const own = filters[index % filters.length] ?? {}
        const points = await usageSeries(connection, { ...range, by, step, filters: own })
        const found = points.map(({ start, day, names, counts, failed, charged }) => [
          JSON.stringify([day ?? start, names]),
          [counts.requests, failed, Number(charged)],
        ])
        const { environment: _, ...said } = own
        expect(new Map(found as [string, unknown][]), `${by} ${step}`).toEqual(expected(by, step, said))
        expect(points.map(({ start }) => start)).toEqual(
          points.map(({ start }) => start).sort((one, other) => one - other),
        )
      }
  })

  it('of minutes covers exactly its range, from the rows', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    const at = (minutes: number, seconds = 0) => WHOLE_HOUR + minutes * 60_000 + seconds * 1_000
    const some = [at(0, 59), at(1), at(1, 30), at(2), at(3)].map((startedAt, number) =>
      ledgerRow(number, {
        startedAt,
        model: 'm',
        principal: 'key_1',
        status: number === 2 ? 500 : 200,
        charged: number,
      }),
    )
    await writeRows(connection, { rows: some, zone: 'UTC' })
    const points = await usageSeries(connection, { from: at(1, 20), to: at(3), by: 'model', step: 'minute' })
    expect(
      points.map(({ start, names, counts, failed, charged }) => [start, names, counts.requests, failed, charged]),
    ).toEqual([
      [at(1), ['m'], 2, 1, '3'],
      [at(2), ['m'], 1, 0, '3'],
    ])
    const top = await usageSeries(connection, {
      from: at(0),
      to: at(9),
      by: 'project',
      step: 'minute',
      top: 1,
      filters: { status: 200 },
    })
    expect(top.map(({ names, counts }) => [names, counts.requests])).toEqual(
      [1, 1, 1, 1].map((count) => [[projectOf('key_1')], count]),
    )
  })

  it('of all measures is the same by minutes as by hours', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    const query = { from: WHOLE_HOUR, to: WHOLE_HOUR + 4 * HOUR, by: ['model', 'status'] } as const
    const sums = async (step: 'minute' | 'hour') => {
      const points = await usageSeries(connection, { ...query, step })
      return points.reduce((sum: Record<string, number>, { counts, charged, cost, held }) => {
        for (const [name, value] of Object.entries({ ...counts, charged, cost, held }))
          sum[name] = (sum[name] ?? 0) + Number(value)
        return sum
      }, {})
    }
    expect(await sums('minute')).toEqual(await sums('hour'))
  })

  it('tells those apart that were charged most, and the rest is one', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const query: SeriesQuery = { ...range, by: ['project', 'model'], step: 'day' }
    const all = await usageSeries(connection, query)
    const top = await usageSeries(connection, { ...query, top: 3 })
    const total = (points: typeof all) => points.reduce((sum, { charged }) => sum + Number(charged), 0)
    expect(total(top)).toBe(total(all))
    // Usage whose project is unknown belongs to the rest.
    const named = all.filter(({ names }) => names[0] !== null)
    const charged = Map.groupBy(named, ({ names }) => JSON.stringify(names))
    const most = [...charged].sort(([, one], [, other]) => total(other) - total(one)).map(([names]) => names)
    expect(new Set(top.filter(({ isRest }) => !isRest).map(({ names }) => JSON.stringify(names)))).toEqual(
      new Set(most.slice(0, 3)),
    )
    for (const day of Map.groupBy(top, ({ day }) => day).values()) {
      expect(day.filter(({ isRest }) => isRest)).toHaveLength(1)
      expect(day.at(-1)).toMatchObject({ isRest: true, names: [null, null] })
    }
    const whole = await usageSeries(connection, { ...query, top: 1_000 })
    expect(whole.filter(({ isRest }) => !isRest)).toEqual(named)
    expect(total(whole)).toBe(total(all))
  })

  it('with the highest charges has the rest of every measure, whatever the dimensions, steps and filters', async () => {
    const connection = await open()
    await knowPrincipals(connection)
    await writeRows(connection, { rows, zone: 'UTC' })
    const pairs = DIMENSIONS.flatMap((one) => DIMENSIONS.map((other) => (one === other ? [one] : [one, other])))
    const filters: SeriesFilters[] = [{}, { project: 'prj_1' }, { model: 'm4' }, { member: 'usr_0', status: 500 }]
    for (const [index, by] of pairs.entries())
      for (const step of ['hour', 'day'] as const) {
        const query: SeriesQuery = { ...range, by, step, filters: filters[index % filters.length] }
        const sums = (points: Awaited<ReturnType<typeof usageSeries>>) =>
          [...Map.groupBy(points, ({ start }) => start)].map(([start, own]) => [
            start,
            own.reduce(
              (sum, { counts, failed, charged }) => {
                return [sum[0] + counts.requests, sum[1] + (failed ?? 0), sum[2] + Number(charged)] as const
              },
              [0, 0, 0] as readonly [number, number, number],
            ),
          ])
        expect(sums(await usageSeries(connection, { ...query, top: 2 })), `${by} ${step}`).toEqual(
          sums(await usageSeries(connection, query)),
        )
      }
  })

  it('adds up what a double does not hold, also of the rest', async () => {
    const connection = await open()
    const held = String(Number.MAX_SAFE_INTEGER)
    await writeRows(connection, {
      rows: [1, 2, 3].map((number) => ledgerRow(number, { held, principal: `key_${number}` })),
      zone: 'UTC',
    })
    const [one, rest] = await usageSeries(connection, { from: START, to: START + 9, by: 'key', step: 'hour', top: 1 })
    expect([one?.held, rest?.held]).toEqual([held, '18014398509481982'])
  })

  it.each<[string, object]>([
    ['by', { by: [] }],
    ['by', { by: ['model', 'model'] }],
    ['by', { by: ['model', 'provider', 'key'] }],
    ['by', { by: 'status; DROP TABLE usage' }],
    ['by', { by: 'toString' }],
    ['failure', { by: 'model', filters: { failure: 'timeout' } }],
    ['endpoint', { by: 'model', filters: { endpoint: 'eu' } }],
    ['tag', { by: 'model', filters: { tag: { name: 'a' } } }],
    ['model', { by: { tag: 'a' }, filters: { model: 'a' } }],
    ['top', { by: 'model', top: 0 }],
    ['step', { by: { tag: 'a' }, step: 'minute' }],
  ])('says which field does not go: %s of %j', async (param, query) => {
    const connection = await open()
    const asked = { ...range, step: 'day', ...query } as unknown as SeriesQuery
    await expect(usageSeries(connection, asked)).rejects.toMatchObject({ kind: 'invalid-request', param })
  })
})
