import { describe, expect, it } from 'vitest'
import type { FunctionTool, Tool, ToolChoice } from '../../../src/canonical/request.ts'
import { assistant, call, errorOf, GEMINI, result, user, write } from './values.ts'

const OLD = { ...GEMINI, model: 'gemini-2.0-flash' }
const HALF = { ...GEMINI, model: 'gemini-2.5-flash' }
const VERTEX = { ...GEMINI, facts: { toolCallIds: false } }
const tool = (name: string, more: Partial<FunctionTool> = {}): FunctionTool => ({
  type: 'function',
  at: `tools.${name}`,
  name,
  ...more,
})

describe('tools', () => {
  const tools: Tool[] = [
    tool('a'),
    tool('b', { description: 'B', schema: { type: 'object', properties: { x: { type: 'string' } } } }),
  ]
  const config = (fields: Parameters<typeof write>[0], target = GEMINI): unknown =>
    write({ tools, ...fields }, target).body['toolConfig']

  it('case 42, 44: a function may have neither schema nor description', () => {
    expect(write({ tools: [tool('a'), tool('b', { schema: {} })] }).body['tools']).toEqual([
      { functionDeclarations: [{ name: 'a' }, { name: 'b' }] },
    ])
  })

  it('a function that takes any properties says so', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } }
    expect(write({ tools: [tool('a', { schema })] }).body['tools']).toEqual([
      { functionDeclarations: [{ name: 'a', parametersJsonSchema: schema }] },
    ])
  })

  it('case 45: an empty list is left out, and with it the choice', () => {
    const { body } = write({ tools: [], toolChoice: { type: 'required' } })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('toolConfig')
  })

  it('case 46: a custom tool is a function of one text', () => {
    const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }
    const custom: Tool = { type: 'custom', at: 'tools[0]', name: 'sh', grammar }
    const messages = [assistant(call('a', 'sh', 'ls', { custom: true })), user(result('a', 'x'))]
    const { body, lost, restore } = write({ tools: [custom], messages })
    expect(body['tools']).toMatchObject([
      { functionDeclarations: [{ name: 'sh', parametersJsonSchema: { properties: { input: { type: 'string' } } } }] },
    ])
    expect(JSON.stringify(body['tools'])).toContain('The input must match this grammar')
    expect(body['contents']).toMatchObject([{ parts: [{ functionCall: { args: { input: 'ls' } } }] }, {}])
    expect(lost).toEqual(['tools[0].format'])
    expect(restore?.custom).toEqual(new Set(['sh']))
  })

  it('names that are not allowed are fitted in tools, choice and history, and can be restored', () => {
    const name = 'über tool'
    const messages = [assistant(call('a', name)), user(result('a', 'x'))]
    const { body, restore } = write({ tools: [tool(name)], toolChoice: { type: 'tool', name }, messages })
    const [fitted] = [...(restore?.names ?? [])].find(([, original]) => original === name) ?? []
    expect(fitted).toMatch(/^[A-Za-z_][A-Za-z0-9_.:-]*$/)
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: fitted }] }],
      toolConfig: { functionCallingConfig: { allowedFunctionNames: [fitted] } },
      contents: [{ parts: [{ functionCall: { name: fitted } }] }, { parts: [{ functionResponse: { name: fitted } }] }],
    })
  })

  it('case 37: names with dots and colons go as they are', () => {
    const { body, restore } = write({ tools: [tool('ns:tool.v1')] })
    expect(body['tools']).toMatchObject([{ functionDeclarations: [{ name: 'ns:tool.v1' }] }])
    expect(restore).toBeUndefined()
  })

  it('case 52: none', () => {
    expect(write({ tools, toolChoice: { type: 'none' } }).body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    })
  })

  it('case 53: one function', () => {
    expect(config({ toolChoice: { type: 'tool', name: 'b' } })).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['b'] },
    })
  })

  it('required, and auto', () => {
    expect(config({ toolChoice: { type: 'required' } })).toEqual({ functionCallingConfig: { mode: 'ANY' } })
    expect(config({ toolChoice: { type: 'auto' } })).toEqual({ functionCallingConfig: { mode: 'AUTO' } })
    expect(config({})).toBeUndefined()
  })

  it('case 55, 56: some functions, of which one must or may be called', () => {
    expect(config({ toolChoice: { type: 'allowed', names: ['a'], required: true } })).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] },
    })
    expect(write({ tools, toolChoice: { type: 'allowed', names: ['a'], required: false } }).body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'a' }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    })
  })

  it('a choice of a tool that is not declared is refused', () => {
    const refusal = (toolChoice: ToolChoice) =>
      errorOf(() => config({ toolChoice, paths: { toolChoice: 'tool_choice' } }))
    const refused = { kind: 'invalid-request', param: 'tool_choice', message: expect.stringContaining('"x"') }
    for (const required of [true, false]) {
      expect(refusal({ type: 'allowed', names: ['x'], required })).toMatchObject(refused)
      expect(refusal({ type: 'allowed', names: ['a', 'x'], required })).toMatchObject(refused)
    }
    expect(refusal({ type: 'tool', name: 'x' })).toMatchObject(refused)
  })

  it('a tool that Google runs stays beside the functions that are allowed, and can not be forced itself', () => {
    const both: Tool[] = [...tools, { type: 'hosted', name: 'web-search' }]
    const some = write({ tools: both, toolChoice: { type: 'allowed', names: ['a'], required: false } }).body['tools']
    expect(some).toEqual([{ functionDeclarations: [{ name: 'a' }] }, { googleSearch: {} }])
    const forced = write({
      tools: both,
      toolChoice: { type: 'tool', name: 'web-search' },
      paths: { toolChoice: 'tool_choice' },
    })
    expect(forced.body['toolConfig']).toMatchObject({ functionCallingConfig: { mode: 'AUTO' } })
    expect(forced.lost).toEqual(['tool_choice'])
  })

  it('strict functions are validated where the model can', () => {
    const strict = [tool('a', { strict: true })]
    expect(config({ tools: strict })).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
    expect(write({ tools: strict }, OLD)).toMatchObject({ lost: ['tools.a.strict'] })
  })

  it('case 63: one call at a time can not be had, and is declared', () => {
    const { body, lost } = write({ tools, parallelTools: false })
    expect(body).not.toHaveProperty('toolConfig')
    expect(lost).toEqual(['parallel_tool_calls'])
  })

  it('web search, code execution and URL context are those of Google', () => {
    const hosted: Tool[] = (['web-search', 'code-execution', 'url-context'] as const).map((name) => ({
      type: 'hosted',
      name,
    }))
    expect(write({ tools: hosted }).body['tools']).toEqual([
      { googleSearch: {} },
      { codeExecution: {} },
      { urlContext: {} },
    ])
    const search: Tool = {
      type: 'hosted',
      at: 'tools[0]',
      name: 'web-search',
      maxUses: 2,
      blockedDomains: ['a'],
      extensions: { format: 'messages', fields: { type: 'x' } },
    }
    expect(write({ tools: [search] })).toMatchObject({
      body: { tools: [{ googleSearch: {} }] },
      lost: ['tools[0].type', 'tools[0].max_uses', 'tools[0].blocked_domains'],
    })
  })

  it('beside functions, the Gemini API is asked for both', () => {
    const both: Tool[] = [...tools, { type: 'hosted', name: 'web-search' }]
    expect(config({ tools: both })).toEqual({ includeServerSideToolInvocations: true })
    expect(config({ tools: both }, VERTEX)).toBeUndefined()
    expect(config({ tools: both }, HALF)).toBeUndefined()
  })

  it('a tool that only another provider runs is left out, or refused where it must be called', () => {
    const search = {
      type: 'hosted',
      at: 'tools[1]',
      name: 'file_search',
      extensions: { format: 'responses', fields: {} },
    } as const
    expect(write({ tools: [search] }).body).not.toHaveProperty('tools')
    const error = errorOf(() => write({ tools: [search], toolChoice: { type: 'required' } }))
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'tools[1]' })
  })
})

