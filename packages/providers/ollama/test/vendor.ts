import type {
  EmbeddingsWireFacts,
  ExpectedPart,
  Received,
  RequestMeaning,
  VendorFrame,
  WireFacts,
} from '@headgate/conformance'
import { type Json, object, objects, text } from '@headgate/core/codec'

const fields = (value: unknown): Json => object(value) ?? {}

// Written from https://docs.ollama.com/api/chat and https://docs.ollama.com/openapi.yaml
/** What Ollama understands of a request. */
export function read({ body }: Received): RequestMeaning {
  const { messages, tools, options, format, think } = fields(body)
  const { num_predict, temperature, top_p, stop } = fields(options)
  const calls: unknown[] = []
  const said = objects(messages).flatMap((message) => saidIn(message, calls))
  const offered = objects(tools).map(({ type, function: called }) => {
    if (type !== 'function') throw new Error('type must be function')
    const { name, description, parameters } = fields(called)
    return { name: String(name), ...(typeof description === 'string' && { description }), schema: fields(parameters) }
  })
  const schema = object(format)
  return {
    said,
    ...(offered.length > 0 && { tools: offered }),
    ...(schema && { schema }),
    ...(think !== undefined && think !== false && { reasoning: true }),
    ...(typeof num_predict === 'number' && { maxTokens: num_predict }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(Array.isArray(stop) && { stop: stop.map(String) }),
  }
}

function saidIn(
  { role, content, thinking, images, tool_calls, tool_call_id, tool_name }: Json,
  calls: unknown[],
): ExpectedPart[] {
  if (typeof content !== 'string') throw new Error('content must be a string')
  if (role === 'tool') {
    if (typeof tool_name !== 'string') throw new Error('a result without the name of its tool')
    return [{ role: 'user', result: content, of: calls.lastIndexOf(tool_call_id) }]
  }
  const thought: ExpectedPart[] = typeof thinking === 'string' ? [{ role: 'assistant', reasoning: thinking }] : []
  const words: ExpectedPart[] = content === '' ? [] : [{ role: role as 'user', text: content }]
  const seen = (Array.isArray(images) ? images : []).map(
    (base64): ExpectedPart => ({ role: 'user', media: 'image/png', base64: String(base64) }),
  )
  const made = objects(tool_calls).map(({ id, function: called }): ExpectedPart => {
    calls.push(id)
    const { name, arguments: args } = fields(called)
    if (!object(args)) throw new Error('arguments must be an object')
    return { role: 'assistant', call: { name: String(name), arguments: args } }
  })
  return [...thought, ...words, ...seen, ...made]
}

/** It has no words for the rest. */
const REASON = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'stop',
  'content-filter': 'stop',
  unknown: 'stop',
} as const

const halves = (whole: string): string[] =>
  [whole.slice(0, Math.ceil(whole.length / 2)), whole.slice(Math.ceil(whole.length / 2))].filter((half) => half !== '')

/** The vendor's answer, whole and as the lines of a stream. */
export const write: WireFacts['write'] = ({ text: answer, reasoning, calls, finish, usage }) => {
  const head = { model: 'qwen3', created_at: '2026-01-31T12:00:00.123456789Z' }
  const tool_calls = calls.map((call, index) => ({
    id: `call_${index}`,
    function: { index, name: call.name, arguments: call.arguments as object },
  }))
  const end = {
    done: true,
    done_reason: REASON[finish],
    total_duration: 839_744_125,
    load_duration: 29_176_166,
    ...(usage && { prompt_eval_count: usage.input, eval_count: usage.output }),
  }
  const line = (message: Json) => ({ ...head, message: { role: 'assistant', content: '', ...message }, done: false })
  const message = {
    role: 'assistant',
    content: answer,
    ...(reasoning !== '' && { thinking: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  const lines: Json[] = [
    ...halves(reasoning).map((thinking) => line({ thinking })),
    ...halves(answer).map((content) => line({ content })),
    ...tool_calls.map((call) => line({ tool_calls: [call] })),
    { ...head, message: { role: 'assistant', content: '' }, ...end },
  ]
  return { body: { ...head, message, ...end }, stream: lines.map((data) => ({ data })) }
}

export const error = (_status: number, message: string): object => ({ error: message })

export const errorFrame = (message: string): VendorFrame => ({ data: { error: message } })

// Written from https://docs.ollama.com/api/embed
export const embeddings: EmbeddingsWireFacts = {
  model: 'embeddinggemma',
  path: '/api/embed',
  read({ body }) {
    const { input, dimensions, truncate } = fields(body)
    if (truncate !== false) throw new Error('what is too long would be cut')
    return { inputs: input as string[], ...(typeof dimensions === 'number' && { dimensions }) }
  },
  write: ({ vectors, tokens }) => ({
    model: text('embeddinggemma'),
    embeddings: vectors,
    total_duration: 14_143_917,
    prompt_eval_count: tokens,
  }),
}
