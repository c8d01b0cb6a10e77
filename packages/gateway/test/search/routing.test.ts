import { describe, expect, it } from 'vitest'
import { createGateway, HeadgateError } from '../../src/index.ts'
import { startUpstream } from '../support/upstream.ts'
import { failingBackend, listBackend, results, search, startSearch, type TestBackend } from './backends.ts'

const all = { by: 'offset', perCall: 10 } as const

describe('Engines', () => {
  const web = (): TestBackend => listBackend(all, results(5))
  const docs = (): TestBackend => listBackend(all, results(3, 'docs.test'), { name: 'shelf', corpus: 'own' })

  it('are named by cx, any text, with sites and a title of their own', async () => {
    const backend = listBackend(all, [...results(2), ...results(2, 'docs.test')], { operators: ['siteSearch'] })
    const engines = { '0172:omuauf_lfve': { backend: 'alpha', title: 'The docs', sites: ['docs.test', 'more.test/a'] } }
    const gateway = await startSearch({ backends: [backend], engines })
    const { body } = await search(gateway, { q: 'x', cx: '0172:omuauf_lfve' })
    expect(backend.queries[0]?.q).toBe('x (site:docs.test OR site:more.test/a)')
    expect(body).toMatchObject({ context: { title: 'The docs' }, queries: { request: [{ cx: '0172:omuauf_lfve' }] } })
    expect(body.items).toHaveLength(2)
    expect(gateway.rows).toMatchObject([{ model: '0172:omuauf_lfve', provider: 'alpha' }])
  })

  it('may have a backend of their own, which nothing else stands in for', async () => {
    const own = failingBackend('alpha')
    const gateway = await startSearch({ backends: [web()], engines: { mine: { backend: own } } })
    expect((await search(gateway, { q: 'x', cx: 'mine' })).status).toBe(500)
    expect((await search(gateway, { q: 'x' })).status).toBe(200)
  })

  it('serve what has no cx, where they are the default', async () => {
    const gateway = await startSearch({
      backends: [web(), docs()],
      engines: { docs: { backend: 'shelf' } },
      default: 'docs',
    })
    expect((await search(gateway, { q: 'x' })).headers.get('headgate-vendor')).toBe('shelf')
    expect((await search(gateway, { q: 'x' }, { vendor: 'ALPHA ' })).headers.get('headgate-vendor')).toBe('alpha')
  })

  it('that are not there stop the start', () => {
    const options = { providers: [] }
    expect(() => createGateway({ ...options, search: { backends: [web()], default: 'beta' } })).toThrow(TypeError)
    expect(() =>
      createGateway({ ...options, search: { backends: [web()], engines: { a: { backend: 'beta' } } } }),
    ).toThrow(TypeError)
    expect(() => createGateway({ ...options, search: { backends: [web(), web()] } })).toThrow(TypeError)
  })
})

describe('A backend that fails', () => {
  it('is passed over: 1,000 searches, no failure', async () => {
    const first = failingBackend('alpha')
    const gateway = await startSearch({ backends: [first, listBackend(all, results(20), { name: 'beta' })] })
    let failures = 0
    const caller = async (): Promise<void> => {
      for (let turn = 0; turn < 100; turn++)
        if ((await search(gateway, { q: 'x' })).body.items?.length !== 10) failures++
    }
    await Promise.all(Array.from({ length: 10 }, caller))
    expect(failures).toBe(0)
    expect(gateway.rows).toHaveLength(1_000)
    // It is left alone while it is unwell.
    expect(first.queries.length).toBeLessThan(100)
    expect(gateway.rows[0]).toMatchObject({
      provider: 'beta',
      attempts: [{ provider: 'alpha', failure: 'upstream' }, { provider: 'beta' }],
    })
  })

  it('is not passed over where the caller pins it, and the row is not billed', async () => {
    const gateway = await startSearch({
      backends: [failingBackend('alpha'), listBackend(all, results(20), { name: 'beta' })],
    })
    const { status, body } = await search(gateway, { q: 'x' }, { vendor: 'alpha' })
    expect(status).toBe(500)
    expect(body.error).toMatchObject({ code: 500, errors: [{ reason: 'backendError' }] })
    expect(gateway.rows).toMatchObject([{ billed: false, why: 'failed', failure: 'upstream', cost: null }])
  })

  it('does not hand web searches to an index of one’s own', async () => {
    const docs = listBackend(all, results(3), { name: 'docs', corpus: 'own' })
    const gateway = await startSearch({ backends: [failingBackend('alpha'), docs] })
    expect((await search(gateway, { q: 'x' })).status).toBe(500)
    expect(docs.queries).toEqual([])
  })

  it('is a 429 with the wait that it asks for', async () => {
    const gateway = await startSearch({ backends: [failingBackend('alpha', 'rate-limited')] })
    const { status, headers, body } = await search(gateway, { q: 'x' })
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body.error).toMatchObject({ status: 'RESOURCE_EXHAUSTED', errors: [{ reason: 'rateLimitExceeded' }] })
  })
})

const SECRET = 'backend-secret-0123456789'

/** A backend behind a real socket. */
function remote(url: string, name = 'alpha'): TestBackend {
  return {
    name,
    baseUrl: url,
    credential: { kind: 'header', name: 'x-key', value: SECRET },
    paging: all,
    queries: [],
    search: {
      request: ({ q }) => ({ method: 'GET', url: `/find?${new URLSearchParams({ q })}`, headers: {} }),
      response: ({ body }) => ({ items: (body as { found: { link: string }[] }).found }),
    },
  }
}

