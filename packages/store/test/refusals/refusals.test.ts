import type { RefusalRecord } from '@headgate/gateway/ports'
import { describe, expect, it } from 'vitest'
import { rebuild } from '../../src/backup/rebuild.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { createRefusalBook, type RefusalStore } from '../../src/refusals/book.ts'
import { failureCounts, unauthenticatedAddresses } from '../../src/refusals/counts.ts'
import { sealedMessage } from '../../src/refusals/rows.ts'
import { sealedWords } from '../../src/refusals/words.ts'
import { createRefusalWriter, type RefusalBounds } from '../../src/refusals/write.ts'
import { retain } from '../../src/retention/retention.ts'
import { createSecret } from '../../src/secret/secret.ts'
import { requestUsage } from '../../src/usage/request.ts'
import { type RowsQuery, usageRows } from '../../src/usage/rows.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow, START } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'

const HOUR = 3_600_000
const PROMPT = 'a prompt that nobody else may read'

function refusal(number: number, change: Partial<RefusalRecord> = {}): RefusalRecord {
  const startedAt = change.startedAt ?? START + number
  return {
    requestId: `req_${startedAt.toString(16).padStart(12, '0')}${number.toString(16).padStart(20, '0')}`,
    principal: 'key_1',
    family: 'chat',
    format: 'messages',
    model: 'fast',
    status: 429,
    outcome: 'refused',
    failure: 'over-budget',
    message: `Too expensive: ${PROMPT}`,
    limit: { kind: 'budget', id: 'bud_1' },
    tags: undefined,
    endUser: undefined,
    session: undefined,
    startedAt,
    durationMs: 3,
    ...change,
  }
}

function openBook(
  connection: StoreConnection,
  { bounds, fails }: { bounds?: RefusalBounds; fails?: () => boolean } = {},
) {
  const add = createRefusalWriter(connection, { bounds })
  const warnings: string[] = []
  const refusals: RefusalStore = {
    async add(batch) {
      await add(batch)
      // The store has written it, and its answer is lost.
      if (fails?.()) throw new Error('away')
    },
    words: (requestId) => sealedWords(connection, requestId),
    message: (row) => sealedMessage(connection, row),
    beforeReads() {},
  }
  const secret = createSecret('ab'.repeat(32))
  const book = createRefusalBook({ store: { refusals }, secret, onWarning: (text) => void warnings.push(text) })
  return { book, warnings }
}

const count = async (
  { db }: StoreConnection,
  table: 'refusals' | 'refusal_messages' | 'refusal_minutes' | 'request_words',
) => (await db.selectFrom(table).selectAll().execute()).length

async function requestsOf({ db }: StoreConnection): Promise<number> {
  const rows = await db.selectFrom('refusal_minutes').select('requests').execute()
  return rows.reduce((sum, { requests }) => sum + Number(requests), 0)
}

