import { openArchive } from '@headgate/store'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../tools/postgres.ts'
import { type Running, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const HEADGATE_SECRET = 'secret-of-the-gateways-of-this-test-0123456789'
/** Of how many milliseconds a revocation may need to be felt everywhere. */
const FELT = 1_000

describe('Three gateways over one Postgres', { tags: ['full'] }, () => {
  let postgres: PostgresServer | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.remove())

  const startThree = async ({ skip }: TestContext) => {
    if (!postgres) {
      process.stderr.write('Postgres is not installed here: NOTHING is shown of keys that gateways share by it.\n')
      return skip('Postgres is not installed')
    }
    const server = postgres
    const databaseUrl = server.database(`nodes_${Date.now()}`)
    const environment = { DATABASE_URL: databaseUrl, HEADGATE_SECRET }
    const config = { 'headgate.config.json': { providers: { demo: {} } } }
    const dataDir = temporaryFolder()
    const archive = await openArchive({ dataDir, databaseUrl, onProblem: () => {} })
    onTestFinished(() => archive.close())
    const nodes = await Promise.all([1, 2, 3].map(() => start({ folder: temporaryFolder(config), environment, args: ['--no-print-key'] })))
    return { server, archive, nodes }
  }

  it('refuse a key within a second of its revocation by one of them', { retry: 2 }, async (context) => {
    const { archive, nodes } = await startThree(context)
    const admin = await archive.keys.create({ scopes: ['admin'] })
    const { key, stored } = await archive.keys.create({ name: 'caller' })
    expect(await statuses(nodes, key)).toEqual([200, 200, 200])
    const [one] = nodes
    const revoked = await fetch(`${one?.url}/api/v1/keys/${stored.id}/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' },
    })
    expect(revoked.status, await revoked.text()).toBe(200)
    const since = performance.now()
    await vi.waitUntil(async () => (await statuses(nodes, key)).every((status) => status === 401), { timeout: 60_000, interval: 10 })
    expect(performance.now() - since).toBeLessThan(FELT)
  })

  it('go on with the keys that they know while it is away, and refuse those that they do not', async (context) => {
    const { server, archive, nodes } = await startThree(context)
    const [known, unknown, { key: revoked, stored }] = [
      await archive.keys.create({ name: 'known' }),
      await archive.keys.create({ name: 'unknown' }),
      await archive.keys.create({ name: 'revoked' }),
    ]
    expect(await statuses(nodes, known.key)).toEqual([200, 200, 200])
    expect(await statuses(nodes, revoked)).toEqual([200, 200, 200])
    await archive.keys.revoke(stored.id)
    await vi.waitUntil(async () => (await statuses(nodes, revoked)).every((status) => status === 401), { timeout: 60_000 })
    server.stop()
    for (let time = 0; time < 5; time++) expect(await statuses(nodes, known.key)).toEqual([200, 200, 200])
    // The key may be valid: a 401 would have clients give it up.
    expect(await statuses(nodes, unknown.key)).toEqual([503, 503, 503])
    expect(await statuses(nodes, revoked)).not.toContain(200)
    server.start()
    await vi.waitUntil(async () => (await statuses(nodes, unknown.key)).every((status) => status === 200), { timeout: 60_000 })
    expect(await statuses(nodes, revoked)).toEqual([401, 401, 401])
  })
})

/** What each of them answers to a request by a key. */
function statuses(nodes: readonly Running[], key: string): Promise<readonly number[]> {
  const body = JSON.stringify({ model: 'demo', max_tokens: 1, messages: [{ role: 'user', content: 'Say hello.' }] })
  return Promise.all(
    nodes.map(async ({ url }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      await answer.text()
      return answer.status
    }),
  )
}
