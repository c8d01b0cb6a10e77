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
/** Key of requests to it, which no budget applies to. */
export const SPARE_KEY = 'sk-caller-spare-0123456789'
/** A further model that never fails, for fallbacks. */
export const FALLBACK_MODEL = 'reserve'
/** Alias of {@link MODEL}. */
export const ALIAS = 'routed'

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
  /** Key of the caller; default {@link KEY}. */
  readonly key?: string
  /** Word at the end of the prompt, by which upstreams recognize the request; default: none. */
  readonly marker?: string | undefined
  /** Model that the body names as a fallback; default: none. */
  readonly fallback?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

const GREETING = 'Guten Tag 🦊'

function promptOf({ marker }: Wish): string {
  return marker === undefined ? GREETING : `${GREETING} ${marker}`
}

function chatBody(wish: Wish): object {
  const { delivery, flavour, model = MODEL, usage, fallback } = wish
  const stream = delivery !== 'whole'
  return {
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: promptOf(wish) },
    ],
    max_tokens: 64,
    ...(fallback !== undefined && { models: [fallback] }),
    ...(stream && { stream, ...(usage && { stream_options: { include_usage: true } }) }),
    ...(flavour === 'call' && {
      tools: [{ type: 'function', function: { name: TOOL, description: DESCRIPTION, parameters: SCHEMA } }],
    }),
  }
}

function messagesBody(wish: Wish): object {
  const { delivery, flavour, model = MODEL, fallback } = wish
  return {
    model,
    max_tokens: 64,
    system: 'Be brief.',
    messages: [{ role: 'user', content: promptOf(wish) }],
    ...(fallback !== undefined && { fallbacks: [{ model: fallback }] }),
    ...(delivery !== 'whole' && { stream: true }),
    ...(flavour === 'call' && { tools: [{ name: TOOL, description: DESCRIPTION, input_schema: SCHEMA }] }),
  }
}

function generateBody(wish: Wish): object {
  const { flavour, fallback } = wish
  return {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: promptOf(wish) }] }],
    ...(fallback !== undefined && { models: [fallback] }),
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
    headers: { authorization: `Bearer ${wish.key ?? KEY}`, 'content-type': 'application/json', ...wish.headers },
    body: Buffer.from(JSON.stringify(BODIES[wish.format](wish))),
  }
}
