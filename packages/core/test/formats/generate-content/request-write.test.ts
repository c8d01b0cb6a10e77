import { describe, expect, it } from 'vitest'
import type { Block, MediaBlock } from '../../../src/chat/block.ts'
import type { FunctionTool, Tool } from '../../../src/chat/request.ts'
import { assistant, call, contents, errorOf, GEMINI, read, result, system, user, write } from './values.ts'

const OLD = { ...GEMINI, model: 'gemini-2.0-flash' }
const HALF = { ...GEMINI, model: 'gemini-2.5-flash' }
const VERTEX = { ...GEMINI, facts: { toolCallIds: false } }
const SKIP = 'skip_thought_signature_validator'

const tool = (name: string, more: Partial<FunctionTool> = {}): FunctionTool => ({ type: 'function', at: `tools.${name}`, name, ...more })
const image = (more: Partial<MediaBlock> = {}): Block => ({
  ...{ type: 'media', kind: 'image', mime: 'image/png', at: 'messages[0].content[1]' },
  ...{ source: { type: 'base64', data: 'aGk=' }, ...more },
})
const link = (url: string, kind: MediaBlock['kind'] = 'image', more: Partial<MediaBlock> = {}): Block => ({
  ...{ type: 'media', kind, at: 'messages[0].content[1]', source: { type: 'url', url }, ...more },
})

