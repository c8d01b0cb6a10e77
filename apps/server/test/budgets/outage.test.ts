import { setTimeout as sleep } from 'node:timers/promises'
import { openCommandStore } from '@headgate/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../../../../tools/postgres.ts'
import { post, type Result } from './attacks.ts'
import { startChargingVendor } from './charging-vendor.ts'
import { createConnections } from './crowd.ts'
import { deploy } from './deployment.ts'

/**
 * Time between two requests of a node, how long it serves before the store is gone, and how long it must serve then, in
 * milliseconds.
 */
const [PACE, BEFORE, AFTER] = [50, 4_000, 4_000]
const UNAVAILABLE = {
  status: 503,
  isFinal: false,
  retryAfter: 1,
  body: { error: { type: 'server_error', code: 'unavailable' } },
}

describe('Three nodes whose Postgres goes away', { tags: ['full'] }, () => {
  it('serve for seconds from what they have leased of $100, then answer 503 with retry-after, and serve again', {
    timeout: 120_000,
  }, async ({ skip }) => {
    const postgres = await startPostgres()
    if (!postgres) return skip('Postgres is not installed')
    const vendor = await startChargingVendor()
    const databaseUrl = postgres.database('outage')
    const deployment = await deploy({ name: 'three nodes', nodes: 3, workers: 1, databaseUrl }, vendor.origin)
    const agent = createConnections()
    onTestFinished(async () => {
      agent.destroy()
      await deployment.remove()
      await vendor.close()
      postgres.remove()
    })
    const archive = await openCommandStore({
      dataDir: deployment.places[0]?.dataDir ?? '',
      databaseUrl,
      onProblem: () => {},
    })
    const [known, unknown] = await Promise.all(
      ['known', 'unknown'].map((name) =>
        archive.keys.create({ name, budgets: [{ limit: 100_000_000_000n, period: 'month' }] }),
      ),
    )
    await archive.close()
    const send = (url: string, key = known?.key ?? '', max_tokens = 20): Promise<Result> => {
      const messages = [{ role: 'user', content: JSON.stringify({ run: 'outage', how: 'whole', output: 20 }) }]
      return post(agent, { url, path: '/v1/chat/completions', key, body: { model: 'exact', messages, max_tokens } })
    }
    const serve = async (url: string, ms: number): Promise<readonly Result[]> => {
      const results: Promise<Result>[] = []
      for (const until = performance.now() + ms; performance.now() < until; await sleep(PACE)) results.push(send(url))
      return Promise.all(results)
    }
    const statuses = async (ms: number): Promise<readonly number[]> => {
      const all = await Promise.all(deployment.urls().map((url) => serve(url, ms)))
      return [...new Set(all.flat().map(({ status }) => status))]
    }
    expect(await statuses(BEFORE)).toEqual([200])
    postgres.stop()
    expect(await statuses(AFTER)).toEqual([200])
    for (const url of deployment.urls()) {
      // More than 2 % of the budget.
      expect(await send(url, known?.key, 30_000)).toMatchObject(UNAVAILABLE)
      expect(await send(url, unknown?.key)).toMatchObject(UNAVAILABLE)
    }
    postgres.start()
    for (const url of deployment.urls()) {
      await expect.poll(async () => (await send(url, known?.key, 30_000)).status, { timeout: 30_000 }).toBe(200)
      await expect.poll(async () => (await send(url, unknown?.key)).status, { timeout: 30_000 }).toBe(200)
    }
  })
})
