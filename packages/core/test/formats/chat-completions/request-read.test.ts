import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

/** Requests here are written from the vendor's documentation. */
const HELLO: Json = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

const read = (fields: Json) => chatCompletions.readRequest({ ...HELLO, ...fields })
const readMessages = (...messages: Json[]) => read({ messages }).messages
const readPart = (part: Json): Block | undefined => readMessages({ role: 'user', content: [part] })[0]?.blocks[0]
const assistant = (fields: Json): Block[] => readMessages({ role: 'assistant', ...fields })[0]?.blocks ?? []

const call = (id: string, name = 'f', args = '{}') => ({ id, type: 'function', function: { name, arguments: args } })
const tool = (name: string): Json => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
})

describe('messages of a chat completions request', () => {
  it('case 1: an assistant turn of calls alone has no text', () => {
    expect(assistant({ content: null, tool_calls: [call('c1', 'f', '{"a":1}')] })).toEqual([
      { type: 'tool-call', at: 'messages[0].tool_calls[0]', id: 'c1', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it.each([
    ['case 3: empty arguments', ''],
    ['case 5: malformed arguments', '{"a":1, "b":'],
    ['case 331: big integers', '{"n":9007199254740993}'],
    ['case 332: number formats', '{"b":1.0,"a":1e2}'],
  ])('%s stay as they were written', (_, args) => {
    expect(assistant({ tool_calls: [call('c1', 'f', args)] })[0]).toMatchObject({ arguments: args })
  })

  it('case 33: calls without an id are paired with their results in order, always alike', () => {
    const messages: Json[] = [
      { role: 'assistant', tool_calls: [call(''), call('')] },
      { role: 'tool', tool_call_id: '', content: '1' },
      { role: 'tool', tool_call_id: '', content: '2' },
    ]
    const ids = () =>
      readMessages(...messages).flatMap((message) => message.blocks.map((block) => ('id' in block ? block.id : '')))
    expect(ids()).toEqual(['call_0_0', 'call_0_1', 'call_0_0', 'call_0_1'])
    expect(ids()).toEqual(ids())
  })

  it('case 13: a tool message is a user turn with one result, whose name may be absent', () => {
    expect(readMessages({ role: 'tool', tool_call_id: 'c1', content: '72' })).toEqual([
      {
        role: 'user',
        at: 'messages[0]',
        blocks: [
          {
            type: 'tool-result',
            at: 'messages[0]',
            id: 'c1',
            blocks: [{ type: 'text', at: 'messages[0].content', text: '72' }],
          },
        ],
      },
    ])
  })

  it('case 47: functions and function_call are tools, and their results are found by name', () => {
    const request = read({
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
      ],
    })
    expect(request.tools).toEqual([{ type: 'function', at: 'functions[0]', name: 'f', schema: { type: 'object' } }])
    expect(request.toolChoice).toEqual({ type: 'tool', name: 'f' })
    expect(request.paths).toMatchObject({ tools: 'functions', toolChoice: 'function_call' })
    expect(request.messages.map((message) => message.blocks[0])).toMatchObject([
      { type: 'tool-call', id: 'call_0' },
      { type: 'tool-result', id: 'call_0', name: 'f' },
    ])
  })

  it('case 99: thinking blocks come first, their signatures byte for byte', () => {
    const blocks = assistant({
      content: 'Hi',
      reasoning_content: 'hm',
      thinking_blocks: [
        { type: 'thinking', thinking: 'hm', signature: 'EqQB+/=' },
        { type: 'redacted_thinking', data: 'ErQC' },
      ],
      tool_calls: [call('c1')],
    })
    expect(blocks).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: { signer: 'claude', value: 'EqQB+/=' } },
      { type: 'reasoning', text: '', redacted: true, signature: { signer: 'claude', value: 'ErQC' } },
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', id: 'c1' },
    ])
  })

  it('a sealed signature is opened, whoever made it', () => {
    const [block] = assistant({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'hg1.gemini.QUJD' }] })
    expect(block).toMatchObject({ signature: { signer: 'gemini', value: 'ABC' } })
  })

  it('case 104: the signature of a call comes back in extra_content', () => {
    const extra_content = { google: { thought_signature: 'CiQB' } }
    expect(assistant({ tool_calls: [{ ...call('c1'), extra_content }] })[0]).toMatchObject({
      signature: { signer: 'gemini', value: 'CiQB' },
    })
  })

  it('reasoning_details are put together by their index', () => {
    const blocks = assistant({
      reasoning_details: [
        { type: 'reasoning.text', text: 'a', index: 0, format: 'anthropic-claude-v1' },
        { type: 'reasoning.text', text: 'b', index: 0, signature: 'sig', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'xyz', id: 'rs_1', index: 1, format: 'openai-responses-v1' },
      ],
    })
    expect(blocks).toMatchObject([
      { text: 'ab', signature: { signer: 'claude', value: 'sig' } },
      { text: '', redacted: true, signature: { signer: 'gpt', value: 'rs_1:xyz' } },
    ])
  })

  it('cases 125 and 127: system and developer messages stay where they are', () => {
    const roles = readMessages(
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'text', text: 'b' }] },
      { role: 'user', content: 'c' },
      { role: 'system', content: 'd' },
    ).map(({ role, developer }) => (developer ? 'developer' : role))
    expect(roles).toEqual(['system', 'developer', 'user', 'system'])
  })

  it('case 143: a refusal in the history is read', () => {
    expect(assistant({ content: [{ type: 'refusal', refusal: 'No.' }] })).toMatchObject([
      { type: 'refusal', text: 'No.' },
    ])
    expect(assistant({ content: null, refusal: 'No.' })).toMatchObject([{ type: 'refusal', text: 'No.' }])
  })

  it('case 145: a cache mark keeps its lifetime, wherever it stands', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const parts = readMessages(
      { role: 'user', content: [{ type: 'text', text: 'a', cache_control }] },
      { role: 'user', content: 'b', cache_control },
      { role: 'user', content: [{ type: 'text', text: 'c', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    ).map((message) => message.blocks[0])
    expect(parts).toMatchObject([{ cache: { ttl: '1h' } }, { cache: { ttl: '1h' }, at: 'messages[1]' }, { cache: {} }])
  })

  it('keeps what it does not know on its own node', () => {
    const { messages, extensions } = read({
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://e.com/a.png', size: 3 }, note: 'x' }],
          mood: 'good',
        },
      ],
      frob: true,
      store: null,
    })
    expect(extensions).toEqual({ format: 'chat-completions', fields: { frob: true } })
    expect(messages[0]?.extensions?.fields).toEqual({ mood: 'good' })
    expect(messages[0]?.blocks[0]?.extensions?.fields).toEqual({ 'image_url.size': 3, note: 'x' })
  })
})

