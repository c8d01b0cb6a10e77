import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { itAlsoWithWorkers, startSignedIn } from './signed-in.ts'
import { completion } from './upstream.ts'

const SECRET = 'sk-entered-by-an-owner-1234567890'

/** A provider that accepts one credential, and quotes every other one in its error. */
async function startVendor(accepted = SECRET) {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    for await (const _ of request) {
      // Read to its end.
    }
    const { authorization = '' } = request.headers
    seen.push(authorization)
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (authorization !== `Bearer ${accepted}`)
      return answer(401, { error: { message: `Incorrect API key provided: ${authorization}`, type: 'auth' } })
    if (request.url === '/v1/models') return answer(200, { object: 'list', data: [{ id: 'model-1' }] })
    return answer(200, completion)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
}

type SignedIn = Awaited<ReturnType<typeof startSignedIn>>
type Person = SignedIn['owner']

const provider = (baseUrl: string, more: object = {}) => ({
  providers: { mine: { adapter: 'openai-compatible', baseUrl, models: ['model-1'], ...more } },
})

const put = (who: Person, values: object, name = 'mine') =>
  who.ask(`/providers/${name}/credential`, { method: 'PUT', body: { values } })

async function chat({ gateway, key }: SignedIn): Promise<number> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  return answer.status
}

/** Reads the configuration file again. */
function reload({ gateway }: SignedIn): void {
  if (!('reload' in gateway) || typeof gateway.reload !== 'function')
    throw new TypeError('It has a process of its own.')
  gateway.reload()
}

const LONG = { timeout: 60_000, interval: 20 }

/** Waits until the gateway serves with the credential, in this and in every further request. */
const served = (world: SignedIn) =>
  vi.waitUntil(async () => {
    const found = await Promise.all(Array.from({ length: 6 }, () => chat(world)))
    return found.every((status) => status === 200)
  }, LONG)

describe('The credential of a provider that an owner enters', () => {
  itAlsoWithWorkers('is used without a restart, and no longer after it is removed', async (args) => {
    const vendor = await startVendor()
    const world = await startSignedIn(provider(vendor.baseUrl), { args })
    expect(await chat(world)).not.toBe(200)
    const answer = await put(world.owner, { apiKey: SECRET })
    expect(answer.status, await answer.clone().text()).toBe(200)
    const body = await answer.text()
    expect(JSON.parse(body)).toMatchObject({
      isTested: true,
      credential: { source: 'stored', stored: { fields: ['apiKey'], version: 1 } },
    })
    expect(body).not.toContain(SECRET)
    await served(world)
    const removed = await world.owner.ask('/providers/mine/credential', { method: 'DELETE' })
    expect(removed.status).toBe(204)
    await vi.waitUntil(async () => {
      const found = await Promise.all(Array.from({ length: 6 }, () => chat(world)))
      return found.every((status) => status !== 200)
    }, LONG)
  })

  it('is used after a restart and a reload of the file', async () => {
    const vendor = await startVendor()
    const world = await startSignedIn(provider(vendor.baseUrl))
    await put(world.owner, { apiKey: SECRET })
    await served(world)
    writeFileSync(
      join(world.folder, 'headgate.config.json'),
      JSON.stringify({ ...provider(vendor.baseUrl), times: { connect: 4_000 } }),
    )
    reload(world)
    await vi.waitUntil(() => world.gateway.output().includes('reloaded the configuration'), LONG)
    expect(await chat(world)).toBe(200)
    await world.gateway.stop()
    const next = await startInProcess({ folder: world.folder, args: ['--no-print-key'] })
    expect(await chat({ ...world, gateway: next })).toBe(200)
  })

  it('is tested before it is stored, and no error quotes it', async () => {
    const vendor = await startVendor('sk-another')
    const world = await startSignedIn(provider(vendor.baseUrl))
    const answer = await put(world.owner, { apiKey: SECRET })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text)['detail']]).toEqual([400, 'mine rejected the credential (401).'])
    expect(text).not.toContain(SECRET)
    expect(vendor.seen).toContain(`Bearer ${SECRET}`)
    const { items } = await world.owner.read<{ items: { provider: string; source: string }[] }>(
      '/providers/credentials',
    )
    expect(items.find((one) => one.provider === 'mine')?.source).toBe('none')
    expect(world.gateway.output()).not.toContain(SECRET)
  })

  it('is not entered where the file or the environment has one', async () => {
    const vendor = await startVendor()
    const world = await startSignedIn(provider(vendor.baseUrl, { apiKey: 'sk-file' }), {
      environment: { OPENAI_COMPATIBLE_API_KEY: 'sk-environment', OPENAI_COMPATIBLE_BASE_URL: vendor.baseUrl },
    })
    const details = async (name: string) => {
      const answer = await put(world.owner, { apiKey: SECRET }, name)
      return [answer.status, ((await answer.json()) as Record<string, unknown>)['detail']]
    }
    expect(await details('mine')).toEqual([
      409,
      'The credential of mine is set in the configuration file. Change it there.',
    ])
    const [status, detail] = await details('openai-compatible')
    expect([status, detail]).toEqual([409, expect.stringContaining('set in the environment')])
    expect(await details('nobody')).toEqual([404, 'There is no such provider.'])
    expect(vendor.seen).not.toContain(`Bearer ${SECRET}`)
  })
})

