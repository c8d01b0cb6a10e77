import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../../packages/accounts/src/api/routes.ts'
import { addressOf } from '../../../packages/accounts/test/support/samples.ts'
import { wrongRequests, wrongTexts } from '../../../packages/accounts/test/support/wrong-input.ts'
import { startSignedIn } from './signed-in.ts'

/** Routes that respond with a stream, or in the format of models. */
const OTHERS = ['listen', 'askModelsToRead', 'askModelsToDelete']

const NOW = Date.now()
const destination = { name: 'Team', kind: 'slack', rules: { spend: true } }
const price = { provider: 'demo', model: 'demo', rates: { input: 1, output: 2 } }
const budget = { scope: 'organization', owner: 'org_default', limit: '5000000000', period: 'month' }

/** Requests whose form is right and whose values are not. */
const WRONG: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/usage?cursor=x'],
  ['GET', '/usage?sort=cost'],
  ['GET', `/usage?sort=cost&from=0&to=${NOW}`],
  ['GET', '/usage?organization=org_unknown'],
  ['GET', '/usage/req_unknown'],
  ['GET', '/traces/req_unknown'],
  ['GET', `/usage/series?from=0&to=${NOW}&step=minute`],
  ['GET', `/usage/series?from=${NOW}&to=0&step=hour`],
  ['GET', `/usage/failures?from=0&to=${NOW}`],
  ['GET', `/usage/latency?from=${NOW}&to=0&before=0`],
  ['GET', `/explanation?from=${NOW}&to=0`],
  ['GET', '/spend?from=2026-11-01&to=2026-10-01'],
  ['GET', '/spend?from=2026-02-31&to=2026-03-01'],
  ['GET', '/spend?from=2026-11-01&to=2026-12-01&zone=Nowhere/City'],
  ['GET', '/spend/statement?month=2026-13'],
  ['GET', '/spend/statement?month=2026-11&zone=Nowhere'],
  ['GET', '/keys/key_unknown'],
  ['GET', '/projects/prj_unknown'],
  ['GET', '/audit?cursor=x'],
  ['POST', '/keys', { name: 'x', project: 'prj_unknown' }],
  ['POST', '/keys', { name: 'x', addresses: ['999.1.1.1'] }],
  ['POST', '/keys/key_unknown/rotate', { overlapMs: 1 }],
  ['PUT', '/keys/key_unknown/trace', { hours: 1 }],
  ['PUT', '/limits/keys/key_unknown', { requestsPerMinute: 1 }],
  ['POST', '/budgets', { ...budget, owner: 'org_unknown' }],
  ['POST', '/budgets', { ...budget, scope: 'key', owner: 'key_unknown' }],
  ['POST', '/budgets', { ...budget, limit: '-1' }],
  ['POST', '/budgets', { ...budget, limit: '99999999999999999999' }],
  ['POST', '/budgets', { ...budget, zone: 'Nowhere' }],
  ['PUT', '/budgets/bud_unknown', budget],
  ['POST', '/budgets/orphaned-leases/run_unknown', { end: 'free' }],
  ['POST', '/budgets/held/01990000-0000-7000-8000-000000000000/release'],
  ['POST', '/alerts/test'],
  ...[
    'x',
    'http://hooks.example.com/a',
    'https://127.0.0.1/a',
    'https://localhost/a',
    'https://[::1]/',
    'ada@example.com',
  ].map((address) => ['POST', '/alerts/destinations', { ...destination, address }] as const),
  ['PUT', '/alerts/destinations/dest_unknown', destination],
  ['POST', '/alerts/destinations/dest_unknown/test'],
  ['PUT', '/prices', { ...price, rates: { input: -1, output: 2 } }],
  ['PUT', '/providers/unknown/credential', { values: { apiKey: 'sk-x' } }],
  ['PUT', '/providers/mine/credential', { values: { apiKey: 'sk-x' } }],
  ['PUT', '/providers/mine/credential', { values: { unknown: 'sk-x' } }],
  ['PUT', '/providers/mine/credential', { values: { apiKey: 'sk-\n' } }],
  ['PUT', '/providers/fixed/credential', { values: { apiKey: 'sk-x' } }],
  ['DELETE', '/providers/mine/credential'],
  ['PATCH', '/members/per_unknown', { role: 'viewer' }],
  ['POST', '/members/per_unknown/reset-link'],
  ['POST', '/invites/read', { token: 'x'.repeat(43) }],
  ['POST', '/oidc/begin', { provider: 'unknown' }],
  ['POST', '/oidc/unknown/test'],
  ['POST', '/confirm', { password: 'a wrong password' }],
  ['POST', '/password', { current: 'a wrong password', password: 'another horse battery' }],
  ['POST', '/password', { current: 'correct horse battery', password: 'short' }],
  ['DELETE', '/organization'],
  ['POST', '/organization/leave'],
  ['GET', '/events?topics=unknown'],
]

const adapter = 'openai-compatible'
const CONFIG = {
  providers: {
    demo: {},
    mine: { adapter, baseUrl: 'http://127.0.0.1:9/v1', models: ['model-1'] },
    fixed: { adapter, baseUrl: 'http://127.0.0.1:9/v1', models: ['model-2'], apiKey: 'sk-of-the-file' },
  },
}

type Person = Awaited<ReturnType<typeof startSignedIn>>['owner']

async function read(who: Person, method: string, path: string, body?: object) {
  const response = await who.ask(path, { method, ...(body && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('An error of the running gateway', () => {
  it('is a sentence for users if values are wrong', async () => {
    const { owner } = await startSignedIn(CONFIG)
    for (const [method, path, body] of WRONG) {
      const answered = await read(owner, method, path, body)
      const sent = `${method} ${path} ${JSON.stringify(body)}`
      expect.soft(answered.status, `${sent} ${answered.text}`).toBeGreaterThanOrEqual(400)
      expect.soft(wrongTexts(answered), sent).toEqual([])
    }
  })

  it('is a sentence for users, whatever is wrong in the parameters of whichever route', {
    timeout: 120_000,
  }, async () => {
    const { owner } = await startSignedIn(CONFIG)
    const routes = ROUTES.filter(({ id, method }) => method === 'get' && !OTHERS.includes(id))
    expect(routes.length).toBeGreaterThan(35)
    for (const route of routes)
      for (const request of wrongRequests(route, { query: {} })) {
        const path = addressOf(route.path, request)
        expect.soft(wrongTexts(await read(owner, 'GET', path)), path.slice(0, 200)).toEqual([])
      }
  })
})
