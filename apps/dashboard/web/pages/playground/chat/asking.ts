import { completionsBody, type Json } from '../code/completions-body.ts'
import { responsesBody } from '../code/responses-body.ts'
import { type Answer, wholeAnswer, withEvent } from './answer.ts'
import type { AskedFormat, ChatRequest } from './conversation.ts'
import { wholeResponse, withResponseEvent } from './response.ts'

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
