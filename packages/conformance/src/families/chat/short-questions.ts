import type { Json } from '@headgate/core/provider'
import type { FormatId } from './meaning.ts'

/** The least that is a request, in each format; the model and the stream stand elsewhere (`wires[format].body`). */
export const SHORT_QUESTIONS: Readonly<Record<FormatId, Json>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Hello' }] },
  messages: { max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  responses: { input: 'Hello' },
}
