import { expect, it } from 'vitest'
import { runSql } from '../../src/database/transaction.ts'
import { refusalsByBudget } from '../../src/refusals/by-budget.ts'
import { retain } from '../../src/retention/retention.ts'
import { TABLES } from '../../src/schema/tables.ts'
import { providerHealth } from '../../src/usage/provider-health.ts'
import { recentUse } from '../../src/usage/recent-use.ts'
import type { LedgerRow } from '../../src/usage/row.ts'
import { usageMinutes } from '../../src/usage/usage-minutes.ts'
import { writeRows } from '../../src/usage/write.ts'
import { ledgerRow } from '../support/rows.ts'
import { describeStores, stores } from '../support/stores.ts'
import { knowPrincipals } from './owners.ts'

const MINUTE = 60_000
/** Noon in UTC, as the present. */
const NOON = Date.UTC(2026, 10, 26, 12)

let number = 0

/** A request of some minutes ago with its calls, as `acme`, `acme:overloaded` or `acme@eu:timeout`. */
function request(minutesAgo: number, calls: readonly string[], change: Partial<LedgerRow> = {}): LedgerRow {
  number += 1
  const startedAt = NOON - minutesAgo * MINUTE + (number % 1_000)
  const attempts = calls.map((call, index): LedgerRow['attempts'][number] => {
    const [place = '', failure] = call.split(':')
    const [provider = '', endpoint] = place.split('@')
    return {
      provider,
      endpoint,
      model: 'm',
      startedAt: startedAt + index,
      durationMs: 10,
      status: failure ? 503 : 200,
      failure: failure as LedgerRow['failure'],
      code: failure && 'busy',
      cost: 0,
      priceId: null,
    }
  })
  const last = attempts.at(-1)
  const isServed = last?.failure === undefined
  return ledgerRow(number, {
    startedAt,
    attempts,
    provider: last?.provider ?? '',
    status: isServed ? 200 : 502,
    why: isServed ? 'served' : 'failed',
    failure: last?.failure,
    ...change,
  })
}

const times = <One>(count: number, make: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, index) => make(index))

