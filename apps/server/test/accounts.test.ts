import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { start } from './program.ts'
import { temporaryFolder } from './temporary.ts'

const CLAIM = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }

/** A gateway with the link to its first account. */
async function startWithLink(config: object = {}, args: readonly string[] = []) {
  const folder = temporaryFolder({ 'headgate.config.json': config })
  const begin = args.includes('--workers') ? start : startInProcess
  const gateway = await begin({ folder, args: ['--no-print-key', ...args] })
  await vi.waitUntil(() => gateway.output().includes('first-account-link'), { timeout: 60_000 })
  const link = readFileSync(join(folder, '.headgate/first-account-link'), 'utf8').trim()
  const origin = new URL(link).origin
  const ask = (path: string, { body, ...init }: RequestInit & { body?: string } = {}) =>
    fetch(`${gateway.url}/api/v1${path}`, {
      ...init,
      ...(body !== undefined && { method: 'POST', body }),
      headers: { origin, 'content-type': 'application/json', ...init.headers },
    })
  const claim = () => ask('/first', { body: JSON.stringify({ token: /token=(.*)$/.exec(link)?.[1], ...CLAIM }) })
  return { folder, gateway, origin, ask, claim }
}

describe('The first account', () => {
  it('is made by the link, once, and lets in as the configuration says', async () => {
    const { gateway, ask, claim, folder } = await startWithLink({
      accounts: { signUp: 'open', domains: ['Example.com'] },
    })
    const made = await claim()
    expect(made.status).toBe(201)
    expect((await claim()).status).toBe(404)
    const cookie = made.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect(await (await ask('/organization', { headers: { cookie } })).json()).toMatchObject({
      signUp: 'open',
      domains: ['example.com'],
    })
    // Model paths take no browser, whoever is signed in.
    const browser = await fetch(`${gateway.url}/v1/models`, { headers: { cookie, origin: gateway.url } })
    expect(browser.status).toBe(403)
    const key = readFileSync(join(folder, '.headgate/first-api-key'), 'utf8').trim()
    const document = (await (
      await fetch(`${gateway.url}/openapi.json`, { headers: { authorization: `Bearer ${key}` } })
    ).json()) as {
      paths: object
    }
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/models', '/api/v1/keys', '/api/v1/usage/export']),
    )
    const listed = (await (await ask('/models', { headers: { cookie } })).json()) as {
      items: { id: string; providers: object[] }[]
    }
    expect(listed.items).toContainEqual(
      expect.objectContaining({ id: 'demo', providers: [expect.objectContaining({ provider: 'demo' })] }),
    )
    await gateway.stop()
    expect(gateway.output()).not.toMatch(/token=[\w-]{43}/)
    // One line a request, without what it said.
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ msg: 'request', method: 'POST', path: '/api/v1/first', status: 201 }),
    )
    expect(gateway.output()).not.toContain('correct horse')
  })

  it('is the same for all workers', { tags: ['full'] }, async () => {
    const { ask, claim } = await startWithLink({}, ['--workers', '2'])
    const cookie = (await claim()).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask('/me', { headers: { cookie, connection: 'close' } })).status),
    )
    expect(new Set(answers)).toEqual(new Set([200]))
  })
})