describe('calls and results', () => {
  it('case 4: empty arguments become {}', () => {
    expect(contents([assistant(call('a', 'f', '')), user(result('a', 'x'))])).toMatchObject([
      { parts: [{ functionCall: { name: 'f', args: {} } }] },
      {},
    ])
  })

  it.each(['{"a":1, "b":', '[1]', 'text'])('case 5: arguments that are no JSON object (%s) become {} and are declared', (args) => {
    const { body, losses } = write({
      messages: [assistant(call('a', 'f', args, { at: 'messages[1].tool_calls[0]' })), user(result('a', 'x'))],
    })
    expect(body).toMatchObject({ contents: [{ parts: [{ functionCall: { args: {} } }] }, {}] })
    expect(losses).toMatchObject([{ path: 'messages[1].tool_calls[0].arguments', kind: 'changed' }])
  })

  it('case 331: numbers that do not fit are declared in arguments, and kept as text in results', () => {
    const { body, losses } = write({
      messages: [assistant(call('a', 'f', '{"n":9007199254740993}')), user(result('a', '{"n":9007199254740993}'))],
    })
    expect(losses).toMatchObject([{ path: 'arguments', kind: 'changed' }])
    expect(body).toMatchObject({ contents: [{}, { parts: [{ functionResponse: { response: { output: '{"n":9007199254740993}' } } }] }] })
    expect(write({ messages: [assistant(call('a', 'f', '{"n":"9007199254740993"}')), user(result('a', 'x'))] }).losses).toEqual([])
  })

  it('case 11: parallel results stand in one turn', () => {
    const written = contents([user('go'), assistant(call('a', 'f'), call('b', 'g')), user(result('a', '1')), user(result('b', '2'))])
    expect(written).toMatchObject([
      { role: 'user' },
      { role: 'model', parts: [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { functionResponse: { name: 'g' } }] },
    ])
  })

  it('case 12: results stand in the order of their calls, those of no call at the end', () => {
    const results = user(result('x', '', { name: 'other' }), result('c', ''), result('a', ''), result('b', ''))
    expect(contents([assistant(call('a', 'f1'), call('b', 'f2'), call('c', 'f3')), results])).toMatchObject([
      {},
      { parts: ['f1', 'f2', 'f3', 'other'].map((name) => ({ functionResponse: { name } })) },
    ])
  })

  it('case 8: results stand before what else the user said', () => {
    expect(contents([assistant(call('a', 'f')), user('hm'), user(result('a', 'x'))])).toMatchObject([
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { text: 'hm' }] },
    ])
  })

  it('case 10: a call without a result is refused, by its id', () => {
    const error = errorOf(() =>
      contents([assistant(call('a', 'f'), call('b', 'g', '{}', { at: 'messages[0].tool_calls[1]' })), user(result('a', 'x'))]),
    )
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].tool_calls[1]' })
    expect(error.message).toContain('"b"')
    expect(errorOf(() => contents([assistant(call('a', 'f'))])).message).toContain('"a"')
  })

  it('a result of a call that is not in the conversation is refused, unless it names the function', () => {
    expect(errorOf(() => contents([user(result('z', 'x', { at: 'messages[0]' }))])).param).toBe('messages[0]')
    expect(contents([user(result('z', 'x', { name: 'f' }))])).toMatchObject([{ parts: [{ functionResponse: { name: 'f' } }] }])
  })

  it('case 13: a result without a name has that of its call', () => {
    expect(contents([assistant(call('a', 'f')), user(result('a', 'x'))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { name: 'f' } }] },
    ])
  })

  it.each([
    ['{"t":72}', { t: 72 }],
    ['72', { output: '72' }],
    ['[1]', { output: '[1]' }],
    ['', { output: '' }],
    ['{}', { output: '{}' }],
    ['{"output":"x"}', { output: '{"output":"x"}' }],
    ['{"error":"x"}', { output: '{"error":"x"}' }],
    ['{broken', { output: '{broken' }],
  ])('case 15: the result %s is an object', (text, response) => {
    expect(contents([assistant(call('a', 'f')), user(result('a', text))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { response } }] },
    ])
  })

  it('case 16: a result with $ref or $defs stays text', () => {
    const text = '{"schema":{"$ref":"#/$defs/a"}}'
    const written = contents([assistant(call('a', 'f')), user(result('a', text))])
    expect(written).toMatchObject([{}, { parts: [{ functionResponse: { response: { output: text } } }] }])
  })

  it('case 27: a failure is an error', () => {
    const written = contents([assistant(call('a', 'f')), user(result('a', 'boom', { error: true }))])
    expect(written).toMatchObject([{}, { parts: [{ functionResponse: { response: { error: 'boom' } } }] }])
  })

  it('case 24: images of results stand inside them on Gemini 3, and after them before', () => {
    const messages = [assistant(call('a', 'f')), user({ type: 'tool-result', id: 'a', blocks: [image()] }, 'and?')]
    const inlineData = { mimeType: 'image/png', data: 'aGk=' }
    expect(contents(messages)).toMatchObject([{}, { parts: [{ functionResponse: { parts: [{ inlineData }] } }, { text: 'and?' }] }])
    const [, turn] = contents(messages, HALF) as [unknown, { parts: unknown[] }]
    expect(turn.parts).toMatchObject([{ functionResponse: { response: { output: '' } } }, { inlineData }, { text: 'and?' }])
  })

  it('case 31: ids are sent to the Gemini API and not to Vertex', () => {
    const messages = [assistant(call('a', 'f')), user(result('a', 'x'))]
    expect(contents(messages)).toMatchObject([{ parts: [{ functionCall: { id: 'a' } }] }, { parts: [{ functionResponse: { id: 'a' } }] }])
    expect(JSON.stringify(contents(messages, VERTEX))).not.toContain('"id"')
    expect(JSON.stringify(contents(messages, { model: 'other' }))).not.toContain('"id"')
  })

  it('case 49: calls of tools that another provider ran are dropped, and declared', () => {
    const hosted: Block[] = [
      { type: 'hosted-call', id: 's', name: 'web-search', arguments: '{}', at: 'messages[1].content[0]' },
      {
        type: 'hosted-result',
        id: 's',
        name: 'web-search',
        at: 'messages[1].content[1]',
        side: { format: 'messages', fields: { content: [] } },
      },
    ]
    const { body, lost } = write({ messages: [user('q'), assistant(...hosted, 'a')] })
    expect(body).toMatchObject({ contents: [{}, { parts: [{ text: 'a' }] }] })
    expect(lost).toEqual(['messages[1].content[0]', 'messages[1].content[1]'])
  })
})

