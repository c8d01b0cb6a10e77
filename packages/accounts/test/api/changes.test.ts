import { describe, expect, it } from 'vitest'
import { ORG, openWorld } from '../support/api.ts'
import { everything, SYSTEM } from '../support/opened.ts'

const once = (key: string) => ({ 'idempotency-key': key })

describe('A change that is sent twice', () => {
  it('is made once, and answered alike', async () => {
    const { owner, accounts } = await openWorld()
    const ask = () => owner.ask('POST', '/projects', { body: { name: 'Website' }, headers: once('a-1') })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect([first, second].map(({ headers }) => [headers.get('idempotent-replayed'), headers.get('etag')])).toEqual([
      [null, '"1"'],
      ['true', '"1"'],
    ])
    expect(await accounts.listProjects(owner.caller, ORG)).toHaveLength(2)
  })

  it('says that a key was made, without the key, which is kept nowhere', async () => {
    const { owner, accounts } = await openWorld()
    const ask = () => owner.ask('POST', '/keys', { body: { name: 'ci' }, headers: once('a-2') })
    const [first, second] = [await ask(), await ask()]
    const key = String(first.body['key'])
    expect(key).toMatch(/^hg_|^sk-/)
    expect(second.text).not.toContain(key)
    expect([second.status, second.body]).toEqual([201, { stored: first.body['stored'] }])
    expect(await accounts.listKeys(owner.caller, ORG)).toHaveLength(1)
    const { db } = accounts.parts.connection
    const rows = await db.selectFrom('answered_requests').selectAll().execute()
    expect(JSON.stringify(rows.map(({ body }) => body))).not.toContain(key)
    expect(await everything(accounts.parts)).not.toContain(key)
    const invite = () => owner.ask('POST', '/invites', { body: { role: 'member' }, headers: once('a-3') })
    const [token, none] = [(await invite()).body['token'], (await invite()).body['token']]
    expect([typeof token, none]).toEqual(['string', undefined])
  })

  it('is refused where the same key is of another request', async () => {
    const { owner } = await openWorld()
    await owner.ask('POST', '/projects', { body: { name: 'Website' }, headers: once('b') })
    for (const [path, name] of [
      ['/projects', 'Shop'],
      ['/projects?organization=org_default', 'Website'],
    ] as const) {
      const { status, body } = await owner.ask('POST', path, { body: { name }, headers: once('b') })
      expect([status, body['errors']]).toEqual([422, [expect.objectContaining({ field: 'Idempotency-Key' })]])
    }
    const bad = await owner.ask('POST', '/projects', { body: { name: 'Shop' }, headers: once('x'.repeat(256)) })
    expect(bad.status).toBe(400)
  })

  it('is of each caller on their own, and of a day', async () => {
    const { owner, person, accounts } = await openWorld()
    const other = await person('admin')
    const ask = (who: typeof owner, name: string) =>
      who.ask('POST', '/projects', { body: { name }, headers: once('c') })
    expect([(await ask(owner, 'Website')).status, (await ask(other, 'Shop')).status]).toEqual([201, 201])
    accounts.later(86_400_001)
    expect((await ask(owner, 'Blog')).status).toBe(201)
    await accounts.forget()
  })

  it('may be sent again where it has failed', async () => {
    const { owner } = await openWorld()
    const ask = () => owner.ask('POST', '/projects', { body: { name: 'default' }, headers: once('d') })
    expect((await ask()).status).toBe(409)
    await owner.ask('PATCH', '/projects/prj_default', { body: { name: 'another' } })
    expect((await ask()).status).toBe(201)
  })

  it('is not begun while it is under way', async () => {
    const { owner, accounts } = await openWorld()
    const ask = () => owner.ask('POST', '/projects', { body: { name: 'Website' }, headers: once('e') })
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0)
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true)
    expect(await accounts.listProjects(owner.caller, ORG)).toHaveLength(2)
  })
})