describe('media of a chat completions request', () => {
  const PNG = 'iVBORw0KGgo='
  const PDF = btoa('%PDF-1.7')

  it('case 150: text in an image_url is no image', () => {
    expect(readPart({ type: 'image_url', image_url: { url: 'data:text/plain,hello' } })).toMatchObject({
      kind: 'document',
      mime: 'text/plain',
    })
  })

  it.each([
    [
      'https',
      { url: 'https://e.com/a.png', detail: 'low' },
      { kind: 'image', detail: 'low', source: { type: 'url', url: 'https://e.com/a.png' } },
    ],
    [
      'a data URL',
      { url: `data:image/png;base64,${PNG}` },
      { kind: 'image', mime: 'image/png', source: { type: 'base64', data: PNG } },
    ],
    ['a wrong media type', { url: `data:image/jpeg;base64,${PNG}` }, { mime: 'image/png' }],
    ['case 153: image/jpg', { url: 'data:image/jpg;base64,/9j/' }, { mime: 'image/jpeg' }],
  ])('an image by %s', (_, image_url, expected) => {
    expect(readPart({ type: 'image_url', image_url })).toMatchObject(expected)
  })

  it('a URL without its object is taken', () => {
    expect(readPart({ type: 'image_url', image_url: 'https://e.com/a.png' })).toMatchObject({ kind: 'image' })
  })

  it.each([
    [
      'case 163: raw base64',
      { file_data: PDF, filename: 'a.pdf' },
      { mime: 'application/pdf', name: 'a.pdf', source: { type: 'base64', data: PDF } },
    ],
    [
      'case 164: a data URL',
      { file_data: `data:application/pdf;base64,${PDF}` },
      { mime: 'application/pdf', source: { type: 'base64', data: PDF } },
    ],
    ['case 169: plain text', { file_data: 'data:text/plain;base64,aGk=' }, { mime: 'text/plain', kind: 'document' }],
    ['case 170: an id', { file_id: 'file-1' }, { kind: 'document', source: { type: 'file', id: 'file-1' } }],
  ])('a file by %s', (_, file, expected) => {
    expect(readPart({ type: 'file', file })).toMatchObject(expected)
  })

  it('audio has the media type of its format', () => {
    expect(readPart({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } })).toMatchObject({
      kind: 'audio',
      mime: 'audio/mp3',
    })
  })
})

