import type { PlaygroundRequest } from '../chat/conversation.ts'
import { completionsBody } from './completions-body.ts'
import { contentsOf, generateBody, generateConfig } from './generate-body.ts'
import { literal, members, shortened } from './literal.ts'
import { messagesBody } from './messages-body.ts'
import { responsesBody } from './responses-body.ts'

/** Code for chat completions with the package `openai`. */
export function openaiCode(request: PlaygroundRequest, target: SnippetTarget): string {
  const head = `${openaiClient(target)}
const answer = await client.chat.completions.create(${literal(completionsBody(request))})
`
  return request.streams
    ? `${head}for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? '')`
    : `${head}console.log(answer.choices[0]?.message)`
}

/** Code for the responses format with the package `openai`. */
export function openaiResponsesCode(request: PlaygroundRequest, target: SnippetTarget): string {
  const head = `${openaiClient(target)}
const answer = await client.responses.create(${literal(responsesBody(request))})
`
  return request.streams
    ? `${head}for await (const event of answer) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)`
    : `${head}console.log(answer.output)`
}

/** Client of the package `openai`. */
export function openaiClient({ origin, variable, isStrict }: SnippetTarget): string {
  const client = { baseURL: `${origin}/v1`, defaultHeaders: isStrict ? STRICT : undefined }
  return `import OpenAI from 'openai'

const client = new OpenAI({
${members(client)}
  apiKey: process.env.${variable},
})`
}

/** Code for the package `@anthropic-ai/sdk`. */
export function anthropicCode(request: PlaygroundRequest, { origin, variable, isStrict }: SnippetTarget): string {
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

/** Code for the package `@google/genai`. */
export function googleCode(request: PlaygroundRequest, { origin, variable, isStrict }: SnippetTarget): string {
  const body = { model: request.model, contents: contentsOf(request.turns), config: generateConfig(request) }
  const head = `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
${members({ httpOptions: { baseUrl: origin, headers: isStrict ? STRICT : undefined } })}
  apiKey: process.env.${variable},
})
const answer = await client.models.${request.streams ? 'generateContentStream' : 'generateContent'}(${literal(body)})
`
  return request.streams
    ? `${head}for await (const { text } of answer) process.stdout.write(text ?? '')`
    : `${head}console.log(answer.candidates?.[0]?.content)`
}

export type SnippetFormat = 'chat-completions' | 'messages' | 'generate-content' | 'responses'

const BODIES = {
  'chat-completions': completionsBody,
  messages: messagesBody,
  'generate-content': generateBody,
  responses: responsesBody,
}

/** `curl` command of a request, in any format. */
export function curlOf(
  request: PlaygroundRequest,
  format: SnippetFormat,
  { origin, variable, isStrict }: SnippetTarget,
): string {
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

function pathOf({ model, streams }: PlaygroundRequest, format: SnippetFormat): string {
  if (format === 'chat-completions') return 'v1/chat/completions'
  if (format === 'messages') return 'v1/messages'
  if (format === 'responses') return 'v1/responses'
  return `v1beta/models/${encodeURI(model)}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** Quotes text for a shell. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Gateway and key of generated code. */
export interface SnippetTarget {
  /** Base URL of the gateway: `http://127.0.0.1:8787`. */
  readonly origin: string
  /** Environment variable with the key, because pages do not have the key itself. */
  readonly variable: string
  /** True if a request that loses something in translation is refused. */
  readonly isStrict: boolean
}

/** Header that refuses requests with losses. */
export const STRICT = { 'headgate-strict': 'true' } as const
