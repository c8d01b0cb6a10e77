import type { Format } from '../canonical/format.ts'
import { chatCompletions } from './chat-completions/index.ts'
import { generateContent } from './generate-content/index.ts'
import { messages } from './messages/index.ts'

/** The formats that the gateway speaks, by id. */
export const formats: ReadonlyMap<string, Format> = new Map(
  [chatCompletions, messages, generateContent].map((format) => [format.id, format]),
)
