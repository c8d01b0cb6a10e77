import type { Json } from '@headgate/core/provider'
import type { KitFormat } from './meaning.ts'

/** Smallest valid request in each format. `wires[format].body` adds the model and `stream`. */
export const SHORT_QUESTIONS: Readonly<Record<KitFormat, Json>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Hello' }] },
  messages: { max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  responses: { input: 'Hello' },
}
