import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { messages as format } from '../../../src/formats/messages/index.ts'

const base = { model: 'claude-opus-5', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }

function read(fields: Json) {
  return format.readRequest({ ...base, ...fields })
}
function refusal(fields: Json): HeadgateError {
  try {
    read(fields)
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('Reading tools and refusing what is wrong in a messages request', () => {
  it('case 41: a tool of the type custom is a function, and its other fields stay out of the schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(
      read({
        tools: [
          {
            type: 'custom',
            name: 'f',
            input_schema: schema,
            cache_control: { type: 'ephemeral' },
            defer_loading: true,
          },
        ],
      }).tools,
    ).toEqual([
      {
        type: 'function',
        name: 'f',
        at: 'tools[0]',
        schema,
        cache: {},
        extensions: { format: 'messages', fields: { defer_loading: true } },
      },
    ])
  })

  it('case 42: a tool without a schema has none', () => {
    expect(read({ tools: [{ name: 'f' }] }).tools).toEqual([{ type: 'function', name: 'f', at: 'tools[0]' }])
  })

  it('case 48: the web search is a hosted tool with its options, other tools of the vendor go by their own name', () => {
    const code = { type: 'code_execution_20250825', name: 'code_execution' }
    expect(
      read({
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            max_uses: 3,
            allowed_domains: ['a.test'],
            user_location: { type: 'approximate', city: 'Oslo', country: null },
          },
          code,
        ],
      }).tools,
    ).toEqual([
      {
        type: 'hosted',
        name: 'web-search',
        at: 'tools[0]',
        maxUses: 3,
        allowedDomains: ['a.test'],
        location: { city: 'Oslo' },
      },
      { type: 'hosted', name: 'code_execution', at: 'tools[1]', extensions: { format: 'messages', fields: code } },
    ])
  })

  it.each([
    [{ type: 'auto' }, { toolChoice: { type: 'auto' } }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { toolChoice: { type: 'required' }, parallelTools: false },
    ],
    [{ type: 'tool', name: 'f' }, { toolChoice: { type: 'tool', name: 'f' } }],
    [{ type: 'none' }, { toolChoice: { type: 'none' } }],
  ])('reads the tool choice %j', (choice, expected) => {
    expect(read({ tool_choice: choice })).toMatchObject(expected)
  })

  it('reads a choice of the web search, unless a tool of the caller has its name', () => {
    const tool_choice = { type: 'tool', name: 'web_search' }
    const choice = (tool: Json) => read({ tools: [tool], tool_choice }).toolChoice
    expect(choice({ type: 'web_search_20250305', name: 'web_search' })).toEqual({ type: 'tool', name: 'web-search' })
    expect(choice({ name: 'web_search', input_schema: {} })).toEqual({ type: 'tool', name: 'web_search' })
  })

  it.each<[string, Json]>([
    ['tools[0].name', { tools: [{ name: '', input_schema: {} }] }],
    ['tools[0].name', { tools: [{ name: ' \t', input_schema: {} }] }],
    ['tool_choice.name', { tools: [{ name: 'f' }], tool_choice: { type: 'tool', name: '' } }],
    [
      'messages[0].content[0].name',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: '', input: {} }] }] },
    ],
  ])('refuses a blank name at %s', (param, fields) => {
    expect(refusal(fields)).toMatchObject({
      kind: 'invalid-request',
      param,
      message: `${param} is blank. Send a name.`,
    })
  })

  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' } }, { budget: 2000, show: false }],
    [
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { adaptive: true, effort: 'xhigh' },
    ],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ output_config: { effort: 'max' } }, { effort: 'max', show: false }],
    [{ thinking: { type: 'between_tools' } }, { effort: 'minimal' }],
  ])('reads the reasoning of %j', (fields, expected) => {
    expect(read(fields).reasoning).toEqual(expected)
  })

  it('case 96: reads the form of the output from its new and its old place', () => {
    const format = { type: 'json_schema', schema: { type: 'object', properties: { a: { type: 'string' } } } }
    expect(read({ output_config: { format } })).toMatchObject({
      output: { type: 'schema', schema: format.schema },
      paths: { output: 'output_config.format' },
    })
    expect(read({ output_format: format })).toMatchObject({
      output: { type: 'schema', schema: format.schema },
      paths: { output: 'output_format' },
    })
  })

  it.each<[Json, string]>([
    [{ messages: 'hi' }, 'messages'],
    [{ messages: [null] }, 'messages[0]'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'messages[0].content[0].type'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: '*' } }] }] },
      'messages[0].content[0].source.data',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }] },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: 'x' }] }] },
      'messages[0].content[0].input',
    ],
    [
      {
        messages: [
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_result' }] }] },
        ],
      },
      'messages[0].content[0].content[0].type',
    ],
    [{ system: [{ type: 'image' }] }, 'system[0].type'],
    [{ model: 5 }, 'model'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: -1 }, 'max_tokens'],
    [{ stop_sequences: ['a', 1] }, 'stop_sequences[1]'],
    [{ stream: 'yes' }, 'stream'],
    [{ tools: [{ description: 'nameless' }] }, 'tools[0].name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ tool_choice: { type: 'required' } }, 'tool_choice.type'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
    [{ output_config: { effort: 'huge' } }, 'output_config.effort'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
    [{ service_tier: 'flex' }, 'service_tier'],
    [{ metadata: { user_id: 5 } }, 'metadata.user_id'],
  ])('refuses %j and names the field', (fields, param) => {
    const error = refusal(fields)
    expect(error).toMatchObject({ kind: 'invalid-request', param })
    expect(error.message).toContain(param)
  })

  it.each(['constructor', 'toString', '__proto__'])(
    'refuses a block of the type %s like any other that it does not know',
    (type) => {
      expect(refusal({ messages: [{ role: 'user', content: [{ type }] }] }).param).toBe('messages[0].content[0].type')
    },
  )

  it('takes null for absent', () => {
    expect(read({ temperature: null, thinking: null, tools: null, metadata: { user_id: null } })).not.toHaveProperty(
      'temperature',
    )
  })
})
