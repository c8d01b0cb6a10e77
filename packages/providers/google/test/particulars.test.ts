import { startUpstream, testCall } from '@headgate/conformance'
import { type EmbeddingsRequest, type EmbeddingUse, isNext } from '@headgate/core/provider'
import { createGateway } from '@headgate/gateway'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { google } from '../src/index.ts'

const { models, countTokens, embeddings, readError } = google({ apiKey: 'k' })
const exchange = embeddings && 'request' in embeddings ? embeddings : undefined

/** Bodies are written from https://ai.google.dev/api/models, …/api/tokens and …/api/embeddings. */
const answer = (body: unknown) => ({ status: 200, headers: {}, body, bytes: new Uint8Array() })

describe('Google', () => {
  it('lists what generates content, embeds or makes videos, with what is known of it, page by page', () => {
    const first = answer({
      models: [
        {
          name: 'models/gemini-3.5-flash',
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          thinking: true,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        },
        { name: 'models/imagen-4.0', supportedGenerationMethods: ['predict'] },
      ],
      nextPageToken: 'a/b',
    })
    const last = answer({
      models: [
        {
          name: 'models/gemini-embedding-001',
          inputTokenLimit: 2_048,
          outputTokenLimit: 1,
          supportedGenerationMethods: ['embedContent'],
        },
        {
          name: 'models/gemini-omni-1.2-flash',
          inputTokenLimit: 131_072,
          supportedGenerationMethods: ['generateContent'],
        },
        { name: 'models/odd' },
      ],
    })
    const more = models?.response(first, undefined, [])
    expect(isNext(more) && more.request).toEqual({ method: 'GET', url: '/v1beta/models?pageSize=1000&pageToken=a%2Fb' })
    expect(models?.response(last, undefined, [first])).toEqual([
      { id: 'gemini-3.5-flash', families: ['chat'], context: 1_048_576, output: 65_536, reasoning: true },
      { id: 'gemini-embedding-001', families: ['embeddings'], context: 2_048 },
      { id: 'gemini-omni-1.2-flash', families: ['video'] },
    ])
    expect(models?.response(answer({}), undefined, [])).toEqual([])
  })

  it('counts the tokens of a whole request, under its own name of the model', () => {
    const body = {
      model: 'alias',
      contents: [{ parts: [{ text: 'Hi' }] }],
      systemInstruction: { parts: [{ text: 'Be kind' }] },
    }
    const request = countTokens?.request({ model: 'gemini-3.5-flash', body }, testCall())
    expect(request).toMatchObject({ method: 'POST', url: '/v1beta/models/gemini-3.5-flash:countTokens' })
    expect(request?.body).toEqual({ json: { generateContentRequest: { ...body, model: 'models/gemini-3.5-flash' } } })
    expect(countTokens?.response(answer({ totalTokens: 14 }), { model: 'm', body }, [])).toBe(14)
    expect(() => countTokens?.response(answer({}), { model: 'm', body }, [])).toThrow()
  })

  it('embeds each text as a request of its own, in the order of the inputs', () => {
    const asked: EmbeddingsRequest = {
      model: 'gemini-embedding-001',
      inputs: ['a', 'b'],
      dimensions: 2,
      encoding: 'base64',
    }
    const request = exchange?.request(asked, testCall())
    expect(request?.url).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    expect(request?.body).toEqual({
      json: {
        requests: ['a', 'b'].map((text) => ({
          model: 'models/gemini-embedding-001',
          content: { parts: [{ text }] },
          outputDimensionality: 2,
        })),
      },
    })
    const vectors = [
      [0.6, 0.8],
      [0.8, 0.6],
    ]
    const body = { embeddings: vectors.map((values) => ({ values })) }
    expect(exchange?.response(answer(body), asked, [])).toEqual({ vectors })
    expect(exchange?.response(answer({ ...body, usageMetadata: { promptTokenCount: 3 } }), asked, [])).toEqual({
      vectors,
      usage: { input: 3, output: 0 },
    })
    expect(() => exchange?.response(answer(body), { ...asked, inputs: ['a'] }, [])).toThrow('2 vectors for 1 inputs')
  })

  it('cases 317, 319 and 320: is asked for many texts in several calls, whose vectors keep the order of the texts', async () => {
    const upstream = await startUpstream()
    upstream.answer(({ body }) => {
      const { requests } = body as {
        requests: { content: { parts: { text: string }[] }; outputDimensionality: number }[]
      }
      const embeddings = requests.map(({ content, outputDimensionality }) => ({
        values: [Number(content.parts[0]?.text), outputDimensionality],
      }))
      return { kind: 'whole', body: { embeddings, usageMetadata: { promptTokenCount: requests.length } } }
    })
    const gateway = createGateway({
      providers: [google({ apiKey: 'k', baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
    onTestFinished(() => Promise.all([gateway.close(), upstream.close()]).then(() => {}))
    const ask = async (input: unknown) => {
      const body = JSON.stringify({ model: 'gemini-embedding-001', input, dimensions: 2 })
      const headers = { authorization: 'Bearer k', vendor: 'google' }
      return (
        await gateway.fetch(new Request('http://localhost/v1/embeddings', { method: 'POST', body, headers }))
      ).json()
    }
    const entry = (value: number, index: number) => ({ object: 'embedding', index, embedding: [value, 2] })
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    expect(await ask(numbers.map(String))).toMatchObject({ data: numbers.map(entry), usage: { prompt_tokens: 250 } })
    const sizes = upstream.received.map(({ body }) => (body as { requests: unknown[] }).requests.length)
    expect(sizes.sort()).toEqual([100, 100, 50].sort())
    expect(await ask('7')).toMatchObject({ data: [entry(7, 0)] })
  })

  // Written from https://ai.google.dev/api/embeddings#v1beta.TaskType
  it.each([
    ['query', 'RETRIEVAL_QUERY'],
    ['document', 'RETRIEVAL_DOCUMENT'],
    ['similarity', 'SEMANTIC_SIMILARITY'],
    ['classification', 'CLASSIFICATION'],
    ['clustering', 'CLUSTERING'],
  ] satisfies [EmbeddingUse, string][])('says what vectors for %s are made for', (use, taskType) => {
    const request = exchange?.request({ model: 'm', inputs: ['a'], encoding: 'float', use }, testCall())
    expect(request?.body).toMatchObject({ json: { requests: [{ taskType }] } })
  })

  it('takes texts, and no lists of tokens', () => {
    expect([embeddings?.tokens, embeddings?.native?.embeddings]).toEqual([undefined, undefined])
  })

  // Written from https://ai.google.dev/gemini-api/docs/file-input-methods
  it.each([
    ['gemini-2.5-flash', true],
    ['gemini-3.5-flash', true],
    ['gemini-flash-latest', true],
    ['gemini-pro-latest', true],
    ['gemini-2.0-flash', false],
    ['gemini-1.5-pro', false],
    ['gemma-4-31b-it', false],
  ])('gives a URL of a caller of another format to %s as it is: %s', async (model, passes) => {
    const upstream = await startUpstream()
    upstream.answer({
      kind: 'whole',
      body: { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] },
    })
    const gateway = createGateway({
      providers: [google({ apiKey: 'k', baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
      allowPrivateMedia: [],
    })
    onTestFinished(() => Promise.all([gateway.close(), upstream.close()]).then(() => {}))
    const post = (path: string, body: object) =>
      gateway.fetch(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { authorization: 'Bearer k', vendor: 'google' },
        }),
      )
    const url = 'https://127.0.0.1/a.png'
    const content = [{ type: 'image_url', image_url: { url } }]
    const chat = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
    const own = { contents: [{ role: 'user', parts: [{ fileData: { fileUri: url } }] }] }
    const native = await post(`/v1beta/models/${model}:generateContent`, own)
    // An address that may not be fetched: it goes up as it is, or the request is refused.
    expect([chat.status, native.status]).toEqual([passes ? 200 : 400, 200])
    const sent = upstream.received.filter(({ method }) => method === 'POST').map(({ body }) => body)
    const part = { fileData: { fileUri: url, mimeType: 'image/png' } }
    expect(sent).toEqual([...(passes ? [{ contents: [{ role: 'user', parts: [part] }] }] : []), own])
  })

  // https://ai.google.dev/gemini-api/docs/rate-limits: quotas of a day reset at midnight Pacific time.
  it.each([
    ['summer', '2026-07-01T12:00:00Z', 19 * 3_600_000],
    ['winter', '2026-01-15T07:59:59.250Z', 750],
    ['the day of 23 hours', '2026-03-08T08:30:00Z', 22.5 * 3_600_000],
    ['the day of 25 hours', '2026-11-01T07:30:00Z', 24.5 * 3_600_000],
  ])('waits for a quota of a day until midnight in California: %s', (_, at, retryAfterMs) => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse(at))
    const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }]
    const body = { error: { code: 429, message: 'Quota exceeded.', details: [{ violations }, { retryDelay: '9s' }] } }
    for (const given of [body, [body]])
      expect(readError?.({ ...answer(given), status: 429 })).toMatchObject({
        kind: 'rate-limited',
        retryAfterMs,
      })
  })

  it('keeps a model within its path, whatever a caller calls it', () => {
    const [support] = google({ apiKey: 'k' }).chat ?? []
    const path = support && 'path' in support ? support.path(testCall({ model: '../../files?x=' })) : ''
    expect(path).toBe('/v1beta/models/..%2F..%2Ffiles%3Fx%3D:generateContent')
  })
})
