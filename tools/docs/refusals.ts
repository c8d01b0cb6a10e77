import type { Json } from '../../packages/core/src/canonical/json.ts'
import { HeadgateError } from '../../packages/core/src/errors.ts'
import { formats } from '../../packages/core/src/formats/index.ts'
import { parseBody, requireString } from '../../packages/gateway/src/edge/body.ts'
import { code, table } from './markdown.ts'

/** Bodies that are invalid on every path. */
const BODIES = ['', 'Hello', '[]', '{"model": "a", "model": "b"}', '{}', '{"model": 7}']

const user = (content: unknown): Json => ({ messages: [{ role: 'user', content }] })
const contents = (...parts: Json[]): Json => ({ contents: [{ role: 'user', parts }] })
const hello = { text: 'Hello.' }

/** Mistakes and requests with them, by format. */
const REQUESTS: Readonly<Record<string, readonly (readonly [what: string, body: Json])[]>> = {
  'chat-completions': [
    ['no turn', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'robot', content: 'Hello.' }] }],
    ['an unknown kind of content', user([{ type: 'video_url' }])],
    ['an image that is not a URL', user([{ type: 'image_url', image_url: { url: 'cat.png' } }])],
    ['a document that is not base64', user([{ type: 'file', file: { file_data: '***' } }])],
    ['audio output', { ...user('Hello.'), modalities: ['text', 'audio'] }],
    ['a field of another type', { ...user('Hello.'), temperature: 'hot' }],
    ['an unknown value', { ...user('Hello.'), response_format: { type: 'xml' } }],
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
    ['an unknown value', { ...user('Hello.'), tool_choice: { type: 'always' } }],
  ],
  'generate-content': [
    ['no turn', { contents: [] }],
    ['an unknown role', { contents: [{ role: 'system', parts: [hello] }] }],
    ['an empty part', contents({})],
    ['a part of two kinds', contents({ ...hello, inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } })],
    ['a part in the wrong turn', contents({ functionCall: { name: 'weather', args: {} } })],
    ['a field in two spellings', { ...contents(hello), cachedContent: 'a', cached_content: 'b' }],
    [
      'two response schemas',
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
    ['a missing schema', { input: 'Hello.', text: { format: { type: 'json_schema', name: 'weather' } } }],
    ['an unknown value', { input: 'Hello.', tool_choice: 'always' }],
  ],
}

/** Errors before the format is read. */
export function bodyRefusals(): string {
  const rows = BODIES.map((body) => [
    body === '' ? 'nothing' : code(body),
    refusal(body, () => requireString(parseBody(Buffer.from(body)).json, 'model')),
  ])
  return table(['body', 'message'], rows)
}

/** Errors of the reader of each format. */
export function readerRefusals(): string {
  return Object.entries(REQUESTS)
    .map(([id, cases]) => {
      const format = formats.get(id)
      const rows = cases.map(([what, body]) => [
        what,
        refusal(what, () => format?.readRequest({ model: 'a-model', ...body })),
      ])
      return `**${id}**\n\n${table(['request', 'message'], rows)}`
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
  throw new Error(`The request with ${JSON.stringify(what)} is accepted. Fix tools/docs/refusals.ts.`)
}
