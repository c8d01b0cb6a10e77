import { describe, expect, it } from 'vitest'
import { foreign, server, VECTOR, vendor } from '../support/embeddings.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

describe("Embeddings in Google's wires", () => {
  it('are made for the clients of the Gemini API too', async () => {
    const upstream = await startUpstream(vendor)
    const { post } = await startGateway('node', { providers: [server(upstream.url)] })
    const content = (text: string) => ({ parts: [{ text }] })
    const one = await post('/v1beta/models/embed-1:embedContent', { content: content('abc'), outputDimensionality: 4 })
    expect(await one.json()).toEqual({ embedding: { values: [3, ...VECTOR] }, usageMetadata: { promptTokenCount: 3 } })
    expect(upstream.calls[0]?.json()).toEqual({ model: 'embed-1', input: ['abc'], dimensions: 4 })
    const requests = ['a', 'bb'].map((text) => ({ model: 'models/embed-1', content: content(text) }))
    const several = await post('/v1beta/models/embed-1:batchEmbedContents', { requests })
    expect(await several.json()).toMatchObject({ embeddings: [{ values: [1, ...VECTOR] }, { values: [2, ...VECTOR] }] })
    const wrong = await post('/v1beta/models/embed-1:embedContent', { content: { parts: [{ inlineData: {} }] } })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }])
  })

  it('are made for the clients of Vertex AI, whose project, location and publisher do not route', async () => {
    const upstream = await startUpstream(vendor)
    const { post } = await startGateway('node', { providers: [server(upstream.url)] })
    const place = '/v1beta1/projects/p/locations/l/publishers/google/models/embed-1'
    const embedContentConfig = { outputDimensionality: 4, autoTruncate: true }
    const one = await post(`${place}:embedContent`, { content: { parts: [{ text: 'abc' }] }, embedContentConfig })
    expect(one.headers.get('headgate-lost')).toBe('embedContentConfig.autoTruncate')
    expect(await one.json()).toEqual({ embedding: { values: [3, ...VECTOR] }, usageMetadata: { promptTokenCount: 3 } })
    // Written from https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
    const instances = ['a', 'bb'].map((content) => ({ content, task_type: 'RETRIEVAL_QUERY', title: 't' }))
    const several = await post(`${place}:predict`, {
      instances,
      parameters: { outputDimensionality: 4, autoTruncate: false },
    })
    expect(several.headers.get('headgate-lost')).toBe('instances[*].title, parameters.autoTruncate, input_type')
    expect(await several.json()).toEqual({
      predictions: [{ embeddings: { values: [1, ...VECTOR] } }, { embeddings: { values: [2, ...VECTOR] } }],
      usageMetadata: { promptTokenCount: 6 },
    })
    expect(upstream.calls.map((call) => call.json()['dimensions'])).toEqual([4, 4])
    const alone = await post(`${place}:predict`, { instances: [{ content: 'a' }] })
    expect(await alone.json()).toMatchObject({ predictions: [{ embeddings: { statistics: { token_count: 3 } } }] })
    const image = await post(`${place}:predict`, { instances: [{ prompt: 'a cat' }] })
    expect([image.status, await image.json()]).toMatchObject([
      400,
      { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('instances[0].content') } },
    ])
  })

  it('pass as they are between a client and a provider of the Gemini API, with what no other provider takes', async () => {
    const upstream = await startUpstream((call) => {
      const many = call.path.endsWith(':batchEmbedContents')
      const embedding = { values: VECTOR, shape: [3] }
      call.answer(200, {
        ...(many ? { embeddings: [embedding] } : { embedding }),
        usageMetadata: { promptTokenCount: 2 },
      })
    })
    const native = { 'embed-content': () => '/m:embedContent', 'batch-embed-contents': () => '/m:batchEmbedContents' }
    const { post, rows } = await startGateway('node', {
      providers: [foreign(upstream.url, { native })],
      models: { mine: ['beta/embed-1'] },
    })
    const content = '{ "parts": [{ "inlineData": { "mimeType": "image/png", "data": "AA==" } }] }'
    const one = await post(
      '/v1beta/models/mine:embedContent',
      `{ "model": "models/mine",  "content": ${content}, "new": 1.0 }`,
    )
    expect(await one.json()).toMatchObject({ embedding: { values: VECTOR, shape: [3] } })
    const two = await post(
      '/v1beta/models/mine:batchEmbedContents',
      `{"requests":[{"model":"models/mine", "content":${content}}]}`,
    )
    expect(await two.json()).toMatchObject({ embeddings: [{ shape: [3] }] })
    expect(upstream.calls.map(({ body }) => body.toString())).toEqual([
      `{ "model": "models/embed-1",  "content": ${content}, "new": 1.0 }`,
      `{"requests":[{"model":"models/embed-1", "content":${content}}]}`,
    ])
    expect(rows).toMatchObject([{ translated: false, usage: { input: 2 }, cost: 40 }, { translated: false }])
  })
})
