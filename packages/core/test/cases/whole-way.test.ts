import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { HeadgateError } from '../../src/errors.ts'
import { readFrames } from '../../src/formats/sse.ts'
import type { TranslateRequestOptions } from '../../src/translate.ts'
import { A, answer, CLAUDE, G, GEMINI, GPT, NEW_CLAUDE, O, send, VERTEX } from './way.ts'

const hello = { role: 'user', content: 'Hello' }
const chat = (...messages: Json[]): Json => ({ model: 'm', messages: [hello, ...messages] })
const claude = (...messages: Json[]): Json => ({ model: 'm', max_tokens: 99, messages: [hello, ...messages] })
const chatCall = (args: string): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: args } }],
})
const chatResult = { role: 'tool', tool_call_id: 'c1', content: '1' }
const [a, b] = ['a', 'b'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}))
const allowed = (mode: string): Json => ({
  tools: [a, b],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'a' } }] },
  },
})
const generated = (candidate: Json): Json => ({ candidates: [candidate], modelVersion: 'g', responseId: 'r' })

describe('A request all the way', () => {
  it('case 3: empty arguments are an empty input', () => {
    expect(send(O, A, chat(chatCall(''), chatResult), CLAUDE).body['messages']).toMatchObject([
      {},
      { content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
      {},
    ])
  })

  it('case 27: a failed result is an error', () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }
    const result = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'boom' }],
    }
    expect(send(A, G, claude(use, result), GEMINI).body['contents']).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: 'f', response: { error: 'boom' } } }] },
    ])
  })

  it('case 31: ids go to the Gemini API, and not to Vertex', () => {
    const body = chat(chatCall('{}'), chatResult)
    const ids = (target: Partial<TranslateRequestOptions>) =>
      JSON.stringify(send(O, G, body, target).body['contents']).match(/"id":"[^"]*"/g)
    expect([ids(GEMINI), ids(VERTEX)]).toEqual([['"id":"c1"', '"id":"c1"'], null])
  })

  it('case 41: a custom tool is a function whose schema has no field of the tool', () => {
    const input_schema = { type: 'object', properties: { x: { type: 'string' } } }
    const tool = { type: 'custom', name: 'f', input_schema, cache_control: { type: 'ephemeral' }, defer_loading: true }
    const { body, lost } = send(A, O, { ...claude(), tools: [tool] }, GPT)
    expect(body['tools']).toMatchObject([{ type: 'function', function: { name: 'f', parameters: input_schema } }])
    expect(JSON.stringify(body['tools'])).not.toMatch(/defer_loading|"ephemeral"|custom/)
    expect(lost).toContain('tools[0].defer_loading dropped')
  })

  it('case 53: a named function is the only one that may be called', () => {
    const body = { ...chat(), tools: [a, b], tool_choice: { type: 'function', function: { name: 'a' } } }
    expect(send(O, G, body, GEMINI).body['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] },
    })
  })

  it.each([
    ['55', 'required', 'any'],
    ['56', 'auto', 'auto'],
  ])('case %s: of the tools that are allowed (%s), only these are sent', (_, mode, type) => {
    const { body } = send(O, A, { ...chat(), ...allowed(mode) }, CLAUDE)
    expect(body['tools']).toMatchObject([{ name: 'a' }])
    expect(body).toMatchObject({ tools: { length: 1 }, tool_choice: { type } })
  })

  it.each([A, G])('a web search stays beside the tools that are allowed, to %s', (to) => {
    const body = { ...chat(), ...allowed('auto'), web_search_options: {} }
    expect(send(O, to, body, to === A ? CLAUDE : GEMINI).body['tools']).toMatchObject(
      to === A
        ? [{ name: 'a' }, { name: 'web_search' }]
        : [{ functionDeclarations: [{ name: 'a' }] }, { googleSearch: {} }],
    )
  })

  it.each([
    [O, A, 'auto'],
    [O, G, 'auto'],
    [O, A, 'required'],
    [O, G, 'required'],
    [G, A, 'ANY'],
    [G, O, 'VALIDATED'],
  ] as const)('allowed tools that are not declared are refused from %s to %s (%s)', (from, to, mode) => {
    const [path, body]: [string, Json] =
      from === O
        ? ['tool_choice', { ...chat(), ...allowed(mode), tools: [b] }]
        : [
            'toolConfig.functionCallingConfig',
            {
              contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
              tools: [{ functionDeclarations: [{ name: 'b' }] }],
              toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['a'] } },
            },
          ]
    const target = to === A ? CLAUDE : to === G ? GEMINI : GPT
    expect(() => send(from, to, body, target)).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: path }),
    )
  })

  it('functions that are to be validated are strict, or it is declared', () => {
    const object = (properties: Json, more: Json = {}): Json => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      ...more,
    })
    const strict = object({ x: { type: 'string' } }, { additionalProperties: false })
    const body = (parametersJsonSchema: Json): Json => ({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }],
      tool_config: { function_calling_config: { mode: 'VALIDATED' } },
    })
    expect(send(G, A, body(strict), CLAUDE)).toMatchObject({
      body: { tools: [{ name: 'f', strict: true }], tool_choice: { type: 'auto' } },
      lost: [],
    })
    expect(send(G, O, body(strict), GPT)).toMatchObject({
      body: { tools: [{ function: { strict: true } }], tool_choice: 'auto' },
      lost: [],
    })
    expect(send(G, G, body(strict), GEMINI)).toMatchObject({
      body: { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
      lost: [],
    })
    const free = object({ x: { type: 'object', additionalProperties: true } })
    const mode = 'tool_config.function_calling_config.mode'
    expect(send(G, A, body(free), CLAUDE).lost).toEqual([`${mode} dropped`])
    expect(send(G, O, body(free), GPT).lost).toEqual([`${mode} changed`])
    expect(send(G, A, body(strict), { ...CLAUDE, model: 'claude-3-haiku-20240307' }).lost).toEqual([`${mode} dropped`])
  })

  it('thoughts are asked of Gemini where the caller turns thinking on, and not where it does not want them', () => {
    const config = (from: typeof O | typeof A, fields: Json) => {
      const { generationConfig } = send(
        from,
        G,
        from === O ? { ...chat(), ...fields } : { ...claude(), ...fields },
        GEMINI,
      ).body
      return Object(Object(generationConfig).thinkingConfig)['includeThoughts'] as unknown
    }
    const enabled = { type: 'enabled', budget_tokens: 2000 }
    expect(config(A, { thinking: enabled })).toBe(true)
    expect(config(A, { thinking: { type: 'adaptive' } })).toBe(true)
    expect(config(A, { thinking: { ...enabled, display: 'omitted' } })).toBe(false)
    expect(config(A, { thinking: { type: 'disabled' } })).toBeUndefined()
    expect(config(A, { output_config: { effort: 'high' } })).toBe(false)
    expect(config(A, {})).toBeUndefined()
    expect(config(O, { reasoning_effort: 'low' })).toBe(true)
    expect(config(O, { reasoning_effort: 'none' })).toBeUndefined()
    expect(send(O, G, { ...chat(), reasoning_effort: 'low' }, { model: 'gemini-2.0-flash' }).body).not.toHaveProperty(
      'generationConfig',
    )
  })

  it.each([
    ['58', {}, { type: 'auto', disable_parallel_tool_use: true }],
    ['60', { tool_choice: 'none' }, { type: 'none' }],
  ])('case %s: one call at a time, with %j', (_, fields, expected) => {
    const { body } = send(O, A, { ...chat(), tools: [a], parallel_tool_calls: false, ...fields }, CLAUDE)
    expect(body['tool_choice']).toEqual(expected)
  })

  it('case 84: an enum with null is nullable without it, where the model takes no JSON Schema', () => {
    const parameters = { type: 'object', properties: { x: { type: ['string', 'null'], enum: ['a', null] } } }
    const body = { ...chat(), tools: [{ type: 'function', function: { name: 'f', parameters } }] }
    expect(send(O, G, body, { model: 'gemini-1.5-pro' }).body['tools']).toMatchObject([
      {
        functionDeclarations: [{ parameters: { properties: { x: { type: 'STRING', nullable: true, enum: ['a'] } } } }],
      },
    ])
  })

  it('case 94: a schema is that within its wrapper, and without one there is only the type', () => {
    const schema = { type: 'object', properties: { x: { type: 'string' } } }
    const config = (json_schema: Json) =>
      send(O, G, { ...chat(), response_format: { type: 'json_schema', json_schema } }, GEMINI).body['generationConfig']
    expect(config({ name: 'n', schema })).toEqual({ responseMimeType: 'application/json', responseJsonSchema: schema })
    expect(config({ name: 'n' })).toEqual({ responseMimeType: 'application/json' })
  })

  it('case 115: thoughts that their own vendor signed go back to it as they are', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB+/=' }
    const turn = { role: 'assistant', content: [thought, { type: 'text', text: 'Hi' }] }
    expect(send(A, A, claude(turn, hello), CLAUDE).body['messages']).toMatchObject([{}, { content: [thought, {}] }, {}])
  })

  it('case 118: thinking that is switched off is so for a model that thinks by default', () => {
    expect(
      send(A, A, { ...claude(), thinking: { type: 'disabled' } }, { model: 'claude-sonnet-5' }).body['thinking'],
    ).toEqual({
      type: 'disabled',
    })
    expect(send(O, A, { ...chat(), reasoning_effort: 'none' }, { model: 'claude-sonnet-5' }).body['thinking']).toEqual({
      type: 'disabled',
    })
  })

  it('case 119: no reasoning is the least that the model can', () => {
    const config = (model: string) =>
      send(O, G, { ...chat(), reasoning_effort: 'none' }, { model }).body['generationConfig']
    expect(config('gemini-2.5-pro')).toEqual({ thinkingConfig: { thinkingBudget: 128 } })
    expect(config('gemini-3-flash-preview')).toEqual({ thinkingConfig: { thinkingLevel: 'MINIMAL' } })
  })

  it('case 123: an effort that goes only with thinking is lowered where there is none', () => {
    const { body, lost } = send(
      A,
      A,
      { ...claude(), thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
      NEW_CLAUDE,
    )
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, output_config: { effort: 'high' } })
    expect(lost).toEqual(['output_config.effort changed'])
  })

  it('case 132: a beginning that is to be continued has no white space at its end', () => {
    const { body, lost } = send(O, A, chat({ role: 'assistant', content: 'Sure: {  \n' }), {
      model: 'claude-3-7-sonnet-20250219',
    })
    expect(body['messages']).toMatchObject([{}, { role: 'assistant', content: [{ type: 'text', text: 'Sure: {' }] }])
    expect(lost).toEqual(['messages[1].content changed'])
  })

  it('case 136: an empty text has no cache mark', () => {
    const content = [
      { type: 'text', text: '', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'x' },
    ]
    const { body } = send(O, A, { model: 'm', messages: [{ role: 'user', content }] }, CLAUDE)
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x' }] }])
  })

  it('case 181: a temperature beyond the range is clamped, left out or sent, as the model has it', () => {
    const body = { ...chat(), temperature: 1.7 }
    expect(send(O, A, body, CLAUDE)).toMatchObject({ body: { temperature: 1 }, lost: ['temperature changed'] })
    const refused = send(O, A, body, NEW_CLAUDE)
    expect([refused.body['temperature'], refused.lost]).toEqual([undefined, ['temperature dropped']])
    expect(send(O, G, body, GEMINI)).toMatchObject({ body: { generationConfig: { temperature: 1.7 } }, lost: [] })
  })

  it('case 332: arguments are the same text to their own format, and the same values to another', () => {
    const args = '{"b":1.0,"a":1e2}'
    expect(send(O, O, chat(chatCall(args), chatResult), GPT).body['messages']).toMatchObject([
      {},
      { tool_calls: [{ function: { arguments: args } }] },
      {},
    ])
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { b: 1, a: 100 } }] }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '1' }] }
    const [, turn] = send(A, O, claude(use, result), GPT).body['messages'] as {
      tool_calls: { function: { arguments: string } }[]
    }[]
    expect(JSON.parse(turn?.tool_calls[0]?.function.arguments ?? '')).toEqual({ b: 1, a: 100 })
  })
})

