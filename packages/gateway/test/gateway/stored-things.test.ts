import { describe, expect, it } from 'vitest'
import type { TranslatedFormat } from '../../../core/src/translate.ts'
import { chatAnswer, chatChunk, chatFrames, messagesAnswer, messagesFrames } from '../../../core/test/support/wire.ts'
import type { GatewayOptions, Principal } from '../../src/index.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/**
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://platform.claude.com/docs/en/build-with-claude/files
 * @see https://ai.google.dev/api/generate-content
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
const FILE = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
const KEYS: Readonly<Record<string, Principal>> = {
  one: { id: 'key-1', owners: { project: 'prj-1', member: 'mem-1' } },
  other: { id: 'key-2', owners: { project: 'prj-1', member: 'mem-1' } },
  foreign: { id: 'key-3', owners: { project: 'prj-1', member: 'mem-2' } },
}
const PATHS: Readonly<Record<TranslatedFormat, string>> = {
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
  'generate-content': '/v1beta/models/small:generateContent',
  responses: '/v1/responses',
}
const FORMATS = Object.keys(PATHS) as TranslatedFormat[]

const user = (...content: object[]): object => ({ messages: [{ role: 'user', content }] })
const contents = (...parts: object[]): object => ({ contents: [{ role: 'user', parts }] })
const input = (...content: object[]): object => ({ input: [{ role: 'user', content }] })
const text = { type: 'text', text: 'Hello' }

/** Bodies that name something stored, and the path of the field. */
const NAMED: readonly (readonly [TranslatedFormat, string, object])[] = [
  ['chat-completions', 'messages[0].content[0].file.file_id', user({ type: 'file', file: { file_id: 'file-1' } })],
  ['chat-completions', 'messages[0].content[0].image_url.url', user({ type: 'image_url', image_url: { url: FILE } })],
  [
    'chat-completions',
    'messages[1].audio.id',
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', audio: { id: 'audio-1' } },
      ],
    },
  ],
  [
    'chat-completions',
    'messages[0].content',
    {
      messages: [
        { role: 'system', content: 'fileid://file-fe-1' },
        { role: 'user', content: 'x' },
      ],
    },
  ],
  [
    'chat-completions',
    'extra_body.google.cached_content',
    { ...user(text), extra_body: { google: { cached_content: 'cachedContents/1' } } },
  ],
  [
    'chat-completions',
    'tools[0].vector_store_ids',
    { ...user(text), tools: [{ type: 'file_search', vector_store_ids: ['vs-1'] }] },
  ],
  [
    'messages',
    'messages[0].content[0].source.file_id',
    user({ type: 'document', source: { type: 'file', file_id: 'file-1' } }),
  ],
  ['messages', 'messages[0].content[0].file_id', user({ type: 'container_upload', file_id: 'file-1' })],
  ['messages', 'messages[0].content[0].source.url', user({ type: 'document', source: { type: 'url', url: FILE } })],
  ['messages', 'container', { ...user(text), container: 'container-1' }],
  ['messages', 'container.id', { ...user(text), container: { id: 'container-1' } }],
  [
    'messages',
    'container.skills[0].skill_id',
    { ...user(text), container: { skills: [{ type: 'custom', skill_id: 'skill-1' }] } },
  ],
  [
    'messages',
    'messages[0].content[0].content[0].source.file_id',
    user({
      type: 'tool_result',
      tool_use_id: 'c1',
      content: [{ type: 'image', source: { type: 'file', file_id: 'file-1' } }],
    }),
  ],
  ['generate-content', 'contents[0].parts[0].fileData.fileUri', contents({ fileData: { fileUri: FILE } })],
  [
    'generate-content',
    'contents[0].parts[0].file_data.file_uri',
    contents({ file_data: { file_uri: FILE.toUpperCase().replace('/FILES/ABC', '/files/abc') } }),
  ],
  ['generate-content', 'contents[0].parts[0].fileData.fileUri', contents({ fileData: { fileUri: 'files/abc' } })],
  ['generate-content', 'cachedContent', { ...contents({ text: 'x' }), cachedContent: 'cachedContents/1' }],
  ['generate-content', 'cached_content', { ...contents({ text: 'x' }), cached_content: 'cachedContents/1' }],
  [
    'generate-content',
    'tools[0].fileSearch.fileSearchStoreNames',
    { ...contents({ text: 'x' }), tools: [{ fileSearch: { fileSearchStoreNames: ['s'] } }] },
  ],
  [
    'generate-content',
    'tools[0].retrieval.vertexAiSearch.datastore',
    { ...contents({ text: 'x' }), tools: [{ retrieval: { vertexAiSearch: { datastore: 'd' } } }] },
  ],
  ['responses', 'input[0].content[0].file_id', input({ type: 'input_file', file_id: 'file-1' })],
  ['responses', 'input[0].content[0].image_url', input({ type: 'input_image', image_url: FILE })],
  [
    'responses',
    'tools[0].vector_store_ids',
    { input: 'x', tools: [{ type: 'file_search', vector_store_ids: ['vs-1'] }] },
  ],
  ['responses', 'tools[0].container', { input: 'x', tools: [{ type: 'code_interpreter', container: 'cntr-1' }] }],
]

