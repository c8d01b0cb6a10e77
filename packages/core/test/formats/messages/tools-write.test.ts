import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/canonical/request.ts'
import { assistant, at, call, MIDDLE, NEWEST, result, user, write } from './support.ts'

const f: Tool = {
  type: 'function',
  name: 'f',
  description: 'does f',
  schema: { type: 'object', properties: { a: { type: 'string' } } },
}
const g: Tool = { type: 'function', name: 'g' }
/** Thinks always, and refuses to be forced. */
const UNFORCED = { model: 'claude-opus-5-5', signer: 'claude' }

function conversation(...messages: ReturnType<typeof user>[]) {
  return write({ messages: [user('go'), ...messages], tools: [f] }).body['messages']
}

describe('Calls and results in a messages request', () => {
  it('case 1: a turn of calls only has no text', () => {
    expect(at(conversation(assistant('', call('c1', '{"a":1}')), user(result('c1'))), 1, 'content')).toEqual([
      { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
    ])
  })

  it('case 3: empty arguments become {}', () => {
    expect(at(conversation(assistant(call('c1', '')), user(result('c1'))), 1, 'content', 0, 'input')).toEqual({})
  })

  it.each([
    ['{"a":1, "b":', {}],
    ['[1]', { _value: [1] }],
    ['"text"', { _value: 'text' }],
    ['7', { _value: 7 }],
  ])('case 5: arguments that are no object (%s) become one, and the loss is declared', (args, input) => {
    const { body, lost } = write({
      messages: [
        user('go'),
        assistant({ type: 'tool-call', id: 'c1', name: 'f', arguments: args, at: 'messages[1].tool_calls[0]' }),
        user(result('c1')),
      ],
    })
    expect(at(body, 'messages', 1, 'content', 0, 'input')).toEqual(input)
    expect(lost).toEqual(['changed messages[1].tool_calls[0].arguments'])
  })

  it('case 8: results come first in the user turn', () => {
    expect(conversation(assistant(call('c1')), user('hm'), user(result('c1')))).toMatchObject([
      {},
      { role: 'assistant' },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1' },
          { type: 'text', text: 'hm' },
        ],
      },
    ])
  })

  it('case 10: refuses a call without its result and names the id', () => {
    const calls = assistant(call('c1'), {
      type: 'tool-call',
      id: 'c2',
      name: 'f',
      arguments: '',
      at: 'messages[1].tool_calls[1]',
    })
    expect(() => conversation(calls, user(result('c1')))).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        param: 'messages[1].tool_calls[1]',
        message: expect.stringContaining('"c2"'),
      }),
    )
    expect(() => conversation(assistant(call('c1')))).toThrow(/"c1"/)
    expect(() => conversation(assistant(call('c1')), user('no'), assistant('so?'), user(result('c1')))).toThrow(/"c1"/)
  })

  it('sends a result that answers no call as text', () => {
    const orphan = {
      type: 'tool-result' as const,
      id: 'c9',
      blocks: [{ type: 'text' as const, text: '72' }],
      at: 'messages[1]',
    }
    const { body, lost } = write({ messages: [user(orphan, 'and?')] })
    expect(at(body, 'messages', 0, 'content')).toEqual([
      { type: 'text', text: 'Result of the tool call c9:' },
      { type: 'text', text: '72' },
      { type: 'text', text: 'and?' },
    ])
    expect(lost).toEqual(['changed messages[1]'])
  })

  it('case 20: a result without content has none, and a failed one says so', () => {
    const empty = { type: 'tool-result' as const, id: 'c1', blocks: [], error: true }
    expect(at(conversation(assistant(call('c1')), user(empty)), 2, 'content')).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', is_error: true },
    ])
  })

  it('sends images of a result within it', () => {
    const shot = {
      type: 'tool-result' as const,
      id: 'c1',
      blocks: [
        { type: 'media' as const, kind: 'image' as const, source: { type: 'base64' as const, data: 'iVBORw0KGgo=' } },
      ],
    }
    expect(at(conversation(assistant(call('c1')), user(shot)), 2, 'content', 0, 'content')).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ])
  })

  it('case 32: ids get the characters that the vendor allows, in call and result alike', () => {
    expect(conversation(assistant(call('functions.Bash:0')), user(result('functions.Bash:0')))).toMatchObject([
      {},
      { content: [{ id: 'functions_Bash_0' }] },
      { content: [{ tool_use_id: 'functions_Bash_0' }] },
    ])
  })

  it('cases 33, 39: empty, repeated and colliding ids become distinct', () => {
    const turns = conversation(
      assistant(call(''), call(''), call('a.b'), call('a_b')),
      user(result('', 'one'), result('', 'two'), result('a_b'), result('a.b')),
    )
    expect(at(turns, 1, 'content')).toMatchObject([{ id: 'call' }, { id: 'call_2' }, { id: 'a_b' }, { id: 'a_b_2' }])
    expect(at(turns, 2, 'content')).toMatchObject([
      { tool_use_id: 'call', content: [{ text: 'one' }] },
      { tool_use_id: 'call_2', content: [{ text: 'two' }] },
      { tool_use_id: 'a_b_2' },
      { tool_use_id: 'a_b' },
    ])
  })

  it('gives ids that a client uses anew in each turn a number', () => {
    const turns = conversation(
      assistant(call('call_0')),
      user(result('call_0')),
      assistant(call('call_0')),
      user(result('call_0')),
    )
    expect(at(turns, 3, 'content', 0, 'id')).toBe('call_0_2')
    expect(at(turns, 4, 'content', 0, 'tool_use_id')).toBe('call_0_2')
  })

  it('declares tools for a conversation with calls that has none any more', () => {
    const { body } = write({ messages: [user('go'), assistant(call('c1')), user(result('c1'))] })
    expect(body).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })
})

