import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { responses } from '../../../src/formats/responses/index.ts'

const read = (fields: Json) => responses.readRequest({ model: 'm', ...fields })
const blocks = (input: unknown) => read({ input }).messages.flatMap((message) => message.blocks)

describe('The input of a responses request', () => {
  it('may be a text, after the instructions', () => {
    const { messages } = read({ input: 'Hi', instructions: 'Be kind' })
    expect(messages).toEqual([
      { role: 'system', at: 'instructions', blocks: [{ type: 'text', at: 'instructions', text: 'Be kind' }] },
      { role: 'user', at: 'input', blocks: [{ type: 'text', at: 'input', text: 'Hi' }] },
    ])
  })

  it('has messages of all roles, with and without their type', () => {
    const { messages } = read({
      input: [
        { role: 'system', content: 'a' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
        { role: 'user', content: 'c' },
        { role: 'assistant', content: 'd', phase: 'commentary' },
      ],
    })
    expect(messages.map(({ role, developer }) => [role, developer])).toEqual([
      ['system', undefined],
      ['system', true],
      ['user', undefined],
      ['assistant', undefined],
    ])
    expect(messages[3]?.extensions).toEqual({ format: 'responses', fields: { phase: 'commentary' } })
  })

  it('has images and files by content, URL and id', () => {
    const found = blocks([
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
          { type: 'input_image', file_id: 'file_1' },
          { type: 'input_file', file_url: 'https://x.test/a.pdf' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'JVBERi0=' },
        ],
      },
    ])
    expect(found).toMatchObject([
      { kind: 'image', mime: 'image/png', detail: 'low', source: { type: 'base64' } },
      { kind: 'image', source: { type: 'file', id: 'file_1' } },
      { kind: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      { kind: 'document', mime: 'application/pdf', name: 'a.pdf', source: { type: 'base64' } },
    ])
  })

  it('keeps what the assistant thought, said and called together as one turn', () => {
    const { messages } = read({
      input: [
        { role: 'user', content: 'Go' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [
            { type: 'summary_text', text: 'a' },
            { type: 'summary_text', text: 'b' },
          ],
          encrypted_content: 'ENC',
        },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'On it', annotations: [] }],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'g', input: 'x' },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'done' }] },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'ok' },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user'])
    expect(messages[1]).toMatchObject({
      ref: 'msg_1',
      blocks: [
        { type: 'reasoning', text: 'a\n\nb', signature: { signer: 'gpt', value: 'rs_1:ENC' } },
        { type: 'text', text: 'On it' },
        { type: 'tool-call', id: 'call_1', name: 'f', ref: 'fc_1' },
        { type: 'tool-call', id: 'call_2', name: 'g', arguments: 'x', custom: true },
      ],
    })
    expect(messages[3]?.blocks).toMatchObject([
      { type: 'tool-result', id: 'call_2', custom: true, blocks: [{ text: 'ok' }] },
    ])
  })

  it('begins another turn with what was thought before a second message', () => {
    const said = (id: string): Json => ({ type: 'message', id, role: 'assistant', status: 'completed', content: [] })
    const { messages } = read({ input: [said('msg_1'), { type: 'reasoning', id: 'rs_1', summary: [] }, said('msg_2')] })
    expect(messages.map(({ ref, blocks }) => [ref, blocks.length])).toEqual([
      ['msg_1', 0],
      ['msg_2', 1],
    ])
  })

  it('knows items of the provider’s own tools by Headgate’s words, and keeps them as they came', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }
    const shell = { type: 'shell_call_output', call_id: 'call_1', output: [] }
    expect(blocks([search, shell])).toEqual([
      {
        type: 'hosted-call',
        at: 'input[0]',
        id: 'ws_1',
        name: 'web-search',
        arguments: '{"type":"search","query":"q"}',
        extensions: { format: 'responses', fields: { web_search_call: search } },
      },
      {
        type: 'hosted-result',
        at: 'input[1]',
        id: 'call_1',
        name: 'shell',
        extensions: { format: 'responses', fields: { shell_call_output: shell } },
      },
    ])
  })

  it('returns the signature of a call that came on reasoning of its own', () => {
    const carrier = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content: `hg1.gemini.${btoa('SIG')}`.replaceAll('=', ''),
    }
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
    expect(blocks([carrier, call])).toMatchObject([
      { type: 'tool-call', signature: { signer: 'gemini', value: 'SIG' } },
    ])
  })

  it.each([
    [{ input: 5 }, 'input'],
    [{}, 'input'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'novelty' }] }] }, 'input[0].content[0].type'],
    [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0].call_id'],
    [{ input: [{ type: 'function_call', call_id: 'c', name: ' ' }] }, 'input[0].name'],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
    [{ input: [{}] }, 'input[0].type'],
    [{ input: 'x', tools: [{ name: 'f' }] }, 'tools[0].type'],
    [{ input: 'x', tools: [{ type: 'namespace', name: 'ns', tools: [{ type: 'mcp' }] }] }, 'tools[0].tools[0].type'],
    [{ input: 'x', tool_choice: 'any' }, 'tool_choice'],
    [{ input: 'x', tool_choice: { type: 'allowed_tools', tools: [] } }, 'tool_choice.tools'],
    [{ input: 'x', text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema'],
    [{ input: 'x', reasoning: { effort: 'huge' } }, 'reasoning.effort'],
  ])('names the field that is wrong: %j', (fields, param) => {
    expect(() => read(fields as Json)).toThrow(expect.objectContaining({ kind: 'invalid-request', param }))
  })

  it.each([{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }, { prompt: { id: 'pmpt_1' } }])(
    'may stand elsewhere: %j',
    (fields) => {
      const found = read(fields)
      expect(found.messages).toEqual([])
      expect(found.extensions?.essential).toEqual(Object.keys(fields))
    },
  )
})