describe('signatures', () => {
  const signed = { signature: { signer: 'gemini', value: 'c2ln' } }
  const foreign = { signature: { signer: 'claude', value: 'x' } }

  it('case 104: the first call of a turn without a signature gets the one that stands for none', () => {
    expect(contents([assistant(call('a', 'f'), call('b', 'g')), user(result('a', ''), result('b', ''))])).toMatchObject([
      { parts: [{ functionCall: { name: 'f' }, thoughtSignature: SKIP }, { functionCall: { name: 'g' } }] },
      {},
    ])
    expect(JSON.stringify(contents([assistant(call('a', 'f'), call('b', 'g')), user(result('a', ''), result('b', ''))]))).toMatch(
      /^((?!skip_).)*skip_((?!skip_).)*$/,
    )
    expect(JSON.stringify(contents([assistant(call('a', 'f')), user(result('a', ''))], HALF))).not.toContain(SKIP)
  })

  it('case 106: calls that were made at once stay in one turn', () => {
    const written = contents([assistant(call('a', 'f', '{}', signed)), assistant(call('b', 'g')), user(result('a', ''), result('b', ''))])
    expect(written).toMatchObject([
      { role: 'model', parts: [{ thoughtSignature: 'c2ln' }, { functionCall: { name: 'g' } }] },
      { role: 'user' },
    ])
  })

  it('case 109: a signature of plain text is sent', () => {
    expect(contents([user('q'), assistant({ type: 'text', text: 'a', ...signed })])).toMatchObject([
      {},
      { parts: [{ text: 'a', thoughtSignature: 'c2ln' }] },
    ])
    expect(contents([user('q'), assistant({ type: 'text', text: '', ...signed })])).toMatchObject([
      {},
      { parts: [{ text: '', thoughtSignature: 'c2ln' }] },
    ])
  })

  it('case 111: a signature that came back on reasoning before a call belongs to the call', () => {
    const messages = [assistant({ type: 'reasoning', text: '', ...signed }, call('a', 'f')), user(result('a', ''))]
    const [turn] = contents(messages) as [{ parts: unknown[] }]
    expect(turn.parts).toMatchObject([{ functionCall: { name: 'f' }, thoughtSignature: 'c2ln' }])
    expect(contents([assistant({ type: 'reasoning', text: 'hm', ...signed }, call('a', 'f')), user(result('a', ''))])).toMatchObject([
      {
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'f' }, thoughtSignature: 'c2ln' },
        ],
      },
      {},
    ])
  })

  it('case 113: reasoning of another model is dropped, and the call beside it stays', () => {
    const reasoning: Block = { type: 'reasoning', text: 'hm', at: 'messages[0].content[0]', ...foreign }
    const { body, lost } = write({ messages: [assistant(reasoning, call('a', 'f')), user(result('a', ''))] })
    expect(body['contents']).toMatchObject([{ parts: [{ functionCall: { name: 'f' }, thoughtSignature: SKIP }] }, {}])
    expect(JSON.stringify(body)).not.toContain('hm')
    expect(lost).toEqual(['messages[0].content[0]'])
  })

  it('a signature of another model on a call is dropped, and declared', () => {
    const { body, lost } = write({
      messages: [assistant(call('a', 'f', '{}', { at: 'messages[0].tool_calls[0]', ...foreign })), user(result('a', ''))],
    })
    expect(body['contents']).toMatchObject([{ parts: [{ thoughtSignature: SKIP }] }, {}])
    expect(lost).toEqual(['messages[0].tool_calls[0].signature'])
  })

  it('goes to none but its signer', () => {
    const messages = [user('q'), assistant({ type: 'text', text: 'a', at: 'm', ...signed })]
    expect(JSON.stringify(write({ messages }, { model: 'gemini-3.5-flash' }).body)).not.toContain('c2ln')
  })
})

describe('system prompts and turns', () => {
  it('case 125: all leading system prompts become one instruction, in order', () => {
    const { body } = write({ messages: [system('a'), system('b'), { ...system('c'), developer: true }, user('hi')] })
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] })
  })

  it('case 127: a later system prompt is a reminder in its place', () => {
    expect(contents([user('a'), assistant('b'), system('c'), user('d')])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }] },
      { role: 'user', parts: [{ text: '<system-reminder>\nc\n</system-reminder>' }, { text: 'd' }] },
    ])
  })

  it('case 128: a system prompt between call and result follows the result', () => {
    expect(contents([assistant(call('a', 'f')), system('c'), user(result('a', 'x'))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { name: 'f' } }, { text: '<system-reminder>\nc\n</system-reminder>' }] },
    ])
  })

  it('case 130: nothing but a system prompt is refused', () => {
    expect(errorOf(() => contents([system('a')])).kind).toBe('invalid-request')
  })

  it('case 133: empty text is left out; a conversation of nothing else keeps one', () => {
    expect(contents([user('', 'a', '')])).toEqual([{ role: 'user', parts: [{ text: 'a' }] }])
    expect(contents([user('')])).toEqual([{ role: 'user', parts: [{ text: '' }] }])
  })

  it('case 134: an empty turn of the assistant is left out', () => {
    expect(contents([user('a'), assistant(''), user('b')])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'user', parts: [{ text: 'b' }] },
    ])
  })

  it('case 135: an empty system prompt is left out', () => {
    expect(write({ messages: [system(''), user('a')] }).body).not.toHaveProperty('systemInstruction')
  })

  it('stands before the first turn for models that know no instructions', () => {
    const { body } = write({ messages: [system('a'), user('b')] }, { model: 'gemma-3-27b-it', signer: 'gemini' })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }] })
  })

  it('declares what turns can not carry', () => {
    const { lost } = write({
      messages: [
        { role: 'user', name: 'ann', at: 'messages[0]', blocks: [{ type: 'text', text: 'a', at: 'messages[0].content[0]', cache: {} }] },
        {
          role: 'user',
          at: 'messages[1]',
          blocks: [{ type: 'text', text: 'b', at: 'messages[1].content[0]', side: { format: 'messages', fields: { x: 1 } } }],
        },
      ],
    })
    expect(lost).toEqual(['messages[0].content[0].cache_control', 'messages[1].content[0].x', 'messages[0].name'])
  })
})

