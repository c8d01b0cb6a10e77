import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command } from './program.ts'
import { startSignedIn } from './signed-in.ts'

const DECLARATION = {
  projects: [{ name: 'default' }, { name: 'search', sharesResponses: true }],
  keys: [
    {
      name: 'web',
      project: 'search',
      models: ['fast', 'big'],
      limits: { requestsPerMinute: 600 },
      expiresAt: '2030-01-01T00:00:00Z',
      secretFile: 'web.key',
    },
  ],
  budgets: [
    { name: 'search', project: 'search', budget: '500/month' },
    { name: 'web', project: 'search', key: 'web', budget: 'soft:20/day@Europe/Berlin' },
    { name: 'all', budget: { limit: '0.50', period: 'day' } },
  ],
  members: [
    { email: 'ada@example.com', role: 'owner' },
    { email: 'bob@example.com', role: 'viewer', linkFile: 'bob.link' },
  ],
  prices: { 'demo/demo': { input: 0.1, output: 0.4, units: { searches: 40_000 } } },
}

async function gatewayWithScript() {
  const site = await startSignedIn()
  const { key } = await site.owner.read<{ key: string }>('/keys', { body: { name: 'script', scopes: ['admin'] } })
  const environment = { HEADGATE_URL: site.gateway.url, HEADGATE_ADMIN_KEY: key }
  const declare = (declaration: object) =>
    writeFileSync(join(site.folder, 'team.json'), JSON.stringify(declaration, undefined, 1))
  const say = (...args: string[]) => command([...args, '-f', 'team.json'], { folder: site.folder, environment })
  return { ...site, declare, say, environment }
}

type Item = Readonly<Record<string, unknown>>
const named = (items: readonly Item[], name: string) => items.find((one) => one['name'] === name)

