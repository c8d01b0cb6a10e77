import type { Json } from '../../../src/translate.ts'
import { pdf, png, schema, type Table } from './table.ts'

const chatCall = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"town":"Oslo"}' } }
const chatTurns = (content: unknown, more: Json = {}): Json => ({ messages: [{ role: 'user', content, ...more }] })
const chatTool = (tool: Json): Json => ({ tools: [tool] })

export const CHAT: Table = {
  base: { model: 'gpt-5.4', messages: [{ role: 'user', content: 'rare words' }] },
  fields: [
    { metadata: { run: 'rare run' } },
    { logprobs: true, top_logprobs: 3 },
    { safety_identifier: 'rare person' },
    { user: 'rare user', safety_identifier: 'rare person' },
    {
      prompt_cache_key: 'rare key',
      prompt_cache_retention: '24h',
      prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    },
    { service_tier: 'flex' },
    { modalities: ['text', 'audio'], audio: { errorWriter: 'rare errorWriter', format: 'mp3' } },
    { audio: { errorWriter: 'rare errorWriter', format: 'mp3' } },
    { verbosity: 'low' },
    { reasoning_effort: 'xhigh' },
    { reasoning_effort: 'none' },
    { max_tokens: 77, max_completion_tokens: 78 },
    { frequency_penalty: 0.25, presence_penalty: -0.75 },
    {
      web_search_options: {
        search_context_size: 'high',
        user_location: {
          type: 'approximate',
          approximate: { city: 'rare city', country: 'NO', region: 'rare region', timezone: 'Europe/Oslo' },
        },
      },
    },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'rare_name', description: 'rare answer', schema, strict: true },
      },
    },
    { store: true, moderation: { model: 'rare model' } },
    { stream: true, stream_options: { include_usage: true, include_obfuscation: false } },
    { stop: ['one', 'two', 'three', 'four'] },
    { logit_bias: { 1234: -99 } },
    { n: 1, seed: 4242 },
    { prediction: { type: 'content', content: [{ type: 'text', text: 'rare prediction' }] } },
    {
      parallel_tool_calls: false,
      tools: [
        { type: 'function', function: { name: 'look', description: 'rare look', parameters: schema, strict: true } },
      ],
    },
    { parallel_tool_calls: true },
    {
      ...chatTool({
        type: 'custom',
        custom: {
          name: 'free',
          description: 'rare free',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'rare grammar' } },
        },
      }),
      tool_choice: { type: 'custom', custom: { name: 'free' } },
    },
    {
      ...chatTool({ type: 'function', function: { name: 'look' } }),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
    },
    { functions: [{ name: 'look', description: 'rare look', parameters: schema }], function_call: { name: 'look' } },
    chatTurns('rare words', { name: 'rare_name' }),
    chatTurns([{ type: 'text', text: 'rare words', prompt_cache_breakpoint: { mode: 'explicit' } }]),
    chatTurns([
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${png}`, detail: 'low' },
        prompt_cache_breakpoint: { mode: 'explicit' },
      },
    ]),
    chatTurns([
      { type: 'file', file: { file_data: pdf, filename: 'rare.pdf' }, prompt_cache_breakpoint: { mode: 'explicit' } },
    ]),
    chatTurns([{ type: 'file', file: { file_id: 'file-rare' } }]),
    chatTurns([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]),
    {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'rare rule' }], name: 'rare_name' },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'So' },
            { type: 'refusal', refusal: 'rare no' },
          ],
          name: 'rare_name',
        },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', refusal: 'rare no' },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: null, audio: { id: 'audio_rare' } },
        { role: 'user', content: 'Go' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', tool_calls: [chatCall] },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          content: [{ type: 'text', text: 'rare result', prompt_cache_breakpoint: { mode: 'explicit' } }],
        },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: '', function_call: { name: 'look', arguments: '{"town":"Oslo"}' } },
        { role: 'function', name: 'look', content: 'rare result' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: 'So',
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://example.com/rare', title: 'rare title', start_index: 0, end_index: 2 },
            },
          ],
        },
        { role: 'user', content: 'Go' },
      ],
    },
  ],
}
