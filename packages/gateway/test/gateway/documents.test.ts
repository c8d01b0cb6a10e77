import { describe, expect, it } from 'vitest'
import type { Json } from '../../../core/src/canonical/json.ts'
import { CHAT, chatAnswer, MESSAGES } from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { startGateway } from '../support/gateway.ts'
import { RESPONSES, responsesAnswer, responsesProvider } from '../support/responses.ts'
import { startUpstream } from '../support/upstream.ts'

const PDF = btoa('%PDF-1.7')
const PDF_URL = `data:application/pdf;base64,${PDF}`

/** A provider whose chat completions take no documents, as xAI's. */
const divided = (url: string): ProviderInstance =>
  responsesProvider(url, {
    chat: [
      { format: 'chat-completions', path: () => '/chat/completions', facts: { documents: 'none' } },
      { format: 'responses', path: () => '/responses' },
    ],
  })

/** OpenAI's model that speaks responses only. */
const pro = (url: string): ProviderInstance => responsesProvider(url, { known: [{ id: 'gpt-5.5-pro' }] })

const chat = (...content: Json[]): Json => ({ model: 'small', messages: [{ role: 'user', content }] })
const file = (of: Json): Json => ({ type: 'file', file: of })
const text: Json = { type: 'text', text: 'Sum it up.' }

describe('A document', () => {
  it.each<[string, string, Json, string, Json | undefined]>([
    [
      'chat completions',
      CHAT,
      chat(file({ filename: 'a.pdf', file_data: PDF_URL }), text),
      '/v1/responses',
      { file_data: PDF_URL },
    ],
    ['chat completions', CHAT, chat(file({ file_id: 'file-1' }), text), '/v1/responses', { file_id: 'file-1' }],
    [
      'messages',
      MESSAGES,
      {
        model: 'small',
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }, text],
          },
        ],
      },
      '/v1/responses',
      { file_data: PDF_URL },
    ],
    ['chat completions without one', CHAT, chat(text), '/v1/chat/completions', undefined],
  ])('of %s goes to the format of the provider that takes it', async (_, path, body, due, part) => {
    const upstream = await startUpstream((call) =>
      call.answer(200, call.path === '/v1/responses' ? responsesAnswer() : chatAnswer()),
    )
    const { post } = await startGateway('node', {
      providers: [divided(upstream.url)],
      responses: { foreignIds: 'allow' },
    })
    const response = await post(path, body)
    expect([response.status, upstream.calls.map((call) => call.path)]).toEqual([200, [due]])
    const sent = JSON.parse(upstream.calls[0]?.body.toString('utf8') ?? '') as { input?: { content: Json[] }[] }
    expect(sent.input?.[0]?.content[0]).toEqual(part && expect.objectContaining({ type: 'input_file', ...part }))
  })

  it('that is a file of the provider reaches a model that speaks responses only', async () => {
    const upstream = await startUpstream((call) => call.answer(200, responsesAnswer()))
    const { post } = await startGateway('node', { providers: [pro(upstream.url)], responses: { foreignIds: 'allow' } })
    const response = await post(CHAT, { ...chat(file({ file_id: 'file-1' }), text), model: 'gpt-5.5-pro' })
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, null])
    expect(JSON.parse(upstream.calls[0]?.body.toString('utf8') ?? '')).toMatchObject({
      input: [{ content: [{ type: 'input_file', file_id: 'file-1' }, {}] }],
    })
  })

  it('that is a file of the provider passes from responses to chat completions', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const provider = responsesProvider(upstream.url, {
      chat: [{ format: 'chat-completions', path: () => '/chat/completions' }],
    })
    const { post } = await startGateway('node', { providers: [provider], responses: { foreignIds: 'allow' } })
    const input = [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }]
    expect((await post(RESPONSES, { model: 'small', input })).status).toBe(200)
    expect(JSON.parse(upstream.calls[0]?.body.toString('utf8') ?? '')).toMatchObject({
      messages: [{ content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
    })
  })
})