describe('media', () => {
  const turn = (block: Block, target = GEMINI): unknown => (contents([user(block)], target) as [{ parts: [unknown] }])[0].parts[0]

  it('is inline as base64', () => {
    expect(turn(image())).toEqual({ inlineData: { mimeType: 'image/png', data: 'aGk=' } })
    expect(turn({ type: 'media', kind: 'audio', mime: 'audio/wav', source: { type: 'base64', data: 'aGk=' } })).toEqual({
      inlineData: { mimeType: 'audio/wav', data: 'aGk=' },
    })
    expect(turn({ type: 'media', kind: 'document', mime: 'text/plain', source: { type: 'text', text: 'hé' } })).toEqual({
      inlineData: { mimeType: 'text/plain', data: 'aMOp' },
    })
  })

  it.each([
    ['https://a.com/x.webp?s=1', 'image' as const, 'image/webp'],
    ['https://a.com/x', 'image' as const, 'image/jpeg'],
    ['https://a.com/x', 'document' as const, 'application/pdf'],
  ])('by URL %s (%s) is passed on with a type', (url, kind, mimeType) => {
    expect(turn(link(url, kind))).toEqual({ fileData: { fileUri: url, mimeType } })
  })

  it('case 157: by URL is refused where the provider does not open URLs', () => {
    const gemini = { ...GEMINI, facts: { imageUrls: false } }
    for (const kind of ['image', 'document'] as const) {
      const error = errorOf(() => turn(link('https://a.com/x?token=secret', kind), gemini))
      expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].content[1]' })
      expect(error.message).not.toContain('secret')
    }
    expect(turn(link('https://a.com/x.pdf', 'document'), { ...GEMINI, facts: { imageUrls: false, pdfUrls: true } })).toHaveProperty(
      'fileData',
    )
  })

  it('case 158: files of the Files API and films of YouTube are passed on', () => {
    const gemini = { ...GEMINI, facts: { imageUrls: false } }
    const file = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
    expect(turn({ type: 'media', kind: 'image', source: { type: 'file', id: file } }, gemini)).toEqual({ fileData: { fileUri: file } })
    expect(turn(link('https://www.youtube.com/watch?v=1', 'video'), gemini)).toEqual({
      fileData: { fileUri: 'https://www.youtube.com/watch?v=1' },
    })
  })

  it('case 170: a file of another provider is refused', () => {
    const error = errorOf(() =>
      turn({ type: 'media', kind: 'image', at: 'messages[0].content[0]', source: { type: 'file', id: 'file-1' } }),
    )
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].content[0]' })
  })

  it('case 168: a file name is a loss, unless the caller speaks this format', () => {
    const { body, lost } = write({ messages: [user(image({ name: 'a.png' }))] })
    expect(JSON.stringify(body)).not.toContain('a.png')
    expect(lost).toEqual(['messages[0].content[1].name'])
    const own = read({ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'a.png' } }] }] })
    expect(contents(own.messages)).toMatchObject([{ parts: [{ inlineData: { displayName: 'a.png' } }] }])
  })

  it('case 175: detail is a resolution on Gemini 3, and a loss before', () => {
    expect(turn(image({ detail: 'low' }))).toMatchObject({ mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } })
    const { body, lost } = write({ messages: [user(image({ detail: 'high' }))] }, HALF)
    expect(JSON.stringify(body)).not.toContain('mediaResolution')
    expect(lost).toEqual(['messages[0].content[1].detail'])
  })
})