describe('A budget that is reset', () => {
  it('begins anew with another id, and stays what it was in all else', async () => {
    const { owner } = await openWorld()
    const terms = {
      scope: 'organization',
      owner: ORG,
      limit: '5000000000',
      period: 'month',
      zone: 'Europe/Berlin',
      soft: true,
      name: 'All',
    }
    const { body: made } = await owner.ask('POST', '/budgets', { body: terms })
    const etag =
      (await owner.ask('PUT', `/budgets/${made['id']}`, { body: { ...terms, counts: 'cost' } })).headers.get('etag') ??
      ''
    const stale = await owner.ask('POST', `/budgets/${made['id']}/reset`, { headers: { 'if-match': '"0"' } })
    expect(stale.status).toBe(412)
    const reset = await owner.ask('POST', `/budgets/${made['id']}/reset`, { headers: { 'if-match': etag } })
    expect(reset.status, reset.text).toBe(201)
    expect(reset.body['id']).not.toBe(made['id'])
    const { body } = await owner.ask('GET', '/budgets')
    const { version } = reset.body
    expect(body['items']).toEqual([
      expect.objectContaining({ ...terms, counts: 'cost', spent: '0', id: reset.body['id'], version }),
    ])
    const { body: log } = await owner.ask('GET', '/audit?action=budget.reset')
    expect(log['items']).toEqual([expect.objectContaining({ target: made['id'], after: { id: reset.body['id'] } })])
    expect((await owner.ask('POST', `/budgets/${made['id']}/reset`)).status).toBe(404)
  })

  it('lists what is held for unknown costs; only owners release it, and the audit log has it', async () => {
    const amount = {
      id: 'row-1',
      requestId: 'req_1',
      at: 5,
      model: 'm',
      provider: 'p',
      providerModel: 'pm',
      why: 'failed',
      held: 7n,
    }
    const all = [{ ...amount, principal: 'key_a' }]
    const releaseHeld = async ({ id }: { readonly id: string }) => all.splice(0, id === 'row-1' ? 1 : 0)[0]
    const { owner, person } = await openWorld({ parts: { held: { held: async () => all, releaseHeld } } })
    const [admin, member] = [await person('admin'), await person('member')]
    const listed = { ...amount, key: 'key_a', held: '7' }
    expect((await admin.ask('GET', '/budgets/held?key=key_a')).body['items']).toEqual([listed])
    expect((await member.ask('GET', '/budgets/held')).body['items']).toEqual([])
    expect((await admin.ask('POST', '/budgets/held/row-1/release')).status).toBe(403)
    expect((await owner.ask('POST', '/budgets/held/row-1/release')).body).toEqual({ isReleased: true })
    expect((await owner.ask('POST', '/budgets/held/row-1/release')).body).toEqual({ isReleased: false })
    const { body: log } = await owner.ask('GET', '/audit?action=budget.release')
    const after = { key: 'key_a', request: 'req_1', held: '7', cost: '0' }
    expect(log['items']).toEqual([expect.objectContaining({ target: 'row-1', after })])
  })

  it('lists what is held for lost machines, and the audit log of a release names the machine', async () => {
    const lost = { run: 'run-1', node: 'node-2', since: 4, budget: 'five', name: '$5', window: 'forever' }
    const unknown = { model: 'unknown', provider: 'unknown', providerModel: 'unknown', why: 'unknown' }
    const amount = { id: 'row-1', requestId: 'row-1', at: 5, ...unknown, held: 7n, principal: 'unknown', lost }
    const { owner } = await openWorld({
      parts: { held: { held: async () => [amount], releaseHeld: async () => amount } },
    })
    expect((await owner.ask('GET', '/budgets/held')).body['items']).toMatchObject([{ held: '7', lost }])
    await owner.ask('POST', '/budgets/held/row-1/release')
    const { body: log } = await owner.ask('GET', '/audit?action=budget.release')
    const after = { key: 'unknown', request: 'row-1', held: '7', cost: '0', process: 'run-1', node: 'node-2' }
    expect(log['items']).toEqual([expect.objectContaining({ target: 'row-1', after })])
  })

  it('can not be made in a zone that there is not: the field is named', async () => {
    const { owner } = await openWorld()
    const body = { scope: 'organization', owner: ORG, limit: '1', period: 'day', zone: 'Nowhere/Land' }
    const refused = await owner.ask('POST', '/budgets', { body })
    expect([refused.status, refused.body['errors']]).toEqual([400, [expect.objectContaining({ field: 'zone' })]])
  })
})

