import { describe, expect, it } from 'vitest'
import { type Json, type TranslatedFormat, translateResponse, translateStream } from '../../src/translate.ts'

const DONE = 'data: [DONE]\n\n'
const data = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`
const chunk = (more: Json): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'small',
    choices: [],
    ...more,
  })
const delta = (value: Json, more: Json = {}): Json => ({
  choices: [{ index: 0, delta: value, finish_reason: null, ...more }],
})
const event = (type: string, value: Json): string => `event: ${type}\n${data({ type, ...value })}`

async function translated(text: string, from: TranslatedFormat, to: TranslatedFormat) {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text)
  }
  const stream = translateStream(bytes(), { from, to })
  let out = ''
  for await (const piece of stream) out += new TextDecoder().decode(piece)
  return { out, lost: stream.lost.map(({ path, kind }) => `${path} ${kind}`) }
}

const chat =
  chunk({ prompt_filter_results: [{ prompt_index: 0 }] }) +
  chunk({ ...delta({ role: 'assistant', content: 'Hi' }), system_fingerprint: 'fp_1' }) +
  chunk({ ...delta({ content: ' there', channel: 'final' }), system_fingerprint: 'fp_1' }) +
  chunk({ ...delta({}, { finish_reason: 'stop' }), system_fingerprint: 'fp_1', service_tier: 'flex' }) +
  chunk({
    usage: {
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      cost: 0.25,
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 9 },
    },
  }) +
  DONE

const messages =
  event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'large',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }) +
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '', citations: [] } }) +
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }) +
  event('content_block_delta', {
    index: 0,
    delta: {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url: 'https://example.com',
        title: 'A',
        cited_text: 'Hi',
        encrypted_index: 'xyz',
      },
    },
  }) +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null, verdict: 'good' },
    usage: {
      input_tokens: 1,
      output_tokens: 7,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 4 },
      inference_geo: 'eu',
    },
  }) +
  event('message_stop', {})

const generate =
  data({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] } }],
    modelVersion: 'g',
    usageMetadata: { trafficType: 'ON_DEMAND' },
  }) +
  data({
    candidates: [{ content: { role: 'model', parts: [{ text: '!' }] }, finishReason: 'STOP' }],
    modelVersion: 'g',
    modelStatus: { message: 'old' },
    usageMetadata: {
      promptTokenCount: 1,
      candidatesTokenCount: 2,
      totalTokenCount: 3,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1 }],
    },
  })

describe('What a stream says late of its answer', () => {
  it.each(['messages', 'generate-content'] as const)(
    'in chat completions is named as lost to callers of %s',
    async (to) => {
      const { lost } = await translated(chat, 'chat-completions', to)
      const due = ['prompt_filter_results', 'system_fingerprint', 'delta.channel', 'service_tier', 'usage.cost']
      expect(lost).toEqual(
        expect.arrayContaining(
          [...due, 'usage.completion_tokens_details.accepted_prediction_tokens'].map((path) => `${path} dropped`),
        ),
      )
      expect(new Set(lost).size).toBe(lost.length)
    },
  )

  it.each(['chat-completions', 'generate-content'] as const)(
    'in messages is named as lost to callers of %s',
    async (to) => {
      const { lost } = await translated(messages, 'messages', to)
      expect(lost).toEqual(
        expect.arrayContaining([
          'citations changed',
          'verdict dropped',
          'usage.server_tool_use.web_fetch_requests dropped',
          'usage.inference_geo dropped',
        ]),
      )
    },
  )

  it.each(['chat-completions', 'messages'] as const)(
    'in generateContent is named as lost to callers of %s',
    async (to) => {
      const { lost } = await translated(generate, 'generate-content', to)
      expect(lost).toEqual(
        expect.arrayContaining(
          ['usageMetadata.trafficType', 'modelStatus', 'usageMetadata.promptTokensDetails'].map(
            (path) => `${path} dropped`,
          ),
        ),
      )
    },
  )

  it.each<[TranslatedFormat, string, string[]]>([
    [
      'chat-completions',
      chat,
      [
        '"service_tier":"flex"',
        '"cost":0.25',
        '"accepted_prediction_tokens":9',
        '"channel":"final"',
        '"prompt_index":0',
      ],
    ],
    [
      'messages',
      messages,
      ['"web_fetch_requests":4', '"inference_geo":"eu"', '"verdict":"good"', '"encrypted_index":"xyz"'],
    ],
    [
      'generate-content',
      generate,
      ['"trafficType":"ON_DEMAND"', '"modelStatus":{"message":"old"}', '"modality":"TEXT"'],
    ],
  ])('comes back where %s is written anew', async (format, stream, due) => {
    const { out, lost } = await translated(stream, format, format)
    for (const said of due) expect(out).toContain(said)
    expect(lost).toEqual([])
  })

  it('comes back as a summary that was sent in pieces, where messages is written anew', async () => {
    const [start = '', ...rest] = messages.split(/(?<=\n\n)(?=event: content_block_start)/)
    const summary =
      event('content_block_start', { index: 7, content_block: { type: 'compaction', content: null } }) +
      event('content_block_delta', { index: 7, delta: { type: 'compaction_delta', content: 'They said ' } }) +
      event('content_block_delta', { index: 7, delta: { type: 'compaction_delta', content: 'hello.' } }) +
      event('content_block_stop', { index: 7 })
    const { out, lost } = await translated(start + summary + rest.join(''), 'messages', 'messages')
    expect(out).toContain('"content_block":{"type":"compaction","content":"They said hello."}')
    expect(lost).toEqual([])
    expect((await translated(start + summary + rest.join(''), 'messages', 'chat-completions')).lost).toContain(
      'hosted-result dropped',
    )
  })

  it('is not told with usage that a caller of chat completions did not ask for', async () => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(chat)
    }
    const request = { model: 'small', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    let out = ''
    for await (const piece of translateStream(bytes(), { from: 'chat-completions', to: 'chat-completions', request }))
      out += new TextDecoder().decode(piece)
    expect(out).toContain('"service_tier":"flex"')
    expect(out).not.toContain('cost')
  })
})

describe('To callers of messages is named as lost', () => {
  it('another answer than the first', async () => {
    const second = { choices: [{ index: 1, delta: { content: 'No' }, finish_reason: 'stop' }] }
    const stream = chunk(delta({ content: 'Yes' }, { finish_reason: 'stop' })) + chunk(second) + DONE
    expect((await translated(stream, 'chat-completions', 'messages')).lost).toEqual(['choices dropped'])
  })
})

describe('What few servers say of an answer is named as lost', () => {
  it.each(['messages', 'generate-content'] as const)('to callers of %s', async (to) => {
    const spoken =
      chunk(delta({ audio: { id: 'audio_1', data: 'AAAA' } })) +
      chunk(delta({ content: 'Hi' }, { finish_reason: 'stop' })) +
      DONE
    expect((await translated(spoken, 'chat-completions', to)).lost).toEqual(['delta.audio dropped'])
    const call = {
      id: 'call_1',
      type: 'function',
      mood: 'rare',
      function: { name: 'look', arguments: '{}', tone: 'rare' },
    }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const whole = { id: 'chatcmpl-1', model: 'small', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    const { lost } = translateResponse(whole, { from: 'chat-completions', to })
    expect(lost.map(({ path }) => path)).toEqual(
      ['mood', 'function.tone'].map((key) => `choices[0].message.tool_calls[0].${key}`),
    )
    const same = translateResponse(whole, { from: 'chat-completions', to: 'chat-completions' })
    expect([same.body['choices'], same.lost]).toMatchObject([[{ message: { tool_calls: [call] } }], []])
  })
})

describe('Reasoning that only its server can read is named as lost', () => {
  const details = [{ type: 'reasoning.riddle', riddle: 'abc', index: 0 }]

  it.each(['messages', 'generate-content'] as const)('to callers of %s', async (to) => {
    const message = { role: 'assistant', content: 'Hi', reasoning_details: details }
    const whole = { id: 'chatcmpl-1', model: 'small', choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const { lost } = translateResponse(whole, { from: 'chat-completions', to })
    expect(lost.map(({ path }) => path)).toContain('choices[0].message.reasoning_details[0].riddle')
    const stream =
      chunk(delta({ reasoning_details: details })) + chunk(delta({ content: 'Hi' }, { finish_reason: 'stop' })) + DONE
    expect((await translated(stream, 'chat-completions', to)).lost).toContain(
      'choices[0].delta.reasoning_details.riddle dropped',
    )
  })
})
