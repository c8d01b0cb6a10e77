import type { KitFormat } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'

/** What a model says in one turn. The calls are made at once. */
export interface Answer {
  readonly thought: string
  /** Standard base64; chat completions has no place for it. */
  readonly signature: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: Json }[]
}

/**
 * An answer as a vendor of a format writes it, whole and streamed: from the vendors' references, as in the conformance
 * kit.
 */
export function written(answer: Answer, format: KitFormat): { readonly body: Json; readonly stream: string } {
  return WRITERS[format](answer)
}

const WRITERS: Readonly<Record<KitFormat, (answer: Answer) => { readonly body: Json; readonly stream: string }>> = {
  'chat-completions': completionOf,
  messages: messageOf,
  'generate-content': generatedOf,
  responses: responseOf,
}

function completionOf({ thought, text, calls }: Answer) {
  const called = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 }
  const common = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'upstream' }
  const message = {
    role: 'assistant',
    content: text,
    reasoning_content: thought,
    ...(calls.length > 0 && { tool_calls: called }),
  }
  const deltas: Json[] = [
    { role: 'assistant', reasoning_content: thought },
    { content: text },
    ...called.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]
  const chunk = (choices: Json[], more: Json = {}) => ({ ...common, object: 'chat.completion.chunk', choices, ...more })
  const chunks = [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    chunk([], { usage }),
  ]
  return {
    body: { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
    stream: `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`,
  }
}

function responseOf({ thought, signature, text, calls }: Answer) {
  const summary = [{ type: 'summary_text', text: thought }]
  const content = [{ type: 'output_text', text, annotations: [] }]
  const output: Json[] = [
    { id: 'rs_1', type: 'reasoning', summary, encrypted_content: signature },
    { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content },
    ...calls.map(({ id, name, arguments: given }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(given),
      status: 'completed',
    })),
  ]
  const common = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    model: 'upstream',
    error: null,
    incomplete_details: null,
  }
  const body = {
    ...common,
    status: 'completed',
    output,
    usage: { input_tokens: 50, output_tokens: 9, total_tokens: 59 },
  }
  const starts: Json[] = output.map((item) => ({
    ...item,
    ...('summary' in item && { summary: [], encrypted_content: undefined }),
    ...('content' in item && { content: [] }),
    ...('arguments' in item && { arguments: '' }),
  }))
  const within: Json[][] = [
    [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta: thought },
      { type: 'response.reasoning_summary_part.done', summary_index: 0, part: summary[0] },
    ],
    [
      {
        type: 'response.content_part.added',
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      { type: 'response.output_text.delta', content_index: 0, delta: text },
      { type: 'response.content_part.done', content_index: 0, part: content[0] },
    ],
    ...calls.map(({ arguments: given }) => [
      { type: 'response.function_call_arguments.delta', delta: JSON.stringify(given) },
    ]),
  ]
  const events: Json[] = [
    { type: 'response.created', response: { ...common, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: starts[output_index] },
      ...(within[output_index] ?? []).map((event) => ({ ...event, item_id: item['id'], output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: body },
  ]
  return {
    body,
    stream: events
      .map(
        (event, sequence_number) =>
          `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
      )
      .join(''),
  }
}

function messageOf({ thought, signature, text, calls }: Answer) {
  const content = [
    { type: 'thinking', thinking: thought, signature },
    { type: 'text', text },
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ]
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const started = { id: 'msg_1', type: 'message', role: 'assistant', model: 'upstream', stop_sequence: null }
  const usage = { input_tokens: 50, output_tokens: 9 }
  const starts: Json[] = [
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'text', text: '' },
    ...calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })),
  ]
  const deltas: Json[][] = [
    [
      { type: 'thinking_delta', thinking: thought },
      { type: 'signature_delta', signature },
    ],
    [{ type: 'text_delta', text }],
    ...calls.map(({ arguments: given }) => [{ type: 'input_json_delta', partial_json: JSON.stringify(given) }]),
  ]
  const events: Json[] = [
    { type: 'message_start', message: { ...started, content: [], stop_reason: null, usage } },
    ...starts.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      ...(deltas[index] ?? []).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return {
    body: { ...started, content, stop_reason, usage },
    stream: events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  }
}

/**
 * Of calls made at once the first is signed, as Google documents it; an answer without calls has the signature on its
 * text.
 */
function generatedOf({ thought, signature, text, calls }: Answer) {
  const [first, ...others] = calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }))
  const parts: Json[] = [
    { text: thought, thought: true },
    { text, ...(!first && { thoughtSignature: signature }) },
    ...(first ? [{ ...first, thoughtSignature: signature }, ...others] : []),
  ]
  const common = { responseId: 'generated-1', modelVersion: 'upstream' }
  const end = { finishReason: 'STOP', index: 0 }
  const usageMetadata = { promptTokenCount: 50, candidatesTokenCount: 9, totalTokenCount: 59 }
  const chunks: Json[] = parts.map((part, index) => ({
    ...common,
    candidates: [{ content: { role: 'model', parts: [part] }, ...(index === parts.length - 1 ? end : { index: 0 }) }],
    ...(index === parts.length - 1 && { usageMetadata }),
  }))
  return {
    body: { ...common, candidates: [{ content: { role: 'model', parts }, ...end }], usageMetadata },
    stream: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''),
  }
}
