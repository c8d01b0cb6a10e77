import { describe, expect, it } from 'vitest'
import type { TranslatedFormat } from '../../../core/src/translate.ts'
import { chatProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/**
 * Requests and answers as text, written from the vendors' documentation: `JSON.stringify` would round the numbers.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 * @see https://ai.google.dev/api/generate-content
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
const DIGITS = ['9007199254740993', '1e400', '0.12345678901234567890', '-98765432109876543210']
const ARGS = `{"id":${DIGITS[0]},"far":[${DIGITS[1]}],"near":{"x":${DIGITS[2]}},"low":${DIGITS[3]}}`
const TEXT = JSON.stringify(ARGS)
const SCHEMA = '{"type":"object","properties":{"id":{"type":"integer"}}}'
const SSE = (...events: string[]): string => events.map((data) => `data: ${data}\n\n`).join('')

interface Wire {
  path(model: string, stream: boolean): string
  request(model: string, stream: boolean): string
  answer(stream: boolean): string
}

const chatCall = (index = ''): string =>
  `{${index}"id":"c2","type":"function","function":{"name":"f","arguments":${TEXT}}}`
const chatHead = (object: string): string => `"id":"a1","object":"${object}","created":1750000000,"model":"m"`
const chatUsage = '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}'
const messagesHead = '"id":"msg_1","type":"message","role":"assistant","model":"m"'
const messagesUsage = '"usage":{"input_tokens":1,"output_tokens":1}'
const responsesItem = `{"id":"fc_1","type":"function_call","status":"completed","call_id":"c2","name":"f","arguments":${TEXT}}`
const responsesUsage =
  '"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":0},"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":2}'
const response = (status: string, output: string): string =>
  `{"id":"resp_1","object":"response","created_at":1750000000,"status":"${status}","model":"m","output":[${output}],${responsesUsage}}`

const WIRES: Readonly<Record<TranslatedFormat, Wire>> = {
  'chat-completions': {
    path: () => '/v1/chat/completions',
    request: (model, stream) =>
      `{"model":"${model}","stream":${stream},"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}],"messages":[` +
      `{"role":"user","content":"Hello"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${TEXT}}}]},` +
      `{"role":"tool","tool_call_id":"c1","content":${TEXT}}]}`,
    answer: (stream) =>
      stream
        ? SSE(
            `{${chatHead('chat.completion.chunk')},"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${chatCall('"index":0,')}]},"finish_reason":null}]}`,
            `{${chatHead('chat.completion.chunk')},"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],${chatUsage}}`,
            '[DONE]',
          )
        : `{${chatHead('chat.completion')},"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[${chatCall()}]},"finish_reason":"tool_calls"}],${chatUsage}}`,
  },
  messages: {
    path: () => '/v1/messages',
    request: (model, stream) =>
      `{"model":"${model}","max_tokens":64,"stream":${stream},"tools":[{"name":"f","input_schema":${SCHEMA}}],"messages":[` +
      `{"role":"user","content":"Hello"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${ARGS}}]},` +
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${TEXT}}]}]}`,
    answer: (stream) =>
      stream
        ? SSE(
            `{"type":"message_start","message":{${messagesHead},"content":[],${messagesUsage}}}`,
            `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c2","name":"f","input":{}}}`,
            `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${TEXT}}}`,
            `{"type":"content_block_stop","index":0}`,
            `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":1}}`,
            `{"type":"message_stop"}`,
          )
        : `{${messagesHead},"content":[{"type":"tool_use","id":"c2","name":"f","input":${ARGS}}],"stop_reason":"tool_use",${messagesUsage}}`,
  },
  'generate-content': {
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    request: () =>
      `{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${SCHEMA}}]}],"contents":[{"role":"user","parts":[{"text":"Hello"}]},` +
      `{"role":"model","parts":[{"functionCall":{"name":"f","args":${ARGS}}}]},` +
      `{"role":"user","parts":[{"functionResponse":{"name":"f","response":${ARGS}}}]}]}`,
    answer: (stream) => {
      const chunk = `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${ARGS}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},"modelVersion":"m"}`
      return stream ? SSE(chunk) : chunk
    },
  },
  responses: {
    path: () => '/v1/responses',
    request: (model, stream) =>
      `{"model":"${model}","store":false,"stream":${stream},"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}],"input":[{"role":"user","content":"Hello"},` +
      `{"type":"function_call","call_id":"c1","name":"f","arguments":${TEXT}},{"type":"function_call_output","call_id":"c1","output":${TEXT}}]}`,
    answer: (stream) =>
      stream
        ? SSE(
            `{"type":"response.created","sequence_number":0,"response":${response('in_progress', '')}}`,
            `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":${responsesItem.replace(TEXT, '""')}}`,
            `{"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"fc_1","output_index":0,"delta":${TEXT}}`,
            `{"type":"response.function_call_arguments.done","sequence_number":3,"item_id":"fc_1","output_index":0,"arguments":${TEXT}}`,
            `{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":${responsesItem}}`,
            `{"type":"response.completed","sequence_number":5,"response":${response('completed', responsesItem)}}`,
          )
        : response('completed', responsesItem),
  },
}

const NAMES = Object.keys(WIRES) as TranslatedFormat[]
const PAIRS = NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const))

/** A gateway with a provider of each format; models are named after it. */
async function start(isPatched = false) {
  const answers = (call: UpstreamCall): unknown => {
    const [, name = '', kind] = /^\/([a-z-]+)\/(stream|whole)$/.exec(call.path) ?? []
    const text = WIRES[name as TranslatedFormat].answer(kind === 'stream')
    return kind === 'stream' ? call.stream(text) : call.answer(200, text, { 'content-type': 'application/json' })
  }
  const upstream = await startUpstream(answers)
  const patches = isPatched
    ? { patchRequest: (body: object) => ({ ...body }), patchResponse: (body: object) => ({ ...body }) }
    : {}
  const providers = NAMES.map((format) =>
    chatProvider(upstream.origin, {
      name: format,
      chat: [{ format, path: ({ stream }) => `/${format}/${stream ? 'stream' : 'whole'}`, ...patches }],
      known: [{ id: `m-${format}` }],
    }),
  )
  return { upstream, ...(await startGateway('node', { providers })) }
}

describe('Numbers of tool arguments that a double cannot have', () => {
  it.each(PAIRS)('keep their digits from %s to %s and back, whole and streamed', async (from, to) => {
    const { post, upstream } = await start()
    const wire = WIRES[from]
    for (const stream of [false, true]) {
      const model = `m-${to}`
      const answer = await post(wire.path(model, stream), wire.request(model, stream))
      const [said, sent] = [await answer.text(), upstream.calls.at(-1)?.body.toString() ?? '']
      expect(answer.status, said).toBe(200)
      expect(answer.headers.get('headgate-lost') ?? '').not.toMatch(/arg|input/)
      for (const digits of DIGITS) {
        expect(sent.split(digits).length, `${digits} of call and result in ${sent}`).toBe(3)
        expect(said, stream ? 'stream' : 'whole').toContain(digits)
      }
    }
  })

  it.each(NAMES)('keep their digits where an adapter patches bodies of %s', async (name) => {
    const { post, upstream } = await start(true)
    const wire = WIRES[name]
    const answer = await post(wire.path(`m-${name}`, false), wire.request(`m-${name}`, false))
    const said = await answer.text()
    for (const digits of DIGITS) {
      expect(upstream.calls[0]?.body.toString()).toContain(digits)
      expect(said).toContain(digits)
    }
  })
})
