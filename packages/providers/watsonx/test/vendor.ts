import {
  type EmbeddingsWireFacts,
  type Received,
  type RequestMeaning,
  type RerankFacts,
  type UpstreamPlace,
  type VendorFrame,
  type WireFacts,
  wires,
} from '@headgate/conformance'
import { type Json, object, objects } from '@headgate/core/provider'

const fields = (value: unknown): Json => object(value) ?? {}

/** A body without what every request names. */
function ofProject(body: unknown): Json {
  const { model_id, project_id, ...rest } = fields(body)
  if (typeof model_id !== 'string' || typeof project_id !== 'string') throw new Error('json_validation_error')
  return rest
}

function only(rest: Json): void {
  if (Object.keys(rest).length > 0) throw new Error(`json_validation_error: ${Object.keys(rest)}`)
}

/** The fields of a request, by https://cloud.ibm.com/apidocs/watsonx-ai#text-chat */
const FIELDS = new Set([
  ...[
    'messages',
    'tools',
    'tool_choice_option',
    'tool_choice',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
  ],
  ...[
    'max_tokens',
    'max_completion_tokens',
    'n',
    'presence_penalty',
    'response_format',
    'seed',
    'stop',
    'temperature',
    'top_p',
  ],
  ...[
    'time_limit',
    'include_reasoning',
    'reasoning_effort',
    'guided_choice',
    'guided_regex',
    'guided_grammar',
    'guided_json',
  ],
  ...['repetition_penalty', 'length_penalty', 'chat_template_kwargs'],
])
const ROLES = new Set(['system', 'user', 'assistant', 'tool', 'control'])
const CONTENTS = new Set(['text', 'image_url', 'video_url', 'input_audio'])

/** Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-chat */
export function read({ body }: Received): RequestMeaning {
  const rest = ofProject(body)
  only(Object.fromEntries(Object.entries(rest).filter(([key]) => !FIELDS.has(key))))
  const { tool_choice_option, tool_choice, stop, messages, ...chat } = rest
  if (typeof tool_choice === 'string' || (tool_choice && tool_choice_option))
    throw new Error('tool_choice is an object')
  if (stop !== undefined && !Array.isArray(stop)) throw new Error('stop is a list')
  for (const { role, content } of objects(messages)) {
    if (!ROLES.has(String(role))) throw new Error(`no such role: ${String(role)}`)
    for (const { type, image_url } of objects(content)) {
      if (!CONTENTS.has(String(type))) throw new Error(`no such content: ${String(type)}`)
      if (image_url && !String(fields(image_url)['url']).startsWith('data:')) throw new Error('an image is base64')
    }
  }
  const choice = tool_choice ?? tool_choice_option
  const asked = {
    ...chat,
    messages,
    model: 'm',
    ...(choice !== undefined && { tool_choice: choice }),
    ...(stop !== undefined && { stop }),
  }
  return wires['chat-completions'].readRequest(asked)
}

const STOP = {
  stop: 'stop',
  length: 'time_limit',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  unknown: 'stop',
} as const

/** In two pieces, as a stream brings it. */
const halves = (whole: string): string[] => [
  whole.slice(0, Math.ceil(whole.length / 2)),
  whole.slice(Math.ceil(whole.length / 2)),
]

/**
 * Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-chat-stream and
 * https://www.ibm.com/docs/en/watsonx/saas?topic=code-chat
 */
