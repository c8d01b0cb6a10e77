import { type Accounts, type Caller, callerOf, openAccountsHere } from '@headgate/accounts'
import { openCommandStore } from '@headgate/store'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../tools/postgres.ts'
import { type Running, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const ORGANIZATION = 'org_default'
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
    const archive = await openCommandStore({ dataDir, databaseUrl, onProblem: () => {} })
    onTestFinished(() => archive.close())
    const nodes = await Promise.all(
      [1, 2, 3].map(() => start({ folder: temporaryFolder(config), environment, args: ['--no-print-key'] })),
    )
    const accounts = await openAccountsHere({ place: { url: databaseUrl }, secret: HEADGATE_SECRET, origins: [] })
    onTestFinished(() => accounts.close())
    return { server, archive, nodes, people: peopleOf(accounts) }
  }

  it('refuse a key within a second of its revocation by one of them', async (context) => {
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
    await vi.waitUntil(async () => (await statuses(nodes, key)).every((status) => status === 401), {
      timeout: 60_000,
      interval: 10,
    })
    expect(performance.now() - since).toBeLessThan(FELT)
  })

  it('stop the keys of people within a second of what becomes of them by one of them', async (context) => {
    const { archive, nodes, people } = await startThree(context)
    const operator = await archive.keys.create({ scopes: ['admin'] })
    const service = await archive.keys.create({ service: true })
    const send = async (path: string, method: string, body: object): Promise<void> => {
      const headers = { authorization: `Bearer ${operator.key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${nodes[0]?.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
      expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
    }
    /** Statuses of a model path and of the management API, of each node. */
    const both = async (key: string) => [...(await statuses(nodes, key)), ...(await managed(nodes, key))]
    const cases = [
      [403, (person: string) => send(`/members/${person}`, 'PATCH', { role: 'member' }), 200],
      [401, (person: string) => send(`/members/${person}`, 'PATCH', { role: 'viewer' }), 401],
      [401, (person: string) => send(`/members/${person}`, 'DELETE', {}), 401],
      [401, (person: string) => people.accounts.disablePerson({ kind: 'system' }, person, true), 401],
    ] as const
    for (const [refused, change, onModels] of cases) {
      const { person, keys } = await people.admin()
      for (const key of keys) expect(await both(key)).toEqual(Array(6).fill(200))
      await change(person)
      const since = performance.now()
      const wanted = JSON.stringify([...Array(3).fill(onModels), ...Array(3).fill(refused)])
      for (const key of keys)
        await vi.waitUntil(async () => JSON.stringify(await both(key)) === wanted, { timeout: 60_000, interval: 10 })
      expect(performance.now() - since).toBeLessThan(FELT)
    }
    expect(await statuses(nodes, service.key)).toEqual([200, 200, 200])
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
    await vi.waitUntil(async () => (await statuses(nodes, revoked)).every((status) => status === 401), {
      timeout: 60_000,
    })
    server.stop()
    for (let time = 0; time < 5; time++) expect(await statuses(nodes, known.key)).toEqual([200, 200, 200])
    // The key may be valid: a 401 would have clients give it up.
    expect(await statuses(nodes, unknown.key)).toEqual([503, 503, 503])
    expect(await statuses(nodes, revoked)).not.toContain(200)
    server.start()
    await vi.waitUntil(async () => (await statuses(nodes, unknown.key)).every((status) => status === 200), {
      timeout: 60_000,
    })
    expect(await statuses(nodes, revoked)).toEqual([401, 401, 401])
  })
})

/**
 * Admins of the first organization, each with two keys: one created by a session, one rotated by somebody else since.
 */
function peopleOf(accounts: Accounts) {
  let count = 0
  const someone = async (role: 'owner' | 'admin'): Promise<Caller & { kind: 'person' }> => {
    const { token } = await accounts.addByOperator(
      { kind: 'system' },
      { email: `a${count++}@example.com`, name: role, role },
    )
    const { session } = await accounts.resetPassword(token, 'correct horse battery', {})
    return callerOf(session, {}) as Caller & { kind: 'person' }
  }
  let owner: Promise<Caller> | undefined
  return {
    accounts,
    async admin() {
      owner ??= someone('owner')
      const [first, admin] = [await owner, await someone('admin')]
      const may = { scopes: ['admin'], models: ['demo'] }
      const { key } = await accounts.createKey(admin, ORGANIZATION, may)
      const { stored } = await accounts.createKey(admin, ORGANIZATION, may)
      const rotated = await accounts.rotateKey(first, ORGANIZATION, stored.id, { overlapMs: 0 })
      return { person: admin.id, keys: [key, rotated.key] }
    },
  }
}

/** What each of them answers to a request of the management API by a key. */
function managed(nodes: readonly Running[], key: string): Promise<readonly number[]> {
  return Promise.all(
    nodes.map(async ({ url }) => {
      const answer = await fetch(`${url}/api/v1/members`, { headers: { authorization: `Bearer ${key}` } })
      await answer.text()
      return answer.status
    }),
  )
}

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
