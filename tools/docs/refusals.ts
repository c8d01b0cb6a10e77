import type { Json } from '../../packages/core/src/canonical/json.ts'
import { HeadgateError } from '../../packages/core/src/errors.ts'
import { formats } from '../../packages/core/src/formats/index.ts'
import { parseBody, requireText } from '../../packages/gateway/src/edge/body.ts'
import { code, table } from './markdown.ts'

/** Bodies that are refused on every path. */
const BODIES = ['', 'Hello', '[]', '{"model": "a", "model": "b"}', '{}', '{"model": 7}']

const user = (content: unknown): Json => ({ messages: [{ role: 'user', content }] })
const contents = (...parts: Json[]): Json => ({ contents: [{ role: 'user', parts }] })
const hello = { text: 'Hello.' }

/** What is wrong with a request, and a request in which it is, by format. */
const REQUESTS: Readonly<Record<string, readonly (readonly [what: string, body: Json])[]>> = {
  'chat-completions': [
    ['no turn', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'robot', content: 'Hello.' }] }],
    ['an unknown kind of content', user([{ type: 'video_url' }])],
    ['an image that is no URL', user([{ type: 'image_url', image_url: { url: 'cat.png' } }])],
    ['a document that is not base64', user([{ type: 'file', file: { file_data: '***' } }])],
    ['a spoken answer', { ...user('Hello.'), modalities: ['text', 'audio'] }],
    ['a field of another type', { ...user('Hello.'), temperature: 'hot' }],
    ['an unknown word', { ...user('Hello.'), response_format: { type: 'xml' } }],
    ['fields that need each other', { ...user('Hello.'), top_logprobs: 3 }],
  ],
  messages: [
    ['no list of turns', { messages: 'Hello.' }],
    ['an unknown role', { messages: [{ role: 'robot', content: 'Hello.' }] }],
    ['an unknown block', user([{ type: 'hologram' }])],
    ['a block in the wrong turn', user([{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }])],
    [
      'an image that is not base64',
      user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '***' } }]),
    ],
    ['a field of another type', { ...user('Hello.'), max_tokens: 1.5 }],
    ['an unknown word', { ...user('Hello.'), tool_choice: { type: 'always' } }],
  ],
  'generate-content': [
    ['no turn', { contents: [] }],
    ['an unknown role', { contents: [{ role: 'system', parts: [hello] }] }],
    ['an empty part', contents({})],
    ['a part of two kinds', contents({ ...hello, inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } })],
    ['a part in the wrong turn', contents({ functionCall: { name: 'weather', args: {} } })],
    ['a field in two spellings', { ...contents(hello), cachedContent: 'a', cached_content: 'b' }],
    [
      'two schemas of the answer',
      {
        ...contents(hello),
        generationConfig: { responseSchema: { type: 'STRING' }, responseJsonSchema: { type: 'string' } },
      },
    ],
    ['a field of another type', { ...contents(hello), generationConfig: { temperature: 'hot' } }],
  ],
  responses: [
    ['no input', {}],
    ['an unknown role', { input: [{ role: 'robot', content: 'Hello.' }] }],
    ['an unknown part', { input: [{ role: 'user', content: [{ type: 'hologram' }] }] }],
    ['a call without its id', { input: [{ type: 'function_call', name: 'weather', arguments: '{}' }] }],
    ['a result without its call', { input: [{ type: 'function_call_output', output: '21 °C' }] }],
    ['a schema that is missing', { input: 'Hello.', text: { format: { type: 'json_schema', name: 'weather' } } }],
    ['an unknown word', { input: 'Hello.', tool_choice: 'always' }],
  ],
}

/** What is refused before the format is looked at. */
export function bodyRefusals(): string {
  const rows = BODIES.map((body) => [
    body === '' ? 'nothing' : code(body),
    refusal(body, () => requireText(parseBody(Buffer.from(body)).json, 'model')),
  ])
  return table(['what is sent', 'what comes back'], rows)
}

/** What the reader of each format refuses, in its words. */
export function readerRefusals(): string {
  return Object.entries(REQUESTS)
    .map(([id, cases]) => {
      const format = formats.get(id)
      const rows = cases.map(([what, body]) => [
        what,
        refusal(what, () => format?.readRequest({ model: 'a-model', ...body })),
      ])
      return `**${id}**\n\n${table(['what is sent', 'what comes back'], rows)}`
    })
    .join('\n\n')
}

function refusal(what: string, read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (HeadgateError.is(error)) return error.message
    throw error
  }
  throw new Error(`Nothing is refused where ${JSON.stringify(what)} is sent. Mend tools/docs/refusals.ts.`)
}
