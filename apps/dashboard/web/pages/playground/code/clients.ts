import type { ChatRequest } from '../chat/conversation.ts'
import { completionsBody } from './completions-body.ts'
import { contentsOf, generateBody, generateConfig } from './generate-body.ts'
import { literal, members, shortened } from './literal.ts'
import { messagesBody } from './messages-body.ts'
import { responsesBody } from './responses-body.ts'

/** The request by the package `openai`. */
export function openaiCode(request: ChatRequest, place: Place): string {
  const head = `${clientOf(place)}
const answer = await client.chat.completions.create(${literal(completionsBody(request))})
`
  return request.streams
    ? `${head}for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? '')`
    : `${head}console.log(answer.choices[0]?.message)`
}

/** The same by the newer half of the package. */
export function openaiResponsesCode(request: ChatRequest, place: Place): string {
  const head = `${clientOf(place)}
const answer = await client.responses.create(${literal(responsesBody(request))})
`
  return request.streams
    ? `${head}for await (const event of answer) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)`
    : `${head}console.log(answer.output)`
}

function clientOf({ origin, variable, isStrict }: Place): string {
  const client = { baseURL: `${origin}/v1`, defaultHeaders: isStrict ? STRICT : undefined }
  return `import OpenAI from 'openai'

const client = new OpenAI({
${members(client)}
  apiKey: process.env.${variable},
})`
}

/** The request by the package `@anthropic-ai/sdk`. */
export function anthropicCode(request: ChatRequest, { origin, variable, isStrict }: Place): string {
  const client = { baseURL: origin, defaultHeaders: isStrict ? STRICT : undefined }
  const head = `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
${members(client)}
  apiKey: process.env.${variable},
})
const answer = await client.messages.create(${literal(messagesBody(request))})
`
  return request.streams
    ? `${head}for await (const event of answer) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)
}`
    : `${head}console.log(answer.content)`
}

/** The request by the package `@google/genai`. */
export function googleCode(request: ChatRequest, { origin, variable, isStrict }: Place): string {
  const asked = { model: request.model, contents: contentsOf(request.turns), config: generateConfig(request) }
  const head = `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
${members({ httpOptions: { baseUrl: origin, headers: isStrict ? STRICT : undefined } })}
  apiKey: process.env.${variable},
})
const answer = await client.models.${request.streams ? 'generateContentStream' : 'generateContent'}(${literal(asked)})
`
  return request.streams
    ? `${head}for await (const { text } of answer) process.stdout.write(text ?? '')`
    : `${head}console.log(answer.candidates?.[0]?.content)`
}

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

/** Where code asks, and by what. */
export interface Place {
  /** Where the gateway is: `http://127.0.0.1:8787`. */
  readonly origin: string
  /** The variable of the environment that holds the key: a page has none. */
  readonly variable: string
  /** Whether a loss is refused. */
  readonly isStrict: boolean
}

/** The header that has a loss be refused. */
export const STRICT = { 'headgate-strict': 'true' } as const