/** Bodies that only look as if they named something. */
const HARMLESS: readonly (readonly [TranslatedFormat, object])[] = [
  [
    'chat-completions',
    {
      ...user(text),
      tools: [{ type: 'function', function: { name: 'f', parameters: { properties: { file_id: { enum: ['x'] } } } } }],
    },
  ],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: 'file-1' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { file_id: 'mine' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
      ],
    },
  ],
  ['generate-content', contents({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } })],
  ['generate-content', contents({ fileData: { fileUri: 'gs://bucket/files/x.png', mimeType: 'image/png' } })],
  ['responses', { input: 'file-1' }],
]

/** A gateway with one provider, which speaks `to`. */
async function start(
  to: TranslatedFormat,
  handler: (call: UpstreamCall) => unknown,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream(handler)
  const provider = chatProvider(upstream.url, {
    chat: [{ format: to, path: () => '/chat' }],
    known: [{ id: 'small', tools: true }],
  })
  const gateway = await startGateway('node', {
    providers: [provider],
    authenticate: (credential) => KEYS[credential],
    ...options,
  })
  const ask = (from: TranslatedFormat, body: object, key = 'one') =>
    gateway.post(
      PATHS[from],
      { model: 'small', max_tokens: 64, ...body },
      { headers: { authorization: `Bearer ${key}` } },
    )
  return { ...gateway, upstream, ask }
}

describe('What another caller has stored at a provider', () => {
  it.each(FORMATS)('cannot be named in any format by a provider of %s', async (to) => {
    const { ask, upstream } = await start(to, (call) => call.answer(200, {}))
    for (const [from, path, body] of NAMED) {
      const refused = await ask(from, body)
      const said = await refused.text()
      expect([refused.status, from, said]).toEqual([404, from, expect.stringContaining(`${path}: `)])
    }
    expect(upstream.calls).toHaveLength(0)
  })

  it('cannot be named where tokens are counted', async () => {
    const { post, upstream } = await start('messages', (call) => call.answer(200, { input_tokens: 1 }))
    const body = { model: 'small', ...user({ type: 'document', source: { type: 'file', file_id: 'file-1' } }) }
    expect((await post('/v1/messages/count_tokens', body, { headers: { authorization: 'Bearer one' } })).status).toBe(
      404,
    )
    expect(upstream.calls).toHaveLength(0)
  })

  it('is not seen in data of the caller, and passes where the operator allows it', async () => {
    for (const [from, body] of HARMLESS) {
      const { ask, upstream } = await start(from, (call) => call.answer(500, {}))
      expect((await ask(from, body)).status, JSON.stringify(body)).not.toBe(404)
      expect(upstream.calls.length).toBeGreaterThan(0)
    }
    const { ask, upstream } = await start('messages', (call) => call.answer(200, messagesAnswer()), {
      responses: { foreignIds: 'allow' },
    })
    expect((await ask('messages', { ...user(text), container: 'container-1' })).status).toBe(200)
    expect(upstream.calls[0]?.json()['container']).toBe('container-1')
  })
})

describe('What an answer has stored at a provider', () => {
  const container = { id: 'container-1', expires_at: '2026-12-01T00:00:00Z' }
  const output = { type: 'code_execution_output', file_id: 'file-made' }
  const result = {
    type: 'code_execution_tool_result',
    tool_use_id: 's1',
    content: { type: 'code_execution_result', content: [output] },
  }
  const event = (type: string, value: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`

  it.each([false, true])(
    'can be named by every key of its creator, and by no other (messages, stream: %s)',
    async (stream) => {
      const [first = '', ...rest] = messagesFrames()
      const frames = [
        first,
        ...rest.slice(0, -2),
        event('content_block_start', { index: 1, content_block: result }),
        event('content_block_stop', { index: 1 }),
        event('message_delta', { delta: { stop_reason: 'end_turn', container }, usage: { output_tokens: 7 } }),
        event('message_stop', {}),
      ]
      const whole = { ...messagesAnswer(), content: [{ type: 'text', text: 'Hi' }, result], container }
      const { ask } = await start('messages', (call) =>
        call.json()['stream'] ? call.stream(frames) : call.answer(200, whole),
      )
      await (await ask('messages', { ...user(text), stream })).text()
      const again = { ...user({ type: 'container_upload', file_id: 'file-made' }), container: 'container-1' }
      expect((await ask('messages', again, 'other')).status).toBe(200)
      expect((await ask('messages', again, 'foreign')).status).toBe(404)
    },
  )

  it.each([false, true])(
    'can be named by every key of its creator, and by no other (sounds of chat, stream: %s)',
    async (stream) => {
      const sound = { id: 'audio-1', data: 'AAAA', transcript: 'Hi', expires_at: 1 }
      const frames = [
        chatChunk({ role: 'assistant', content: '' }),
        chatChunk({ audio: { id: 'audio-1' } }),
        ...chatFrames().slice(1),
      ]
      const message = { role: 'assistant', content: null, audio: sound }
      const whole = chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'stop' }] })
      const { ask } = await start('chat-completions', (call) =>
        call.json()['stream'] ? call.stream(frames) : call.answer(200, whole),
      )
      await (await ask('chat-completions', { ...user(text), stream })).text()
      const again = {
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', audio: { id: 'audio-1' } },
        ],
      }
      expect((await ask('chat-completions', again, 'other')).status).toBe(200)
      expect((await ask('chat-completions', again, 'foreign')).status).toBe(404)
    },
  )
})