describe('headgate apply', () => {
  it('creates what a file declares; the second time nothing changes', async () => {
    const { declare, say, owner, folder, gateway } = await gatewayWithScript()
    declare(DECLARATION)
    const first = await say('apply')
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toContain('+ project search: sharesResponses: false → true\n')
    expect(first.stdout).toContain('+ invitation of bob@example.com: role: viewer, link: bob.link\n')
    expect(first.stdout).toContain('7 changes made. ')

    const read = async (path: string) => (await owner.read<{ items: readonly Item[] }>(path)).items
    const project = named(await read('/projects'), 'search')
    expect(project).toMatchObject({ sharesResponses: true })
    const key = named(await read('/keys'), 'web')
    expect(key).toMatchObject({
      project: project?.['id'],
      environment: 'production',
      service: true,
      models: ['big', 'fast'],
      limits: { requestsPerMinute: 600 },
      expiresAt: Date.UTC(2030, 0, 1),
    })
    const budgets = await read('/budgets')
    expect(named(budgets, 'search')).toMatchObject({ owner: project?.['id'], limit: '500000000000', period: 'month' })
    expect(named(budgets, 'web')).toMatchObject({ owner: key?.['id'], soft: true, zone: 'Europe/Berlin' })
    expect(named(budgets, 'all')).toMatchObject({ scope: 'organization', limit: '500000000' })

    const secret = join(folder, 'web.key')
    expect(statSync(secret).mode & 0o777).toBe(0o600)
    const models = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${readFileSync(secret, 'utf8').trim()}` },
    })
    expect(models.status).toBe(200)
    expect(readFileSync(join(folder, 'bob.link'), 'utf8')).toContain('/#/invite?token=')

    const second = await say('apply')
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No changes\./), stderr: '' })
  })

  it('names every change that was made by hand, and takes it back', async () => {
    const { declare, say, owner } = await gatewayWithScript()
    declare(DECLARATION)
    expect(await say('apply')).toMatchObject({ code: 0 })
    const read = async (path: string) => (await owner.read<{ items: readonly Item[] }>(path)).items
    const idOf = async (path: string, name: string) => String(named(await read(path), name)?.['id'])
    const change = async (path: string, method: string, body: object) =>
      expect((await owner.ask(path, { method, body })).status, path).toBe(200)
    await change(`/projects/${await idOf('/projects', 'search')}`, 'PATCH', { sharesResponses: false })
    await change(`/keys/${await idOf('/keys', 'web')}`, 'PATCH', { models: null, tracing: 'link' })
    const { id, version: _, ...budget } = named(await read('/budgets'), 'search') ?? {}
    const { scope, owner: of, name, period } = budget
    await change(`/budgets/${id}`, 'PUT', { scope, owner: of, name, period, limit: '1' })
    await change('/prices', 'PUT', { provider: 'demo', model: 'demo', rates: { input: 1, output: 2 } })
    await owner.read('/projects', { body: { name: 'by-hand' } })
    await owner.read('/keys', { body: { name: 'by-hand' } })

    const shown = (await say('diff')).stdout
    for (const line of [
      '~ project search: sharesResponses: false → true',
      '~ key web: models: none → ["big","fast"], tracing: "link" → none',
      '~ budget search of project search: limit: "0.000000001" → "500.00"',
      '~ price of demo/demo: input: 1e-9 → 0.1, output: 2e-9 → 0.4, units: none → {"searches":40000}',
      '- project by-hand: is archived',
      '- key by-hand: is revoked',
    ])
      expect(shown).toContain(`${line}\n`)
    expect(shown).toMatch(/\n4 changes to make\. \d+ not in the file; --prune removes them\.\n$/)
    expect(await say('apply')).toMatchObject({ code: 0, stdout: expect.stringContaining('4 changes made. ') })
    expect(named(await read('/keys'), 'by-hand')).not.toHaveProperty('revokedAt')

    const pruned = (await say('apply', '--prune')).stdout
    expect(pruned).toContain('- key by-hand: is revoked\n')
    expect(named(await read('/keys'), 'by-hand')).toHaveProperty('revokedAt')
    expect(named(await read('/keys'), 'script'), 'the key in use').not.toHaveProperty('revokedAt')
    expect(await say('diff')).toMatchObject({ stdout: 'No changes.\n' })
  })

  it('changes nothing for a file that is wrong', async () => {
    const { declare, say, owner } = await gatewayWithScript()
    const [project] = DECLARATION.projects.slice(1)
    const wrong: readonly (readonly [object, string])[] = [
      [{ projects: [project], keys: [{ name: 'web', modles: ['fast'] }] }, 'keys[0].modles: unknown field'],
      [{ projects: [project], keys: [{ name: 'web' }] }, 'name a new file for its secret in `secretFile`'],
      [{ projects: [project, project] }, 'projects[1]: the file names it twice'],
      [{ projects: [project], budgets: [{ name: 'x', key: 'nobody', budget: '5/day' }] }, 'there is no key nobody'],
      [{ projects: [project], budgets: [{ name: 'x', budget: 'five a day' }] }, 'budgets[0].budget'],
      [{ projects: [project], secrets: ['sk-123'] }, 'secrets: unknown field'],
    ]
    for (const [declaration, message] of wrong) {
      declare(declaration)
      const { code, stderr } = await say('apply')
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
      expect(stderr).not.toContain('sk-123')
    }
    const { items } = await owner.read<{ items: readonly Item[] }>('/projects')
    expect(named(items, 'search')).toBeUndefined()
  })

  it('says what is missing: the key, the permission, the gateway, the secret file', async () => {
    const { declare, say, folder, environment, key } = await gatewayWithScript()
    declare({ keys: [{ name: 'web', secretFile: 'team.json' }] })
    const apply = (changed: Readonly<Record<string, string>>) =>
      command(['apply', '-f', 'team.json'], { folder, environment: { ...environment, ...changed } })
    expect((await apply({ HEADGATE_ADMIN_KEY: '' })).stderr).toContain('A management key is missing.')
    expect((await apply({ HEADGATE_ADMIN_KEY: key() })).stderr).toMatch(/failed with 40[13]: /)
    expect((await apply({ HEADGATE_URL: 'http://127.0.0.1:1' })).stderr).toContain(
      'http://127.0.0.1:1 does not answer: ',
    )
    expect((await say('apply')).stderr).toContain('team.json already exists. Name a new file.')
    expect(readFileSync(join(folder, 'team.json'), 'utf8')).toContain('"web"')
  })
})
