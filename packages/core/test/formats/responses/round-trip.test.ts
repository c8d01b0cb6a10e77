import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import { responses } from '../../../src/formats/responses/index.ts'
import { answer, message, partsOf, plain, reply, rewritten, text } from './support.ts'

const PDF = 'data:application/pdf;base64,JVBERi0='

/** Written from the vendor's documentation of the API. */
const RICH: Json = {
  model: 'gpt-5.4',
  instructions: 'Be kind',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
        { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'original' },
        { type: 'input_image', file_id: 'file_1', detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: PDF, detail: 'high' },
        { type: 'input_file', file_url: 'https://x.test/a.pdf' },
        { type: 'input_file', file_id: 'file_2' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      phase: 'commentary',
      content: [
        {
          type: 'output_text',
          logprobs: [],
          text: 'I see',
          annotations: [
            { type: 'url_citation', url: 'https://x.test', title: 'X', start_index: 0, end_index: 5 },
            { type: 'file_citation', file_id: 'file_2', filename: 'a.pdf', index: 3 },
          ],
        },
      ],
    },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'send', namespace: 'mail', arguments: '{"n":1.0}' },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'draft', input: 'Dear' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'https://x.test/b.png' },
      ],
    },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'ok' },
    { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'Aha' }] },
    { type: 'reasoning', id: 'rs_3', summary: [] },
    { type: 'item_reference', id: 'msg_0' },
    { type: 'compaction', encrypted_content: 'ENC' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'Go on' },
  ],
  tools: [
    { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: true, defer_loading: true },
    { type: 'custom', name: 'draft', format: { type: 'grammar', syntax: 'regex', definition: 'a+' } },
    {
      type: 'namespace',
      name: 'mail',
      description: 'Letters',
      tools: [
        { type: 'function', name: 'send', parameters: {} },
        { type: 'function', name: 'read' },
      ],
    },
    { type: 'web_search_preview', search_context_size: 'low', user_location: { type: 'approximate', city: 'Oslo' } },
    { type: 'mcp', server_label: 'x', server_url: 'https://x.test' },
    { type: 'tool_search' },
  ],
  tool_choice: {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [
      { type: 'function', name: 'f' },
      { type: 'mcp', server_label: 'x' },
    ],
  },
  parallel_tool_calls: false,
  max_output_tokens: 100,
  max_tool_calls: 3,
  temperature: 0.5,
  top_p: 0.5,
  top_logprobs: 2,
  reasoning: { effort: 'high', summary: 'detailed' },
  text: { format: { type: 'json_schema', name: 'a', schema: {}, strict: false }, verbosity: 'low' },
  include: ['reasoning.encrypted_content', 'file_search_call.results', 'message.output_text.logprobs'],
  truncation: 'auto',
  metadata: { a: 'b' },
  prompt_cache_key: 'k',
  safety_identifier: 'u',
  service_tier: 'flex',
  stream: true,
  background: false,
  store: true,
  previous_response_id: 'resp_0',
  novelty: { a: 1 },
}

describe('A responses request that is read and written in its own format', () => {
  it('is what it was', () => {
    const { body, lost } = rewritten(RICH)
    expect(body).toEqual(RICH)
    expect(lost).toEqual([])
  })

  it('keeps a text as one message of the user', () => {
    expect(rewritten({ model: 'm', input: 'Hi' }).body['input']).toEqual([{ role: 'user', content: 'Hi' }])
  })
})

/** Written from the vendor's documentation of the API. */
const OUTPUT: Json[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'ENC' },
  { type: 'reasoning', id: 'rs_2', summary: [] },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
  {
    ...message('msg_1', text('One', { logprobs: [{ token: 'One', logprob: -1, bytes: [79], top_logprobs: [] }] }), {
      type: 'refusal',
      refusal: 'No',
    }),
    phase: 'commentary',
  },
  message(
    'msg_2',
    text('Two', {
      annotations: [{ type: 'url_citation', start_index: 0, end_index: 3, url: 'https://x.test', title: 'X' }],
    }),
  ),
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'send',
    namespace: 'mail',
    status: 'completed',
    arguments: '{"a":1}',
  },
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'g', status: 'completed', input: 'x' },
  {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    result: 'iVBORw0KGgo=',
    output_format: 'png',
    size: '1x1',
  },
  {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'completed',
    code: '1',
    container_id: 'c',
    outputs: [{ type: 'logs', logs: '1' }],
  },
  { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'x', tools: [] },
  { type: 'shell_call_output', id: 'sho_1', call_id: 'call_3', status: 'completed', output: [] },
]

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
}

describe('A response that is read and written in its own format', () => {
  const body = answer(OUTPUT, { usage, service_tier: 'flex', novelty: { a: 1 } })

  it('is what it was', () => {
    const losses: Loss[] = []
    const written = plain(responses.writeResponse(responses.readResponse(body, { signer: 'gpt' }), reply(), losses))
    expect(written).toMatchObject({ ...body, error: null, incomplete_details: null })
    expect(losses.map(({ path }) => path)).toEqual(['usage.searches'])
  })

  it('is the same as a stream that is told by its last event alone', () => {
    const streamed = assemble(partsOf([{ type: 'response.completed', sequence_number: 0, response: body }]))
    const whole = responses.readResponse(body, { signer: 'gpt' })
    const placeless = JSON.parse(
      JSON.stringify(whole, (key, value: unknown) => (key === 'at' ? undefined : value)),
    ) as Json
    expect(JSON.parse(JSON.stringify(streamed))).toEqual(placeless)
  })
})
