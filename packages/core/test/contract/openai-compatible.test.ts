import { describe, expect, it } from 'vitest'
import { testCall } from '../../../conformance/src/test-call.ts'
import { MEDIA_NAMES, openAICompatible, openAICompatibleServer } from '../../src/presets/openai-compatible.ts'
import {
  type ChatSupport,
  type EmbeddingsRequest,
  HeadgateError,
  type HttpResponse,
  type Json,
  type Provider,
} from '../../src/provider.ts'

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
    const misspelled = { apiKey: 'k', baseURL: 'https://x' }
    expect(() => example(misspelled)).toThrow('baseURL')
    expect(() => example({ apiKey: 'k', baseUrl: 'localhost:8000' })).toThrow(
      'a URL that begins with http:// or https://',
    )
  })

  it('reads the live list of models in the shapes that servers have', () => {
    const { models } = example({ apiKey: 'k' })
    expect(models?.request(undefined, testCall())).toEqual({
      method: 'GET',
      url: '/models',
      headers: { 'x-fixed': 'yes' },
    })
    expect(
      models?.response(
        answer({ data: [{ id: 'a' }, { id: 'b', max_model_len: 4096 }, { object: 'x' }] }),
        undefined,
        [],
      ),
    ).toEqual([{ id: 'a' }, { id: 'b', context: 4096, output: 4096 }])
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
    expect(embeddings.response(answer({ data: rows.map(({ embedding }) => ({ embedding })) }), input, [])).toEqual({
      vectors: [[2], [1]],
    })
  })

  it("says what embeddings are for in the server's words", () => {
    const provider = openAICompatibleServer({
      baseUrl: 'http://x',
      embeddings: { inputTypes: { query: 'query', document: 'passage' } },
    })
    const embeddings = embeddingsOf(provider)
    const call = testCall()
    const input: EmbeddingsRequest = { model: 'm', inputs: ['a'], encoding: 'float' }
    expect(embeddings.request({ ...input, use: 'document' }, call).body).toMatchObject({
      json: { input_type: 'passage' },
    })
    expect(call.losses).toEqual([])
    expect(embeddings.request({ ...input, use: 'clustering', encoding: 'base64' }, call).body).toEqual({
      json: { model: 'm', input: ['a'], encoding_format: 'base64' },
    })
    expect(call.losses).toMatchObject([{ path: 'input_type', reason: 'the provider has no equivalent' }])
  })

  it('calls fields of embeddings as the server does, and passes no body as it is then', () => {
    const rename = { dimensions: 'output_dimension', encoding_format: 'embedding_type', input_type: 'task' }
    const facts = { rename, inputTypes: { query: 'retrieval.query' } }
    const embeddings = embeddingsOf(openAICompatibleServer({ baseUrl: 'http://x', embeddings: facts }))
    const input: EmbeddingsRequest = { model: 'm', inputs: ['a'], encoding: 'base64', use: 'query', dimensions: 8 }
    expect(embeddings.request(input, testCall()).body).toEqual({
      json: { model: 'm', input: ['a'], output_dimension: 8, embedding_type: 'base64', task: 'retrieval.query' },
    })
    expect(embeddings.native).toBeUndefined()
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

  it('begins paths with what follows the host, and is given messages where it takes them', () => {
    const provider = openAICompatibleServer({
      baseUrl: 'http://x/v4',
      base: '/chat',
      messages: '/api/anthropic/v1/messages',
      embeddings: true,
    })
    const [chat, messages] = (provider.chat ?? []) as ChatSupport[]
    expect(chat?.path(testCall())).toBe('/chat/chat/completions')
    expect(messages).toMatchObject({ format: 'messages', forward: ['anthropic-version', 'anthropic-beta'] })
    expect(messages?.path(testCall())).toBe('http://x/api/anthropic/v1/messages')
    expect(provider.models?.request(undefined, testCall()).url).toBe('/chat/models')
    expect(embeddingsOf(provider).request({ model: 'm', inputs: ['a'], encoding: 'float' }, testCall()).url).toBe(
      '/chat/embeddings',
    )
  })

  it('leaves out what is served elsewhere, and adds what the list leaves out', () => {
    const { models } = openAICompatibleServer({
      baseUrl: 'http://x',
      ignoreModels: MEDIA_NAMES,
      unlisted: [{ id: 'film', families: ['video'] }],
    })
    const listed = { models: [{ id: 'whisper-1' }, { id: 'a', context_size: 8 }] }
    expect(models?.response(answer(listed), undefined, [])).toEqual([
      { id: 'film', families: ['video'] },
      { id: 'a', context: 8 },
    ])
  })

  it('lists what ranks by its name, where the server ranks', () => {
    const list = answer({ data: [{ id: 'qwen3-reranker-8b' }, { id: 'tts-1' }] })
    const idsOf = (rerank: boolean) =>
      openAICompatibleServer({ baseUrl: 'http://x', ignoreModels: MEDIA_NAMES, rerank }).models?.response(
        list,
        undefined,
        [],
      )
    expect([idsOf(true), idsOf(false)]).toEqual([[{ id: 'qwen3-reranker-8b', families: ['rerank'] }], []])
  })

  it('says as system what a developer said where that role is not known, after any other patch', () => {
    const patchRequest = (body: Json) => ({ ...body, seen: true })
    const patched = (body: Json) =>
      chatOf(openAICompatibleServer({ baseUrl: 'http://x', systemOnly: true, patchRequest }))?.patchRequest?.(
        body,
        testCall(),
      )
    const user = { role: 'user', content: 'Hi' }
    expect(patched({ messages: [{ role: 'developer', content: 'Be brief.' }, user] })).toEqual({
      messages: [{ role: 'system', content: 'Be brief.' }, user],
      seen: true,
    })
    expect(patched({ messages: [user] })).toEqual({ messages: [user], seen: true })
  })

  // Written from https://docs.mistral.ai/capabilities/reasoning
  it('has thoughts beside the text where they are chunks of the content, around any other patch', () => {
    const seen: Json[] = []
    const chat = chatOf(
      openAICompatibleServer({
        baseUrl: 'http://x',
        thoughtChunks: 'thinking',
        systemOnly: true,
        patchRequest: (body) => ({ ...body, seen: true }),
        patchFrame: ({ json }) => {
          seen.push(json)
          return json['skip'] ? undefined : json
        },
      }),
    )
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Four.' }] }
    const text = { type: 'text', text: 'It is 4.' }
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'assistant', content: 'It is 4.', reasoning_content: 'Four.' },
    ]
    expect(chat?.patchRequest?.({ messages }, testCall())).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: [thinking, text] },
      ],
      seen: true,
    })
    const frame = (json: Json) => chat?.patchFrame?.({ data: JSON.stringify(json), json }, testCall())
    expect(frame({ choices: [{ delta: { content: [thinking] } }] })).toEqual({
      choices: [{ delta: { content: '', reasoning_content: 'Four.' } }],
    })
    expect(frame({ skip: true })).toBeUndefined()
    expect(seen).toHaveLength(2)
  })

  it('knows errors by their codes and types where their words say something else', () => {
    const { readError } = openAICompatibleServer({
      baseUrl: 'http://x',
      errors: { 1113: 'our-quota', content_filter: 'content-policy' },
    })
    const read = (body: unknown, status = 429) => readError?.({ ...answer(body), status })
    expect(read({ error: { code: '1113', message: 'Recharge.' } })).toEqual({ kind: 'our-quota', message: 'Recharge.' })
    expect(read({ code: 1113, msg: 'Recharge.' })).toEqual({ kind: 'our-quota', message: 'Recharge.' })
    expect(read({ error: { type: 'content_filter' } }, 400)).toEqual({
      kind: 'content-policy',
      message: 'The provider responded with status 400.',
    })
    expect(read({ error: { code: 'constructor', message: 'x' } })).toBeUndefined()
    expect(read({ error: { code: '1113', message: 'x' } }, 200)).toBeUndefined()
  })

  it('finds a server of one’s own by its list, when it is asked for', () => {
    const own = openAICompatible({ id: 'own', title: 'Own', baseUrl: 'http://127.0.0.1:8000/v1', ownServer: true })
    expect(own.enable).toBe('asked')
    expect(own.probe?.({})).toEqual({ method: 'GET', url: '/models', headers: {} })
    expect(own.probe?.({ apiKey: 'k' })).toMatchObject({ headers: { authorization: 'Bearer k' } })
    expect(own({}).credential).toEqual({ kind: 'none' })
  })
})
