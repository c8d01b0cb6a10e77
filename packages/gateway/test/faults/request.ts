import { type Flavour, type FormatId, TOOL } from './scene.ts'

/** How a caller wants the answer. */
export type Delivery = 'whole' | 'sse' | 'json-array'

/** Every way to call. */
export const WAYS: readonly (readonly [FormatId, Delivery])[] = [
  ['chat-completions', 'whole'],
  ['chat-completions', 'sse'],
  ['messages', 'whole'],
  ['messages', 'sse'],
  ['generate-content', 'whole'],
  ['generate-content', 'sse'],
  ['generate-content', 'json-array'],
]

/** What a caller sends. */
export interface CallerRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const KEY = 'sk-caller-0123456789'
export const MODEL = 'small'
/** A model of a provider that never fails. */
export const SPARE_MODEL = 'spare'

const SCHEMA = {
  type: 'object',
  properties: { place: { type: 'string' }, days: { type: 'integer' } },
  required: ['place'],
}
const DESCRIPTION = 'Looks up the weather.'

interface Wish {
  readonly format: FormatId
  readonly delivery: Delivery
  readonly flavour: Flavour
  readonly model?: string
  /** Whether a chat caller asks for the usage of a stream. */
  readonly usage?: boolean
}

function chatBody({ delivery, flavour, model = MODEL, usage }: Wish): object {
  const stream = delivery !== 'whole'
  return {
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Guten Tag 🦊' },
    ],
    max_tokens: 64,
    ...(stream && { stream, ...(usage && { stream_options: { include_usage: true } }) }),
    ...(flavour === 'call' && {
      tools: [{ type: 'function', function: { name: TOOL, description: DESCRIPTION, parameters: SCHEMA } }],
    }),
  }
}

function messagesBody({ delivery, flavour, model = MODEL }: Wish): object {
  return {
    model,
    max_tokens: 64,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Guten Tag 🦊' }],
    ...(delivery !== 'whole' && { stream: true }),
    ...(flavour === 'call' && { tools: [{ name: TOOL, description: DESCRIPTION, input_schema: SCHEMA }] }),
  }
}

function generateBody({ flavour }: Wish): object {
  return {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Guten Tag 🦊' }] }],
    generationConfig: { maxOutputTokens: 64 },
    ...(flavour === 'call' && {
      tools: [{ functionDeclarations: [{ name: TOOL, description: DESCRIPTION, parameters: SCHEMA }] }],
    }),
  }
}

function pathOf({ format, delivery, model = MODEL }: Wish): string {
  if (format === 'chat-completions') return '/v1/chat/completions'
  if (format === 'messages') return '/v1/messages'
  if (delivery === 'whole') return `/v1beta/models/${model}:generateContent`
  return `/v1beta/models/${model}:streamGenerateContent${delivery === 'sse' ? '?alt=sse' : ''}`
}

const BODIES: Readonly<Record<FormatId, (wish: Wish) => object>> = {
  'chat-completions': chatBody,
  messages: messagesBody,
  'generate-content': generateBody,
}

/** A good request. */
export function goodRequest(wish: Wish): CallerRequest {
  return {
    method: 'POST',
    path: pathOf(wish),
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(BODIES[wish.format](wish))),
  }
}
