import type { Json } from '../../../src/canonical/json.ts'
import { CHAT } from './chat-completions.ts'
import { GEMINI } from './generate-content.ts'
import { MESSAGES } from './messages.ts'
import { asks, type Shape, TEXTS } from './pieces.ts'
import { RESPONSES } from './responses.ts'

const texts = (make: (text: string) => Json): Record<string, Shape> =>
  Object.fromEntries(
    Object.entries(TEXTS).map(([name, textOf]): [string, Shape] => [name, (size) => make(textOf(size))]),
  )

/** Bodies of requests, by format and by what they are full of. */
export const REQUESTS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'chat-completions': { ...CHAT, ...texts((words) => asks(words)) },
  messages: { ...MESSAGES, ...texts((words) => asks([{ type: 'text', text: words }])) },
  responses: { ...RESPONSES, ...texts((words) => ({ model: 'm', input: words })) },
  'generate-content': { ...GEMINI, ...texts((words) => ({ contents: [{ role: 'user', parts: [{ text: words }] }] })) },
}

/** Two bodies of one format as one. */
export function both(a: Json, b: Json): Json {
  const out: Json = { ...a }
  for (const key in b) {
    const before = out[key]
    if (Array.isArray(before) && Array.isArray(b[key])) out[key] = [...before, ...(b[key] as unknown[])]
    else out[key] ??= b[key]
  }
  return out
}
