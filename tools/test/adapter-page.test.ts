import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY, type GatewayProcess, startGateway } from '../../apps/server/test/sdk/gateway.ts'
import {
  type LoopbackUpstream,
  type Received,
  scenarios,
  startUpstream,
  type UpstreamReply,
  vendorOf,
} from '../../packages/conformance/src/index.ts'
import { fileOf } from '../docs/snippets.ts'
import { SNIPPETS } from './repository-pages.ts'
import { openWorkshop } from './workshop.ts'

/** A page that makes an adapter `acme`, and how that serves. */
interface AdapterPage {
  readonly page: string
  readonly kind: 'provider' | 'search'
  /** A configuration that names it, where its vendor is at this origin. */
  configure(origin: string): object
  /** What the vendor answers. */
  readonly reply: UpstreamReply | ((request: Received) => UpstreamReply)
  /** What a caller asks. */
  readonly path: string
  readonly request: RequestInit
  /** What the caller gets of it. */
  readonly headers: Readonly<Record<string, string>>
  readonly answer: object
  /** What the vendor gets. */
  asked(request: Received): object
  readonly due: object
}

const apiKey = 'key-of-acme'
const MODELS = '/v1/models'

const ADAPTER_PAGES: readonly AdapterPage[] = [
  {
    page: 'docs/adapters.md',
    kind: 'provider',
    configure: (origin) => ({ providers: { acme: { apiKey, baseUrl: `${origin}/v1` } } }),
    reply: vendorOf(scenarios.text, 'chat-completions'),
    path: '/v1/chat/completions',
    request: {
      method: 'POST',
      body: JSON.stringify({
        model: 'acme/acme-1',
        messages: [{ role: 'user', content: 'Hello.' }],
        max_completion_tokens: 64,
        logit_bias: { 42: 1 },
      }),
    },
    headers: { 'headgate-vendor': 'acme', 'headgate-lost': 'logit_bias' },
    answer: { object: 'chat.completion' },
    asked: ({ headers: { authorization }, body }) => ({ authorization, body }),
    due: {
      authorization: `Bearer ${apiKey}`,
      body: { model: 'acme-1', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 64 },
    },
  },
  {
    page: 'docs/search-backends.md',
    kind: 'search',
    configure: (origin) => ({ search: { backends: { acme: { apiKey, baseUrl: origin } } } }),
    reply: {
      kind: 'whole',
      body: { total: 1, results: [{ url: 'https://example.org/a', title: 'A', summary: 'Of gateways.' }] },
    },
    path: '/customsearch/v1?q=gateways&gl=DE&hl=de&exactTerms=blue+harbour&num=5',
    request: {},
    headers: { 'headgate-vendor': 'acme', 'headgate-lost': 'hl' },
    answer: {
      searchInformation: { totalResults: '1' },
      items: [{ title: 'A', link: 'https://example.org/a', snippet: 'Of gateways.' }],
    },
    asked: ({ headers, query }) => ({ key: headers['x-acme-key'], ...Object.fromEntries(query) }),
    due: { key: apiKey, q: 'gateways "blue harbour"', limit: '5', offset: '0', country: 'de' },
  },
]

/** The project of a user who has done what a page says. */
function followPage(page: string) {
  const workshop = openWorkshop()
  const files = SNIPPETS.filter((snippet) => snippet.page === page).flatMap((snippet) => {
    const file = fileOf(snippet)
    return file === undefined ? [] : [workshop.write(placeOf(file), snippet.code)]
  })
  return { workshop, tests: files.filter((file) => file.endsWith('.test.js')) }
}

/** Where a file of a page goes: the project's own to the top, those that name no folder to that of `acme`. */
function placeOf(file: string): string {
  if (file === 'project.json') return 'package.json'
  return join('adapters', file.includes('/') ? '' : 'acme', file)
}

for (const { page, kind, configure, reply, path, request, headers, answer, asked, due } of ADAPTER_PAGES) {
  const { workshop, tests } = followPage(page)
  // The page's own tests of the adapter: they become a part of this one.
  for (const test of tests) await import(pathToFileURL(test).href)

  describe(`the adapter of ${page}`, () => {
    let upstream: LoopbackUpstream
    let gateway: GatewayProcess
    beforeAll(async () => {
      upstream = await startUpstream()
      workshop.write('headgate.config.json', JSON.stringify({ keys: [API_KEY], ...configure(upstream.origin) }))
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
      const line = (state: string) => new RegExp(`^${kind} +acme +acme +0\\.1\\.0 +${state}`, 'm')
      expect((await workshop.shell(list)).stdout).toMatch(line('off +ACME_API_KEY is not set'))
      expect((await workshop.shell(list, { ACME_API_KEY: 'a-key' })).stdout).toMatch(line('enabled +ACME_API_KEY set'))
    })

    it('serves, with its deviations', async () => {
      upstream.answer(reply)
      const response = await fetch(gateway.url + path, { ...request, headers: { authorization: `Bearer ${API_KEY}` } })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject(headers)
      expect(await response.json()).toMatchObject(answer)
      // The gateway asks for the list of models whenever it wants to.
      const received = upstream.received.find((one) => one.path !== MODELS)
      expect(received && asked(received)).toEqual(due)
    })
  })
}