describeStores(stores(), 'Sums by minute, in $name', ({ open }) => {
  const written = async (rows: readonly LedgerRow[]) => {
    const connection = await open()
    await writeRows(connection, { rows, zone: 'UTC' })
    // A batch that is written again, as after a kill, counts once.
    await writeRows(connection, { rows, zone: 'UTC' })
    return connection
  }
  const health = async (rows: readonly LedgerRow[], name = 'acme') => {
    const [found] = await providerHealth(await written(rows), { at: NOON, providers: [name] })
    return found
  }

  it('say healthy, degraded, failing or unknown by the calls of 15 minutes', async () => {
    const served = (count: number) => times(count, (index) => request(2 + index / 100, ['acme']))
    const failed = (count: number, ago = 1) => times(count, (index) => request(ago + index / 100, ['acme:upstream']))
    const states: [string, LedgerRow[]][] = [
      ['unknown', []],
      ['unknown', failed(20, 16)],
      ['healthy', served(1)],
      ['degraded', failed(1)],
      ['degraded', failed(4)],
      ['failing', failed(5)],
      ['healthy', [...served(1), ...failed(4)]],
      ['failing', [...served(100), ...failed(5)]],
      ['failing', [...times(5, () => request(5, ['acme:timeout'])), ...served(5)]],
      ['healthy', [...times(1, () => request(5, ['acme:timeout'])), ...served(20)]],
      ['degraded', [...times(1, () => request(5, ['acme:timeout'])), ...served(19)]],
      // Errors of the request and callers who leave say nothing about a provider.
      ['healthy', times(9, () => request(1, ['acme:invalid-request']))],
      ['unknown', times(9, () => request(1, ['acme:canceled']))],
    ]
    for (const [index, [state, rows]] of states.entries())
      expect([index, (await health(rows))?.state]).toEqual([index, state])
  })

  it('say since when a provider fails, with its last error and what failover saved', async () => {
    const rows = [
      ...times(50, (index) => request(60 - index / 10, ['acme'])),
      ...times(8, (index) => request(30 - index, ['acme:rate-limited', 'other'])),
      ...times(4, (index) => request(3 - index / 2, ['acme:overloaded'])),
    ]
    const found = await health(rows)
    const [last] = rows.slice(-1)
    expect(found).toMatchObject({
      state: 'degraded',
      calls: 4,
      failed: 4,
      saved: 0,
      since: NOON - 30 * MINUTE,
      lastError: { kind: 'overloaded', status: 503, code: 'busy', request: last?.requestId },
    })
    expect(found?.lastError?.at).toBe(Number(last?.startedAt) + 10)
    expect(found?.minutes.reduce((sum, { failed }) => sum + failed, 0)).toBe(11)
    expect(found?.minutes.map(({ calls }) => calls).slice(-4)).toEqual([2, 2, 0, 0])
    const other = await health(times(3, () => request(1, ['acme:upstream', 'other'])))
    expect([other?.calls, other?.failed, other?.saved]).toEqual([3, 3, 3])
  })

  it('tell the endpoints of a provider apart, and give the latency of its streams', async () => {
    const rows = [
      ...times(6, () => request(1, ['acme@eu:timeout', 'acme@us'])),
      ...times(4, (index) =>
        request(2, ['acme@us'], { stream: true, firstByteMs: 100 * (index + 1), provider: 'acme' }),
      ),
    ]
    const found = await health(rows)
    expect(found?.endpoints).toEqual({
      eu: { state: 'failing', calls: 6, failed: 6 },
      us: { state: 'healthy', calls: 10, failed: 0 },
    })
    expect(found?.firstByteMs?.requests).toBe(4)
    expect(found?.firstByteMs?.p95).toBeGreaterThan(300)
  })

  it('count the requests of each minute by outcome, failure and provider', async () => {
    const connection = await written([
      request(2, ['acme'], { charged: 5 }),
      request(2, ['acme:upstream', 'other'], { charged: 7 }),
      request(1, ['acme:timeout']),
      request(1, ['acme'], { corrects: ledgerRow(1).id }),
      request(9, ['acme']),
    ])
    const query = { from: NOON - 2 * MINUTE, to: NOON }
    const expected = [
      {
        start: NOON - 2 * MINUTE,
        requests: 2,
        charged: '12',
        byOutcome: { served: 1, 'failed-over': 1 },
        byFailure: {},
        byProvider: { acme: { calls: 2, failed: 1 }, other: { calls: 1, failed: 0 } },
      },
      {
        start: NOON - MINUTE,
        requests: 1,
        charged: '1500',
        byOutcome: { failed: 1 },
        byFailure: { timeout: 1 },
        byProvider: { acme: { calls: 1, failed: 1 } },
      },
      { start: NOON, requests: 0, charged: '0', byOutcome: {}, byFailure: {}, byProvider: {} },
    ]
    expect((await usageMinutes(connection, query)).minutes).toEqual(expected)

    // From rows, for those who see some keys only.
    await knowPrincipals(connection)
    const own = async (owners: object) => (await usageMinutes(connection, { ...query, owners })).minutes
    expect(await own({ member: 'usr_1' })).toEqual(expected)
    expect(await own({ projects: ['prj_0', 'prj_1'] })).toEqual(expected)
    for (const owners of [{ member: 'usr_0' }, { projects: ['prj_0'] }, { projects: [] }, { member: "' OR 1=1 --" }])
      expect((await own(owners)).map(({ requests, byProvider }) => [requests, byProvider])).toEqual(
        expected.map(() => [0, {}]),
      )
  })

  it('count requests that the gateway refused, and tell them from those that it failed', async () => {
    const connection = await written([request(2, ['acme'])])
    const count = (principal: string, failure: string, requests: number) =>
      runSql(
        connection.db,
        `INSERT INTO refusal_minutes (minute, principal, model, failure, requests) VALUES (${NOON - MINUTE}, '${principal}', 'm', '${failure}', ${requests})`,
      )
    await count('key_1', 'over-budget', 40)
    await count('key_2', 'over-limit', 2)
    await count('key_1', 'unavailable', 3)
    await count('key_1', 'canceled', 1)
    await knowPrincipals(connection)
    const read = (owners: object) => usageMinutes(connection, { from: NOON - MINUTE, to: NOON, owners })
    const all = await read({})
    expect(all.refusals).toEqual({ 'over-budget': 40, 'over-limit': 2 })
    expect(all.minutes[0]).toMatchObject({
      requests: 46,
      byOutcome: { refused: 42, failed: 3, canceled: 1 },
      byFailure: { unavailable: 3, canceled: 1 },
    })
    expect((await read({ member: 'usr_1' })).refusals).toEqual({ 'over-budget': 40 })
    expect((await read({ projects: ['prj_0'] })).refusals).toEqual({ 'over-limit': 2 })
  })

  it('and rows say what each key has used within a minute, and what each budget refused', async () => {
    const usage = { input: 3, output: 4 }
    const connection = await written([
      request(0.5, ['acme'], { usage, principal: 'key_1' }),
      request(0.4, ['acme'], { usage, principal: 'key_1' }),
      request(0.3, ['acme'], { usage: undefined, principal: 'key_9' }),
      request(3, ['acme'], { usage, principal: 'key_1' }),
    ])
    await knowPrincipals(connection)
    const use = await recentUse(connection, { at: NOON })
    expect(use.toSorted((one, other) => (one.key < other.key ? -1 : 1))).toEqual([
      { key: 'key_1', project: 'prj_1', requests: 2, tokens: 14 },
      { key: 'key_9', project: null, requests: 1, tokens: 0 },
    ])
    const refuse = (at: number, kind: string, id: string) => {
      const given = { at, id: ledgerRow(at).id, limit_kind: kind, limit_id: id }
      const names = Object.keys(TABLES.refusals.columns)
      const values = names.map((name) => Object.entries(given).find(([column]) => column === name)?.[1] ?? 0)
      const texts = values.map((value) => (typeof value === 'number' ? value : `'${value}'`))
      return runSql(connection.db, `INSERT INTO refusals (${names.join(', ')}) VALUES (${texts.join(', ')})`)
    }
    await refuse(1, 'budget', 'budget_1')
    await refuse(2, 'budget', 'budget_1')
    await refuse(3, 'budget', 'budget_2')
    await refuse(4, 'rate-limit', 'budget_1')
    const refused = await refusalsByBudget(connection, { from: 2 })
    expect(refused.toSorted((one, other) => (one.budget < other.budget ? -1 : 1))).toEqual([
      { budget: 'budget_1', requests: 1, lastAt: 2 },
      { budget: 'budget_2', requests: 1, lastAt: 3 },
    ])
  })

  it('are deleted after 48 hours', async () => {
    const connection = await written([request(2_881, ['acme']), request(2_870, ['acme'])])
    while ((await retain(connection, { now: NOON })).isMore);
    for (const table of ['attempt_minutes', 'usage_minutes'])
      expect(await runSql(connection.db, `SELECT minute FROM ${table}`)).toHaveLength(1)
  })
})