describe('A change of what somebody else has changed', () => {
  it('is refused by its version', async () => {
    const { owner, accounts, person } = await openWorld()
    const { id } = (await accounts.createKey(owner.caller, ORG, { name: 'ci' })).stored
    const budget = await accounts.setBudget(owner.caller, ORG, {
      scope: 'organization',
      owner: ORG,
      limit: 1n,
      period: 'day',
    })
    const member = await person('member')
    const terms = { scope: 'organization', owner: ORG, limit: '2', period: 'day' }
    for (const [method, path, body, read] of [
      ['PATCH', '/organization', { name: 'Acme' }, '/organization'],
      ['PATCH', '/projects/prj_default', { name: 'Shop' }, '/projects/prj_default'],
      ['PATCH', `/keys/${id}`, { name: 'deploy' }, `/keys/${id}`],
      ['PUT', `/limits/keys/${id}`, { concurrent: 2 }, `/keys/${id}`],
      ['POST', `/keys/${id}/rotate`, { overlapMs: 0 }, `/keys/${id}`],
      ['PUT', `/budgets/${budget.id}`, terms, undefined],
      ['PATCH', `/members/${member.id}`, { role: 'viewer' }, undefined],
      ['POST', `/keys/${id}/revoke`, undefined, `/keys/${id}`],
    ] as const) {
      const etag = read
        ? (await owner.ask('GET', read)).headers.get('etag')
        : `"${path.includes('budgets') ? budget.version : 1}"`
      const change = (match: string) => owner.ask(method, path, { body, headers: { 'if-match': match } })
      for (const wrong of ['"999"', '"x"', 'W/"1"', '1', '"-1"', '"1", "2"'])
        expect((await change(wrong)).status, `${path} ${wrong}`).toBe(412)
      const done = await change(etag ?? '')
      expect(done.status, `${path} ${done.text}`).toBeLessThan(300)
      if (method !== 'POST') expect((await change(etag ?? '')).status, path).toBe(412)
    }
    expect(
      (await owner.ask('POST', '/projects', { body: { name: 'New' }, headers: { 'if-match': '"1"' } })).status,
    ).toBe(400)
  })

  it('is written down with what it was and became, and by whom', async () => {
    const { owner, withKey, accounts } = await openWorld()
    const made = await owner.ask('POST', '/keys', {
      body: { name: 'ci', scopes: ['admin'], limits: { concurrent: 3 } },
    })
    expect(made.status, made.text).toBe(201)
    const { stored, key } = made.body as unknown as { stored: { id: string }; key: string }
    const script = withKey(key)
    const terms = { scope: 'key', owner: stored.id, limit: '5000000000', period: 'day' }
    const budget = await script.ask('POST', '/budgets', { body: terms })
    expect(budget.status, budget.text).toBe(201)
    await script.ask('PUT', '/prices', { body: { provider: 'openai', model: 'gpt', rates: { input: 1, output: 2 } } })
    await script.ask('POST', '/budgets/orphaned-leases/some', { body: { end: 'spent' } })
    await owner.ask('PATCH', `/keys/${stored.id}`, { body: { models: ['gpt-*'] } })
    await owner.ask('POST', `/keys/${stored.id}/rotate`, { body: { overlapMs: 1_000 } })
    await owner.ask('POST', `/keys/${stored.id}/revoke`)
    await owner.ask('DELETE', `/budgets/${budget.body['id']}`)
    const lines = await accounts.auditPage(SYSTEM, ORG, { limit: 500 })
    const by = (kind: string, action: string, more: object = {}) =>
      expect.objectContaining({
        action,
        result: 'done',
        actor: { kind, id: kind === 'key' ? stored.id : owner.id },
        requestId: expect.stringMatching(/^req_/),
        ...more,
      })
    for (const line of [
      by('person', 'key.create', { after: expect.objectContaining({ name: 'ci', scopes: ['admin'], concurrent: 3 }) }),
      by('key', 'budget.create', { after: expect.objectContaining({ limit: '5000000000', owner: stored.id }) }),
      by('key', 'price.set', {
        target: 'openai/gpt',
        after: expect.objectContaining({ rates: '{"input":1,"output":2}' }),
      }),
      by('key', 'budget.orphaned', { after: { end: 'spent' } }),
      by('person', 'key.change', { after: expect.objectContaining({ models: ['gpt-*'] }) }),
      by('person', 'key.rotate', { after: expect.objectContaining({ overlapMs: 1_000 }) }),
      by('person', 'key.revoke', { target: stored.id }),
      by('person', 'budget.remove', { before: expect.objectContaining({ limit: '5000000000' }) }),
    ])
      expect(lines).toContainEqual(line)
    expect(JSON.stringify(lines)).not.toContain(key)
  })
})