export const write: WireFacts['write'] = ({ text, reasoning, calls, finish, usage }) => {
  const { input = 0, output = 0 } = usage ?? {}
  const head = {
    id: 'chatcmpl-5d8c131decbb',
    model_id: 'ibm/granite-4-h-small',
    model: 'ibm/granite-4-h-small',
    created: 1_749_736_055,
    model_version: '4.0.0',
    created_at: '2025-06-12T13:47:35.541Z',
  }
  const counted = { completion_tokens: output, prompt_tokens: input, total_tokens: input + output }
  const uses = calls.map(({ name, arguments: args }, index) => ({
    id: `chatcmpl-tool-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  const content = { ...(text !== '' && { content: text }), ...(reasoning !== '' && { reasoning_content: reasoning }) }
  const message = { role: 'assistant', ...content, ...(uses.length > 0 && { tool_calls: uses }) }
  const deltas: Json[] = [
    { role: 'assistant', content: '' },
    ...Object.entries(content).flatMap(([key, whole]) => halves(String(whole)).map((piece) => ({ [key]: piece }))),
    ...uses.flatMap(({ function: { name, arguments: args }, ...use }, index) => [
      { tool_calls: [{ index, ...use, function: { name, arguments: '' } }] },
      ...halves(args).map((piece) => ({ tool_calls: [{ index, function: { name: '', arguments: piece } }] })),
    ]),
  ]
  const chunk = (choices: readonly Json[], more: Json = {}): VendorFrame => ({
    event: 'message',
    data: { ...head, object: 'chat.completion.chunk', choices, ...more },
  })
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: STOP[finish] }],
      usage: counted,
    },
    stream: [
      ...deltas.map((delta) => chunk([{ index: 0, finish_reason: null, delta }])),
      chunk([{ index: 0, finish_reason: STOP[finish], delta: { content: '' } }]),
      chunk([], { usage: counted }),
    ],
  }
}

/**
 * Written from https://cloud.ibm.com/apidocs/watsonx-ai#error-handling and
 * https://ibm.github.io/watsonx-ai-java-sdk/advanced/error-handling
 */
export const error = (status: number, message: string): Json => ({
  errors: [{ code: 'invalid_input_argument', message, more_info: 'https://cloud.ibm.com/apidocs/watsonx-ai' }],
  trace: 'f8a07210b001efe4c862b642f3ece475',
  status_code: status,
})

export const errorFrame = (message: string): VendorFrame => ({ event: 'error', data: error(500, message) })

/** Written from https://cloud.ibm.com/apidocs/watsonx-ai#list-foundation-model-specs */
export const list: NonNullable<UpstreamPlace['models']> = {
  path: '/ml/v1/foundation_model_specs',
  write: (ids) => ({
    total_count: ids.length,
    limit: 200,
    first: { href: 'https://us-south.ml.cloud.ibm.com/ml/v1/foundation_model_specs' },
    resources: ids.map((model_id) => ({
      model_id,
      label: model_id,
      provider: 'IBM',
      source: 'IBM',
      functions: [{ id: 'text_chat' }, { id: 'image_chat' }],
      model_limits: { max_sequence_length: 131_072, max_output_tokens: 16_384 },
      lifecycle: [{ id: 'available', start_date: '2025-10-02' }],
    })),
  }),
}

/** Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-embeddings */
export const embeddings: EmbeddingsWireFacts = {
  model: 'ibm/slate-125m-english-rtrvr-v2',
  path: '/ml/v1/text/embeddings',
  batch: 1000,
  read({ body }) {
    const { inputs, ...rest } = ofProject(body)
    only(rest)
    return { inputs: inputs as string[] }
  },
  write: ({ vectors, tokens }) => ({
    model_id: 'ibm/slate-125m-english-rtrvr-v2',
    created_at: '2025-10-02T08:00:00.000Z',
    input_token_count: tokens,
    results: vectors.map((embedding) => ({ embedding })),
  }),
}

/** Written from https://cloud.ibm.com/apidocs/watsonx-ai#text-rerank */
export const rerank: RerankFacts = {
  model: 'cross-encoder/ms-marco-minilm-l-12-v2',
  path: '/ml/v1/text/rerank',
  most: 1000,
  read({ body }) {
    const { inputs, query, parameters, ...rest } = ofProject(body)
    only(rest)
    const top = fields(fields(parameters)['return_options'])['top_n']
    return {
      query: String(query),
      documents: objects(inputs).map(({ text }) => String(text)),
      top: top as number | undefined,
    }
  },
  write: ({ results, tokens }) => ({
    model_id: 'cross-encoder/ms-marco-minilm-l-12-v2',
    created_at: '2025-10-02T08:00:00.000Z',
    input_token_count: tokens,
    results,
  }),
}
