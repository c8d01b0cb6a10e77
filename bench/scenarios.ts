import type { Shot } from './load.ts'

/** Request to compare, and the targets that can serve it. */
export interface Scenario {
  readonly name: string
  /** Mode of the floor: forward bytes, or split, parse and serialize the events of a stream. */
  readonly floor: 'pass' | 'parse'
  readonly requests: number
  /** Maximum CPU time of Headgate's main thread, in multiples of the floor's. */
  readonly budget: number
  readonly headgate: Shot
  /** Request to the floor and the peers. */
  readonly direct: Shot
  readonly peers: boolean
}

const QUESTION = 'Tell me about the town where you were born, and what the people there eat on feast days. '

const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' }

function chatBody(model: string, kilobytes: number, stream: boolean): string {
  const content = QUESTION.repeat(Math.ceil((kilobytes * 1024) / QUESTION.length))
  const messages = [
    { role: 'system', content: 'You answer in short sentences.' },
    { role: 'user', content },
  ]
  return JSON.stringify({
    model,
    messages,
    max_tokens: 400,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  })
}

function messagesBody(model: string, kilobytes: number, stream: boolean): string {
  const content = QUESTION.repeat(Math.ceil((kilobytes * 1024) / QUESTION.length))
  return JSON.stringify({
    model,
    max_tokens: 400,
    system: 'You answer in short sentences.',
    messages: [{ role: 'user', content }],
    ...(stream && { stream: true }),
  })
}

/** Request in chat completions. */
export const chat = (model: string, kilobytes: number, stream: boolean): Shot => ({
  path: '/v1/chat/completions',
  headers,
  body: chatBody(model, kilobytes, stream),
})
const messages = (model: string, kilobytes: number, stream: boolean): Shot => ({
  path: '/v1/messages',
  headers,
  body: messagesBody(model, kilobytes, stream),
})

/** Not stored, so that only the translation is compared. */
const responses = (model: string, kilobytes: number, stream: boolean): Shot => ({
  path: '/v1/responses',
  headers,
  body: JSON.stringify({
    model,
    max_output_tokens: 400,
    store: false,
    instructions: 'You answer in short sentences.',
    input: QUESTION.repeat(Math.ceil((kilobytes * 1024) / QUESTION.length)),
    ...(stream && { stream: true }),
  }),
})

/** Body large enough that reading, translating and writing it dominates. */
export const largeTranslated: Shot = messages('chat-up/bench-model', 1024, false)

export const scenarios: readonly Scenario[] = [
  {
    name: 'bypass, unary, 1 KB',
    floor: 'pass',
    requests: 5_000,
    budget: 1.6,
    headgate: chat('chat-up/bench-model', 1, false),
    direct: chat('bench-model', 1, false),
    peers: true,
  },
  {
    name: 'bypass, unary, 20 KB',
    floor: 'pass',
    requests: 3_000,
    budget: 1.4,
    headgate: chat('chat-up/bench-model', 20, false),
    direct: chat('bench-model', 20, false),
    peers: true,
  },
  {
    name: 'bypass, stream of 200 events',
    floor: 'pass',
    requests: 1_000,
    budget: 1.5,
    headgate: chat('chat-up/bench-model', 1, true),
    direct: chat('bench-model', 1, true),
    peers: false,
  },
  {
    name: 'bypass, stream of 200 events in responses',
    floor: 'pass',
    requests: 1_000,
    budget: 1.5,
    headgate: responses('responses-up/bench-pro', 1, true),
    direct: responses('bench-pro', 1, true),
    peers: false,
  },
  {
    name: 'translated, unary: messages from chat completions',
    floor: 'pass',
    requests: 4_000,
    budget: 2.5,
    headgate: messages('chat-up/bench-model', 1, false),
    direct: chat('bench-model', 1, false),
    peers: false,
  },
  {
    name: 'translated, unary: chat completions from messages',
    floor: 'pass',
    requests: 4_000,
    budget: 2.5,
    headgate: chat('messages-up/claude-bench', 1, false),
    direct: messages('claude-bench', 1, false),
    peers: false,
  },
  {
    name: 'translated, stream: messages from chat completions',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: messages('chat-up/bench-model', 1, true),
    direct: chat('bench-model', 1, true),
    peers: false,
  },
  {
    name: 'translated, stream: chat completions from messages',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: chat('messages-up/claude-bench', 1, true),
    direct: messages('claude-bench', 1, true),
    peers: false,
  },
  {
    name: 'translated, stream: responses from chat completions',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: responses('chat-up/bench-model', 1, true),
    direct: chat('bench-model', 1, true),
    peers: false,
  },
  {
    name: 'translated, stream: responses from messages',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: responses('messages-up/claude-bench', 1, true),
    direct: messages('claude-bench', 1, true),
    peers: false,
  },
  {
    name: 'translated, stream: chat completions from responses',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: chat('responses-up/bench-pro', 1, true),
    direct: responses('bench-pro', 1, true),
    peers: false,
  },
  {
    name: 'translated, stream: messages from responses',
    floor: 'parse',
    requests: 1_000,
    budget: 1.5,
    headgate: messages('responses-up/bench-pro', 1, true),
    direct: responses('bench-pro', 1, true),
    peers: false,
  },
]
