import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiRoute } from '../../src/api/route.ts'
import { ROUTES } from '../../src/api/routes.ts'
import { openWorld, openWorldFor, type Signed, usageRow, type World } from '../support/api.ts'
import { addressOf, SAMPLES, type Sample } from '../support/samples.ts'

let world: World
const named = ROUTES.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }))

async function ask(who: Signed, { method, path }: ApiRoute, sample: Sample) {
  return who.ask(method.toUpperCase(), addressOf(path, sample), { body: sample.body })
}

describe('What is sent', () => {
  beforeAll(async () => {
    world = await openWorldFor()
  })
  afterAll(() => world.close())

  it.each(named.filter(({ route }) => route.body))(
    '$name has no fields beside those that it has',
    async ({ route }) => {
      const who = await world.person('owner')
      const sample = (await SAMPLES[route.id]?.(world, who)) ?? {}
      for (const extra of ['role', 'isAdmin', 'organization', 'createdBy', 'id', 'version', 'constructor']) {
        if (Object.hasOwn(route.body?.shape ?? {}, extra)) continue
        const body = { ...(sample.body as object), [extra]: 'owner' }
        const { status, body: problem } = await ask(who, route, { ...sample, body })
        expect([status, problem['errors']], extra).toEqual([
          400,
          [{ field: extra, message: 'There is no such field.' }],
        ])
      }
      const proto = await who.ask(route.method.toUpperCase(), addressOf(route.path, sample), {
        raw: `{"__proto__":{"role":"owner"},${JSON.stringify(sample.body).slice(1)}`,
      })
      expect(Object.hasOwn(Object.prototype, 'role')).toBe(false)
      expect(proto.status, proto.text).toBeLessThan(500)
    },
  )

  it.each(named.filter(({ route }) => !route.passes))(
    '$name has no parameters beside those that it has',
    async ({ route }) => {
      const who = await world.person('owner')
      const sample = (await SAMPLES[route.id]?.(world, who)) ?? {}
      const { status, body } = await ask(who, route, { ...sample, query: { ...sample.query, unknown: '1' } })
      expect([status, body['errors']]).toEqual([400, [{ field: 'unknown', message: 'There is no such field.' }]])
    },
  )

  it('is refused where it is no JSON, too large or too deep, in the words of RFC 9457', async () => {
    const { owner } = world
    const made = (raw: string, headers: Record<string, string> = {}) => owner.ask('POST', '/projects', { raw, headers })
    for (const raw of ['{', '', 'null', '[]', '"x"', '{"name":', '{"name":1}', '['.repeat(30_000)]) {
      const { status, body, headers } = await made(raw)
      expect([status, headers.get('content-type')], raw.slice(0, 20)).toEqual([400, 'application/problem+json'])
      expect(body).toMatchObject({
        type: 'urn:headgate:error:invalid-request',
        title: 'The request is not valid',
        status: 400,
        detail: expect.any(String),
        instance: headers.get('x-request-id'),
      })
    }
    expect((await made(`{"name":"${'x'.repeat(66_000)}"}`)).status).toBe(413)
    expect((await owner.ask('POST', '/sign-out', { raw: '{"a":1}' })).status).toBe(400)
    expect((await owner.ask('GET', '/keys?limit=1&limit=2')).status).toBe(400)
    expect((await owner.ask('GET', '/keys?limit=1e2')).status).toBe(400)
    expect((await owner.ask('GET', '/keys?organization=org_default&organization=org_x')).status).toBe(400)
  })

  it('has names in one line, so that no log has lines of others', async () => {
    for (const name of ['a\nb', 'a\r\nlevel=error', '\u2028', '\u001b[2J', 'a\0'])
      for (const [path, body] of [
        ['/projects', { name }],
        ['/keys', { name }],
        ['/keys', { environment: name }],
        ['/budgets', { name, scope: 'organization', owner: 'org_default', limit: '1', period: 'day' }],
      ] as const)
        expect((await world.owner.ask('POST', path, { body })).status, `${path} ${JSON.stringify(name)}`).toBe(400)
  })

  it('goes to a path that there is, by a method that it has', async () => {
    const { owner } = world
    expect((await owner.ask('GET', '/nowhere')).status).toBe(404)
    const { status, headers } = await owner.ask('PUT', '/projects')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await owner.ask('OPTIONS', '/projects')).headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is answered with headers that keep it where it is', async () => {
    for (const path of ['/me', '/nowhere', '/usage/export']) {
      const { headers } = await world.owner.ask('GET', path)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    }
  })
})

describe('What a gateway does wrong', () => {
  it('is told to its operator, and not to whoever asks', async () => {
    const world = await openWorld({
      parts: {
        facts: {
          models: () => Promise.reject(new Error('secret sk-hg-123 at /home/ada')),
          providers: () => [],
          configuration: () => ({}),
          doctor: async () => [],
          limits: () => ({ projects: [], models: [] }),
        },
      },
    })
    const { status, text } = await world.owner.ask('GET', '/models')
    expect(status).toBe(500)
    expect(text).not.toContain('sk-hg-123')
    expect(world.problems.join()).toContain('sk-hg-123')
  })
})

describe('A setting that needs mail', () => {
  it('is refused without a mail server, and names the setting of the configuration', async () => {
    const world = await openWorld({ parts: { mail: undefined } })
    const destination = { name: 'Ops', kind: 'mail', rules: { spend: true }, address: 'ops@example.com' }
    const statementMail = [{ person: world.owner.id }]
    for (const [method, path, body] of [
      ['POST', '/alerts/destinations', destination],
      ['PUT', '/alerts/destinations/dest_1', destination],
      ['PATCH', '/organization', { statementMail }],
    ] as const) {
      const { status, text } = await world.owner.ask(method, path, { body })
      expect([path, status, text.includes('accounts.smtp')]).toEqual([path, 400, true])
    }
    const { status } = await world.owner.ask('PATCH', '/organization', { body: { statementMail: [] } })
    expect(status).toBe(200)
    expect((await world.owner.ask('GET', '/organization')).body['hasMail']).toBe(false)
  })
})

describe('A file of usage', () => {
  it('comes as it is read, as CSV or as lines', async () => {
    const world = await openWorld()
    world.rows.push(usageRow({ requestId: 'req_1', principal: 'key_1', model: '=HYPERLINK("http://evil")' }))
    const csv = await world.owner.ask('GET', '/usage/export')
    expect([csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
      'text/csv; charset=utf-8',
      expect.stringMatching(/^attachment; filename="headgate-usage-until-\d{4}-\d\d-\d\d\.csv"$/),
    ])
    expect(csv.text.split('\r\n')).toHaveLength(3)
    expect(csv.text).toContain(`,"'=HYPERLINK(""http://evil"")",`)
    const lines = await world.owner.ask('GET', '/usage/export?format=ndjson')
    expect(JSON.parse(lines.text)).toMatchObject({ requestId: 'req_1' })
    const organization = await world.owner.ask('GET', '/organization/export')
    const types = organization.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(new Set(types)).toEqual(new Set(['organization', 'member', 'project', 'audit']))
    expect(organization.text).not.toContain('scrypt')
  })
})
