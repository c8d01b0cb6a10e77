import { expect, it } from 'vitest'
import { isRefusal } from '../src/database/failure.ts'
import { attemptsOf, lastUsage, type UsagePageQuery, usagePage } from '../src/usage/page.ts'
import type { LedgerRow } from '../src/usage/row.ts'
import { usageSeries } from '../src/usage/series.ts'
import { ingestPositions, writeRows } from '../src/usage/write.ts'
import { ledgerRow, START } from './support/rows.ts'
import { describeStores, stores } from './support/stores.ts'

const zone = 'UTC'
const many = (count: number, change: (number: number) => Partial<LedgerRow> = () => ({})) =>
  Array.from({ length: count }, (_, number) => ledgerRow(number, change(number)))

describeStores(stores(), 'usage in $name', ({ open }) => {
  it('comes back as it was written, with its attempts', async () => {
    const connection = await open()
    const considered = [{ provider: 'mine', endpoint: 'eu', model: 'model-1', why: 'the cheapest: $0.01' }]
    const row = ledgerRow(1, {
      endpoint: 'eu',
      policy: 'cheapest',
      routing: { policy: 'cheapest', considered },
      attempts: ledgerRow(0).attempts.map((attempt) => ({ ...attempt, endpoint: 'eu' })),
      usage: {
        input: 1,
        output: 2,
        cacheRead: 3,
        cacheWrite: 4,
        cacheWriteLong: 5,
        reasoning: 6,
        audioInput: 7,
        audioOutput: 8,
        imageInput: 1,
        imageOutput: 2,
        units: { images: 9 },
        variant: 'high:1536x1024',
      },
      losses: [{ path: 'temperature', kind: 'dropped', reason: 'r' }],
      estimated: true,
      held: '9007199254740993',
      cost: null,
      charged: null,
      startedAt: START + 0.4,
    })
    await writeRows(connection, { rows: [row], zone })
    const [stored] = await lastUsage(connection, 10)
    expect(stored).toMatchObject({
      id: row.id,
      at: START,
      requestId: 'req_1',
      endpoint: 'eu',
      policy: 'cheapest',
      routing: { policy: 'cheapest', considered },
      stream: false,
      translated: true,
      status: 200,
      estimated: true,
      billed: true,
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      cacheWriteLong: 5,
      reasoning: 6,
      audioInput: 7,
      audioOutput: 8,
      imageInput: 1,
      imageOutput: 2,
      units: { images: 9 },
      variant: 'high:1536x1024',
      losses: row.losses,
      held: '9007199254740993',
      cost: null,
      charged: null,
      corrects: null,
      durationMs: 34,
    })
    expect(await attemptsOf(connection, { at: START, id: row.id })).toEqual([
      {
        family: null,
        provider: 'mine',
        endpoint: 'eu',
        model: 'model-1',
        startedAt: START,
        durationMs: 30,
        status: 200,
        failure: null,
        code: null,
        cost: '1500',
        priceId: 'list@2026-01-01',
      },
    ])
    JSON.stringify(stored)
  })

  it('that is written twice, also within one batch, is there once', async () => {
    const connection = await open()
    const rows = many(3)
    expect(await writeRows(connection, { rows: [...rows, ...rows], zone })).toMatchObject({ written: 3 })
    expect(await writeRows(connection, { rows: [...rows, ledgerRow(7)], zone })).toMatchObject({ written: 1 })
    expect((await lastUsage(connection, 10)).map(({ requestId }) => requestId)).toEqual([
      'req_7',
      'req_2',
      'req_1',
      'req_0',
    ])
    const [day] = await usageSeries(connection, { from: START, to: START + 1, by: 'model', step: 'day' })
    expect(day).toMatchObject({ day: '2023-11-14', names: ['fast'], cost: '6000', counts: { requests: 4, input: 40 } })
  })

  it('says how far the journal is taken, and never goes back', async () => {
    const connection = await open()
    const take = (segment: number, upto: number) =>
      writeRows(connection, { rows: [], zone, position: { run: 'a', segment, upto } })
    for (const [segment, upto] of [
      [1, 100],
      [1, 50],
      [2, 7],
    ] as const)
      await take(segment, upto)
    expect(await ingestPositions(connection, 'a')).toEqual(
      new Map([
        [1, 100],
        [2, 7],
      ]),
    )
    expect(await ingestPositions(connection, 'b')).toEqual(new Map())
  })

  it.each([
    ['has no duration', { durationMs: Number.NaN }],
    ['holds what is no money', { held: 'much' }],
    ['has no principal', { principal: undefined as unknown as string }],
  ])('refuses a row that %s, and with it what comes in the same batch: nothing is half done', async (_, change) => {
    const connection = await open()
    const position = { run: 'a', segment: 1, upto: 1 }
    const failure = await writeRows(connection, { rows: [ledgerRow(1), ledgerRow(2, change)], zone, position }).catch(
      (error: unknown) => error,
    )
    expect(isRefusal(failure)).toBe(true)
    expect([await lastUsage(connection, 10), await ingestPositions(connection, 'a')]).toEqual([[], new Map()])
    await writeRows(connection, { rows: [ledgerRow(1)], zone })
    expect(await lastUsage(connection, 10)).toHaveLength(1)
  })

  it('takes text that not every store holds, and names of any length', async () => {
    const connection = await open()
    const names = ['nul \0', 'lone \uD800', 'lone \uDC00', 'x'.repeat(100_000), `${'x'.repeat(100_000)}y`]
    await writeRows(connection, { rows: names.map((model, number) => ledgerRow(number, { model, why: '\0' })), zone })
    expect((await lastUsage(connection, 10)).map(({ model }) => model.length)).toEqual([100_001, 100_000, 6, 6, 5])
    expect(await usagePage(connection, { model: 'x'.repeat(100_000), limit: 5 })).toHaveLength(1)
    const series = await usageSeries(connection, { from: START, to: START + 1, by: 'model', step: 'day' })
    expect(series.map(({ counts }) => counts.requests)).toEqual([2, 1, 2])
  })

  it('adds up what a double does not hold', async () => {
    const connection = await open()
    const cost = Number.MAX_SAFE_INTEGER
    await writeRows(connection, { rows: many(3, () => ({ cost, charged: cost, held: String(cost) })), zone })
    const [sum] = await usageSeries(connection, { from: START, to: START + 1, by: 'key', step: 'hour' })
    expect(sum).toMatchObject({ cost: '27021597764222973', charged: '27021597764222973', held: '27021597764222973' })
  })
})