describe('Tools in a messages request', () => {
  it('case 43: a function without parameters has an empty object for its schema', () => {
    expect(write({ tools: [f, g] }).body['tools']).toEqual([
      { name: 'f', description: 'does f', input_schema: f.schema },
      { name: 'g', input_schema: { type: 'object', properties: {} } },
    ])
  })

  it('case 45: an empty list of tools is none, and there is no choice', () => {
    const { body } = write({ tools: [], toolChoice: { type: 'auto' }, parallelTools: false })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
  })

  it('cases 36, 39: names get the characters that the vendor allows, everywhere, and are restored', () => {
    const { body, restore } = write({
      tools: [
        { type: 'function', name: 'a.b' },
        { type: 'function', name: 'a_b' },
      ],
      toolChoice: { type: 'tool', name: 'a.b' },
      messages: [user('go'), assistant(call('c1', '{}', 'a.b')), user(result('c1'))],
    })
    const sent = String(at(body, 'tools', 0, 'name'))
    expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,128}$/)
    expect(sent).not.toBe('a_b')
    expect(at(body, 'tools', 1, 'name')).toBe('a_b')
    expect(body['tool_choice']).toEqual({ type: 'tool', name: sent })
    expect(at(body, 'messages', 1, 'content', 0, 'name')).toBe(sent)
    expect([...(restore?.names ?? [])]).toEqual([[sent, 'a.b']])
  })

  it('case 46: a custom tool is a function of one text, its calls too', () => {
    const grammar = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }
    const { body, restore, lost } = write({
      tools: [{ type: 'custom', name: 'sh', description: 'Runs.', grammar, at: 'tools[0].custom' }],
      messages: [
        user('go'),
        assistant({ type: 'tool-call', id: 'c1', name: 'sh', arguments: 'ls -l', custom: true }),
        user(result('c1')),
      ],
    })
    expect(at(body, 'tools', 0)).toMatchObject({
      name: 'sh',
      input_schema: { properties: { input: { type: 'string' } }, required: ['input'] },
    })
    expect(at(body, 'tools', 0, 'description')).toContain('start: \\"a\\"')
    expect(at(body, 'messages', 1, 'content', 0, 'input')).toEqual({ input: 'ls -l' })
    expect([...(restore?.custom ?? [])]).toEqual(['sh'])
    expect(lost).toEqual(['changed tools[0].custom.format'])
  })

  it('sends the web search with its options', () => {
    const search: Tool = {
      type: 'hosted',
      name: 'web-search',
      maxUses: 2,
      blockedDomains: ['x.test'],
      location: { country: 'NO' },
      contextSize: 'low',
      at: 'web_search_options',
    }
    expect(write({ tools: [search] })).toMatchObject({
      body: {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            max_uses: 2,
            blocked_domains: ['x.test'],
            user_location: { type: 'approximate', country: 'NO' },
          },
        ],
      },
      lost: ['dropped web_search_options.search_context_size'],
    })
  })

  it('leaves out a tool that only another provider runs, or refuses it where it must be called', () => {
    const code = { type: 'hosted', name: 'code-execution', at: 'tools[0]' } as const
    const { body, lost } = write({ tools: [code] })
    expect(body).not.toHaveProperty('tools')
    expect(lost).toEqual(['dropped tools[0]'])
    expect(() => write({ tools: [code], toolChoice: { type: 'tool', name: 'code-execution' } })).toThrow(
      expect.objectContaining({ param: 'tools[0]' }),
    )
  })

  it('makes one object of schemas that are combined at the root', () => {
    const either: Tool = {
      type: 'function',
      name: 'f',
      at: 'tools[0].function',
      schema: {
        oneOf: [
          { $ref: '#/$defs/A' },
          { type: 'object', properties: { k: {}, b: { type: 'number' } }, required: ['k', 'b'] },
        ],
        $defs: { A: { type: 'object', properties: { k: {}, a: { type: 'string' } }, required: ['k', 'a'] } },
      },
    }
    const { body, lost } = write({ tools: [either] })
    expect(at(body, 'tools', 0, 'input_schema')).toMatchObject({
      type: 'object',
      properties: { k: {}, a: { type: 'string' }, b: { type: 'number' } },
      required: ['k'],
    })
    expect(at(body, 'tools', 0, 'input_schema')).not.toHaveProperty('oneOf')
    expect(lost).toEqual(['changed tools[0].function.parameters'])
  })

  it('refuses a tool whose input is no object', () => {
    expect(() =>
      write({ tools: [{ type: 'function', name: 'f', schema: { type: 'array' }, at: 'tools[0]' }] }),
    ).toThrow(/must describe an object/)
  })

  it.each([
    ['50: required', { toolChoice: { type: 'required' as const } }, { type: 'any' }],
    ['51: none keeps the tools', { toolChoice: { type: 'none' as const } }, { type: 'none' }],
    ['auto', { toolChoice: { type: 'auto' as const } }, { type: 'auto' }],
    ['a named tool', { toolChoice: { type: 'tool' as const, name: 'g' } }, { type: 'tool', name: 'g' }],
    ['58: one at a time without a choice', { parallelTools: false }, { type: 'auto', disable_parallel_tool_use: true }],
    ['59: several at a time', { parallelTools: true }, undefined],
    ['60: one at a time and none', { toolChoice: { type: 'none' as const }, parallelTools: false }, { type: 'none' }],
    [
      'one at a time and required',
      { toolChoice: { type: 'required' as const }, parallelTools: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
  ])('case %s', (_, fields, choice) => {
    const { body, lost } = write({ tools: [f, g], ...fields })
    expect(body['tool_choice']).toEqual(choice)
    expect(body['tools']).toHaveLength(2)
    expect(lost).toEqual([])
  })

  it('case 61: one at a time without tools says nothing', () => {
    expect(write({ parallelTools: false }).body).not.toHaveProperty('tool_choice')
  })

  it.each([
    ['55', true, 'any'],
    ['56', false, 'auto'],
  ])('case %s: only the allowed tools are sent', (_, required, type) => {
    expect(write({ tools: [f, g], toolChoice: { type: 'allowed', names: ['f'], required } }).body).toMatchObject({
      tools: [{ name: 'f' }],
      tool_choice: { type },
    })
  })

  it('keeps the tools that the provider runs beside those that are allowed', () => {
    const tools: Tool[] = [f, g, { type: 'hosted', name: 'web-search' }]
    const { body, lost } = write({ tools, toolChoice: { type: 'allowed', names: ['f'], required: false } })
    expect(body['tools']).toMatchObject([{ name: 'f' }, { type: 'web_search_20250305', name: 'web_search' }])
    expect(lost).toEqual([])
  })

  it('refuses a choice of a tool that is not declared', () => {
    expect(() =>
      write({ tools: [f], toolChoice: { type: 'tool', name: 'x' }, paths: { toolChoice: 'tool_choice' } }),
    ).toThrow(expect.objectContaining({ param: 'tool_choice' }))
    expect(() => write({ tools: [f], toolChoice: { type: 'allowed', names: ['x'], required: false } })).toThrow(/"x"/)
    expect(() => write({ tools: [f], toolChoice: { type: 'allowed', names: ['f', 'x'], required: false } })).toThrow(
      /"x"/,
    )
  })

  it('lets a model that refuses to be forced choose, among the tool that was named', () => {
    const { body, lost } = write(
      { tools: [f, g], toolChoice: { type: 'tool', name: 'g' }, paths: { toolChoice: 'tool_choice' } },
      UNFORCED,
    )
    expect(body).toMatchObject({ tools: [{ name: 'g' }], tool_choice: { type: 'auto' } })
    expect(lost).toEqual(['changed tool_choice'])
  })

  it('case 66: a forced call stays, and thinking goes', () => {
    const paths = { reasoning: 'reasoning_effort' }
    const { body, lost } = write(
      { tools: [f], toolChoice: { type: 'required' }, reasoning: { effort: 'high' }, paths },
      MIDDLE,
    )
    expect(body).toMatchObject({ tool_choice: { type: 'any' }, thinking: { type: 'disabled' } })
    expect(lost).toEqual(['dropped reasoning_effort'])
    expect(
      write({ tools: [f], toolChoice: { type: 'required' }, reasoning: { effort: 'high' }, paths }, NEWEST).body,
    ).not.toHaveProperty('output_config')
  })
})
