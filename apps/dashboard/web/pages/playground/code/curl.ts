import type { ChatRequest } from '../chat/conversation.ts'
import { completionsBody } from './completions-body.ts'
import { generateBody } from './generate-body.ts'
import { shortened } from './literal.ts'
import { messagesBody } from './messages-body.ts'
import type { Place } from './place.ts'
import { responsesBody } from './responses-body.ts'

export type Format = 'chat-completions' | 'messages' | 'generate-content' | 'responses'

const BODIES = {
  'chat-completions': completionsBody,
  messages: messagesBody,
  'generate-content': generateBody,
  responses: responsesBody,
}

/** The request for a terminal, in a format. */
export function curlOf(request: ChatRequest, format: Format, { origin, variable, isStrict }: Place): string {
  const path = pathOf(request, format)
  const body = JSON.stringify(
    BODIES[format](request),
    (_, one: unknown) => (typeof one === 'string' ? shortened(one) : one),
    2,
  )
  return [
    `curl ${request.streams ? '-N ' : ''}${inShell(`${origin}/${path}`)}`,
    `-H "Authorization: Bearer $${variable}"`,
    "-H 'content-type: application/json'",
    ...(isStrict ? ["-H 'headgate-strict: true'"] : []),
    `-d ${inShell(body)}`,
  ].join(' \\\n  ')
}

/** The model path of a format. */
function pathOf({ model, streams }: ChatRequest, format: Format): string {
  if (format === 'chat-completions') return 'v1/chat/completions'
  if (format === 'messages') return 'v1/messages'
  if (format === 'responses') return 'v1/responses'
  return `v1beta/models/${encodeURI(model)}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** A word of a shell, whatever is in it. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