describe('A price', () => {
  it('holds from when it is set until it is taken back, by the version that was read', async () => {
    const { owner, accounts } = await openWorld()
    const put = (input: number, match?: string) =>
      owner.ask('PUT', '/prices', {
        body: { provider: 'openai', model: 'a/b', rates: { input, output: 2 } },
        headers: match === undefined ? {} : { 'if-match': match },
      })
    const first = await put(1)
    expect([first.status, first.body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^store:openai\/a\/b@/),
        provider: 'openai',
        model: 'a/b',
        source: 'store',
        validFrom: expect.any(Number),
        rates: { input: 1, output: 2 },
      },
    ])
    const etag = first.headers.get('etag') ?? ''
    accounts.later(1)
    expect((await put(2, etag)).status).toBe(200)
    expect((await put(3, etag)).status).toBe(412)
    expect((await owner.ask('GET', '/prices')).body['items']).toMatchObject([{ rates: { input: 2, output: 2 } }])
    const remove = () => owner.ask('DELETE', '/prices?provider=openai&model=a%2Fb')
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
    expect((await owner.ask('GET', '/prices')).body['items']).toEqual([])
  })

  it('of the configuration is changed there', async () => {
    const { owner, accounts } = await openWorld()
    const row = {
      id: 'config:p/m@1',
      provider: 'p',
      model: 'm',
      source: 'config',
      valid_from: 1,
      rates: '{"input":1,"output":1}',
    }
    await accounts.parts.connection.db.insertInto('prices').values(row).execute()
    const { status } = await owner.ask('PUT', '/prices', {
      body: { provider: 'p', model: 'm', rates: { input: 1, output: 2 } },
    })
    expect(status).toBe(409)
    expect((await owner.ask('GET', '/prices')).body['items']).toMatchObject([{ source: 'config' }])
  })
})

describe('A list', () => {
  it('comes in pages, each item once, by cursors of its own', async () => {
    const { owner, accounts } = await openWorld()
    for (let made = 0; made < 5; made += 1) await accounts.createKey(owner.caller, ORG, { name: `key ${made}` })
    const seen: unknown[] = []
    let path = '/keys?limit=2'
    for (let pages = 0; pages < 3; pages += 1) {
      const { items, cursor } = (await owner.ask('GET', path)).body as unknown as {
        items: { id: string }[]
        cursor?: string
      }
      seen.push(...items.map(({ id }) => id))
      path = `/keys?limit=2&cursor=${cursor}`
      expect(cursor === undefined).toBe(pages === 2)
    }
    expect(new Set(seen).size).toBe(5)
    const { cursor } = (await owner.ask('GET', '/keys?limit=1')).body
    for (const other of [
      `/members?cursor=${cursor}`,
      '/keys?cursor=x',
      `/keys?cursor=${cursor}A`,
      '/keys?cursor=e30',
      '/keys?cursor=',
    ])
      expect((await owner.ask('GET', other)).status, other).toBe(400)
    const first = await owner.ask('GET', '/audit?limit=2')
    const next = await owner.ask('GET', `/audit?limit=2&cursor=${first.body['cursor']}`)
    const ids = [first, next].flatMap(({ body }) => (body['items'] as unknown as { id: string }[]).map(({ id }) => id))
    expect(new Set(ids).size).toBe(4)
  })
})