describe('A remote backend', () => {
  it.each([
    [400, 400],
    [401, 500],
    [402, 500],
    [403, 500],
    [404, 500],
    [422, 400],
    [429, 429],
    [503, 500],
  ])('that answers %i is a %i for the caller, without our key', async (status, due) => {
    const upstream = await startUpstream((call) => call.answer(status, { error: `no, ${SECRET}` }))
    const gateway = await startSearch({ backends: [remote(upstream.url)] })
    const answer = await search(gateway, { q: 'x' })
    expect(answer.status).toBe(due)
    expect(JSON.stringify([answer.body, gateway.rows])).not.toContain(SECRET)
  })

  it.each([['{'], ['[]'], ['"text"'], ['null'], ['<html></html>'], ['{}'], ['{"found":[1]}']])(
    'that answers %s fails',
    async (body) => {
      const upstream = await startUpstream((call) => call.answer(200, body))
      const gateway = await startSearch({
        backends: [remote(upstream.url), listBackend(all, results(3), { name: 'beta' })],
      })
      const { status, headers } = await search(gateway, { q: 'x' })
      expect([status, headers.get('headgate-vendor')]).toEqual([200, body === '{"found":[1]}' ? 'alpha' : 'beta'])
    },
  )

  it('may begin its answer with a byte order mark', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(200, `\uFEFF${JSON.stringify({ found: [{ link: 'https://example.com/' }] })}`),
    )
    const gateway = await startSearch({ backends: [remote(upstream.url)] })
    expect((await search(gateway, { q: 'x' })).body.items).toHaveLength(1)
  })

  it('is not waited for when the caller has left', async () => {
    const upstream = await startUpstream(() => {})
    const gateway = await startSearch({ backends: [remote(upstream.url)] })
    const abort = new AbortController()
    const left = gateway.call('/customsearch/v1?q=x', { signal: abort.signal }).catch((error: unknown) => error)
    const call = await upstream.next()
    abort.abort()
    await left
    await call.left
    expect(await gateway.access.next()).toMatchObject({ status: 499, usage: { why: 'canceled', billed: false } })
  })

  it('of this process that never answers ends with the deadline', async () => {
    const backend = listBackend(all, [], { search: { run: () => new Promise(() => {}) } })
    const gateway = await startSearch({ backends: [backend] })
    const { status, body } = await search(gateway, { q: 'x' }, { 'headgate-timeout-ms': '20' })
    expect(status).toBe(500)
    expect(body.error).toMatchObject({ status: 'DEADLINE_EXCEEDED' })
  })

  it('is started and closed with the gateway, where it runs in this process', async () => {
    const seen: string[] = []
    const backend = listBackend(all, [], {
      start: ({ dataDir }) => void seen.push(`start in ${dataDir}`),
      close: async () => void seen.push('close'),
    })
    const gateway = createGateway({
      providers: [],
      search: { backends: [backend], engines: { a: { backend: 'alpha' } } },
      dataDir: '/data',
    })
    await gateway.close()
    expect(seen).toEqual(['start in /data', 'close'])
    expect(HeadgateError.is(new HeadgateError('upstream', ''))).toBe(true)
  })
})

describe('The words of a search', () => {
  it('are cut out of what a backend says of them', async () => {
    const upstream = await startUpstream((call) =>
      call.answer(400, { message: 'No results for "rosebud sledge", try rosebud.' }),
    )
    const gateway = await startSearch({ backends: [remote(upstream.url)] })
    const { body } = await search(gateway, { q: 'rosebud sledge' })
    expect(body.error?.message).toBe('alpha: No results for "[…]", try […].')
    expect(JSON.stringify(await gateway.access.next())).not.toContain('rosebud')
  })

  it.each([
    ['Rosebud Sledge', 'nothing for rosebud, SLEDGE', 'nothing for […], […]'],
    ['rosebud sledge', 'GET /?q=rosebud+sledge and rosebud%20sledge', 'GET /?q=[…] and […]'],
    ['癌症', 'nothing for 癌症 (%E7%99%8C%E7%97%87)', 'nothing for […] ([…])'],
    ['ein (klammer*', 'syntax error: "ein (klammer*"', 'syntax error: "[…]"'],
  ])('are cut out as the backend spells them: %s', async (q, message, due) => {
    const upstream = await startUpstream((call) => call.answer(400, { message }))
    const gateway = await startSearch({ backends: [remote(upstream.url)] })
    expect((await search(gateway, { q })).body.error?.message).toBe(`alpha: ${due}`)
  })

  it('are cut out of what a backend of this process says of them', async () => {
    const run = async ({ q }: { q: string }): Promise<never> => {
      throw new HeadgateError('upstream', `syntax error near ${q}`)
    }
    const gateway = await startSearch({ backends: [listBackend(all, [], { search: { run } })] })
    expect((await search(gateway, { q: 'rosebud' })).body.error?.message).toBe('alpha: syntax error near […]')
  })

  it('are in no access line, no row and no error', async () => {
    const gateway = await startSearch({ backends: [failingBackend('alpha')] })
    const { body } = await search(gateway, { q: 'rosebud', key: 'AIza-secret-of-the-caller' })
    const seen = JSON.stringify([body, gateway.rows, await gateway.access.next(), gateway.warnings])
    expect(seen).not.toContain('rosebud')
    expect(seen).not.toContain('AIza-secret')
  })
})