describeStores(stores(), 'a page of usage in $name', ({ open }) => {
  const models = ['a', 'b', 'c']
  const rowsOf = (keys: number) =>
    many(600, (number) => ({
      model: models[number % 3] ?? '',
      principal: `key_${number % keys}`,
      provider: number % 7 === 0 ? 'other' : 'mine',
      status: number % 100 === 50 ? 500 : 200,
      startedAt: START + Math.floor(number / 4) * 600_000,
    }))
  const rows = rowsOf(40)
  const expected = (
    rows: readonly LedgerRow[],
    { from = 0, to = Number.POSITIVE_INFINITY, limit, before, ...filters }: UsagePageQuery,
  ) =>
    rows
      .filter((row) => row.startedAt >= from && row.startedAt < to)
      .filter((row) => Object.entries(filters).every(([name, value]) => Object(row)[name] === value))
      .filter((row) => !before || row.startedAt < before.at || (row.startedAt === before.at && row.id < before.id))
      .sort((one, other) => other.startedAt - one.startedAt || (one.id < other.id ? 1 : -1))
      .slice(0, limit)
      .map(({ id }) => id)

  it.each([4, 40, 400])('has the newest rows of any range and filters, however few match, of %i keys', async (keys) => {
    const connection = await open()
    const rows = rowsOf(keys)
    await writeRows(connection, { rows, zone })
    const last = rows.at(-1)?.startedAt ?? 0
    const queries: Omit<UsagePageQuery, 'limit'>[] = [
      ...[{}, { from: START + 3_600_000 }, { to: last - 1 }, { from: START + 1, to: last }, { from: last + 1 }],
      ...[
        { model: 'a' },
        { status: 200 },
        { status: 500 },
        { family: 'chat' },
        { provider: 'other', model: 'b' },
        { model: 'a', principal: 'key_3' },
      ],
      ...[
        { model: 'a', principal: 'key_3', from: START, to: last - 7_200_000 },
        { principal: 'nobody' },
        { model: 'a', status: 404 },
      ],
      ...[
        { before: { at: last - 600_000, id: rows[594]?.id ?? '' } },
        { model: 'b', before: { at: last - 600_000, id: rows[594]?.id ?? '' } },
      ],
    ]
    for (const query of queries)
      for (const limit of [1, 10, 60, 1_000])
        expect(
          (await usagePage(connection, { ...query, limit })).map(({ id }) => id),
          JSON.stringify(query),
        ).toEqual(expected(rows, { ...query, limit }))
  })

  it('follows another without a gap and without a row twice, also where rows begin in the same millisecond', async () => {
    const connection = await open()
    await writeRows(connection, { rows, zone })
    for (const filter of [{}, { model: 'b' }]) {
      const ids: string[] = []
      for (let page = await usagePage(connection, { ...filter, limit: 7 }); page.length > 0; ) {
        ids.push(...page.map(({ id }) => id))
        const end = page.at(-1)
        page = end ? await usagePage(connection, { ...filter, limit: 7, before: end }) : []
      }
      expect(ids).toEqual(expected(rows, { ...filter, limit: 1_000 }))
    }
  })
})

describeStores(stores(), 'a series of usage in $name', ({ open }) => {
  it('counts days in the time zone of the organization, and hours', async () => {
    const connection = await open()
    const berlin = 'Europe/Berlin'
    const midnight = Date.parse('2026-03-29T00:00:00+01:00')
    const starts = [midnight - 1, midnight, midnight + 23 * 3_600_000 - 1, midnight + 23 * 3_600_000]
    const failed = { status: 500, cost: null, charged: 0, startedAt: midnight + 5 }
    await writeRows(connection, {
      rows: [...starts.map((startedAt, number) => ledgerRow(number, { startedAt })), ledgerRow(9, failed)],
      zone: berlin,
    })
    const query = { from: midnight - 1, to: midnight + 30 * 3_600_000, by: 'provider', zone: berlin } as const
    const days = await usageSeries(connection, { ...query, step: 'day' })
    expect(
      days.map(({ day, start, counts, failed, charged }) => [
        day,
        start,
        counts.requests,
        counts.unpriced,
        failed,
        charged,
      ]),
    ).toEqual([
      ['2026-03-28', midnight - 24 * 3_600_000, 1, 0, 0, '1500'],
      ['2026-03-29', midnight, 3, 1, 1, '3000'],
      ['2026-03-30', midnight + 23 * 3_600_000, 1, 0, 0, '1500'],
    ])
    for (const by of ['model', 'key', 'family'] as const)
      expect(
        (await usageSeries(connection, { ...query, step: 'day', by })).map(({ start, charged }) => [start, charged]),
      ).toEqual(days.map(({ start, charged }) => [start, charged]))
    const hours = await usageSeries(connection, { ...query, from: midnight, to: midnight + 3_600_000, step: 'hour' })
    expect(hours.map(({ start, names, counts }) => [start, names, counts.requests])).toEqual([[midnight, ['mine'], 2]])
  })
})
