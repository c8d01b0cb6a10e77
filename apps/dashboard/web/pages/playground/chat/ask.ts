import { completionsBody, type Json } from '../code/completions-body.ts'
import { responsesBody } from '../code/responses-body.ts'
import { call } from '../wire/call.ts'
import { dataOf } from '../wire/events.ts'
import { type Answer, NO_ANSWER, wholeAnswer, withEvent } from './answer.ts'
import type { AskedFormat, ChatRequest } from './conversation.ts'
import { wholeResponse, withResponseEvent } from './response.ts'

/** How much of an answer is kept as it came, in characters. */
const KEPT = 128_000
/** How often an answer that grows is shown, in milliseconds. */
const OFTEN = 50

/** One request, as the caller's side has seen it. */
export interface Exchange {
  readonly requestId: string
  readonly provider: string
  /** What translation has lost, as the header says it. */
  readonly lost: string
  readonly isEstimated: boolean
  readonly sent: string
  readonly received: string
  /** Until the first piece of the answer, and until its end, in milliseconds. */
  readonly firstMs: number | undefined
  readonly allMs: number
}

export interface Asked {
  readonly project: string | undefined
  readonly signal: AbortSignal
  onProgress(answer: Answer): void
}

/** Asks a model, and reads its answer as it comes. Stopped, it is what has come until then. @throws Problem */
export async function askChat(
  request: ChatRequest,
  { project, signal, onProgress }: Asked,
): Promise<{ answer: Answer; exchange: Exchange }> {
  const { path, body, withEvent, whole } = ASKING[request.format]
  const sent = JSON.stringify(body(request))
  const begun = performance.now()
  const headers = request.isStrict ? { 'headgate-strict': 'true' } : {}
  const response = await call({ method: 'POST', path, body: sent, headers, project, signal })
  let answer = NO_ANSWER
  let received = ''
  let firstMs: number | undefined
  let shownAt = 0
  const keep = (text: string): void => {
    if (received.length < KEPT) received += text
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
        if (performance.now() - shownAt < OFTEN) continue
        shownAt = performance.now()
        onProgress(answer)
      }
  } catch (error) {
    if (signal.aborted) answer = { ...answer, finish: 'stopped' }
    else
      answer = {
        ...answer,
        error: error instanceof TypeError ? 'The connection broke off.' : error instanceof Error ? error.message : '',
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

/** How the page asks in a format, and reads what comes. */
export interface Asking {
  readonly path: string
  body(request: ChatRequest): Json
  withEvent(answer: Answer, data: string): Answer
  whole(text: string): Answer
}

export const ASKING: Readonly<Record<AskedFormat, Asking>> = {
  'chat-completions': { path: 'v1/chat/completions', body: completionsBody, withEvent, whole: wholeAnswer },
  responses: { path: 'v1/responses', body: responsesBody, withEvent: withResponseEvent, whole: wholeResponse },
}