describe('parameters of a chat completions request', () => {
  it('case 177: max_completion_tokens wins over max_tokens', () => {
    expect(read({ max_tokens: 5, max_completion_tokens: 7 })).toMatchObject({
      maxTokens: 7,
      paths: { maxTokens: 'max_completion_tokens' },
    })
    expect(read({ max_tokens: 5 })).toMatchObject({ maxTokens: 5, paths: { maxTokens: 'max_tokens' } })
  })

  it('reads every field that the canonical model has, and null as absent', () => {
    const request = read({
      temperature: 1.7,
      top_p: 0.5,
      top_k: 3,
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: -1,
      n: 3,
      stop: 'x',
      logprobs: true,
      top_logprobs: 5,
      logit_bias: { '50256': -100 },
      parallel_tool_calls: false,
      reasoning_effort: 'high',
      verbosity: 'low',
      user: 'u',
      metadata: { a: 'b' },
      service_tier: 'flex',
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(request).toMatchObject({
      temperature: 1.7,
      topP: 0.5,
      topK: 3,
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: -1,
      n: 3,
      stop: ['x'],
      logprobs: { top: 5 },
      logitBias: { '50256': -100 },
      parallelTools: false,
      reasoning: { effort: 'high' },
      verbosity: 'low',
      user: 'u',
      metadata: { a: 'b' },
      serviceTier: 'flex',
      stream: true,
      streamUsage: true,
    })
    expect(request.extensions?.fields).toEqual({})
    expect(
      Object.keys(read({ temperature: null, stop: null, n: null, user: null, metadata: null, seed: null }).paths),
    ).toEqual([])
  })

  it('case 45: an empty list of tools is none', () => {
    expect(read({ tools: [] }).tools).toBeUndefined()
  })

  it('case 46: a custom tool keeps its grammar', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } }
    expect(read({ tools: [{ type: 'custom', custom: { name: 'q', format } }] }).tools).toEqual([
      { type: 'custom', at: 'tools[0]', name: 'q', grammar: format },
    ])
  })

  it.each<[string, unknown, unknown]>([
    ['case 50: required', 'required', { type: 'required' }],
    ['case 51: none', 'none', { type: 'none' }],
    ['case 53: a named function', { type: 'function', function: { name: 'f' } }, { type: 'tool', name: 'f' }],
    [
      'case 55: required of some',
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'a' } }] },
      },
      { type: 'allowed', names: ['a'], required: true },
    ],
    [
      'case 56: some',
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', name: 'a' }] } },
      { type: 'allowed', names: ['a'], required: false },
    ],
  ])('tool choice, %s', (_, tool_choice, expected) => {
    expect(read({ tools: [tool('a')], tool_choice }).toolChoice).toEqual(expected)
  })

  it('case 94: a schema is told from its wrapper, and its absence is plain JSON', () => {
    const schema = { type: 'object' }
    expect(
      read({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } }).output,
    ).toEqual({
      type: 'schema',
      schema,
      name: 'n',
      strict: true,
    })
    expect(read({ response_format: { type: 'json_schema', json_schema: { name: 'n' } } }).output).toEqual({
      type: 'json',
    })
  })

  it('web search is a hosted tool', () => {
    const web_search_options = {
      search_context_size: 'high',
      user_location: { type: 'approximate', approximate: { city: 'Paris' } },
    }
    expect(read({ web_search_options }).tools).toEqual([
      {
        type: 'hosted',
        at: 'web_search_options',
        name: 'web-search',
        contextSize: 'high',
        location: { city: 'Paris' },
      },
    ])
  })

  it('case 196: parameters that are not known stay apart', () => {
    expect(read({ prediction: { type: 'content', content: 'x' } }).extensions?.fields).toEqual({
      prediction: { type: 'content', content: 'x' },
    })
  })

  it('does not change what it reads', () => {
    const body: Json = {
      ...HELLO,
      tools: [tool('a')],
      metadata: { a: 'b' },
      safety_identifier: 's',
      modalities: ['text'],
    }
    const before = structuredClone(body)
    chatCompletions.readRequest(body)
    expect(body).toEqual(before)
  })
})
