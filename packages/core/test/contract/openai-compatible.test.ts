import { describe, expect, it } from 'vitest'
import { testCall } from '../../../conformance/src/test-call.ts'
import { openAICompatible, openAICompatibleServer } from '../../src/contract/presets/openai-compatible.ts'
import { type ChatSupport, type EmbeddingsRequest, HeadgateError, type HttpResponse, type Provider } from '../../src/provider.ts'

const example = openAICompatible({
  id: 'my-example',
  title: 'Example',
  baseUrl: 'https://api.example.com/v1',
  env: { apiKey: ['EXAMPLE_TOKEN'] },
  drop: ['logit_bias'],
  rename: { max_completion_tokens: 'max_tokens' },
  headers: { 'x-fixed': 'yes' },
  embeddings: { batch: 96 },
  claims: [/^example-/],
})

function answer(body: unknown): HttpResponse {
  return { status: 200, headers: {}, body, bytes: new Uint8Array() }
}

function chatOf({ chat = [] }: Provider): ChatSupport | undefined {
  return chat.flatMap((one) => ('run' in one ? [] : one))[0]
}

function embeddingsOf({ embeddings }: Provider) {
  if (!embeddings || 'run' in embeddings) throw new Error('the preset has remote embeddings')
  return embeddings
}

describe('The OpenAI-compatible preset', () => {
  it('describes an adapter whose environment follows from its id', () => {
    expect({ ...example }).toMatchObject({ id: 'my-example', kind: 'provider', contract: 1, enable: 'configured' })
    expect(example.env).toEqual({ apiKey: ['MY_EXAMPLE_API_KEY', 'EXAMPLE_TOKEN'], baseUrl: ['MY_EXAMPLE_BASE_URL'] })
    expect(example({ apiKey: 'k' }).claims).toEqual([/^example-/])
  })

  it('speaks chat completions under the base URL, with the deviations as data', () => {
    const provider = example({ apiKey: ' k\n', baseUrl: 'http://127.0.0.1:8000/v1/' })
    expect(provider.baseUrl).toBe('http://127.0.0.1:8000/v1')
    expect(provider.credential).toEqual({ kind: 'header', name: 'authorization', value: 'Bearer k' })
    const chat = chatOf(provider)
    expect(chat).toMatchObject({ format: 'chat-completions', drop: ['logit_bias'], headers: { 'x-fixed': 'yes' } })
    expect(chat?.path(testCall({ model: 'm', stream: true }))).toBe('/chat/completions')
    expect(Object.keys(chat ?? {}).sort()).toEqual(['drop', 'format', 'headers', 'path', 'rename'])
  })

  it('refuses a config without a key, with a word it does not know, or with a URL that is none', () => {
    expect(() => example({ apiKey: '' })).toThrow('must not be empty')
    expect(() => example({ apiKey: 'k', ...{ baseURL: 'https://x' } })).toThrow('baseURL')
    expect(() => example({ apiKey: 'k', baseUrl: 'localhost:8000' })).toThrow('a URL that begins with http:// or https://')
  })

  it('reads the live list of models in the shapes that servers have', () => {
    const { models } = example({ apiKey: 'k' })
    expect(models?.request(undefined, testCall())).toEqual({ method: 'GET', url: '/models', headers: { 'x-fixed': 'yes' } })
    expect(models?.response(answer({ data: [{ id: 'a' }, { id: 'b', max_model_len: 4096 }, { object: 'x' }] }), undefined, [])).toEqual([
      { id: 'a' },
      { id: 'b', context: 4096 },
    ])
    expect(models?.response(answer([{ id: 'a' }]), undefined, [])).toEqual([{ id: 'a' }])
    expect(models?.response(answer({ data: null }), undefined, [])).toEqual([])
    expect(() => models?.response(answer('<html>'), undefined, [])).toThrow(HeadgateError)
    expect(openAICompatibleServer({ baseUrl: 'http://x', models: false }).models).toBeUndefined()
  })

  it('asks for embeddings and puts them in the order of the inputs', () => {
    const embeddings = embeddingsOf(example({ apiKey: 'k' }))
    const input: EmbeddingsRequest = { model: 'm', inputs: ['a', 'b'], dimensions: 1, encoding: 'base64' }
    const call = testCall()
    expect(embeddings.batch).toBe(96)
    expect(embeddings.request(input, call)).toEqual({
      method: 'POST',
      url: '/embeddings',
      headers: { 'x-fixed': 'yes' },
      body: { json: { model: 'm', input: ['a', 'b'], dimensions: 1, encoding_format: 'base64' } },
    })
    expect(call.losses).toEqual([])
    embeddings.request({ ...input, use: 'query' }, call)
    expect(call.losses).toMatchObject([{ path: 'input_type', kind: 'dropped' }])
    const rows = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ]
    expect(embeddings.response(answer({ data: rows, usage: { prompt_tokens: 3 } }), input, [])).toEqual({
      vectors: [[1], [2]],
      usage: { input: 3, output: 0 },
    })
    expect(embeddings.response(answer({ data: rows.map(({ embedding }) => ({ embedding })) }), input, [])).toEqual({ vectors: [[2], [1]] })
  })

  it("says what embeddings are for in the server's words", () => {
    const provider = openAICompatibleServer({ baseUrl: 'http://x', embeddings: { inputTypes: { query: 'query', document: 'passage' } } })
    const embeddings = embeddingsOf(provider)
    const call = testCall()
    const input: EmbeddingsRequest = { model: 'm', inputs: ['a'], encoding: 'float' }
    expect(embeddings.request({ ...input, use: 'document' }, call).body).toMatchObject({ json: { input_type: 'passage' } })
    expect(call.losses).toEqual([])
    expect(embeddings.request({ ...input, use: 'clustering' }, call).body).toEqual({
      json: { model: 'm', input: ['a'], encoding_format: 'float' },
    })
    expect(call.losses).toMatchObject([{ path: 'input_type', reason: 'the provider has nothing like it' }])
  })

  it('takes no answer for embeddings that lacks a vector', () => {
    const embeddings = embeddingsOf(example({ apiKey: 'k' }))
    const input: EmbeddingsRequest = { model: 'm', inputs: ['a', 'b'], encoding: 'float' }
    for (const data of [[{ index: 0, embedding: [1] }], [{ embedding: [1] }, { embedding: 1 }], null]) {
      expect(() => embeddings.response(answer({ data }), input, [])).toThrow('one vector for each of the 2 inputs')
    }
  })

  it('sends no credential where the server needs none, and has no embeddings unless told', () => {
    const provider = openAICompatibleServer({ baseUrl: 'http://127.0.0.1:8000/v1', facts: { plainSystem: true } })
    expect(provider.credential).toEqual({ kind: 'none' })
    expect(provider.embeddings).toBeUndefined()
    expect(chatOf(provider)?.facts).toEqual({ plainSystem: true })
  })
})
