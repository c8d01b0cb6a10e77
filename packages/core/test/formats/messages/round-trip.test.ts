import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import { messages as format, messages } from '../../../src/formats/messages/index.ts'
import { freeze, placeless, reply } from './support.ts'

/** Written from the vendor's documentation of the API. */
const RICH: Json = {
  model: 'claude-opus-4-8',
  max_tokens: 2048,
  system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        {
          type: 'image',
          source: { type: 'url', url: 'https://x.test/a.png' },
          transformations: { oversized_image: 'error' },
        },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 'paper',
          context: 'c',
          citations: { enabled: true },
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'part' }] } },
        { type: 'document', source: { type: 'file', file_id: 'file_1' } },
        {
          type: 'search_result',
          source: 'https://x.test',
          title: 'T',
          content: [{ type: 'text', text: 'found' }],
          citations: { enabled: true },
        },
        { type: 'container_upload', file_id: 'file_2' },
        { type: 'text', text: 'Read these.' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'EqQB+/=' },
        { type: 'redacted_thinking', data: 'ENC' },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' }, caller: { type: 'direct' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_1',
          content: [{ type: 'web_search_result', url: 'https://x.test', title: 'X', encrypted_content: 'E' }],
        },
        {
          type: 'text',
          text: 'It says so.',
          citations: [
            {
              type: 'web_search_result_location',
              url: 'https://x.test',
              title: 'X',
              cited_text: 'c',
              encrypted_index: 'E',
            },
          ],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { n: 1 }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 'toolu_2', name: 'f', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          content: [{ type: 'tool_reference', tool_name: 'g' }],
          is_error: true,
        },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: '72' }],
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'And?' },
      ],
    },
    { role: 'system', content: [{ type: 'text', text: 'Answer in Norwegian.' }], clear_at: 'next_turn' },
  ],
  tools: [
    {
      name: 'f',
      description: 'does f',
      input_schema: { type: 'object', properties: { n: { type: 'number' } } },
      eager_input_streaming: true,
      cache_control: { type: 'ephemeral' },
    },
    {
      type: 'web_search_20260209',
      name: 'web_search',
      max_uses: 3,
      allowed_domains: ['x.test'],
      user_location: { type: 'approximate', city: 'Oslo' },
    },
    { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: {
    effort: 'xhigh',
    task_budget: { total: 9 },
    format: {
      type: 'json_schema',
      schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    },
  },
  stop_sequences: ['END'],
  metadata: { user_id: 'u1' },
  service_tier: 'standard_only',
  stream: true,
  mcp_servers: [{ type: 'url', name: 'm', url: 'https://x.test/mcp' }],
  inference_geo: 'eu',
}

describe('A messages request that is read and written to the same format', () => {
  const target = { model: 'claude-opus-4-8', signer: 'claude' }

  it('comes out as it went in', () => {
    const losses: Loss[] = []
    const { body } = format.writeRequest(freeze(messages.readRequest(freeze(RICH))), target, losses)
    expect(losses).toEqual([])
    expect(body).toEqual(RICH)
  })

  it('is the same when it is read again', () => {
    const once = messages.readRequest(RICH)
    const twice = messages.readRequest(messages.writeRequest(once, target, []).body)
    expect(placeless(twice)).toEqual(placeless(once))
  })

  it('is described by the published schema', () => {
    expect(messages.requestSchema.safeParse(RICH).error?.issues).toBeUndefined()
  })
})

describe('A messages answer that is read and written to the same format', () => {
  it('comes out as it went in', () => {
    const answer: Json = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: [
        { type: 'thinking', thinking: '', signature: 'EqQB+/=' },
        { type: 'redacted_thinking', data: 'ENC' },
        { type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: '1' }, caller: { type: 'direct' } },
        {
          type: 'code_execution_tool_result',
          tool_use_id: 's',
          content: { type: 'code_execution_result', stdout: '1', stderr: '', return_code: 0, content: [] },
        },
        { type: 'mcp_tool_use', id: 'm', name: 'x', server_name: 'srv', input: {} },
        { type: 'container_upload', file_id: 'file_1' },
        {
          type: 'text',
          text: 'So.',
          citations: [
            {
              type: 'page_location',
              document_index: 0,
              document_title: null,
              cited_text: 'p',
              start_page_number: 1,
              end_page_number: 2,
            },
          ],
        },
        { type: 'tool_use', id: 't', name: 'f', input: { a: 1 }, caller: { type: 'direct' } },
      ],
      stop_reason: 'refusal',
      stop_sequence: null,
      stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' },
      container: { id: 'c', expires_at: 'x', skills: null },
      diagnostics: { cache_miss_reason: null },
      usage: {
        input_tokens: 5,
        output_tokens: 9,
        cache_creation_input_tokens: 4,
        cache_read_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 3 },
        output_tokens_details: { thinking_tokens: 2 },
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
        service_tier: 'priority',
      },
    }
    const losses: Loss[] = []
    expect(messages.writeResponse(freeze(messages.readResponse(freeze(answer))), reply, losses)).toEqual(answer)
    expect(losses).toEqual([])
  })
})
