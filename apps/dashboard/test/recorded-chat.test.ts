import { describe, expect, it } from 'vitest'
import type { RecordedCall } from '../web/api/usage.ts'
import { recordedCurl, sampleCurl } from '../web/pages/requests/curl.ts'
import { recordedChat } from '../web/replay/recorded-chat.ts'

function call(url: string, body: object, more: Partial<RecordedCall> = {}): RecordedCall {
  const text = JSON.stringify(body)
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'user-agent': 'x', 'headgate-tags': "team=it's" },
    body: { text, bytes: text.length, isCut: false },
    startedAt: 0,
    durationMs: 1,
    ...more,
  }
}

const MESSAGES = [
  { role: 'user', content: 'One' },
  { role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
  { role: 'user', content: 'Three' },
]
const EXPECTED = {
  system: 'Be short.',
  before: [
    { role: 'user', text: 'One' },
    { role: 'assistant', text: 'Two' },
  ],
  prompt: 'Three',
  isPartial: false,
}

describe('A recorded chat request', () => {
  it('is read in each format', () => {
    const system = { role: 'system', content: 'Be short.' }
    const chat = call('/v1/chat/completions', { model: 'm', messages: [system, ...MESSAGES], max_tokens: 5 })
    expect(recordedChat(chat)).toMatchObject({ ...EXPECTED, format: 'chat-completions', model: 'm', maxTokens: '5' })
    const responses = call('/v1/responses', { model: 'm', instructions: 'Be short.', input: MESSAGES, temperature: 0 })
    expect(recordedChat(responses)).toMatchObject({ ...EXPECTED, format: 'responses', temperature: '0' })
    const messages = call('/v1/messages?beta=true', {
      model: 'm',
      system: [{ type: 'text', text: 'Be short.' }],
      messages: MESSAGES,
    })
    expect(recordedChat(messages)).toMatchObject({ ...EXPECTED, format: 'messages' })
    const generate = call('/v1beta/models/a%2Fb:streamGenerateContent?alt=sse', {
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      contents: MESSAGES.map(({ role }, index) => ({
        role: role === 'assistant' ? 'model' : role,
        parts: [{ text: ['One', 'Two', 'Three'][index] }],
      })),
      generationConfig: { maxOutputTokens: 9 },
    })
    expect(recordedChat(generate)).toMatchObject({
      ...EXPECTED,
      format: 'generate-content',
      model: 'a/b',
      maxTokens: '9',
    })
    expect(recordedChat(call('/v1/responses', { model: 'm', input: 'Hi' }))).toMatchObject({ prompt: 'Hi', before: [] })
  })

  it('says that images are left out, and is nothing for other requests and parts of bodies', () => {
    const image = {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'x' } },
      ],
    }
    const chat = call('/v1/chat/completions', { model: 'm', messages: [image] })
    expect(recordedChat(chat)).toMatchObject({ prompt: 'See', isPartial: true })
    expect(recordedChat(call('/v1/embeddings', { model: 'm', input: 'x' }))).toBeUndefined()
    expect(recordedChat({ ...chat, body: { ...chat.body, isCut: true } })).toBeUndefined()
    expect(recordedChat({ ...chat, provider: 'east' })).toBeUndefined()
    expect(recordedChat(call('/v1/messages', { model: 'm', messages: [] }))).toBeUndefined()
    expect(recordedChat({ ...chat, body: { text: '{', bytes: 1, isCut: false } })).toBeUndefined()
  })
})

describe('A request as curl', () => {
  it('repeats a recorded request, quoted for a shell, with the key from the environment', () => {
    const text = recordedCurl('http://localhost:8787', call('/v1/messages', { text: "it's $HOME" }))
    expect(text).toBe(
      [
        "curl -X POST 'http://localhost:8787/v1/messages'",
        '-H "Authorization: Bearer $HEADGATE_API_KEY"',
        "-H 'content-type: application/json'",
        "-H 'headgate-tags: team=it'\\''s'",
        "-d '{\"text\":\"it'\\''s $HOME\"}'",
      ].join(' \\\n  '),
    )
  })

  it('is a short request to the same model in the same format', () => {
    const row = { family: 'chat', format: 'messages', model: 'm', stream: true }
    expect(sampleCurl('http://h', row)).toContain('"max_tokens":200')
    expect(sampleCurl('http://h', { ...row, format: 'generate-content' })).toContain(
      '/v1beta/models/m:streamGenerateContent?alt=sse',
    )
    expect(sampleCurl('http://h', { ...row, format: 'responses', stream: false })).toContain('"input":"Hello"')
    expect(sampleCurl('http://h', { ...row, family: 'search', model: 'a b' })).toContain('/customsearch/v1?cx=a%20b')
    expect(sampleCurl('http://h', { ...row, model: "x'; rm -rf /" })).toContain("x'\\''; rm -rf /")
  })
})