describe('the generation config', () => {
  const config = (fields: Parameters<typeof write>[0], target = GEMINI): unknown =>
    write(fields, target).body['generationConfig']

  it('case 181, 183, 187: sampling goes as it is', () => {
    expect(
      config({
        temperature: 1.7,
        topP: 0.9,
        topK: 5,
        stop: ['a'],
        seed: 3,
        n: 2,
        maxTokens: 10,
        presencePenalty: 1,
        frequencyPenalty: 2,
      }),
    ).toEqual({
      temperature: 1.7,
      topP: 0.9,
      topK: 5,
      candidateCount: 2,
      maxOutputTokens: 10,
      seed: 3,
      presencePenalty: 1,
      frequencyPenalty: 2,
      stopSequences: ['a'],
    })
    expect(config({ n: 1 })).toBeUndefined()
  })

  it('case 179: an output limit of 0 is refused', () => {
    expect(errorOf(() => config({ maxTokens: 0 })).param).toBe('max_tokens')
  })

  it('case 185: of six stop sequences five are sent, which is declared', () => {
    const { body, losses } = write({ stop: ['1', '2', '', '3', '4', '5', '6'] })
    expect(body['generationConfig']).toEqual({ stopSequences: ['1', '2', '3', '4', '5'] })
    expect(losses).toMatchObject([{ path: 'stop', kind: 'changed' }])
  })

  it('a seed that does not fit 32 bits is folded, which is declared', () => {
    const { body, losses } = write({ seed: 2 ** 40 + 7 })
    expect(body['generationConfig']).toEqual({ seed: 7 })
    expect(losses).toMatchObject([{ path: 'seed', kind: 'changed' }])
  })

  it('case 191: log probabilities', () => {
    expect(config({ logprobs: { top: 5 } })).toEqual({ responseLogprobs: true, logprobs: 5 })
    expect(config({ logprobs: { top: 0 } })).toEqual({ responseLogprobs: true })
  })

  it('penalties are not sent to 2.5 on the Gemini API, which is declared', () => {
    expect(write({ presencePenalty: 1, paths: { presencePenalty: 'presence_penalty' } }, HALF)).toMatchObject({
      lost: ['presence_penalty'],
    })
    expect(config({ presencePenalty: 1 }, { ...HALF, facts: { toolCallIds: false } })).toEqual({ presencePenalty: 1 })
  })

  it('case 94: a schema, or JSON without one', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(config({ output: { type: 'schema', schema, name: 'x', strict: true } })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
    expect(config({ output: { type: 'json' } })).toEqual({ responseMimeType: 'application/json' })
    expect(config({ output: { type: 'schema', schema } }, { model: 'gemini-1.5-pro' })).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    })
  })

  it('case 195, 196: what no Google model takes is declared, and not sent', () => {
    const { body, lost } = write({ logitBias: { '1': 2 }, user: 'u', metadata: { a: 'b' }, serviceTier: 'scale' })
    expect(Object.keys(body)).toEqual(['contents'])
    expect(lost).toEqual(['service_tier', 'metadata', 'user', 'logit_bias'])
    expect(write({ serviceTier: 'default' }).body['serviceTier']).toBe('standard')
    expect(write({ serviceTier: 'auto' }).lost).toEqual([])
    expect(write({ serviceTier: 'flex' }, VERTEX)).toMatchObject({ lost: ['service_tier'] })
  })
})