describe('tools', () => {
  const tools: Tool[] = [tool('a'), tool('b', { description: 'B', schema: { type: 'object', properties: { x: { type: 'string' } } } })]
  const config = (fields: Parameters<typeof write>[0], target = GEMINI): unknown => write({ tools, ...fields }, target).body['toolConfig']

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
    const custom: Tool = { type: 'custom', at: 'tools[0]', name: 'sh', grammar: { syntax: 'lark' } }
    const messages = [assistant(call('a', 'sh', 'ls', { custom: true })), user(result('a', 'x'))]
    const { body, lost, restore } = write({ tools: [custom], messages })
    expect(body['tools']).toMatchObject([
      { functionDeclarations: [{ name: 'sh', parametersJsonSchema: { properties: { input: { type: 'string' } } } }] },
    ])
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
    const hosted: Tool[] = (['web-search', 'code-execution', 'url-context'] as const).map((name) => ({ type: 'hosted', name }))
    expect(write({ tools: hosted }).body['tools']).toEqual([{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }])
    const search: Tool = {
      type: 'hosted',
      at: 'tools[0]',
      name: 'web-search',
      maxUses: 2,
      blockedDomains: ['a'],
      side: { format: 'messages', fields: { type: 'x' } },
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

  it('a tool that only another provider runs is refused', () => {
    const error = errorOf(() =>
      write({ tools: [{ type: 'hosted', at: 'tools[1]', name: 'file_search', side: { format: 'responses', fields: {} } }] }),
    )
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'tools[1]' })
  })
})

describe('the generation config', () => {
  const config = (fields: Parameters<typeof write>[0], target = GEMINI): unknown => write(fields, target).body['generationConfig']

  it('case 181, 183, 187: sampling goes as it is', () => {
    expect(
      config({ temperature: 1.7, topP: 0.9, topK: 5, stop: ['a'], seed: 3, n: 2, maxTokens: 10, presencePenalty: 1, frequencyPenalty: 2 }),
    ).toEqual({
      ...{ temperature: 1.7, topP: 0.9, topK: 5, candidateCount: 2, maxOutputTokens: 10, seed: 3 },
      ...{ presencePenalty: 1, frequencyPenalty: 2, stopSequences: ['a'] },
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
    ['case 119: none on 2.5 pro is its least budget', { effort: 'none' as const }, 'gemini-2.5-pro', { thinkingBudget: 128 }, 'changed'],
    ['none on 2.5 flash switches it off', { effort: 'none' as const, show: true }, 'gemini-2.5-flash', { thinkingBudget: 0 }, ''],
    ['case 119: none on 3 is minimal', { effort: 'none' as const }, 'gemini-3-flash-preview', { thinkingLevel: 'MINIMAL' }, 'changed'],
    ['none on 3.7 is low', { effort: 'none' as const }, 'gemini-3.7-flash', { thinkingLevel: 'LOW' }, 'changed'],
    ['case 120: xhigh on 3 is high', { effort: 'xhigh' as const }, 'gemini-3.5-flash', { thinkingLevel: 'HIGH' }, 'changed'],
    ['medium on 3 is medium', { effort: 'medium' as const }, 'gemini-3.5-flash', { thinkingLevel: 'MEDIUM' }, ''],
    ['medium on 3 pro is high', { effort: 'medium' as const }, 'gemini-3-pro-preview', { thinkingLevel: 'HIGH' }, 'changed'],
    [
      'medium on 2.5 is a budget',
      { effort: 'medium' as const, show: true },
      'gemini-2.5-flash',
      { thinkingBudget: 8192, includeThoughts: true },
      '',
    ],
    ['max on 2.5 flash is its most', { effort: 'max' as const }, 'gemini-2.5-flash', { thinkingBudget: 24_576 }, ''],
    ['a budget on 2.5 is one', { budget: 2000 }, 'gemini-2.5-flash', { thinkingBudget: 2000 }, ''],
    ['a budget beyond the most', { budget: 50_000 }, 'gemini-2.5-flash', { thinkingBudget: 24_576 }, 'changed'],
    ['a budget on 3 is a level', { budget: 2000 }, 'gemini-3.5-flash', { thinkingLevel: 'LOW' }, 'changed'],
    ['adaptive on 2.5', { adaptive: true }, 'gemini-2.5-flash', { thinkingBudget: -1 }, ''],
    ['adaptive on 3', { adaptive: true, show: true }, 'gemini-3.5-flash', { includeThoughts: true }, ''],
    ['a model that does not think', { effort: 'high' as const }, 'gemini-2.0-flash', undefined, 'dropped'],
    ['none on a model that does not think', { effort: 'none' as const }, 'gemini-2.0-flash', undefined, ''],
    ['an unknown model is of the newest generation', { effort: 'minimal' as const }, 'gemini-9-ultra', { thinkingLevel: 'LOW' }, 'changed'],
  ])('%s', (_, reasoning, model, expected, losses) => {
    expect(thinking(reasoning, model)).toEqual([expected, losses])
  })
})
