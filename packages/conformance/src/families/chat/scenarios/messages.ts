import type { Json } from '@headgate/core/provider'
import type { ScenarioResponse } from './scenario.ts'
import { type Count, REPORTED_MODEL } from './tokens.ts'

/** Content block: whole, its start in a stream, and the deltas that follow. */
interface StreamedBlock {
  readonly whole: Json
  readonly start: Json
  readonly deltas: readonly Json[]
}

interface ScriptedMessage {
  readonly blocks: readonly StreamedBlock[]
  readonly stop: 'end_turn' | 'max_tokens' | 'tool_use'
  readonly count: Count
  readonly id?: string
}

/** Message of Anthropic, from https://platform.claude.com/docs/en/api/messages and …/build-with-claude/streaming. */
export function message({ blocks, stop, count, id = 'msg_01fixture' }: ScriptedMessage): ScenarioResponse {
  const head = { id, type: 'message', role: 'assistant', model: REPORTED_MODEL }
  const before = usageOf(count)
  const events: Json[] = [
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...before, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: count.output },
    },
    { type: 'message_stop' },
  ]
  return {
    body: { ...head, content: blocks.map(({ whole }) => whole), stop_reason: stop, stop_sequence: null, usage: before },
    stream: events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  }
}

function usageOf({ input, output, cacheRead = 0 }: Count): Json {
  return {
    input_tokens: input - cacheRead,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    service_tier: 'standard',
  }
}

export function textBlock(pieces: readonly string[]): StreamedBlock {
  return {
    whole: { type: 'text', text: pieces.join('') },
    start: { type: 'text', text: '' },
    deltas: pieces.map((text) => ({ type: 'text_delta', text })),
  }
}

export function thinkingBlock(pieces: readonly string[], signature: string): StreamedBlock {
  return {
    whole: { type: 'thinking', thinking: pieces.join(''), signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ],
  }
}

export function toolUseBlock(id: string, name: string, pieces: readonly string[]): StreamedBlock {
  return {
    whole: { type: 'tool_use', id, name, input: JSON.parse(pieces.join('')) as unknown },
    start: { type: 'tool_use', id, name, input: {} },
    deltas: ['', ...pieces].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  }
}

/** Text message in pieces. */
export function messageOfText(
  pieces: readonly string[],
  count: Count,
  stop: 'end_turn' | 'max_tokens' = 'end_turn',
): ScenarioResponse {
  return message({ blocks: [textBlock(pieces)], stop, count })
}
