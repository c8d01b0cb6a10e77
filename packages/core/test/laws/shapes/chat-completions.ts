import type { Json } from '../../../src/canonical/json.ts'
import { asks, chat, dotted, keys, list, object, PDF, PNG, type Shape, sealed, THOUGHTS, text, user } from './pieces.ts'

const tool = (index: number, parameters: Json = object({ a: { type: 'string' } })): Json => ({
  type: 'function',
  function: { name: `f${index}`, parameters },
})
const withSchema = (schema: Json): Json => asks('x', { tools: [tool(0, schema)] })
const call = (id: string | undefined, more: Json = {}): Json => ({
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...more,
})
const said = (more: Json): Json => chat([{ role: 'assistant', content: 'x', ...more }, user()])
const called = (
  count: number,
  make: (index: number) => Json,
  id = (index: number): Json => ({ tool_call_id: `c${index}` }),
): Json =>
  chat([
    user(),
    { role: 'assistant', tool_calls: list(count, make) },
    ...list(count, (i) => ({ role: 'tool', content: 'x', ...id(i) })),
  ])
const signature = (value: string): Json => ({ extra_content: { google: { thought_signature: value } } })
const citation = (index: number): Json => ({
  type: 'url_citation',
  url_citation: { url: 'https://x.test', start_index: index, end_index: index + 1 },
})

