import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY, type GatewayProcess, startGateway } from '../../apps/server/test/sdk/gateway.ts'
import { scenarios, startUpstream, type Upstream, vendorOf } from '../../packages/conformance/src/index.ts'
import { fileOf } from '../docs/snippets.ts'
import { SNIPPETS } from './repository-pages.ts'
import { openWorkshop } from './workshop.ts'

const PROJECT = 'project.json'

/** The project of a user who has done what `docs/adapters.md` says. */
const workshop = openWorkshop()
for (const snippet of SNIPPETS.filter(({ page }) => page === 'docs/adapters.md')) {
  const file = fileOf(snippet)
  if (file !== undefined) workshop.write(file === PROJECT ? 'package.json' : `adapters/acme/${file}`, snippet.code)
}
// The page's own test of the adapter: it becomes a part of this one.
await import(pathToFileURL(join(workshop.path, 'adapters/acme/index.test.js')).href)

describe('the adapter of docs/adapters.md', () => {
  let upstream: Upstream
  let gateway: GatewayProcess
  beforeAll(async () => {
    upstream = await startUpstream()
    const acme = { apiKey: 'key-of-acme', baseUrl: `${upstream.origin}/v1` }
    workshop.write('headgate.config.json', JSON.stringify({ keys: [API_KEY], providers: { acme } }))
    gateway = await startGateway(workshop.path)
  })
  afterAll(async () => {
    await gateway?.end('SIGTERM')
    await upstream?.close()
    workshop.remove()
  })

  it('is found in the folder that the project names, and enabled by its variable', async () => {
    workshop.write('empty.json', '{}')
    const list = 'headgate adapters --config empty.json'
    expect((await workshop.shell(list)).stdout).toMatch(/^provider +acme +acme +0\.1\.0 +off +ACME_API_KEY is not set/m)
    expect((await workshop.shell(list, { ACME_API_KEY: 'a-key' })).stdout).toMatch(
      /^provider +acme +acme +0\.1\.0 +enabled +ACME_API_KEY set/m,
    )
  })

  it('serves, with its deviations', async () => {
    upstream.answer(vendorOf(scenarios.text, 'chat-completions'))
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({
        model: 'acme/acme-1',
        messages: [{ role: 'user', content: 'Hello.' }],
        max_completion_tokens: 64,
        logit_bias: { 42: 1 },
      }),
    })
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'headgate-vendor': 'acme', 'headgate-lost': 'logit_bias' })
    const [request] = upstream.received.filter(({ method }) => method === 'POST')
    expect(request?.headers).toMatchObject({ authorization: 'Bearer key-of-acme' })
    expect(request?.body).toEqual({ model: 'acme-1', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 64 })
  })
})
