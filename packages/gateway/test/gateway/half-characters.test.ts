import { describe, expect, it } from 'vitest'
import type { ChatSupport } from '../../../core/src/provider.ts'
import { CHAT, chatAnswer, MESSAGES, messagesAnswer } from '../../../core/test/support/wire.ts'
import { startOne } from '../support/fleet.ts'

const HALF = '\ud83d'
const GENERATE = '/v1beta/models/small:generateContent'
const generated = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }

/**
 * A conversation in each format with half a character in a text, in the arguments of a call, its result, and a key of a
 * schema.
 */
const schema = { type: 'object', properties: { [`k${HALF}`]: { type: 'string' }, a: { type: 'string' } } }
const ASKED: Readonly<Record<string, readonly [string, object, string[]]>> = {
  'chat-completions': [
    CHAT,
    {
      model: 'small',
      messages: [
        { role: 'user', content: `Hello ${HALF}` },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"\\ud83d"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: `${HALF}!` },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    },
    [
      'messages[0].content',
      'messages[1].tool_calls[0].function.arguments',
      'messages[2].content',
      'tools[0].function.parameters.properties.k\ufffd',
    ],
  ],
  messages: [
    MESSAGES,
    {
      model: 'small',
      max_tokens: 9,
      messages: [
        { role: 'user', content: `Hello ${HALF}` },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: HALF } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: `${HALF}!` }] },
      ],
      tools: [{ name: 'f', input_schema: schema }],
    },
    [
      'messages[0].content',
      'messages[1].content[0].input.a',
      'messages[2].content[0].content',
      'tools[0].input_schema.properties.k\ufffd',
    ],
  ],
  'generate-content': [
    GENERATE,
    {
      contents: [
        { role: 'user', parts: [{ text: `Hello ${HALF}` }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: HALF } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: `${HALF}!` } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
    },
    [
      'contents[0].parts[0].text',
      'contents[1].parts[0].functionCall.args.a',
      'contents[2].parts[0].functionResponse.response.output',
      'tools[0].functionDeclarations[0].parametersJsonSchema.properties.k\ufffd',
    ],
  ],
}

const ANSWERS: Readonly<Record<string, object>> = {
  'chat-completions': chatAnswer(),
  messages: messagesAnswer(),
  'generate-content': generated,
}
const PAIRS = Object.keys(ASKED).flatMap((from) =>
  Object.keys(ANSWERS)
    .filter((to) => to !== from)
    .map((to) => [from, to as 'messages'] as const),
)

describe('Half a character', () => {
  const start = (format: ChatSupport['format'], answer: object = {}) =>
    startOne(
      'node',
      () => ({ chat: [{ format, path: () => '/' }] }),
      (call) => call.answer(200, answer),
    )

  it.each(PAIRS)(
    'never goes from a caller of %s to a provider of %s, and is declared where it stood',
    async (from, to) => {
      const [path, body, places] = ASKED[from] ?? ['', {}, []]
      const { post, upstream, rows } = await start(to, ANSWERS[to])
      const response = await post(path, body)
      expect([response.status, response.headers.get('headgate-lost')]).toEqual([
        200,
        expect.stringContaining(';changed'),
      ])
      const sent = upstream.calls[0]?.body.toString() ?? ''
      expect(sent.match(/\\u[dD]/)).toBeNull()
      expect(sent.split('\ufffd').length - 1).toBe(4)
      expect(
        rows[0]?.losses.filter(({ reason }) => reason.startsWith('an incomplete character')).map((loss) => loss.path),
      ).toEqual(expect.arrayContaining(places))
      const strict = await post(path, body, { headers: { 'headgate-strict': 'true' } })
      expect([strict.status, upstream.calls.length]).toEqual([400, 1])
    },
  )

  it('passes as it came where the provider speaks the caller’s format', async () => {
    const { post, upstream } = await start('messages', messagesAnswer())
    const [path, body] = ASKED['messages'] ?? ['', {}]
    const response = await post(path, JSON.stringify(body))
    expect([response.status, response.headers.get('headgate-lost')]).toEqual([200, null])
    expect(upstream.calls[0]?.body.toString()).toBe(JSON.stringify(body))
  })
})
