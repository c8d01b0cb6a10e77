import type { Json } from '../../../src/translate.ts'
import { mark, pdf, png, schema, type Table } from './table.ts'

const messagesTurns = (...content: Json[]): Json => ({ messages: [{ role: 'user', content }] })
const answered = (result: Json, call: Json = {}): Json => ({
  messages: [
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { town: 'Oslo' }, ...call }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rare result', ...result }] },
  ],
})
const messagesTool = (tool: Json): Json => ({ tools: [tool] })

export const MESSAGES: Table = {
  base: { model: 'claude-opus-4-8', max_tokens: 555, messages: [{ role: 'user', content: 'rare words' }] },
  fields: [
    { cache_control: mark },
    { container: 'container_rare' },
    { container: { id: 'container_rare', skills: [{ skill_id: 'rare', type: 'anthropic', version: 'latest' }] } },
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 33 } }] } },
    { inference_geo: 'rare geo', speed: 'fast', user_profile_id: 'rare profile' },
    { mcp_servers: [{ type: 'url', name: 'rare', url: 'https://example.com/mcp' }] },
    { metadata: { user_id: 'rare user' } },
    { output_config: { effort: 'max', task_budget: { type: 'tokens', total: 98765 } } },
    { output_config: { format: { type: 'json_schema', schema } } },
    { output_format: { type: 'json_schema', schema } },
    { service_tier: 'standard_only' },
    { stop_sequences: ['one', 'two', 'three', 'four', 'five'] },
    { system: [{ type: 'text', text: 'rare rule', cache_control: mark }] },
    { temperature: 0.3, top_k: 44, top_p: 0.77 },
    { thinking: { type: 'adaptive', display: 'summarized' } },
    { thinking: { type: 'enabled', budget_tokens: 2048, display: 'omitted' } },
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
    {
      ...messagesTool({ name: 'look', input_schema: schema }),
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    {
      ...messagesTool({ name: 'look', input_schema: schema }),
      tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: false },
    },
    messagesTool({ name: 'look', description: 'rare look', input_schema: schema, cache_control: mark, strict: true }),
    messagesTool({
      name: 'look',
      input_schema: schema,
      defer_loading: true,
      eager_input_streaming: true,
      allowed_callers: ['direct'],
      input_examples: [{ town: 'rare example' }],
    }),
    messagesTool({
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: 7,
      allowed_domains: ['rare.example'],
      cache_control: mark,
    }),
    messagesTool({
      type: 'web_search_20250305',
      name: 'web_search',
      blocked_domains: ['rare.example'],
      user_location: {
        type: 'approximate',
        city: 'rare city',
        country: 'NO',
        region: 'rare region',
        timezone: 'Europe/Oslo',
      },
    }),
    messagesTool({
      type: 'web_fetch_20250910',
      name: 'web_fetch',
      max_content_tokens: 4321,
      citations: { enabled: true },
    }),
    messagesTool({ type: 'bash_20250124', name: 'bash' }),
    messagesTool({ type: 'mcp_toolset', mcp_server_name: 'rare' }),
    messagesTurns({
      type: 'text',
      text: 'rare words',
      cache_control: mark,
      citations: [
        {
          type: 'char_location',
          cited_text: 'rare quote',
          document_index: 0,
          document_title: 'rare title',
          start_char_index: 1,
          end_char_index: 9,
        },
      ],
    }),
    messagesTurns({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png },
      cache_control: mark,
    }),
    messagesTurns({ type: 'image', source: { type: 'file', file_id: 'file_rare' } }),
    messagesTurns({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: pdf },
      title: 'rare title',
      context: 'rare context',
      citations: { enabled: true },
      cache_control: mark,
    }),
    messagesTurns({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'rare text' },
      title: 'rare title',
      context: 'rare context',
    }),
    messagesTurns({
      type: 'document',
      source: { type: 'content', content: [{ type: 'text', text: 'rare chunk', cache_control: mark }] },
      context: 'rare context',
    }),
    messagesTurns({
      type: 'search_result',
      source: 'https://example.com/rare',
      title: 'rare title',
      content: [{ type: 'text', text: 'rare hit' }],
      citations: { enabled: true },
      cache_control: mark,
    }),
    messagesTurns({ type: 'container_upload', file_id: 'file_rare' }),
    answered({ is_error: true, cache_control: mark }, { cache_control: mark, caller: { type: 'direct' } }),
    answered({
      content: [
        { type: 'text', text: 'rare part', cache_control: mark },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      ],
    }),
    answered({
      content: [
        {
          type: 'search_result',
          source: 'https://example.com/rare',
          title: 'rare title',
          content: [{ type: 'text', text: 'rare hit' }],
        },
      ],
    }),
    answered({
      content: [
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf },
          title: 'rare title',
          context: 'rare context',
        },
      ],
    }),
    answered({ content: [{ type: 'tool_reference', tool_name: 'rare_tool' }] }),
    {
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [
            { type: 'redacted_thinking', data: 'cmFyZQ==' },
            {
              type: 'text',
              text: 'So',
              citations: [
                {
                  type: 'web_search_result_location',
                  url: 'https://example.com/rare',
                  title: 'rare title',
                  cited_text: 'rare quote',
                  encrypted_index: 'rare index',
                },
              ],
            },
          ],
        },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rare query' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [
                {
                  type: 'web_search_result',
                  url: 'https://example.com/rare',
                  title: 'rare title',
                  encrypted_content: 'rare content',
                  page_age: 'rare age',
                },
              ],
            },
          ],
        },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: [{ type: 'compaction', content: 'rare summary' }] },
        { role: 'user', content: 'Go' },
      ],
    },
  ],
}
