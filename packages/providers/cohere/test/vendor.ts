import type {
  EmbeddingsWireFacts,
  ExpectedPart,
  Received,
  RequestMeaning,
  RerankFacts,
  VendorFrame,
  WireFacts,
} from '@headgate/conformance'
import { type Json, object, objects, text } from '@headgate/core/codec'

const fields = (value: unknown): Json => object(value) ?? {}

// Written from https://docs.cohere.com/reference/chat
/** What Cohere understands of a request. */
export function read({ body }: Received): RequestMeaning {
  const { messages, tools, max_tokens, temperature, p, stop_sequences, response_format, thinking } = fields(body)
  const calls: unknown[] = []
  const said = objects(messages).flatMap((message) => saidIn(message, calls))
  const offered = objects(tools).map(({ function: called }) => {
    const { name, description, parameters } = fields(called)
    return { name: String(name), ...(typeof description === 'string' && { description }), schema: fields(parameters) }
  })
  const schema = object(fields(response_format)['json_schema'])
  return {
    said,
    ...(offered.length > 0 && { tools: offered }),
    ...(schema && { schema }),
    ...(fields(thinking)['type'] === 'enabled' && { reasoning: true }),
    ...(typeof max_tokens === 'number' && { maxTokens: max_tokens }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof p === 'number' && { topP: p }),
    ...(Array.isArray(stop_sequences) && { stop: stop_sequences.map(String) }),
  }
}

function saidIn({ role, content, tool_plan, tool_calls, tool_call_id }: Json, calls: unknown[]): ExpectedPart[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
  if (role === 'tool')
    return [
      {
        role: 'user',
        result: parts.map((one) => text(one['text']) ?? '').join('\n'),
        of: calls.lastIndexOf(tool_call_id),
      },
    ]
  const plan: ExpectedPart[] = typeof tool_plan === 'string' ? [{ role: 'assistant', reasoning: tool_plan }] : []
  const made = objects(tool_calls).map(({ id, function: called }): ExpectedPart => {
    calls.push(id)
    const { name, arguments: args } = fields(called)
    return { role: 'assistant', call: { name: String(name), arguments: JSON.parse(String(args)) as unknown } }
  })
  return [...plan, ...parts.map((part) => partOf(role as 'user', part)), ...made]
}

function partOf(role: 'system' | 'user' | 'assistant', part: Json): ExpectedPart {
  if (part['type'] === 'thinking') return { role: 'assistant', reasoning: String(part['thinking']) }
  if (part['type'] !== 'image_url') return { role, text: String(part['text']) }
  const [, media, base64] = /^data:(.*?);base64,(.*)$/.exec(String(fields(part['image_url'])['url'])) ?? []
  return { role: 'user', media: String(media), base64: String(base64) }
}

const STOP = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  'tool-calls': 'TOOL_CALL',
  'content-filter': 'ERROR_TOXIC',
  unknown: 'COMPLETE',
} as const

const halves = (whole: string): string[] => [
  whole.slice(0, Math.ceil(whole.length / 2)),
  whole.slice(Math.ceil(whole.length / 2)),
]

/** The vendor's answer, whole and as the events of a stream. */
export const write: WireFacts['write'] = ({ text: answer, reasoning, calls, finish, usage }) => {
  const { input = 0, output = 0, cacheRead } = usage ?? {}
  const counted = {
    billed_units: { input_tokens: input, output_tokens: output },
    tokens: { input_tokens: input + 400, output_tokens: output },
    ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
  }
  const content = [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning }]),
    ...(answer === '' ? [] : [{ type: 'text', text: answer }]),
  ]
  const uses = calls.map((call, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }))
  const events: Json[] = [
    {
      id: 'c0ffee',
      type: 'message-start',
      delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
    },
    ...content.flatMap(({ type, ...rest }, index) => {
      const key = type === 'thinking' ? 'thinking' : 'text'
      const event = (name: string, value: Json) => ({ type: name, index, delta: { message: { content: value } } })
      const pieces = halves(String((rest as Json)[key])).map((piece) => event('content-delta', { [key]: piece }))
      return [event('content-start', { type, [key]: '' }), ...pieces, { type: 'content-end', index }]
    }),
    ...uses.flatMap(({ id, type, function: { name, arguments: args } }, index) => {
      const event = (kind: string, value: Json) => ({ type: kind, index, delta: { message: { tool_calls: value } } })
      const pieces = halves(args).map((piece) => event('tool-call-delta', { function: { arguments: piece } }))
      return [
        event('tool-call-start', { id, type, function: { name, arguments: '' } }),
        ...pieces,
        { type: 'tool-call-end', index },
      ]
    }),
    { type: 'message-end', delta: { finish_reason: STOP[finish], usage: counted } },
  ]
  const message = { role: 'assistant', content, ...(uses.length > 0 && { tool_calls: uses }) }
  return {
    body: { id: 'c0ffee', message, finish_reason: STOP[finish], usage: counted },
    stream: events.map((data) => ({ event: String(data['type']), data })),
  }
}

export const errorFrame = (message: string): VendorFrame => ({
  event: 'message-end',
  data: { type: 'message-end', delta: { finish_reason: 'ERROR', error: message } },
})

const INPUT_TYPES: Readonly<Record<string, 'query' | 'document' | 'classification' | 'clustering'>> = {
  search_query: 'query',
  search_document: 'document',
  classification: 'classification',
  clustering: 'clustering',
}

// Written from https://docs.cohere.com/reference/embed
export const embeddings: EmbeddingsWireFacts = {
  model: 'embed-v4.0',
  path: '/v2/embed',
  batch: 96,
  read({ body }) {
    const { texts, input_type, output_dimension } = fields(body)
    const use = INPUT_TYPES[String(input_type)]
    if (!use) throw new Error('input_type is required')
    return {
      inputs: texts as string[],
      use,
      ...(typeof output_dimension === 'number' && { dimensions: output_dimension }),
    }
  },
  write: ({ vectors, tokens }) => ({
    id: '1',
    embeddings: { float: vectors },
    meta: { billed_units: { input_tokens: tokens } },
  }),
}

/** @see https://docs.cohere.com/v2/reference/rerank and https://docs.cohere.com/v2/docs/reranking-best-practices */
export const rerank: RerankFacts = {
  model: 'rerank-v3.5',
  path: '/v2/rerank',
  most: 10_000,
  counts: 'searches',
  read({ body }) {
    const { model: _, query, documents, top_n, max_tokens_per_doc: __, ...others } = fields(body)
    if (Object.keys(others).length > 0) throw new Error(`unknown field: ${Object.keys(others)}`)
    return { query: String(query), documents: documents as string[], top: top_n as number | undefined }
  },
  write: ({ results, searches }) => ({
    id: '1',
    results: results.map(({ index, score }) => ({ index, relevance_score: score })),
    meta: { api_version: { version: '2' }, billed_units: { search_units: searches } },
  }),
}
