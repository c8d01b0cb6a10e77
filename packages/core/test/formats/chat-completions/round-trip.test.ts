import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'
import { requestSchema } from '../../../src/formats/chat-completions/wire.ts'

/** Written from the vendor's documentation: everything that a request may hold, and some that is not in it. */
const REQUEST: Json = {
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'Be brief.', name: 'boss' },
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'original', crop: 1 } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
      name: 'ann',
      mood: 'good',
    },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'ns.f', arguments: '{"n":1.0}' } },
        { id: 'c2', type: 'custom', custom: { name: 'q', input: 'select 1' } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: '1' },
        { type: 'text', text: '2' },
      ],
    },
    { role: 'tool', tool_call_id: 'c2', content: '3' },
    { role: 'assistant', content: null, refusal: 'No.' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'ns.f',
        description: 'd',
        parameters: { type: 'object', properties: { n: {} } },
        strict: true,
        extra: 1,
      },
    },
    { type: 'custom', custom: { name: 'q', format: { type: 'text' } } },
  ],
  tool_choice: { type: 'custom', custom: { name: 'q' } },
  parallel_tool_calls: false,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'n', description: 'd', schema: { type: 'object' }, strict: false },
  },
  stop: ['a', 'b', 'c', 'd', 'e'],
  reasoning_effort: 'xhigh',
  top_k: 4,
  n: 2,
  logprobs: true,
  top_logprobs: 2,
  logit_bias: { '1': 2 },
  safety_identifier: 's',
  metadata: { a: 'b' },
  service_tier: 'scale',
  store: true,
  prompt_cache_key: 'k',
  prediction: { type: 'content', content: 'x' },
  web_search_options: { search_context_size: 'low', freshness: 'day' },
  frob: { deep: [1] },
}

const RESPONSE: Json = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'See [1].',
        refusal: null,
        reasoning_content: 'hm',
        annotations: [
          { type: 'url_citation', url_citation: { start_index: 4, end_index: 7, title: 'T', url: 'https://e.com' } },
        ],
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'f', arguments: '{"a": 1.0}' },
            extra_content: { google: { thought_signature: 'Q0k=' } },
          },
          { id: 'c2', type: 'custom', custom: { name: 'q', input: 'x' } },
        ],
      },
      logprobs: {
        content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] }],
        refusal: null,
      },
      finish_reason: 'tool_calls',
    },
    { index: 1, message: { role: 'assistant', content: null, refusal: 'No.' }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 2, audio_tokens: 0 },
  },
  service_tier: 'default',
}

describe('chat completions read and written again', () => {
  it('case 327: a request is the same, with what only this format knows', () => {
    const losses: Loss[] = []
    const request = chatCompletions.readRequest(REQUEST)
    const { body, restore } = chatCompletions.writeRequest(request, { model: 'gpt-4o' }, losses)
    expect(body).toEqual(REQUEST)
    expect(losses).toEqual([])
    expect(restore).toBeUndefined()
    expect(chatCompletions.readRequest(body)).toEqual(request)
  })

  it('an answer is the same, with what only this format knows', () => {
    const losses: Loss[] = []
    const reply = { id: 'x', model: 'x', request: chatCompletions.readRequest(REQUEST) }
    const response = chatCompletions.readResponse(RESPONSE)
    expect(chatCompletions.writeResponse(response, reply, losses)).toEqual(RESPONSE)
    expect(losses).toEqual([])
  })

  it('the published schema takes the request', () => {
    expect(requestSchema.safeParse(REQUEST).error).toBeUndefined()
  })
})
