import type { Json } from '../../../src/translate.ts'
import { pdf, png, schema, type Table } from './table.ts'

const says = (...content: Json[]): Json => ({ input: [{ role: 'user', content }] })
const tools = (...list: Json[]): Json => ({ tools: list })
const look = { type: 'function', name: 'look', parameters: schema }
const answered = (result: Json, call: Json = {}): Json => ({
  input: [
    { role: 'user', content: 'Go' },
    { type: 'function_call', id: 'fc_rare', call_id: 'call_rare', name: 'look', arguments: '{"town":"Oslo"}', ...call },
    { type: 'function_call_output', call_id: 'call_rare', output: 'rare result', ...result },
  ],
})
const before = (...items: Json[]): Json => ({
  input: [{ role: 'user', content: 'Go' }, ...items, { role: 'user', content: 'On' }],
})

export const RESPONSES: Table = {
  base: { model: 'gpt-5.4', input: 'rare words' },
  fields: [
    { background: true },
    { context_management: [{ type: 'compaction', compact_threshold: 54321 }] },
    { conversation: 'conv_rare' },
    { include: ['web_search_call.action.sources', 'reasoning.encrypted_content'] },
    { include: ['message.output_text.logprobs'], top_logprobs: 3 },
    { instructions: 'rare instructions' },
    { max_output_tokens: 5 },
    { max_output_tokens: 4321, max_tool_calls: 7 },
    { metadata: { rare: 'metadata' } },
    { moderation: { model: 'rare moderation' } },
    { previous_response_id: 'resp_rare' },
    { prompt: { id: 'pmpt_rare', variables: { rare: 'variable' } } },
    { prompt_cache_key: 'rare key', prompt_cache_retention: '24h' },
    { reasoning: { effort: 'xhigh', summary: 'detailed' } },
    { reasoning: { effort: 'none' } },
    { safety_identifier: 'rare user' },
    { user: 'rare user', safety_identifier: 'rare identifier' },
    { service_tier: 'flex' },
    { service_tier: 'rare tier' },
    { store: true },
    { temperature: 0.3, top_p: 0.77 },
    { text: { verbosity: 'low' } },
    { text: { format: { type: 'json_object' } } },
    { text: { format: { type: 'json_schema', name: 'rare', description: 'rare answer', schema, strict: false } } },
    { truncation: 'auto' },
    { ...tools(look), parallel_tool_calls: false },
    {
      ...tools(look, { ...look, name: 'see' }),
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    },
    { ...tools(look), tool_choice: { type: 'function', name: 'look' } },
    tools({ ...look, description: 'rare look', strict: true, defer_loading: true, allowed_callers: ['direct'] }),
    tools({ type: 'custom', name: 'write', description: 'rare write' }),
    tools({ type: 'custom', name: 'write', format: { type: 'grammar', syntax: 'lark', definition: 'start: "rare"' } }),
    tools({ type: 'namespace', name: 'rare_space', description: 'rare namespace', tools: [look] }),
    tools({
      type: 'web_search',
      search_context_size: 'high',
      filters: { allowed_domains: ['rare.example'] },
      external_web_access: false,
    }),
    tools({ type: 'web_search_preview', user_location: { type: 'approximate', city: 'rare city', country: 'NO' } }),
    tools({ type: 'file_search', vector_store_ids: ['vs_rare'] }),
    tools({ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }),
    tools({ type: 'mcp', server_label: 'rare', server_url: 'https://example.com/mcp' }),
    tools({ type: 'image_generation', size: '1024x1024' }),
    says({ type: 'input_text', text: 'rare text', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }),
    says({ type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'low' }),
    says({ type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'original' }),
    says({ type: 'input_image', file_id: 'file_rare' }),
    says({ type: 'input_file', filename: 'rare.pdf', file_data: `data:application/pdf;base64,${pdf}` }),
    says({ type: 'input_file', file_id: 'file_rare' }),
    says({ type: 'input_text', text: 'rare text', tone: 'rare' }),
    before({ role: 'assistant', content: 'rare answer', phase: 'commentary' }),
    before({
      type: 'message',
      id: 'msg_rare',
      role: 'assistant',
      status: 'incomplete',
      content: [
        {
          type: 'output_text',
          text: 'rare answer',
          annotations: [{ type: 'file_citation', file_id: 'file_rare', index: 3 }],
        },
      ],
    }),
    before({ role: 'assistant', content: [{ type: 'refusal', refusal: 'rare refusal' }] }),
    before({
      type: 'reasoning',
      id: 'rs_rare',
      summary: [{ type: 'summary_text', text: 'rare thought' }],
      encrypted_content: 'rare secret',
    }),
    before({
      type: 'reasoning',
      id: 'rs_rare',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'rare thought' }],
    }),
    before({
      type: 'web_search_call',
      id: 'ws_rare',
      status: 'completed',
      action: { type: 'search', query: 'rare query' },
    }),
    before({ type: 'item_reference', id: 'msg_rare' }),
    before({ type: 'compaction', encrypted_content: 'rare secret' }),
    before({ role: 'developer', content: 'rare rule' }),
    answered({
      output: [
        { type: 'input_text', text: 'rare part' },
        { type: 'input_image', image_url: `data:image/png;base64,${png}` },
      ],
    }),
    answered(
      { status: 'incomplete' },
      { namespace: 'rare_space', caller: { type: 'program', caller_id: 'rare program' } },
    ),
  ],
}