describe('An answer all the way', () => {
  it('case 124: thoughts are never in the content', () => {
    const parts = [{ text: 'secret plan', thought: true }, { text: 'Hi' }]
    const body = answer(G, O, generated({ content: { role: 'model', parts }, finishReason: 'STOP' }))
    expect(body['choices']).toMatchObject([{ message: { content: 'Hi', reasoning_content: 'secret plan' } }])
  })

  it.each([O, A])(
    'case 210: a call that was malformed, with nothing said, is a failure and no end of a turn (%s)',
    (to) => {
      const body = generated({ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'bad' })
      const run = () => answer(G, to, body)
      expect(run).toThrow(HeadgateError)
      expect(run).toThrow(expect.objectContaining({ kind: 'upstream', message: 'bad' }))
    },
  )

  it('case 215: a refusal is text, and the end is one', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: null, refusal: 'No.' }, finish_reason: 'stop' }]
    expect(answer(O, A, { id: 'x', choices })).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
    })
  })

  it('case 216: an answer that was filtered is a refusal', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Well' }, finish_reason: 'content_filter' }]
    expect(answer(O, A, { id: 'x', choices })).toMatchObject({
      content: [{ type: 'text', text: 'Well' }],
      stop_reason: 'refusal',
    })
  })

  it('case 292: a line of comment is no frame', () => {
    expect(readFrames(': OPENROUTER PROCESSING\n\ndata: {}\n\n: OPENROUTER PROCESSING\n\n')).toEqual([{ data: '{}' }])
  })
})
