import type { Json } from '@headgate/core/provider'
import type { ScenarioResponse } from './scenario.ts'
import { type Count, CREATED, REPORTED_MODEL } from './tokens.ts'

/** Output item: whole, its start in a stream, and its events. */
interface StreamedItem {
  readonly whole: Json
  readonly start: Json
  /** Events without their item id and indices. */
  readonly events: readonly Json[]
}

interface ScriptedResponse {
  readonly items: readonly StreamedItem[]
  readonly count: Count
  readonly cut?: 'max_output_tokens'
  readonly id?: string
}

/**
 * Response of OpenAI, from https://platform.openai.com/docs/api-reference/responses/object and …/responses-streaming.
 */
export function response({ items, count, cut, id = 'resp_01fixture' }: ScriptedResponse): ScenarioResponse {
  const head = {
    id,
    object: 'response',
    created_at: CREATED,
    model: REPORTED_MODEL,
    error: null,
    service_tier: 'default',
  }
  const begun = { ...head, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const status = cut ? 'incomplete' : 'completed'
  const body = {
    ...head,
    status,
    incomplete_details: cut ? { reason: cut } : null,
    output: items.map(({ whole }) => whole),
    usage: usageOf(count),
  }
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ whole, start, events }, output_index) => [
      { type: 'response.output_item.added', output_index, item: start },
      ...events.map((event) => ({ ...event, item_id: whole['id'], output_index })),
      { type: 'response.output_item.done', output_index, item: whole },
    ]),
    { type: `response.${status}`, response: body },
  ]
  return { body, stream: events.map((event, sequence_number) => frameOf({ ...event, sequence_number })).join('') }
}

export function frameOf(event: Json): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`
}

function usageOf({ input, output, cacheRead = 0, reasoning = 0 }: Count): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

export function messageItem(pieces: readonly string[], status = 'completed'): StreamedItem {
  const item = { id: 'msg_01fixture', type: 'message', role: 'assistant' }
  const text = pieces.join('')
  const part = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })
  return {
    whole: { ...item, status, content: [part(text)] },
    start: { ...item, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', content_index: 0, part: part('') },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta, logprobs: [] })),
      { type: 'response.output_text.done', content_index: 0, text, logprobs: [] },
      { type: 'response.content_part.done', content_index: 0, part: part(text) },
    ],
  }
}

export function reasoningItem(pieces: readonly string[], signature: string): StreamedItem {
  const item = { id: 'rs_01fixture', type: 'reasoning' }
  const text = pieces.join('')
  const part = (said: string) => ({ type: 'summary_text', text: said })
  return {
    whole: { ...item, summary: [part(text)], encrypted_content: signature },
    start: { ...item, summary: [] },
    events: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: part('') },
      ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta })),
      { type: 'response.reasoning_summary_text.done', summary_index: 0, text },
      { type: 'response.reasoning_summary_part.done', summary_index: 0, part: part(text) },
    ],
  }
}

export function callItem(call_id: string, name: string, pieces: readonly string[]): StreamedItem {
  const item = { id: `fc_${call_id}`, type: 'function_call', call_id, name }
  const args = pieces.join('')
  return {
    whole: { ...item, arguments: args, status: 'completed' },
    start: { ...item, arguments: '', status: 'in_progress' },
    events: [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', name, arguments: args },
    ],
  }
}

/** Text response in pieces. */
export function responseOfText(pieces: readonly string[], count: Count, cut?: 'max_output_tokens'): ScenarioResponse {
  return response({ items: [messageItem(pieces, cut ? 'incomplete' : 'completed')], count, ...(cut && { cut }) })
}