/** Requests in the chat-completions format. */
export const CHAT: Readonly<Record<string, Shape>> = {
  parts: (n) => asks(list(n, () => text)),
  messages: (n) => chat(list(n, (i) => (i % 2 ? { role: 'assistant', content: 'x' } : user()))),
  'messages of one role': (n) => chat(list(n, () => user())),
  'system messages in the midst': (n) => chat([user(), ...list(n, () => ({ role: 'system', content: 'x' }))]),
  'documents in raw base64': (n) => asks(list(n, () => ({ type: 'file', file: { file_data: PDF } }))),
  'messages with a document in raw base64': (n) =>
    chat(list(n, () => user([{ type: 'file', file: { file_data: PDF } }]))),
  'documents as data URLs': (n) =>
    asks(
      list(n, (i) => ({ type: 'file', file: { filename: `${i}`, file_data: `data:application/pdf;base64,${PDF}` } })),
    ),
  images: (n) => asks(list(n, () => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }))),
  'images by URL': (n) => asks(list(n, (i) => ({ type: 'image_url', image_url: { url: `https://x.test/${i}.png` } }))),
  'base64 with blanks': (n) => asks([{ type: 'file', file: { file_data: 'JVBE Ri0x\n'.repeat(n) } }]),
  'base64 with percent signs': (n) =>
    asks([{ type: 'image_url', image_url: { url: `data:image/png;base64,${'%41AAA'.repeat(n)}` } }]),
  'parameters of a data URL': (n) =>
    asks([{ type: 'image_url', image_url: { url: `data:image/png${';a=b'.repeat(n)};base64,AAAA` } }]),
  calls: (n) => called(n, (i) => call(`c${i}`)),
  'calls without ids': (n) =>
    called(
      n,
      () => call(undefined),
      () => ({}),
    ),
  'calls with ids that no vendor takes': (n) =>
    called(
      n,
      (i) => call(`c$${i}`),
      (i) => ({ tool_call_id: `c$${i}` }),
    ),
  'signed calls': (n) => called(n, (i) => call(`c${i}`, signature('abcd'))),
  'calls that carry thoughts': (n) => called(n, (i) => call(`c${i}`, signature(THOUGHTS))),
  'signed messages': (n) =>
    chat([...list(n, () => ({ role: 'assistant', content: 'x', ...signature('abcd') })), user()]),
  'signed messages with more beside': (n) =>
    chat([
      ...list(n, () => ({
        role: 'assistant',
        content: 'x',
        extra_content: { a: 1, google: { thought_signature: 'a' } },
      })),
      user(),
    ]),
  'signed thoughts': (n) =>
    said({ thinking_blocks: list(n, () => ({ type: 'thinking', thinking: 'x', signature: 'ab' })) }),
  'messages with signed thoughts': (n) =>
    chat([
      ...list(n, () => ({
        role: 'assistant',
        content: 'x',
        thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: 'a' }],
      })),
      user(),
    ]),
  'details of thoughts': (n) =>
    said({
      reasoning_details: list(n, () => ({
        type: 'reasoning.text',
        text: 'x',
        signature: 'a',
        format: 'google-gemini-v1',
        index: 0,
      })),
    }),
  'sealed thoughts': (n) =>
    said({ thinking_blocks: list(n, () => ({ type: 'thinking', thinking: 'x', signature: sealed('abc') })) }),
  'dots in a signature': (n) =>
    said({ thinking_blocks: [{ type: 'thinking', thinking: 'x', signature: `hg1.${'.'.repeat(20 * n)}` }] }),
  citations: (n) => said({ content: list(n, () => text), annotations: list(n, citation) }),
  'unknown fields': (n) => asks('x', keys(n)),
  'unknown fields with dots': (n) => asks('x', keys(n, 1, dotted)),
  'unknown fields of a message': (n) => chat([user('x', keys(n))]),
  'unknown fields of a message, with dots': (n) => chat([user('x', keys(n, 1, dotted))]),
  'unknown fields of a part': (n) => asks([{ ...text, ...keys(n) }]),
  'unknown fields of a part, with brackets': (n) => asks([{ ...text, ...keys(n, 1, (i) => `a[${i}`) }]),
  'fields that nearly have known names': (n) =>
    asks(
      'x',
      keys(n, 1, (i) => `Model_${i}`),
    ),
  'unknown fields of options': (n) => asks('x', { stream: true, stream_options: keys(n) }),
  'names of users': (n) => chat(list(n, (i) => user('x', { name: `n${i}` }))),
  'a long key': (n) => asks('x', { ['k'.repeat(20 * n)]: 1 }),
  'a long key of a part': (n) => asks([{ ...text, ['k'.repeat(20 * n)]: 1 }]),
  'keys that are numbers': (n) => asks('x', { logit_bias: keys(n, 1, (i) => String(7 * i)) }),
  metadata: (n) => asks('x', { metadata: keys(n) }),
  'stop sequences': (n) => asks('x', { stop: list(n, (i) => `s${i}`) }),
  depth: (n) =>
    asks(
      'x',
      keys(
        n / 100,
        list(480, () => 0).reduce<unknown>((inner) => [inner], 1),
      ),
    ),
  'empty objects in an unknown field': (n) => asks('x', { x: list(6 * n, () => ({})) }),
  tools: (n) => asks('x', { tools: list(n, (i) => tool(i)) }),
  'tools with long names': (n) =>
    asks('x', { tools: list(n, (i) => ({ type: 'function', function: { name: `${'f'.repeat(70)}${i}` } })) }),
  'tools that may be called': (n) =>
    asks('x', {
      tools: list(n, (i) => tool(i)),
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: list(n, (i) => tool(i)) } },
    }),
  'properties of a tool': (n) =>
    withSchema(object(keys(n, { type: 'string', minimum: 1, foo: 2 }), { required: list(n, (i) => `k${i}`) })),
  'strict properties of a tool': (n) =>
    asks('x', {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            strict: true,
            parameters: object(keys(n, { type: 'string', minLength: 1 }), { required: list(n, (i) => `k${i}`) }),
          },
        },
      ],
    }),
  'alternatives of a schema': (n) =>
    withSchema(object({}, { anyOf: list(n, () => ({ properties: { a: {} }, required: ['a'] })) })),
  'required fields of alternatives': (n) =>
    withSchema(object({}, { anyOf: list(2, () => ({ required: list(n, (i) => `k${i}`) })) })),
  'schemas that are joined': (n) =>
    withSchema(object({ a: { allOf: list(n, (i) => ({ properties: { [`k${i}`]: {} }, required: [`k${i}`] })) } })),
  references: (n) =>
    withSchema(
      object(
        keys(n, (i: number) => ({ $ref: `#/$defs/k${i}` })),
        { $defs: keys(n, { type: 'string' }) },
      ),
    ),
  'references to one large schema': (n) =>
    withSchema(object(keys(n, { $ref: '#/$defs/a' }), { $defs: { a: { type: 'string', ...keys(n) } } })),
  'alternatives that are one large schema': (n) =>
    withSchema(
      object(
        {},
        {
          anyOf: list(n, () => ({ $ref: '#/$defs/a' })),
          $defs: { a: object(keys(n, {}), { required: list(n, (i) => `k${i}`) }) },
        },
      ),
    ),
  'references that double': (n) =>
    withSchema(
      object(
        { a: { $ref: '#/$defs/k0' } },
        {
          $defs: keys(n, (i: number) => object({ a: { $ref: `#/$defs/k${i + 1}` }, b: { $ref: `#/$defs/k${i + 1}` } })),
        },
      ),
    ),
  'a long key above many properties': (n) =>
    withSchema(object({ ['k'.repeat(10 * n)]: object(keys(n, { type: 'string', foo: 1 })) })),
  'an output with many properties': (n) =>
    asks('x', {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: object(keys(n, { type: 'string' }), { required: list(n, (i) => `k${i}`) }) },
      },
    }),
  'numbers in arguments': (n) =>
    called(1, () => ({
      ...call('c0'),
      function: { name: 'f', arguments: `{"a":[${'1234567890123456789,'.repeat(n)}1]}` },
    })),
  'images in a result': (n) =>
    called(
      1,
      (i) => call(`c${i}`),
      () => ({
        tool_call_id: 'c0',
        content: list(n, () => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } })),
      }),
    ),
}
