import { expect, it } from 'vitest'
import { conform } from '../../../fleet/test/conformance.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { migrate } from '../../src/database/migrate.ts'
import { runSql, transact } from '../../src/database/transaction.ts'
import { createPostgresRates } from '../../src/rates/exchange.ts'
import { retain } from '../../src/retention/retention.ts'
import { START } from '../support/rows.ts'
import { describeStores, openFor, stores, temporaryDatabase } from '../support/stores.ts'

const postgres = stores().filter(({ name }) => name !== 'SQLite')
const KEY = 'key\nalice\nrequests'

function exchangeOf(node: string, want: number, held = 0) {
  return {
    node,
    allocationMs: 1_000,
    windows: [{ key: KEY, limit: 10, least: 1, want, changes: [] }],
    places: [{ key: 'key\nalice\nconcurrent', limit: 4, held, demand: held + 1, want: 1 }],
  }
}

describeStores(postgres, 'shared rates in $name', ({ open }) => {
  it('count exactly like the model in memory', async () => {
    const connection = await open()
    let now = START
    const shared = createPostgresRates({ connection, now: () => now })
    await conform(shared, {
      runs: 15,
      advance: (ms) => {
        now += ms
      },
    })
  })

  it('use the clock of the database', async () => {
    const shared = createPostgresRates({ connection: await open() })
    const before = Date.now()
    const { now, nodes, windows } = await shared.exchange(exchangeOf('a', 3))
    expect(Math.abs(now - before)).toBeLessThan(60_000)
    expect(nodes).toBe(1)
    expect(windows).toEqual([{ granted: 3, used: 3, slot: Math.floor((now + 1_000) / 250), freeInMs: 0 }])
  })

  it('keep limits with long keys and strange characters apart', async () => {
    const shared = createPostgresRates({ connection: await open() })
    const keys = ['k'.repeat(5_000), `${'k'.repeat(5_000)}2`, 'zero \0', 'half \uD83D', 'two\nlines']
    const windows = keys.map((key, index) => ({ key, limit: 9, least: 1, want: index + 1, changes: [] }))
    const exchange = { node: 'a', allocationMs: 1_000, windows, places: [] }
    expect((await shared.exchange(exchange)).windows.map(({ used }) => used)).toEqual([1, 2, 3, 4, 5])
    expect((await shared.exchange(exchange)).windows.map(({ used }) => used)).toEqual([2, 4, 6, 8, 9])
  })

  it('have another instance once their tables are emptied, as a crash of Postgres does', async () => {
    const connection = await open()
    const shared = createPostgresRates({ connection })
    const first = await shared.exchange(exchangeOf('a', 9))
    expect((await shared.exchange(exchangeOf('b', 9))).instance).toBe(first.instance)
    await runSql(connection.db, 'TRUNCATE rate_windows, rate_places, rate_nodes, rate_instance')
    const { instance, nodes, windows } = await shared.exchange(exchangeOf('a', 9))
    expect(instance).not.toBe(first.instance)
    expect([nodes, windows[0]?.granted]).toEqual([1, 9])
  })

  it('are deleted by retention once no node uses them', async () => {
    const connection = await open()
    let now = START
    const shared = createPostgresRates({ connection, now: () => now })
    const countRows = async () =>
      runSql(connection.db, 'SELECT (SELECT count(*) FROM rate_windows) + (SELECT count(*) FROM rate_nodes) AS count')
    await shared.exchange(exchangeOf('a', 1))
    now += 599_000
    await retain(connection, { now })
    expect(await countRows()).toEqual([{ count: 2n }])
    await retain(connection, { now: now + 2_000 })
    expect(await countRows()).toEqual([{ count: 0n }])
    expect((await shared.exchange(exchangeOf('a', 2))).windows[0]?.used).toBe(2)
  })
})

/** Units that a node used at an instant. */
interface Use {
  readonly at: number
  readonly amount: number
}

describeStores(
  postgres.filter(({ openTwice }) => openTwice),
  'nodes that share rates in $name',
  () => {
    it('never exceed a limit in any 60 seconds, and use 90 % of it', async () => {
      const url = await temporaryDatabase()
      let now = START
      const connections: StoreConnection[] = [await openFor({ url }), await openFor({ url }), await openFor({ url })]
      const [first] = connections
      if (first) await migrate(first)
      const limits = [100, 1_000] as const
      const uses = limits.map((): Use[] => [])
      const nodes = connections.map((connection, node) =>
        createNode({ connection, node, limits, uses, now: () => now }),
      )
      for (let round = 0; round < 160; round += 1) {
        await Promise.all(nodes.map((exchange) => exchange()))
        now += 500
      }
      for (const [index, limit] of limits.entries()) {
        expect(mostInAMinute(uses[index] ?? [])).toBeLessThanOrEqual(limit)
        const first = (uses[index] ?? []).filter(({ at }) => at < START + 60_000)
        expect(sumOf(first)).toBeGreaterThanOrEqual(0.9 * limit)
      }
    })

    it('do not wait for a node that stops while it has locked a limit', async () => {
      const url = await temporaryDatabase()
      const [one, other] = [await openFor({ url }), await openFor({ url })]
      await migrate(one)
      const shared = createPostgresRates({ connection: one })
      await shared.exchange(exchangeOf('a', 1))
      await transact(other, async (trx) => {
        await runSql(trx, 'SELECT 1 FROM rate_windows FOR UPDATE')
        await expect(shared.exchange(exchangeOf('a', 1))).rejects.toMatchObject({ code: '55P03' })
      })
      expect((await shared.exchange(exchangeOf('a', 1))).windows[0]?.used).toBe(2)
    })
  },
)

interface NodeParts {
  readonly connection: StoreConnection
  readonly node: number
  readonly limits: readonly number[]
  readonly uses: readonly Use[][]
  now(): number
}

/** Exchange of a node that wants much, uses most of what it gets before it expires, and returns the rest. */
function createNode({ connection, node, limits, uses, now }: NodeParts): () => Promise<void> {
  const shared = createPostgresRates({ connection, now })
  const random = seeded(node + 1)
  let unused: { slot: number; amount: number }[][] = limits.map(() => [])
  return async () => {
    const windows = limits.map((limit, index) => ({
      key: `key\n${index}\nrequests`,
      limit,
      least: 1,
      want: 1 + Math.floor(random() * (limit / 20)),
      changes: unused[index] ?? [],
    }))
    const { windows: replies, now: at } = await shared.exchange({
      node: `node-${node}`,
      allocationMs: 1_000,
      windows,
      places: [],
    })
    unused = replies.map(({ granted, slot }, index) => {
      const used = Math.ceil(granted * random())
      if (used > 0) uses[index]?.push({ at: at + Math.floor(random() * 1_000), amount: used })
      return granted > used ? [{ slot, amount: used - granted }] : []
    })
  }
}

function mostInAMinute(uses: readonly Use[]): number {
  return Math.max(...uses.map(({ at }) => sumOf(uses.filter((one) => one.at >= at && one.at < at + 60_000))))
}

function sumOf(uses: readonly Use[]): number {
  return uses.reduce((sum, { amount }) => sum + amount, 0)
}

/** Repeatable random numbers from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
