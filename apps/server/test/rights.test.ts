import { describe, expect, it, vi } from 'vitest'
import { command } from './program.ts'
import { startSignedIn } from './signed-in.ts'

interface Made {
  readonly key: string
  readonly stored: { readonly id: string; readonly version: number; readonly creator?: string }
}

/** Of how many milliseconds a change may need to be felt. */
const FELT = 1_000

/** A program with a member who has a key, an owner who has one, and a service key. */
async function open() {
  const { gateway, folder, owner, member } = await startSignedIn({ providers: { demo: {} } })
  const bob = await member('member')
  const { id: person } = await bob.read<{ id: string }>('/me')
  const [own, of, service] = [
    await owner.read<Made>('/keys', { body: {} }),
    await bob.read<Made>('/keys', { body: { name: 'bob' } }),
    await owner.read<Made>('/keys', { body: { service: true } }),
  ]
  const ask = async (key: string, path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, id: String(json['id']), text: JSON.stringify(json) }
  }
  const input = { model: 'demo', input: 'Hello.' }
  /** Waits until a key is answered so, and says how long that took. */
  const felt = async (key: string, status: number): Promise<number> => {
    const since = performance.now()
    await vi.waitUntil(async () => (await ask(key, '/responses', input)).status === status, {
      timeout: 60_000,
      interval: 10,
    })
    return performance.now() - since
  }
  return { gateway, folder, owner, bob, person, own, of, service, ask, input, felt }
}

describe('A program that runs', { tags: ['full'] }, () => {
  it('stops the keys of who left within a second, and lets an owner or a command take them over', async () => {
    const { folder, owner, person, own, of, service, felt } = await open()
    expect(await felt(of.key, 200)).toBeLessThan(FELT)
    expect((await owner.ask(`/members/${person}`, { method: 'DELETE', body: {} })).status).toBe(204)
    expect(await felt(of.key, 401)).toBeLessThan(FELT)
    for (const { key } of [own, service]) expect(await felt(key, 200)).toBeLessThan(FELT)
    const stopped = await owner.read<{ items: Made['stored'][] }>('/keys?state=stopped')
    expect(stopped.items).toMatchObject([{ id: of.stored.id, creator: 'left' }])
    const listed = await command(['keys', 'list', '--stopped'], { folder })
    expect(listed.stdout).toMatch(new RegExp(`\\n${of.stored.id} .* ${person} +stopped: creator left `))
    expect(listed.stdout.trim().split('\n')).toHaveLength(2)
    await owner.read(`/keys/${of.stored.id}/take-over`, { method: 'POST', body: {} })
    expect(await felt(of.key, 200)).toBeLessThan(FELT)
    const audit = await owner.read<{ items: unknown[] }>(`/audit?action=key.take-over&target=${of.stored.id}`)
    expect(audit.items).toMatchObject([{ before: { createdBy: person } }])
  })

  it('has responses of each person to themselves, unless the project shares, which the audit log has', async () => {
    const { folder, owner, own, of, service, ask, input, felt } = await open()
    const { id } = await ask(of.key, '/responses', input)
    const unknown = `resp_${'0'.repeat(32)}`
    const next = (previous: string) => ({ ...input, previous_response_id: previous })
    for (const { key } of [own, service]) {
      const answers = [await ask(key, `/responses/${id}`), await ask(key, '/responses', next(id))]
      const others = [await ask(key, `/responses/${unknown}`), await ask(key, '/responses', next(unknown))]
      expect(answers.map(({ status, text }) => [status, text.replaceAll(id, unknown)])).toEqual(
        others.map(({ status, text }) => [status, text]),
      )
      expect(answers.map(({ status }) => status)).toEqual([404, 404])
    }
    const { code } = await command(['projects', 'share', 'default'], { folder })
    expect(code).toBe(0)
    await vi.waitUntil(async () => (await ask(own.key, `/responses/${id}`)).status === 200, {
      timeout: FELT,
      interval: 10,
    })
    expect((await ask(service.key, '/responses', next(id))).status).toBe(200)
    expect((await ask(service.key, `/responses/${id}`, undefined, 'DELETE')).status).toBe(200)
    const { items } = await owner.read<{ items: { action: string; actor: object; target: string; after: object }[] }>(
      '/audit?action=response',
    )
    expect(items.map(({ action }) => action)).toEqual(['response.delete', 'response.continue', 'response.read'])
    for (const entry of items) expect(entry).toMatchObject({ target: id, after: { key: of.stored.id } })
    expect(items[0]?.actor).toMatchObject({ id: service.stored.id })
    expect(await felt(of.key, 200)).toBeLessThan(FELT)
  })

  it('counts all keys of a member together where owners limit members', async () => {
    const { owner, bob, own, of, service, ask, input, felt } = await open()
    const more = await bob.read<Made>('/keys', { body: {} })
    await owner.read('/organization', { method: 'PATCH', body: { memberLimits: { requestsPerMinute: 3 } } })
    await felt(of.key, 429)
    // A key that was made to have a limit of its own has none.
    expect((await ask(more.key, '/responses', input)).text).toContain(
      'The person who created this key is limited to 3 requests per minute',
    )
    for (const { key } of [own, service])
      for (let time = 0; time < 5; time++) expect((await ask(key, '/responses', input)).status).toBe(200)
  })
})