describe('thinking', () => {
  const thinking = (reasoning: Parameters<typeof write>[0]['reasoning'] & object, model: string): unknown => {
    const { body, losses } = write({ reasoning }, { model, signer: 'gemini' })
    const config = body['generationConfig'] as { thinkingConfig?: unknown } | undefined
    return [config?.thinkingConfig, losses.map((loss) => loss.kind).join()]
  }

  it.each([
    [
      'case 119: none on 2.5 pro is its least budget',
      { effort: 'none' as const },
      'gemini-2.5-pro',
      { thinkingBudget: 128 },
      'changed',
    ],
    [
      'none on 2.5 flash switches it off',
      { effort: 'none' as const, show: true },
      'gemini-2.5-flash',
      { thinkingBudget: 0 },
      '',
    ],
    [
      'case 119: none on 3 is minimal',
      { effort: 'none' as const },
      'gemini-3-flash-preview',
      { thinkingLevel: 'MINIMAL' },
      'changed',
    ],
    ['none on 3.7 is low', { effort: 'none' as const }, 'gemini-3.7-flash', { thinkingLevel: 'LOW' }, 'changed'],
    [
      'case 120: xhigh on 3 is high',
      { effort: 'xhigh' as const },
      'gemini-3.5-flash',
      { thinkingLevel: 'HIGH', includeThoughts: true },
      'changed',
    ],
    [
      'medium on 3 is medium',
      { effort: 'medium' as const },
      'gemini-3.5-flash',
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
      '',
    ],
    [
      'medium on 3 pro is high',
      { effort: 'medium' as const },
      'gemini-3-pro-preview',
      { thinkingLevel: 'HIGH', includeThoughts: true },
      'changed',
    ],
    [
      'medium on 2.5 is a budget',
      { effort: 'medium' as const, show: true },
      'gemini-2.5-flash',
      { thinkingBudget: 8192, includeThoughts: true },
      '',
    ],
    [
      'max on 2.5 flash is its most',
      { effort: 'max' as const },
      'gemini-2.5-flash',
      { thinkingBudget: 24_576, includeThoughts: true },
      '',
    ],
    [
      'a budget on 2.5 is one',
      { budget: 2000 },
      'gemini-2.5-flash',
      { thinkingBudget: 2000, includeThoughts: true },
      '',
    ],
    [
      'a budget beyond the most',
      { budget: 50_000 },
      'gemini-2.5-flash',
      { thinkingBudget: 24_576, includeThoughts: true },
      'changed',
    ],
    [
      'a budget on 3 is a level',
      { budget: 2000 },
      'gemini-3.5-flash',
      { thinkingLevel: 'LOW', includeThoughts: true },
      'changed',
    ],
    ['adaptive on 2.5', { adaptive: true }, 'gemini-2.5-flash', { thinkingBudget: -1, includeThoughts: true }, ''],
    [
      'thoughts that are not to be shown',
      { budget: 2000, show: false },
      'gemini-2.5-flash',
      { thinkingBudget: 2000, includeThoughts: false },
      '',
    ],
    ['adaptive on 3', { adaptive: true }, 'gemini-3.5-flash', { includeThoughts: true }, ''],
    ['a model that does not think', { effort: 'high' as const }, 'gemini-2.0-flash', undefined, 'dropped'],
    ['none on a model that does not think', { effort: 'none' as const }, 'gemini-2.0-flash', undefined, ''],
    [
      'an unknown model is of the newest generation',
      { effort: 'minimal' as const },
      'gemini-9-ultra',
      { thinkingLevel: 'LOW', includeThoughts: true },
      'changed',
    ],
  ])('%s', (_, reasoning, model, expected, losses) => {
    expect(thinking(reasoning, model)).toEqual([expected, losses])
  })

  it('shows no thoughts to a caller of the format itself who did not ask for them', () => {
    const { body } = write(
      { reasoning: { budget: 2000 }, extensions: { format: 'generate-content', fields: {} } },
      HALF,
    )
    expect(body['generationConfig']).toEqual({ thinkingConfig: { thinkingBudget: 2000 } })
  })
})
