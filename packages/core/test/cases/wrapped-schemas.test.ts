import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../src/canonical/json.ts'
import { type TranslatedFormat, translateRequest, translateResponse, translateStream } from '../../src/translate.ts'

/**
 * @see https://platform.openai.com/docs/guides/structured-outputs#root-objects-must-not-be-anyof-and-must-be-an-object
 */
const list = { type: 'array', items: { type: 'string' } }
const tree = { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#' } } } } }
const either = {
  type: 'object',
  anyOf: [{ required: ['a'] }, { required: ['b'] }],
  properties: { a: { $ref: '#/properties/b' }, b: list },
}

const wrapper = (schema: Json, definitions: Json = {}): Json => ({
  type: 'object',
  properties: { value: schema },
  required: ['value'],
  additionalProperties: false,
  ...definitions,
})
const CASES: readonly [string, Json, Json][] = [
  ['a list', list, wrapper(list)],
  ['a type of two', { type: ['string', 'null'] }, wrapper({ type: ['string', 'null'] })],
  [
    'a reference',
    tree,
    wrapper(
      { $ref: '#/$defs/node' },
      { $defs: { node: { type: 'object', properties: { next: { $ref: '#/properties/value' } } } } },
    ),
  ],
  [
    'alternatives',
    either,
    wrapper({ ...either, properties: { a: { $ref: '#/properties/value/properties/b' }, b: list } }),
  ],
]

const MODEL = 'gpt-5.2'
const messages = (more: Json): Json => ({
  model: MODEL,
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
})
const generate = (schema: Json): Json => ({
  contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
})
const OPENAI: readonly TranslatedFormat[] = ['chat-completions', 'responses']

function schemaOf(to: TranslatedFormat, body: Json = {}): unknown {
  const format = (to === 'responses' ? (body['text'] as Json)['format'] : body['response_format']) as Json
  return to === 'responses' ? format['schema'] : (format['json_schema'] as Json)['schema']
}

/** An answer of one text, or of one call of the tool `f`. */
function answerOf(from: TranslatedFormat, text: string, isCall: boolean): Json {
  if (from === 'responses') {
    const item = isCall
      ? { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: text, status: 'completed' }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        }
    return { id: 'resp_1', object: 'response', status: 'completed', model: MODEL, output: [item] }
  }
  const message = isCall
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: text } }],
      }
    : { role: 'assistant', content: text }
  return {
    id: 'a',
    object: 'chat.completion',
    model: MODEL,
    choices: [{ index: 0, message, finish_reason: isCall ? 'tool_calls' : 'stop' }],
  }
}

/** The same answer as the chunks of a stream of chat completions, in pieces of `size` characters. */
async function* chunksOf(text: string, isCall: boolean, size: number): AsyncGenerator<Uint8Array, void, void> {
  const chunk = (delta: Json, finish: string | null = null): Uint8Array =>
    new TextEncoder().encode(
      `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', model: MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  if (isCall)
    yield chunk({
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }],
    })
  for (let at = 0; at < text.length; at += size) {
    const piece = text.slice(at, at + size)
    yield chunk(isCall ? { tool_calls: [{ index: 0, function: { arguments: piece } }] } : { content: piece })
  }
  yield chunk({}, isCall ? 'tool_calls' : 'stop')
  yield new TextEncoder().encode('data: [DONE]\n\n')
}

async function streamed(request: Json, text: string, isCall: boolean, size: number): Promise<string> {
  let out = ''
  const options = { from: 'chat-completions', to: 'messages', model: MODEL, request } as const
  for await (const chunk of translateStream(chunksOf(text, isCall, size), options))
    out += new TextDecoder().decode(chunk)
  return out
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => (JSON.parse(line.slice(5)) as { delta?: { text?: string; partial_json?: string } }).delta)
    .map((delta) => delta?.text ?? delta?.partial_json ?? '')
    .join('')
}

const VALUE = '[ "a}" , {"b":["\\"]"]}, null ]'

describe('A schema whose root is no plain object', () => {
  describe.each(OPENAI)('goes to OpenAI as %s', (to) => {
    it.each(CASES)('%s: within an object', (_, schema, expected) => {
      const output = messages({ output_config: { format: { type: 'json_schema', schema } } })
      const before = structuredClone(schema)
      expect(schemaOf(to, translateRequest(output, { from: 'messages', to, model: MODEL }).body)).toEqual(expected)
      expect(
        schemaOf(to, translateRequest(generate(schema), { from: 'generate-content', to, model: MODEL }).body),
      ).toEqual(expected)
      const { body, lost } = translateRequest(messages({ tools: [{ name: 'f', input_schema: schema }] }), {
        from: 'messages',
        to,
        model: MODEL,
      })
      const [tool] = Object(body)['tools'] as [Json]
      expect(isObject(tool['function']) ? tool['function']['parameters'] : tool['parameters']).toEqual(expected)
      expect([lost, schema]).toEqual([[], before])
    })

    it('and its value is the answer, and the arguments of a call', () => {
      const output = messages({ output_config: { format: { type: 'json_schema', schema: list } } })
      const options = { from: to, to: 'messages', model: MODEL } as const
      const said = translateResponse(answerOf(to, `{ "value" : ${VALUE} }`, false), {
        ...options,
        request: output,
      }).body
      expect(said['content']).toMatchObject([{ type: 'text', text: VALUE }])
      const request = messages({ tools: [{ name: 'f', input_schema: either }] })
      const called = translateResponse(answerOf(to, '{"value":{"a":1}}', true), { ...options, request }).body
      expect(called['content']).toMatchObject([{ type: 'tool_use', name: 'f', input: { a: 1 } }])
    })

    it('and calls of the conversation have the object as well', () => {
      const turns = [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
      ]
      const request = {
        ...messages({ tools: [{ name: 'f', input_schema: either }] }),
        messages: [{ role: 'user', content: 'Hello' }, ...turns],
      }
      expect(JSON.stringify(translateRequest(request, { from: 'messages', to, model: MODEL }).body)).toContain(
        '"{\\"value\\":{\\"a\\":1}}"',
      )
    })
  })

  it.each([1, 3, 1000])('is no part of a stream in pieces of %i characters', async (size) => {
    const output = messages({ output_config: { format: { type: 'json_schema', schema: list } } })
    expect(await streamed(output, `{"value": ${VALUE}}\n`, false, size)).toBe(VALUE)
    expect(await streamed(output, '{"value":["cut', false, size)).toBe('["cut')
    expect(await streamed(output, 'I cannot do that.', false, size)).toBe('I cannot do that.')
    const tools = messages({ tools: [{ name: 'f', input_schema: either }] })
    expect(await streamed(tools, '{"value":{"a":{"b":1}}}', true, size)).toBe('{"a":{"b":1}}')
  })

  it('goes unchanged to servers that imitate OpenAI, and where the caller speaks the format', () => {
    const output = messages({ output_config: { format: { type: 'json_schema', schema: list } } })
    expect(
      schemaOf(
        'chat-completions',
        translateRequest(output, { from: 'messages', to: 'chat-completions', model: 'qwen3' }).body,
      ),
    ).toBe(list)
    const own = {
      model: MODEL,
      messages: [{ role: 'user', content: 'x' }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: list } },
    }
    expect(
      schemaOf(
        'chat-completions',
        translateRequest(own, { from: 'chat-completions', to: 'chat-completions', model: MODEL }).body,
      ),
    ).toEqual(list)
  })
})
