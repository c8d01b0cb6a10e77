import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatRequest,
  chatUsageFrame,
  DONE,
  dataOf,
  MESSAGES,
  messagesAnswer,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance } from '../../src/index.ts'
import { listBackend, results, type TestBackend } from '../search/backends.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { RESPONSES, responsesAnswer, responsesProvider, responsesRequest } from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

type Json = Record<string, unknown>

/** The objects in a field. */
const listIn = (object: Json | undefined, name: string): Json[] => (object?.[name] as Json[] | undefined) ?? []

/** What a model says that searches once, then cites what it has read. Written from the vendor's documentation. */
const ANSWER = 'It is so [2], and see https://example.com/1. But a[2] is code.'

const searchCall = (id: string, query = 'headgate') => ({
  id,
  type: 'function',
  function: { name: 'web_search', arguments: JSON.stringify({ query }) },
})

/** The calls of tools that an upstream makes in its n-th answer; none = it answers. */
type Script = (turn: number) => readonly Json[]
const searchesOnce: Script = (turn) => (turn === 0 ? [searchCall('call_1')] : [])

function scripted(script: Script) {
  let turn = 0
  return (call: UpstreamCall): unknown => {
    const calls = script(turn++)
    if (call.json()['stream']) {
      const finish = calls.length > 0 ? 'tool_calls' : 'stop'
      return call.stream([
        chatChunk({ role: 'assistant', content: '' }),
        ...calls.map((one, index) => chatChunk({ tool_calls: [{ index, ...one }] })),
        ...(calls.length > 0
          ? []
          : ['It is so [', ...(ANSWER.slice(10).match(/.{1,7}/g) ?? [])].map((content) => chatChunk({ content }))),
        chatChunk({}, {}, finish),
        chatUsageFrame,
        DONE,
      ])
    }
    const message = { role: 'assistant', content: null, tool_calls: calls }
    return call.answer(
      200,
      calls.length > 0
        ? chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
        : chatAnswer(ANSWER),
    )
  }
}

interface Given {
  script?: Script
  options?: Partial<GatewayOptions>
  make?: (url: string, changes?: Partial<ProviderInstance>) => ProviderInstance
  backend?: TestBackend
}

const PRICE = { id: 'test', input: 1_000_000_000, output: 2_000_000_000 }

async function start({ script = searchesOnce, options = {}, make = chatProvider, backend }: Given = {}) {
  const upstream = await startUpstream(scripted(script))
  const searched = backend ?? listBackend({ by: 'offset', perCall: 10 }, results(3))
  const known = [{ id: 'small', price: PRICE }]
  const gateway = await startGateway('node', {
    providers: [make(upstream.url, { known })],
    search: { backends: [searched] },
    ...options,
  })
  return { ...gateway, upstream, queries: searched.queries }
}

const OFFERS = {
  [CHAT]: { ...chatRequest, web_search_options: {} },
  [MESSAGES]: { ...messagesRequest, tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }] },
  [RESPONSES]: { ...responsesRequest, tools: [{ type: 'web_search' }] },
  '/v1beta/models/small:generateContent': {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    tools: [{ googleSearch: {} }],
  },
} as const

const URLS = ['https://example.com/2', 'https://example.com/1']
const at = (place: Json): string => ANSWER.slice(Number(place['start_index']), Number(place['end_index']))

function annotated(annotations: readonly Json[]): void {
  const places = annotations.map((one) => (one['url_citation'] as Json | undefined) ?? one)
  expect(places.map((one) => one['url'])).toEqual(URLS)
  expect(places.map(at)).toEqual(['[2]', 'https://example.com/1'])
}

/** How each format tells a search and the sources of an answer. */
const TELLS: Readonly<Record<keyof typeof OFFERS, (answer: Json) => void>> = {
  [CHAT](answer) {
    const [{ message }] = answer['choices'] as [{ message: Json }]
    expect(message).toMatchObject({ content: ANSWER })
    expect(message).not.toHaveProperty('tool_calls')
    annotated(message['annotations'] as Json[])
  },
  [MESSAGES](answer) {
    expect(answer).toMatchObject({ stop_reason: 'end_turn', usage: { server_tool_use: { web_search_requests: 1 } } })
    const content = answer['content'] as Json[]
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text'])
    const [call, result, text] = content
    expect(call).toMatchObject({ name: 'web_search', input: { query: 'headgate' } })
    expect(result).toMatchObject({
      tool_use_id: call?.['id'],
      content: [{ type: 'web_search_result', url: 'https://example.com/1' }, {}, {}],
    })
    expect(listIn(text, 'citations').map(({ type, url }) => [type, url])).toEqual(
      URLS.map((url) => ['web_search_result_location', url]),
    )
  },
  [RESPONSES](answer) {
    const output = answer['output'] as Json[]
    expect(output).toMatchObject([
      {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'headgate', sources: [{ type: 'url', url: 'https://example.com/1' }, {}, {}] },
        results: [{ url: 'https://example.com/1', snippet: 'Text of 1' }, {}, {}],
      },
      { type: 'message', content: [{ text: ANSWER }] },
    ])
    annotated(listIn(listIn(output[1], 'content')[0], 'annotations'))
  },
  '/v1beta/models/small:generateContent'(answer) {
    expect(answer).toMatchObject({
      candidates: [
        {
          content: { parts: [{ text: ANSWER }] },
          groundingMetadata: { webSearchQueries: ['headgate'], groundingChunks: URLS.map((uri) => ({ web: { uri } })) },
        },
      ],
    })
  },
}

