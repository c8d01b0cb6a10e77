import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const GENERATE = '/v1beta/models/small'
const generateRequest = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
/** Written from https://ai.google.dev/api/generate-content#GenerateContentResponse. */
const generateAnswer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi there' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
}

function generateProvider(baseUrl: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return chatProvider(baseUrl, {
    chat: [{ format: 'generate-content', path: () => '/small:generateContent' }],
    ...changes,
  })
}

const FORMATS = {
  'chat-completions': {
    provider: chatProvider,
    whole: JSON.stringify(chatAnswer()),
    stream: chatFrames().join(''),
    ask: (stream: boolean) =>
      [CHAT, { ...chatRequest, ...(stream && { stream, stream_options: { include_usage: true } }) }] as const,
  },
  messages: {
    provider: messagesProvider,
    whole: JSON.stringify(messagesAnswer()),
    stream: messagesFrames().join(''),
    ask: (stream: boolean) => [MESSAGES, { ...messagesRequest, stream }] as const,
  },
  'generate-content': {
    provider: generateProvider,
    whole: JSON.stringify(generateAnswer),
    stream: `data: ${JSON.stringify(generateAnswer)}\r\n\r\n`,
    ask: (stream: boolean) =>
      [`${GENERATE}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, generateRequest] as const,
  },
} as const
type FormatId = keyof typeof FORMATS

/** What stands in place of an input of 11 tokens. */
const ODD = ['9007199254740992', '1e300', '1e999', '-11', '11.5', '"11"', 'true', '{}']
const PAIRS = (Object.keys(FORMATS) as FormatId[]).flatMap((from) =>
  (Object.keys(FORMATS) as FormatId[]).flatMap((to) => [false, true].map((stream) => ({ from, to, stream }))),
)

const price = { id: 'list@2026-01-01', input: 3_000_000_000, output: 15_000_000_000 }

/** An upstream that answers with this text, whole or streamed. */
function answering(text: string) {
  return (call: UpstreamCall): unknown =>
    text.startsWith('{') ? call.answer(200, text, { 'content-type': 'application/json' }) : call.stream(text)
}

describe.each(PAIRS)('A count of a $from provider to a $to caller (streamed: $stream)', ({ from, to, stream }) => {
  const right = FORMATS[from][stream ? 'stream' : 'whole']
  const [path, request] = FORMATS[to].ask(stream)

  it.each(ODD)('that is %s is unknown and declared, and the others are what they are', async (odd) => {
    const wrong = right.replace(
      /(prompt_tokens|input_tokens|promptTokenCount)":11/g,
      (_, name: string) => `${name}":${odd}`,
    )
    expect(wrong).not.toBe(right)
    const upstream = await startUpstream(answering(wrong))
    const { post, rows } = await startGateway('fetch', {
      providers: [FORMATS[from].provider(upstream.url)],
      prices: { 'alpha/small': price },
    })
    const response = await post(path, request)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain('Hi')
    const [row] = rows
    expect(row?.usage).toEqual({ output: 7 })
    expect(row).toMatchObject({ cost: null, priceId: null, billed: false, why: 'usage-unknown' })
    expect(row?.losses.filter(({ path: at }) => at.startsWith('response.usage'))).toHaveLength(1)
    if (from === to) expect(text).toContain(`":${odd}`)
    else {
      expect(text).not.toMatch(/null_tokens|NaN|"(?:prompt_tokens|input_tokens|promptTokenCount)":null/)
      if (!stream) expect(response.headers.get('headgate-lost')).toMatch(/response\.usage/)
    }
  })
})

describe('A share of the usage that is no count', () => {
  const usage = {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: -1 },
  }

  it('leaves the totals, but not their cost', async () => {
    const upstream = await startUpstream(answering(JSON.stringify(chatAnswer('Hi there', { usage }))))
    const { post, rows } = await startGateway('fetch', {
      providers: [chatProvider(upstream.url)],
      prices: { 'alpha/small': price },
    })
    const answer = await (await post(MESSAGES, messagesRequest)).json()
    expect(answer).toMatchObject({ usage: { input_tokens: 11, output_tokens: 7 } })
    expect(rows[0]).toMatchObject({ usage: { input: 11, output: 7 }, cost: null, why: 'usage-unknown' })
    expect(rows[0]?.usage).not.toHaveProperty('cacheRead')
    expect(rows[0]?.losses).toMatchObject([
      { path: 'response.usage.prompt_tokens_details.cached_tokens', kind: 'dropped' },
    ])
  })
})

describe('A sum of counts', () => {
  it('that is no count is unknown, though each of them is one', async () => {
    const usage = { input_tokens: Number.MAX_SAFE_INTEGER, cache_read_input_tokens: 2, output_tokens: 7 }
    const upstream = await startUpstream(answering(JSON.stringify({ ...messagesAnswer(), usage })))
    const { post, rows } = await startGateway('fetch', {
      providers: [messagesProvider(upstream.url)],
      prices: { 'alpha/small': price },
    })
    await post(MESSAGES, messagesRequest)
    expect(rows[0]?.usage).toEqual({ output: 7, cacheRead: 2 })
    expect(rows[0]).toMatchObject({ cost: null, losses: [{ path: 'response.usage.input', kind: 'dropped' }] })
  })
})

describe('A cost', () => {
  const usage = { prompt_tokens: 9_000_000_000_000, completion_tokens: 0, total_tokens: 9_000_000_000_000 }

  it('that is no count is unknown and declared', async () => {
    const upstream = await startUpstream(answering(JSON.stringify(chatAnswer('Hi there', { usage }))))
    const { post, rows } = await startGateway('fetch', {
      providers: [chatProvider(upstream.url)],
      prices: { 'alpha/small': price },
    })
    await post(CHAT, chatRequest)
    expect(rows[0]).toMatchObject({ usage: { input: 9_000_000_000_000 }, cost: null, billed: false })
    expect(rows[0]?.losses).toMatchObject([{ path: 'cost', kind: 'dropped' }])
  })
})