describe('The tools of a responses request', () => {
  it('have those of a namespace under one name', () => {
    const { tools } = read({
      input: 'x',
      tools: [
        {
          type: 'namespace',
          name: 'mail',
          description: 'Letters',
          tools: [
            { type: 'function', name: 'send' },
            { type: 'custom', name: 'draft' },
          ],
        },
      ],
    })
    expect(tools).toMatchObject([
      {
        type: 'function',
        name: 'mail__send',
        namespace: 'mail',
        extensions: { fields: { 'namespace.description': 'Letters' } },
      },
      { type: 'custom', name: 'mail__draft', namespace: 'mail' },
    ])
  })

  it('have the grammar of a custom tool as chat completions has it', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const { tools } = read({ input: 'x', tools: [{ type: 'custom', name: 'f', format }] })
    expect(tools).toMatchObject([
      { grammar: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } } },
    ])
  })

  it.each(['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'])(
    'know %s',
    (type) => {
      const { tools } = read({
        input: 'x',
        tools: [{ type, search_context_size: 'low', filters: { allowed_domains: ['a.test'] } }],
      })
      expect(tools).toMatchObject([
        { type: 'hosted', name: 'web-search', contextSize: 'low', allowedDomains: ['a.test'] },
      ])
    },
  )

  it.each([
    ['auto', { type: 'auto' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'function', name: 'send', namespace: 'mail' },
      { type: 'tool', name: 'mail__send' },
    ],
    [{ type: 'web_search_preview' }, { type: 'tool', name: 'web-search' }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'f' }, { type: 'image_generation' }],
      },
      { type: 'allowed', names: ['f', 'image_generation'], required: true },
    ],
  ])('are chosen by %j', (tool_choice, choice) => {
    expect(read({ input: 'x', tool_choice }).toolChoice).toEqual(choice)
  })
})

describe('The settings of a responses request', () => {
  it('are those of the canonical model', () => {
    const found = read({
      input: 'x',
      max_output_tokens: 50,
      temperature: 0.5,
      top_logprobs: 2,
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema: {}, strict: true } },
      safety_identifier: 'u',
      service_tier: 'flex',
      truncation: 'disabled',
      stream_options: { include_obfuscation: false },
    })
    expect(found).toMatchObject({
      maxTokens: 50,
      temperature: 0.5,
      logprobs: { top: 2 },
      encryptedReasoning: true,
      reasoning: { effort: 'low', show: true },
      verbosity: 'low',
      output: { type: 'schema', name: 'a', schema: {}, strict: true },
      user: 'u',
      serviceTier: 'flex',
      extensions: { format: 'responses', fields: {} },
    })
  })

  it('keep what no other format knows', () => {
    const { extensions } = read({
      input: 'x',
      store: false,
      background: true,
      reasoning: { summary: 'detailed' },
      include: ['file_search_call.results'],
    })
    expect(extensions?.fields).toEqual({
      store: false,
      background: true,
      'reasoning.summary': 'detailed',
      include: ['file_search_call.results'],
    })
  })
})