const paths = Object.keys(OFFERS) as (keyof typeof OFFERS)[]

describe('A web search', () => {
  it.each(paths)('of %s is answered by the search of the gateway where the provider has none', async (path) => {
    const { post, upstream, queries, rows } = await start()
    const answer = await post(path, OFFERS[path])
    expect(answer.status).toBe(200)
    // What the formats do not have is the extent of a citation, its words, or a count of searches.
    const lost = (answer.headers.get('headgate-lost') ?? '').split(', ')
    expect(lost.filter((one) => !/^response\..*(?:citations;changed|usage\.searches)$/.test(one))).toEqual([])
    TELLS[path]((await answer.json()) as Json)
    expect(queries.map(({ q }) => q)).toEqual(['headgate'])
    expect(upstream.calls).toHaveLength(2)
    const [first, second] = upstream.calls.map((call) => call.json())
    expect(first).toMatchObject({ tools: [{ type: 'function', function: { name: 'web_search' } }] })
    expect(first).not.toHaveProperty('web_search_options')
    expect(listIn(second, 'messages').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(JSON.stringify(second)).toContain('[2] Result 2')
    expect(rows).toHaveLength(1)
    // Twice 11 tokens for 1,000 and 7 for 2,000 nano-dollars each, and a search for 5,000,000.
    expect(rows[0]).toMatchObject({
      usage: { input: 22, output: 14, units: { searches: 1 } },
      cost: 2 * (11_000 + 14_000) + 5_000_000,
      billed: true,
      attempts: [{ provider: 'alpha', model: 'small' }, { model: 'alpha', cost: 5_000_000 }, { model: 'small' }],
    })
  })

  it('comes within a stream', async () => {
    const { post, rows } = await start()
    const chat = await (await post(CHAT, { ...OFFERS[CHAT], stream: true })).text()
    const deltas = (dataOf(chat) as { choices?: { delta: Json; finish_reason: string | null }[] }[]).flatMap(
      (chunk) => chunk.choices ?? [],
    )
    expect(deltas.map(({ delta }) => delta['content'] ?? '').join('')).toBe(ANSWER)
    annotated(deltas.flatMap(({ delta }) => (delta['annotations'] as Json[] | undefined) ?? []))
    expect(deltas.map(({ finish_reason: reason }) => reason).filter(Boolean)).toEqual(['stop'])
    expect(rows[0]).toMatchObject({
      stream: true,
      usage: { input: 22, output: 14, units: { searches: 1 } },
      billed: true,
    })
  })

  it('comes within a stream of the responses format, and of messages', async () => {
    for (const path of [RESPONSES, MESSAGES] as const) {
      const { post } = await start()
      const events = dataOf(await (await post(path, { ...OFFERS[path], stream: true })).text()) as Json[]
      const types = events.map(({ type }) => type)
      if (path === RESPONSES) {
        expect(types).toContain('response.web_search_call.searching')
        TELLS[path](events.at(-1)?.['response'] as Json)
      } else expect(types.filter((type) => type === 'content_block_start')).toHaveLength(3)
    }
  })

  it('is made as often as the request allows, at most', async () => {
    const { post, queries, upstream } = await start({
      script: (turn) => (turn < 9 ? [searchCall(`call_${turn}`)] : []),
    })
    expect((await post(MESSAGES, OFFERS[MESSAGES])).status).toBe(200)
    expect(queries).toHaveLength(2)
    expect(upstream.calls.length).toBeLessThanOrEqual(5)
  })

  it('stands beside calls of the caller, whose results the model waits for', async () => {
    const weather = { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{}' } }
    const { post, upstream } = await start({ script: () => [searchCall('call_1'), weather] })
    const tools = [...OFFERS[MESSAGES].tools, { name: 'weather', input_schema: { type: 'object' } }]
    const answer = (await (await post(MESSAGES, { ...messagesRequest, tools })).json()) as Json
    expect(answer).toMatchObject({ stop_reason: 'tool_use' })
    expect((answer['content'] as Json[]).map(({ type }) => type)).toEqual([
      'tool_use',
      'server_tool_use',
      'web_search_tool_result',
    ])
    const [use] = answer['content'] as Json[]
    const messages = [
      ...messagesRequest.messages,
      { role: 'assistant', content: answer['content'] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use?.['id'], content: 'Sunny' }] },
    ]
    await post(MESSAGES, { ...messagesRequest, messages, tools })
    expect(JSON.stringify(upstream.calls[1]?.json())).toContain('Text of 2')
  })

  it.each<[string, (url: string) => ProviderInstance, (text: string) => object]>([
    ['of another format', chatProvider, chatAnswer],
    ['of its own', responsesProvider, responsesAnswer],
  ])('stays in a conversation of the responses format, with a provider %s', async (_, make, answered) => {
    const { post } = await start()
    const { output } = (await (await post(RESPONSES, OFFERS[RESPONSES])).json()) as { output: Json[] }
    // Some clients keep what they know of an item alone.
    for (const items of [output, output.map(({ results: _, ...item }) => item)]) {
      const next = await startUpstream((call) => call.answer(200, answered('Yes.')))
      const gateway = await startGateway('node', { providers: [make(next.url)] })
      const input = [{ role: 'user', content: 'Hello' }, ...items, { role: 'user', content: 'Sure?' }]
      const answer = await gateway.post(RESPONSES, { ...responsesRequest, input, store: false })
      expect([answer.status, answer.headers.get('headgate-lost') ?? '']).toEqual([
        200,
        expect.not.stringMatching(/input\[\*\](?:,|;|$)/),
      ])
      const sent = JSON.stringify(next.calls[0]?.json())
      expect(sent).toContain('I search the web for')
      expect(sent).toContain('https://example.com/3')
      expect(sent.includes('Text of 3')).toBe(items === output)
      expect(sent).not.toContain('web_search_call')
    }
  })

  it('comes within a stream of generateContent, which says what was searched for', async () => {
    const { post } = await start()
    const path = '/v1beta/models/small:streamGenerateContent?alt=sse'
    const chunks = dataOf(await (await post(path, OFFERS['/v1beta/models/small:generateContent'])).text()) as {
      candidates?: Json[]
    }[]
    const found = chunks.flatMap(({ candidates }) => candidates?.[0]?.['groundingMetadata'] ?? [])
    expect(found).toMatchObject([
      { webSearchQueries: ['headgate'], groundingChunks: URLS.map((uri) => ({ web: { uri } })) },
    ])
  })

  it('that fails is told to the model, which answers all the same', async () => {
    const { post, upstream, rows } = await start({
      backend: {
        ...listBackend({ by: 'offset', perCall: 10 }, []),
        search: { run: () => Promise.reject(new Error('no')) },
      },
    })
    const answer = (await (await post(MESSAGES, OFFERS[MESSAGES])).json()) as Json
    expect((answer['content'] as Json[])[1]).toMatchObject({ content: { type: 'web_search_tool_result_error' } })
    expect(JSON.stringify(upstream.calls[1]?.json())).toContain('The search failed.')
    expect(rows[0]).toMatchObject({ status: 200, usage: { input: 22, output: 14 } })
  })

  it('that fails is a failed item of the responses format', async () => {
    const { post } = await start({
      backend: {
        ...listBackend({ by: 'offset', perCall: 10 }, []),
        search: { run: () => Promise.reject(new Error('no')) },
      },
    })
    const events = dataOf(await (await post(RESPONSES, { ...OFFERS[RESPONSES], stream: true })).text()) as Json[]
    expect(listIn(events.at(-1)?.['response'] as Json, 'output')[0]).toMatchObject({
      type: 'web_search_call',
      status: 'failed',
    })
    expect(events.map(({ type }) => type)).not.toContain('response.web_search_call.completed')
  })

  it('is the provider’s where that searches itself, unless the gateway’s is wished for', async () => {
    const searches = (own: boolean): Partial<GatewayOptions> => (own ? { hostedTools: { webSearch: 'own' } } : {})
    for (const own of [false, true]) {
      const upstream = await startUpstream((call) => call.answer(200, messagesAnswer()))
      const { post } = await startGateway('node', {
        providers: [messagesProvider(upstream.url)],
        search: { backends: [listBackend({ by: 'offset', perCall: 10 }, results(3))] },
        ...searches(own),
      })
      await post(MESSAGES, OFFERS[MESSAGES])
      const [tool] = listIn(upstream.calls[0]?.json(), 'tools')
      expect(tool).toMatchObject(own ? { name: 'web_search', input_schema: {} } : { type: 'web_search_20250305' })
    }
  })

  it('is never the gateway’s where that is switched off, without a backend of the web, or with a key that may not search', async () => {
    const own = listBackend({ by: 'offset', perCall: 10 }, results(3), { corpus: 'own' })
    const noSearch = { authenticate: () => ({ id: 'key-1', models: ['*'] }) }
    const cases: Given[] = [{ options: { hostedTools: { webSearch: 'off' } } }, { backend: own }, { options: noSearch }]
    for (const given of cases) {
      const { post, upstream, queries } = await start({ ...given, script: () => [] })
      expect((await post(CHAT, OFFERS[CHAT])).status).toBe(200)
      expect(upstream.calls[0]?.json()).toHaveProperty('web_search_options')
      expect(queries).toEqual([])
    }
  })
})