describeStores(stores(), 'Refused requests in $name', ({ open }) => {
  it('are in the list of requests, newest first, by the same filters', async () => {
    const connection = await open()
    const { book } = openBook(connection)
    await writeRows(connection, { rows: [0, 10, 20, 30].map((number) => ledgerRow(number)), zone: 'UTC' })
    for (const number of [5, 15, 25])
      book.refused(refusal(number, { model: number === 15 ? 'slow' : 'fast', tags: { team: 'a' }, endUser: 'ada' }))
    await book.write()
    const list = async (query: Partial<RowsQuery> = {}) => {
      const times: number[] = []
      let cursor: string | undefined
      do {
        const page = await usageRows(connection, { limit: 2, ...query, cursor })
        times.push(...page.rows.map(({ at }) => at - START))
        cursor = page.cursor
      } while (cursor !== undefined)
      return times
    }
    expect(await list()).toEqual([30, 25, 20, 15, 10, 5, 0])
    expect(await list({ refused: false })).toEqual([30, 20, 10, 0])
    expect(await list({ from: START + 10, to: START + 25 })).toEqual([20, 15, 10])
    for (const [filters, times] of [
      [{ outcome: 'refused' }, [25, 15, 5]],
      [{ outcome: 'served' }, [30, 20, 10, 0]],
      [{ outcome: { values: ['served'], isNot: true } }, [25, 15, 5]],
      [{ model: { values: ['fast'] } }, [30, 25, 20, 10, 5, 0]],
      [{ model: 'slow' }, [15]],
      [{ failure: 'over-budget' }, [25, 15, 5]],
      [{ provider: 'mine' }, [30, 20, 10, 0]],
      [{ provider: { values: ['mine'], isNot: true } }, [25, 15, 5]],
      [{ status: 429 }, [25, 15, 5]],
      [{ user: 'ada', tag: { name: 'team', value: 'a' } }, [25, 15, 5]],
      [{ cost: { least: 1 } }, [30, 20, 10, 0]],
      [{ key: 'key_2' }, []],
    ] as const)
      expect(await list({ filters }), JSON.stringify(filters)).toEqual(times)
    const [row] = (await usageRows(connection, { limit: 1, filters: { outcome: 'refused' } })).rows
    expect(row).toMatchObject({
      outcome: 'refused',
      status: 429,
      failure: 'over-budget',
      limit: { kind: 'budget', id: 'bud_1' },
      provider: '',
      providerModel: '',
      cost: '0',
      billed: false,
      input: null,
      durationMs: 3,
    })
    const found = await requestUsage(connection, { requestId: row?.requestId ?? '' })
    expect(found).toMatchObject({ ...row, attempts: [], corrections: [] })
  })

  it('are in sorted lists, in pages, as requests of no cost and unknown tokens', async () => {
    const connection = await open()
    const { book } = openBook(connection)
    await writeRows(connection, { rows: [0, 10, 20, 30].map((number) => ledgerRow(number)), zone: 'UTC' })
    for (const number of [5, 15, 25]) book.refused(refusal(number, { durationMs: 5_000 * (number - 10) ** 2 }))
    await book.write()
    for (const sort of ['cost', 'duration', 'tokens'] as const) {
      const all = (await usageRows(connection, { sort, limit: 10 })).rows
      const values = all.map(({ cost, durationMs, input, output }) =>
        sort === 'cost' ? Number(cost ?? -1) : sort === 'duration' ? durationMs : (input ?? -1) + (output ?? 0),
      )
      expect(values, sort).toEqual(values.toSorted((one, other) => other - one))
      expect(all.filter(({ outcome }) => outcome === 'refused').length, sort).toBe(3)
      const paged: string[] = []
      let cursor: string | undefined
      do {
        const page = await usageRows(connection, { sort, limit: 2, cursor })
        paged.push(...page.rows.map(({ id }) => id))
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(paged, sort).toEqual(all.map(({ id }) => id))
      const only = await usageRows(connection, { sort, limit: 10, filters: { outcome: 'refused' } })
      expect(only.rows.length, sort).toBe(3)
      expect((await usageRows(connection, { sort, limit: 10, refused: false })).rows.length, sort).toBe(all.length - 3)
    }
  })

  it('have a sentence that only the secret of the gateway opens', async () => {
    const connection = await open()
    const { book } = openBook(connection)
    const { requestId, startedAt: at } = refusal(1)
    book.refused(refusal(1))
    book.words({
      requestId: 'req_2',
      principal: 'key_1',
      startedAt: START,
      message: PROMPT,
      attempts: [PROMPT, undefined],
    })
    await book.write()
    const tables = [
      await connection.db.selectFrom('refusals').selectAll().execute(),
      await connection.db.selectFrom('refusal_messages').selectAll().execute(),
    ]
    const words = await connection.db.selectFrom('request_words').selectAll().execute()
    expect(
      JSON.stringify([tables, words], (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(PROMPT)
    const id = (await usageRows(connection, { limit: 1 })).rows[0]?.id ?? ''
    expect(await book.read({ requestId, id, at })).toEqual({ message: `Too expensive: ${PROMPT}`, attempts: [] })
    expect(await book.read({ requestId: 'req_2', id, at: 0 })).toEqual({
      message: PROMPT,
      attempts: [PROMPT, undefined],
    })
    expect(await book.read({ requestId: 'req_3', id, at: 0 })).toBeUndefined()
  })

  it('of a flood leave few rows and exact numbers, also if the store is away in between', async () => {
    const connection = await open()
    let isAway = true
    const begun = performance.now()
    const { book, warnings } = openBook(connection, { fails: () => isAway })
    for (let number = 0; number < 5_000; number += 1) {
      const failure = number % 2 === 0 ? 'over-budget' : 'over-limit'
      book.refused(refusal(number, { startedAt: START + number * 30, failure, model: `model ${number}` }))
      if (number === 2_000) await book.write()
    }
    expect(warnings).toHaveLength(1)
    isAway = false
    await book.write()
    expect(await requestsOf(connection)).toBe(5_000)
    const seconds = Math.ceil((performance.now() - begun) / 1_000)
    // Ten a second of each kind.
    expect(await count(connection, 'refusals')).toBeLessThanOrEqual(20 * seconds)
    // At most 2,000 models between two writes.
    expect(await count(connection, 'refusal_minutes')).toBeLessThan(4_200)
    const sums = await failureCounts(connection, { from: START, to: START + HOUR })
    expect(sums.map(({ failure, requests }) => [failure, requests])).toEqual([
      ['over-budget', 2_500],
      ['over-limit', 2_500],
    ])
  })

  it('of models whose names are stored alike are one sum', async () => {
    const connection = await open()
    const { book, warnings } = openBook(connection)
    for (const model of ['a\0', 'a\uFFFD', 'b'.repeat(200), 'b'.repeat(300)]) book.refused(refusal(1, { model }))
    await book.write()
    expect(warnings).toEqual([])
    expect(await requestsOf(connection)).toBe(4)
    expect(await count(connection, 'refusal_minutes')).toBe(2)
  })

  it('are kept up to a number of rows, the newest ones', async () => {
    const connection = await open()
    const bounds = { rows: { most: 20, every: 5 }, words: { most: 3, every: 1 }, addresses: 2 }
    const add = createRefusalWriter(connection, { bounds })
    for (let number = 1; number <= 40; number += 1) {
      const { message: _, ...row } = refusal(number)
      const id = ledgerRow(number).id
      const words = [{ requestId: row.requestId, key: 'key_1', at: START, endsAt: START + number, sealed: 'v1' }]
      const messages = { id: `m${number}`, at: START + number, sealed: 'v1' }
      const rows = [{ ...row, id }]
      const batch = { book: 'a', number, rows, messages, counts: [], unauthenticated: [], words }
      await add(batch)
      await add(batch)
    }
    expect(await count(connection, 'refusals')).toBeLessThanOrEqual(25)
    expect(await count(connection, 'refusal_messages')).toBe(await count(connection, 'refusals'))
    expect((await usageRows(connection, { limit: 1 })).rows[0]?.at).toBe(START + 40)
    expect(await count(connection, 'request_words')).toBe(3)
  })

  it('of unknown callers are counted by address, the rest as one', async () => {
    const connection = await open()
    const { book } = openBook(connection, {
      bounds: { rows: { most: 10, every: 10 }, words: { most: 10, every: 10 }, addresses: 2 },
    })
    for (const [address, requests] of [
      ['10.0.0.1', 5],
      ['10.0.0.2', 1],
      ['10.0.0.3', 4],
      ['10.0.0.4', 2],
    ] as const)
      for (let nth = 0; nth < requests; nth += 1)
        book.unauthenticated({ address, reason: nth === 0 ? 'no-key' : 'bad-key', at: START + nth })
    await book.write()
    const found = await unauthenticatedAddresses(connection, { from: START, to: START + HOUR, limit: 10 })
    expect(found.map(({ address, reason, requests }) => [address, reason, requests])).toEqual([
      ['10.0.0.1', 'bad-key', 4],
      ['10.0.0.3', 'bad-key', 3],
      ['', 'no-key', 2],
      ['', 'bad-key', 1],
      ['10.0.0.1', 'no-key', 1],
      ['10.0.0.3', 'no-key', 1],
    ])
  })

  it('and failed ones are counted by hour, kind, provider and key, with their newest request', async () => {
    const connection = await open()
    const { book } = openBook(connection)
    const failed = { status: 500, failure: 'upstream' } as const
    await writeRows(connection, {
      rows: [
        ledgerRow(1, failed),
        ledgerRow(2, { ...failed, provider: 'other', principal: 'key_2' }),
        ledgerRow(3, { ...failed, startedAt: START + HOUR }),
        ledgerRow(4),
      ],
      zone: 'UTC',
    })
    book.refused(refusal(5))
    await book.write()
    const counted = async (by?: 'provider' | 'key', filters = {}) =>
      (await failureCounts(connection, { from: START, to: START + 2 * HOUR, by, filters })).map(
        ({ failure, name, requests, newest }) => [failure, name, requests, newest],
      )
    const newest = refusal(5).requestId
    expect(await counted()).toEqual([
      ['over-budget', '', 1, newest],
      ['upstream', '', 2, 'req_2'],
      ['upstream', '', 1, 'req_3'],
    ])
    expect(await counted('provider')).toEqual([
      ['over-budget', '', 1, newest],
      ['upstream', 'mine', 1, 'req_1'],
      ['upstream', 'other', 1, 'req_2'],
      ['upstream', 'mine', 1, 'req_3'],
    ])
    expect(await counted('key', { key: 'key_2' })).toEqual([['upstream', 'key_2', 1, 'req_2']])
    const before = await counted('provider')
    await connection.db.updateTable('usage_failure_hours').set({ requests: 99 }).execute()
    await rebuild(connection, { zone: 'UTC' })
    expect(await counted('provider')).toEqual(before)
  })

  it('are deleted when their days are over', async () => {
    const connection = await open()
    const { book } = openBook(connection)
    book.refused(refusal(1))
    book.unauthenticated({ address: '10.0.0.1', reason: 'bad-key', at: START })
    await book.write()
    const kept = async (days: number) => {
      await retain(connection, { now: START + days * 24 * HOUR })
      const hours = await failureCounts(connection, { from: START, to: START + HOUR })
      const addresses = await unauthenticatedAddresses(connection, { from: START, to: START + HOUR, limit: 10 })
      return [
        await count(connection, 'refusals'),
        await count(connection, 'refusal_minutes'),
        addresses.length,
        hours.length,
      ]
    }
    expect(await kept(1)).toEqual([1, 1, 1, 1])
    expect(await kept(3)).toEqual([1, 0, 1, 1])
    expect(await kept(8)).toEqual([0, 0, 0, 1])
    expect(await kept(36)).toEqual([0, 0, 0, 0])
  })
})

describe('The record of a refused request', () => {
  it('leaves nothing to write, and no timer, if none was refused', async () => {
    const [{ open } = { open: () => expect.unreachable() }] = stores()
    const { book, warnings } = openBook(await open())
    await book.write()
    expect(warnings).toEqual([])
  })
})
