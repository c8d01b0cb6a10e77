import { problemOf } from '../../../api/problem.ts'
import { completionsBody, type JsonObject } from '../code/completions-body.ts'
import { generateBody } from '../code/generate-body.ts'
import { messagesBody } from '../code/messages-body.ts'
import { responsesBody } from '../code/responses-body.ts'
import { call } from '../wire/call.ts'
import { dataOf } from '../wire/events.ts'
import { type ChatReply, NO_RESPONSE, readCompletion, withEvent } from './completion.ts'
import { readContent, withContent } from './content.ts'
import type { PlaygroundRequest, SentFormat } from './conversation.ts'
import { readMessage, withMessageEvent } from './message.ts'
import { readResponse, withResponseEvent } from './response.ts'

/** Maximum length of the raw response that is kept, in characters. */
const MAX_RAW = 128_000
/** Interval at which a streamed response is shown, in milliseconds. */
const INTERVAL = 50

/** Request and response as the page sent and received them. */
export interface ChatExchange {
  readonly requestId: string
  readonly provider: string
  /** Value of the header `headgate-lost`. */
  readonly lost: string
  readonly isEstimated: boolean
  readonly sent: string
  readonly received: string
  /** Milliseconds until the first event and until the end of the response. */
  readonly firstMs: number | undefined
  readonly allMs: number
}

export interface ChatRun {
  readonly project: string | undefined
  readonly signal: AbortSignal
  onProgress(answer: ChatReply): void
}

/**
 * Sends a chat request and reads the response. An aborted request returns the part received until then.
 * @throws ApiProblem
 */
export async function sendChat(
  request: PlaygroundRequest,
  { project, signal, onProgress }: ChatRun,
): Promise<{ answer: ChatReply; exchange: ChatExchange }> {
  const { pathOf, queryOf, body, withEvent, whole } = CHAT_WIRES[request.format]
  const sent = JSON.stringify(body(request))
  const begun = performance.now()
  const headers = request.isStrict ? { 'headgate-strict': 'true' } : {}
  const response = await call({
    method: 'POST',
    path: pathOf(request),
    query: queryOf?.(request) ?? {},
    body: sent,
    headers,
    project,
    signal,
  })
  let answer = NO_RESPONSE
  let received = ''
  let firstMs: number | undefined
  let shownAt = 0
  const keep = (text: string): void => {
    if (received.length < MAX_RAW) received += text
  }
  try {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      const text = await response.text()
      keep(text)
      answer = whole(text)
    } else
      for await (const data of dataOf(response.body)) {
        firstMs ??= performance.now() - begun
        keep(`data: ${data}\n\n`)
        answer = withEvent(answer, data)
        if (performance.now() - shownAt < INTERVAL) continue
        shownAt = performance.now()
        onProgress(answer)
      }
  } catch (error) {
    if (signal.aborted) answer = { ...answer, finish: 'stopped' }
    else
      answer = {
        ...answer,
        error: error instanceof TypeError ? 'The connection was lost.' : problemOf(error).details.detail,
      }
  }
  return {
    answer,
    exchange: {
      requestId: response.headers.get('x-request-id') ?? '',
      provider: response.headers.get('headgate-vendor') ?? '',
      lost: response.headers.get('headgate-lost') ?? '',
      isEstimated: response.headers.get('headgate-estimated') === 'true',
      sent,
      received,
      firstMs,
      allMs: performance.now() - begun,
    },
  }
}

/** Writer and readers of a format. */
export interface ChatWire {
  pathOf(request: Pick<PlaygroundRequest, 'model' | 'streams'>): string
  queryOf?(request: Pick<PlaygroundRequest, 'streams'>): Readonly<Record<string, string>>
  body(request: PlaygroundRequest): JsonObject
  withEvent(answer: ChatReply, data: string): ChatReply
  whole(text: string): ChatReply
}

export const CHAT_WIRES: Readonly<Record<SentFormat, ChatWire>> = {
  'chat-completions': {
    pathOf: () => 'v1/chat/completions',
    body: completionsBody,
    withEvent,
    whole: readCompletion,
  },
  responses: { pathOf: () => 'v1/responses', body: responsesBody, withEvent: withResponseEvent, whole: readResponse },
  messages: { pathOf: () => 'v1/messages', body: messagesBody, withEvent: withMessageEvent, whole: readMessage },
  'generate-content': {
    pathOf: ({ model, streams }) =>
      `v1beta/models/${encodeURI(model)}:${streams ? 'streamGenerateContent' : 'generateContent'}`,
    queryOf: ({ streams }) => (streams ? { alt: 'sse' } : {}),
    body: generateBody,
    withEvent: withContent,
    whole: readContent,
  },
}
