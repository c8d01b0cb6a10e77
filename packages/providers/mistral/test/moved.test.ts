import { type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mistral } from '../src/index.ts'

// Written from https://docs.mistral.ai/api/endpoint/chat and https://platform.openai.com/docs/api-reference/chat/create
const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'mistral-small-latest',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Warm.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const answered = {
  role: 'assistant',
  content: 'Hello.',
  refusal: null,
  annotations: [],
  audio: null,
  function_call: null,
}
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const cached = { type: 'text', text: 'Listen.', cache_control: { type: 'ephemeral' } }
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK'

describe('A conversation that moves from OpenAI to Mistral', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [mistral({ apiKey: 'k', baseUrl: `${upstream.origin}/v1` })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function sent(body: Json, answer: Json = completion): Promise<{ body: Json; lost: string; text: string }> {
    upstream.answer({
      kind: 'whole',
      status: 200,
      body: JSON.stringify(answer),
      headers: { 'content-type': 'application/json' },
    })
    const response = await gateway.fetch(
      new Request('http://localhost/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mistral-small-latest', ...body }),
      }),
    )
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return { text, body: upstream.received.at(-1)?.body as Json, lost: response.headers.get('headgate-lost') ?? '' }
  }

  it.each([
    {
      what: 'fields of answers',
      messages: [{ role: 'user', content: 'Hi' }, answered, { role: 'user', content: 'And?' }],
      sends: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'And?' },
      ],
      loses: '',
    },
    {
      what: 'the role developer and names',
      messages: [
        { role: 'developer', content: [cached] },
        { role: 'user', name: 'ada', content: 'Hi' },
      ],
      sends: [
        { role: 'system', content: [{ type: 'text', text: 'Listen.' }] },
        { role: 'user', content: 'Hi' },
      ],
      loses: 'messages[*].name, messages[*].content[*].cache_control',
    },
    {
      what: 'refusals',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'user', content: 'Why?' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'user', content: 'Oh.' },
      ],
      sends: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'No.' },
        { role: 'user', content: 'Why?' },
        { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
        { role: 'user', content: 'Oh.' },
      ],
      loses: '',
    },
    {
      what: 'documents and audio',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          ],
        },
      ],
      sends: [
        {
          role: 'user',
          content: [
            { type: 'document_url', document_url: pdf, document_name: 'a.pdf' },
            { type: 'input_audio', input_audio: 'UklGRg==' },
          ],
        },
      ],
      loses: '',
    },
    {
      what: 'calls and their results',
      messages: [
        { role: 'user', content: 'Hi' },
        { ...answered, content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '3' },
      ],
      sends: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '3' },
      ],
      loses: '',
    },
  ])('is continued with $what', async ({ messages, sends, loses }) => {
    const { body, lost } = await sent({ messages })
    expect(body['messages']).toEqual(sends)
    expect(lost).toBe(loses)
  })

  it('has functions in place of tools that take free text, and their calls come back as such', async () => {
    const custom = { name: 'patch', description: 'Patches a file.' }
    const called = { id: 'call_1', type: 'function', function: { name: 'patch', arguments: '{"input":"+ a"}' } }
    const answer = {
      ...completion,
      choices: [
        { index: 0, message: { role: 'assistant', content: '', tool_calls: [called] }, finish_reason: 'tool_calls' },
      ],
    }
    const { body, text } = await sent(
      { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'custom', custom }] },
      answer,
    )
    const parameters = {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    }
    expect(body['tools']).toEqual([{ type: 'function', function: { ...custom, parameters } }])
    expect(JSON.parse(text).choices[0].message.tool_calls).toEqual([
      { id: 'call_1', type: 'custom', custom: { name: 'patch', input: '+ a' } },
    ])
  })

  it.each([
    ['minimal', 'none'],
    ['low', 'high'],
    ['max', 'high'],
  ])('asks for the nearest effort: %s becomes %s', async (effort, nearest) => {
    const { body, lost } = await sent({ messages: [{ role: 'user', content: 'Hi' }], reasoning_effort: effort })
    expect(body['reasoning_effort']).toBe(nearest)
    expect(lost).toBe('reasoning_effort;changed')
  })

  it('declares fields of the request that Mistral does not accept, and gives every function parameters', async () => {
    const tools = [{ type: 'function', function: { name: 'now' } }]
    const { body, lost } = await sent({
      messages: [{ role: 'user', content: 'Hi' }],
      tools,
      seed: 1,
      modalities: ['text'],
      top_k: 3,
    })
    expect(body).toEqual({
      model: 'mistral-small-latest',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }],
      random_seed: 1,
    })
    expect(lost).toBe('modalities, top_k')
  })
})