describe('Attacks on credentials of providers', () => {
  it('by people and keys that are no owners are refused, and recorded', async () => {
    const vendor = await startVendor()
    const world = await startSignedIn(provider(vendor.baseUrl))
    await put(world.owner, { apiKey: SECRET })
    const { key } = await world.owner.read<{ key: string }>('/keys', { body: { name: 'a', scopes: ['admin'] } })
    const asked = async (who: Person, headers: Record<string, string> = {}) => {
      const path = '/providers/mine/credential'
      const [set, removed] = [
        await who.ask(path, { method: 'PUT', body: { values: { apiKey: 'sk-evil' } }, headers }),
        await who.ask(path, { method: 'DELETE', headers }),
      ]
      return [set.status, removed.status]
    }
    for (const role of ['admin', 'member', 'viewer'])
      expect(await asked(await world.member(role)), role).toEqual([403, 403])
    expect(await asked(world.nobody)).toEqual([401, 401])
    expect(await asked(world.nobody, { authorization: `Bearer ${key}` })).toEqual([403, 403])
    expect(await asked(world.owner, { origin: 'https://evil.example' })).toEqual([403, 403])
    await served(world)
    expect(vendor.seen).not.toContain('Bearer sk-evil')
  })

  it('by another address for the stored one fail: it is entered again, or it is not used', async () => {
    const [vendor, thief] = [await startVendor(), await startVendor()]
    const world = await startSignedIn(provider(vendor.baseUrl))
    await put(world.owner, { apiKey: SECRET })
    await served(world)
    const before = thief.seen.length
    for (const values of [{ baseUrl: thief.baseUrl }, { baseUrl: thief.baseUrl, apiKey: SECRET }])
      expect((await put(world.owner, values)).status).toBe(400)
    // The operator gives the provider another address.
    writeFileSync(join(world.folder, 'headgate.config.json'), JSON.stringify(provider(thief.baseUrl)))
    reload(world)
    await vi.waitUntil(() => world.gateway.output().includes('the hosts of the provider have changed'), LONG)
    await vi.waitUntil(async () => (await chat(world)) !== 200, LONG)
    expect(thief.seen.slice(before)).not.toContain(`Bearer ${SECRET}`)
  })

  it('by a changed row of the store fail: it is sealed for its hosts', async () => {
    const [vendor, thief] = [await startVendor(), await startVendor()]
    const two = {
      providers: {
        ...provider(vendor.baseUrl).providers,
        other: { adapter: 'openai-compatible', baseUrl: thief.baseUrl, models: ['model-2'] },
      },
    }
    const world = await startSignedIn(two)
    await put(world.owner, { apiKey: SECRET })
    await served(world)
    const db = new DatabaseSync(join(world.folder, '.headgate', 'headgate.db'))
    db.exec(`UPDATE provider_credentials SET provider = 'other', hosts = '["${new URL(thief.baseUrl).origin}"]';
      UPDATE changes SET version = version + 1 WHERE topic = 'credentials'`)
    db.close()
    await vi.waitUntil(() => world.gateway.output().includes('HEADGATE_SECRET is another one, or it was changed'), LONG)
    expect(thief.seen).not.toContain(`Bearer ${SECRET}`)
  })

  it('by private addresses are refused, whatever their form, unless the file names the host', async () => {
    const vendor = await startVendor()
    const world = await startSignedIn({ providers: {} })
    const { port } = new URL(vendor.baseUrl)
    for (const baseUrl of [
      `http://127.0.0.1:${port}/v1`,
      `https://127.0.0.1:${port}/v1`,
      `https://localhost:${port}/v1`,
      `https://2130706433:${port}/v1`,
      `https://0x7f.1:${port}/v1`,
      `https://[::1]:${port}/v1`,
      `https://[::ffff:127.0.0.1]:${port}/v1`,
      'https://169.254.169.254/latest',
      'https://10.0.0.1/v1',
      `https://user:pass@127.0.0.1:${port}/v1`,
      'file:///etc/passwd',
      'gopher://127.0.0.1/',
    ]) {
      const answer = await put(world.owner, { apiKey: SECRET, baseUrl }, 'openai-compatible')
      expect(answer.status, `${baseUrl} ${await answer.text()}`).toBe(400)
    }
    expect(vendor.seen).toEqual([])
    const named = await startSignedIn({ accounts: { privateHosts: ['127.0.0.1'] } })
    const answer = await put(named.owner, { apiKey: SECRET, baseUrl: vendor.baseUrl }, 'openai-compatible')
    expect(answer.status, await answer.text()).toBe(200)
  })

  it('by every export find nothing: neither in files and answers, nor in logs and the store', async () => {
    const vendor = await startVendor()
    const world = await startSignedIn(provider(vendor.baseUrl))
    await put(world.owner, { apiKey: SECRET })
    await served(world)
    for (const path of [
      '/organization/export',
      '/audit',
      '/audit/export?format=csv',
      '/audit/export?format=ndjson',
      '/usage/export?format=ndjson',
      '/providers',
      '/providers/credentials',
      '/doctor',
      '/models',
    ]) {
      const answer = await world.owner.ask(path)
      const text = await answer.text()
      expect(answer.status, path).toBe(200)
      expect(text, path).not.toContain(SECRET)
      expect(text, path).not.toMatch(/v1\.[\w-]{8}\.[\w-]{40,}/)
    }
    expect(await (await world.owner.ask('/audit')).text()).toContain('credential.set')
    const db = new DatabaseSync(join(world.folder, '.headgate', 'headgate.db'))
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    expect(readFileSync(join(world.folder, '.headgate', 'headgate.db')).includes(SECRET)).toBe(false)
    expect(world.gateway.output()).not.toContain(SECRET)
  })
})
