import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  chatUsageFrame,
  DONE,
  MESSAGES,
  messagesRequest,
} from '../../core/test/support/wire.ts'
import type { GatewayOptions, ProviderInstance, UsageRow } from '../../gateway/src/index.ts'
import { listBackend, results } from '../../gateway/test/search/backends.ts'
import { chatProvider, type RunningGateway, startGateway } from '../../gateway/test/support/gateway.ts'
import { RESPONSES, responsesRequest } from '../../gateway/test/support/responses.ts'
import { startUpstream, type UpstreamCall } from '../../gateway/test/support/upstream.ts'
import type { RefusedRow } from '../src/request-spans.ts'

/** Ways in which a request ends. */
export const CASES = ['unary', 'stream', 'failover', 'search', 'canceled', 'refused'] as const
export type RequestCase = (typeof CASES)[number]

type Body = Readonly<Record<string, unknown>>

/** Requests of a format. */
interface CallerFormat {
  /** Name of the span of the server, and of the operation. */
  readonly route: string
  readonly operation: string
  path(model: string, stream: boolean): string
  readonly body: Body
  readonly stream: Body
  readonly search: Body
  readonly model: (model: string) => Body
}

const streamed = { stream: true }

/** Formats of callers by name. */
export const FORMATS: Readonly<Record<string, CallerFormat>> = {
  'chat-completions': {
    route: `POST ${CHAT}`,
    operation: 'chat',
    path: () => CHAT,
    body: chatRequest,
    stream: streamed,
    search: { web_search_options: {} },
    model: (model) => ({ model }),
  },
  messages: {
    route: `POST ${MESSAGES}`,
    operation: 'chat',
    path: () => MESSAGES,
    body: messagesRequest,
    stream: streamed,
    search: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }] },
    model: (model) => ({ model }),
  },
  responses: {
    route: `POST ${RESPONSES}`,
    operation: 'chat',
    path: () => RESPONSES,
    body: responsesRequest,
    stream: streamed,
    search: { tools: [{ type: 'web_search' }] },
    model: (model) => ({ model }),
  },
  'generate-content': {
    route: 'POST /v1beta/models/{model}:generateContent',
    operation: 'generate_content',
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    stream: {},
    search: { tools: [{ googleSearch: {} }] },
    model: () => ({}),
  },
}

/** A request that has ended. */
export interface EndedRequest {
  /** Row of a request that reached a provider. */
  readonly row: UsageRow | undefined
  readonly refusal: RefusedRow | undefined
  /** Span that the access record names. */
  readonly span: { readonly traceId: string; readonly id: string } | undefined
  /** Requests that upstreams got. */
  readonly calls: readonly UpstreamCall[]
}

const searchCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'web_search', arguments: JSON.stringify({ query: 'headgate' }) },
}

function answer(call: UpstreamCall, searches: boolean): unknown {
  const isStream = call.json()['stream'] === true
  if (!searches) return isStream ? call.stream(chatFrames()) : call.answer(200, chatAnswer())
  const message = { role: 'assistant', content: null, tool_calls: [searchCall] }
  if (!isStream)
    return call.answer(200, chatAnswer('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }))
  return call.stream([
    chatChunk({ tool_calls: [{ index: 0, ...searchCall }] }),
    chatChunk({}, {}, 'tool_calls'),
    chatUsageFrame,
    DONE,
  ])
}

const PRICE = { id: 'test', input: 1_000_000_000, output: 2_000_000_000 }

/** Sends one request of a format to a gateway, and waits for its end. */
export async function send(
  format: CallerFormat,
  requestCase: RequestCase,
  {
    options = {},
    headers = {},
    changes = {},
    tracing,
  }: {
    readonly options?: Partial<GatewayOptions>
    readonly headers?: Record<string, string>
    readonly changes?: Partial<ProviderInstance>
    readonly tracing?: boolean
  } = {},
): Promise<EndedRequest> {
  let turn = 0
  const upstream = await startUpstream((call) => {
    if (requestCase === 'canceled') return undefined
    turn += 1
    if (requestCase === 'failover' && turn === 1) return call.answer(429, { error: { message: 'Slow down.' } })
    return answer(call, requestCase === 'search' && turn === 1)
  })
  const known = [{ id: 'small', price: PRICE }]
  const provider = (name: string) => ({ provider: chatProvider(upstream.url, { name, known, ...changes }), tracing })
  let refusal: RefusedRow | undefined
  const gateway = await startGateway('node', {
    providers: requestCase === 'failover' ? [provider('alpha'), provider('beta')] : [provider('alpha')],
    rowTraces: true,
    refusals: {
      refused: ({ id = '', message: _, ...rest }) => {
        refusal = { ...rest, id }
      },
      unauthenticated() {},
      words() {},
    },
    ...(requestCase === 'search' && { search: { backends: [listBackend({ by: 'offset', perCall: 10 }, results(3))] } }),
    ...options,
  })
  await request(format, requestCase, gateway, { headers, arrived: () => upstream.next() })
  const { span } = await gateway.access.next()
  return { row: gateway.rows[0], refusal, span, calls: upstream.calls }
}

async function request(
  format: CallerFormat,
  requestCase: RequestCase,
  { post }: Pick<RunningGateway, 'post'>,
  { headers, arrived }: { readonly headers: Record<string, string>; arrived(): Promise<unknown> },
): Promise<void> {
  const isStream = requestCase === 'stream'
  const model = requestCase === 'refused' ? 'unknown-model' : 'small'
  const body = {
    ...format.body,
    ...format.model(model),
    ...(isStream && format.stream),
    ...(requestCase === 'search' && format.search),
  }
  const leaving = new AbortController()
  const sent = post(format.path(model, isStream), body, { headers, signal: leaving.signal })
  if (requestCase === 'canceled') {
    await arrived()
    leaving.abort()
    await sent.catch(() => {})
    return
  }
  await (await sent).text()
}
