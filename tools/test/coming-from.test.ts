import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY, type GatewayProcess, gatewayFolder, startGateway } from '../../apps/server/test/sdk/gateway.ts'
import { PAGES } from './repository-pages.ts'

const text = PAGES.find(({ page }) => page === 'docs/coming-from.md')?.text ?? ''

/** What the page says of others' surfaces, asked of a gateway. */
describe('docs/coming-from.md', () => {
  const folder = gatewayFolder({}, {}, ['packages/search/local'])
  let gateway: GatewayProcess
  const ask = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    fetch(`${gateway.url}${path}`, { ...init, headers: { authorization: `Bearer ${API_KEY}`, ...init.headers } })
  beforeAll(async () => {
    gateway = await startGateway(folder.path)
  })
  afterAll(async () => {
    await gateway?.end('SIGTERM')
    folder.remove()
  })

  it('names the paths that are not there yet', async () => {
    const paths = [...(/^\*\*Not yet\*\*[\s\S]*?\n\n/m.exec(text)?.[0] ?? '').matchAll(/`(\/[^`]+)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(5)
    for (const path of [...paths, '/key/generate']) expect((await ask(path, { method: 'POST' })).status, path).toBe(404)
    expect((await ask('/customsearch/v1/siterestrict?q=routing')).status).toBe(404)
  })

  it("takes the headers of OpenRouter's and Portkey's callers, and the key in a query of Custom Search, and ignores them", async () => {
    const headers = {
      'http-referer': 'https://app.example',
      'x-title': 'App',
      'x-portkey-provider': 'nobody',
      'x-portkey-config': '{}',
    }
    const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello.' }] })
    const answer = await ask('/v1/chat/completions', { method: 'POST', headers, body })
    expect([answer.status, answer.headers.get('headgate-vendor')]).toEqual([200, 'demo'])
    expect((await ask('/customsearch/v1?q=routing&key=AIzaNobodys')).status).toBe(200)
  })
})
