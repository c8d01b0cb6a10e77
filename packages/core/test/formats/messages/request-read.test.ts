import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { messages as format, messages } from '../../../src/formats/messages/index.ts'

const base = { model: 'claude-opus-5', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }

function read(fields: Json) {
  return format.readRequest({ ...base, ...fields })
}
function blocks(content: unknown, role = 'user') {
  return read({ messages: [{ role, content }] }).messages[0]?.blocks
}

describe('Reading a messages request', () => {
  it('reads the fields that all formats share', () => {
    const request = read({
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['END'],
      metadata: { user_id: 'u-1' },
      service_tier: 'standard_only',
      cache_control: { type: 'ephemeral', ttl: '1h' },
    })
    expect(request).toMatchObject({
      model: 'claude-opus-5',
      stream: true,
      streamUsage: true,
      maxTokens: 10,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      stop: ['END'],
      user: 'u-1',
      serviceTier: 'default',
      cache: { ttl: '1h' },
    })
    expect(request.extensions).toBeUndefined()
    expect(request.paths).toMatchObject({ maxTokens: 'max_tokens', user: 'metadata.user_id', topK: 'top_k' })
  })

  it('takes the model and the stream from the request line where the body has none', () => {
    const { model: _, ...body } = base
    expect(messages.readRequest(body, { model: 'claude-x', stream: true })).toMatchObject({
      model: 'claude-x',
      stream: true,
    })
  })

  it('puts the system prompt first and leaves system turns where they stand', () => {
    const request = read({
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'system', content: 'now Go' },
      ],
    })
    expect(request.messages).toEqual([
      {
        role: 'system',
        at: 'system',
        blocks: [
          { type: 'text', text: 'a', at: 'system[0]' },
          { type: 'text', text: 'b', at: 'system[1]', cache: {} },
        ],
      },
      { role: 'user', at: 'messages[0]', blocks: [{ type: 'text', text: 'hi', at: 'messages[0].content' }] },
      { role: 'system', at: 'messages[1]', blocks: [{ type: 'text', text: 'now Go', at: 'messages[1].content' }] },
    ])
  })

  it('case 135: an empty system prompt is none', () => {
    expect(read({ system: '' }).messages).toHaveLength(1)
    expect(read({ system: [] }).messages).toHaveLength(1)
  })

  it('keeps what only this format knows beside the node that it was on', () => {
    const request = read({
      speed: 'fast',
      context_management: { edits: [] },
      output_config: { effort: 'low', task_budget: { total: 5 } },
      metadata: { user_id: 'u', extra: 1 },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', foo: 1 }] }],
    })
    expect(request.extensions).toEqual({
      format: 'messages',
      fields: {
        speed: 'fast',
        context_management: { edits: [] },
        'output_config.task_budget': { total: 5 },
        'metadata.extra': 1,
      },
    })
    expect(request.messages[0]?.blocks[0]?.extensions).toEqual({ format: 'messages', fields: { foo: 1 } })
  })

  it('marks what brings tools of its own as essential', () => {
    expect(read({ mcp_servers: [{ name: 'x' }] }).extensions?.essential).toEqual(['mcp_servers'])
  })

  it('reads images and documents of every source', () => {
    expect(
      blocks([
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/jpg', data: 'iVBO Rw0K\nGgo' },
          cache_control: { type: 'ephemeral', ttl: '5m' },
        },
        { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 'paper',
          context: 'ctx',
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
        { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
        { type: 'document', source: { type: 'file', file_id: 'file_1' } },
      ]),
    ).toMatchObject([
      { kind: 'image', mime: 'image/jpeg', source: { type: 'base64', data: 'iVBORw0KGgo=' }, cache: { ttl: '5m' } },
      { kind: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      { kind: 'document', mime: 'application/pdf', name: 'paper', extensions: { fields: { context: 'ctx' } } },
      { kind: 'document', mime: 'text/plain', source: { type: 'text', text: 'plain' } },
      { kind: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      { kind: 'document', source: { type: 'file', id: 'file_1' } },
    ])
  })

  it('flattens search results and documents of blocks for other formats, and keeps them whole for this one', () => {
    const search = {
      type: 'search_result',
      source: 'https://x.test',
      title: 'T',
      content: [{ type: 'text', text: 'found' }],
    }
    const document = {
      type: 'document',
      source: {
        type: 'content',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    }
    expect(blocks([search, document])).toMatchObject([
      {
        type: 'text',
        text: 'T\nhttps://x.test\nfound',
        extensions: { format: 'messages', fields: { search_result: search } },
      },
      { type: 'media', source: { type: 'text', text: 'one\ntwo' }, extensions: { fields: { document } } },
    ])
  })

  it('reads calls and results of tools, with arguments as JSON text', () => {
    const request = read({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { b: 1, a: [2] } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'boom', is_error: true },
            { type: 'tool_result', tool_use_id: 't2' },
          ],
        },
      ],
    })
    expect(request.messages[1]?.blocks).toEqual([
      { type: 'tool-call', id: 't1', name: 'f', arguments: '{"b":1,"a":[2]}', at: 'messages[1].content[0]' },
    ])
    expect(request.messages[2]?.blocks).toEqual([
      {
        type: 'tool-result',
        id: 't1',
        error: true,
        blocks: [{ type: 'text', text: 'boom', at: 'messages[2].content[0].content' }],
        at: 'messages[2].content[0]',
      },
      { type: 'tool-result', id: 't2', blocks: [], at: 'messages[2].content[1]' },
    ])
  })

  it('case 102: reasoning without text keeps its signature, and a redacted one its content', () => {
    expect(
      blocks(
        [
          { type: 'thinking', thinking: '', signature: 'Eq+/=' },
          { type: 'redacted_thinking', data: 'ENC' },
        ],
        'assistant',
      ),
    ).toMatchObject([
      { type: 'reasoning', text: '', signature: { signer: 'claude', value: 'Eq+/=' } },
      { type: 'reasoning', redacted: true, signature: { signer: 'claude', value: 'ENC' } },
    ])
  })

  it('case 111: a foreign signature on a thinking block without text returns to the call, or the text, that it belongs to', () => {
    const carrier = (value: string) => ({ type: 'thinking', thinking: '', signature: `hg1.gemini.${btoa(value)}` })
    expect(
      blocks(
        [
          { type: 'text', text: 'a' },
          carrier('one'),
          carrier('two'),
          { type: 'tool_use', id: 't', name: 'f', input: {} },
        ],
        'assistant',
      ),
    ).toMatchObject([
      { type: 'text', signature: { signer: 'gemini', value: 'one' } },
      { type: 'tool-call', signature: { signer: 'gemini', value: 'two' } },
    ])
  })

  it('case 49: history of tools that the provider ran is no call of the caller’s tools', () => {
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [{ type: 'web_search_result', title: 'T', url: 'https://x.test' }],
    }
    expect(
      blocks([{ type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } }, found], 'assistant'),
    ).toMatchObject([
      { type: 'hosted-call', id: 's1', name: 'web-search', arguments: '{"query":"q"}' },
      {
        type: 'hosted-result',
        id: 's1',
        name: 'web-search',
        text: 'T https://x.test',
        extensions: { fields: { web_search_tool_result: found } },
      },
    ])
  })
})
